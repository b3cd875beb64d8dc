import { storageOrNull } from './preferences.js';

/**
 * @typedef {'yes' | 'no'} Answer
 * @typedef {{app: number, user: string, answer: Answer, output: string}} Said
 */

const storageKey = 'ovation.headphones';

/**
 * Whether a singer wears headphones. What they said holds for them in this tab, through rooms and reloads, as long as sound goes to the
 * same device.
 */
export class HeadphonesModel {
  #session;
  #storage;
  /** @type {Said | null} */ #said;

  /**
   * @param {Pick<import('../protocol/session.js').Session, 'app' | 'user'>} session of the singer
   * @param {Storage | null} storage of the tab
   */
  constructor(session, storage = storageOrNull(() => sessionStorage)) {
    this.#session = session;
    this.#storage = storage;
    this.#said = read(storage);
  }

  /**
   * @param {Answer} answer
   * @param {string} output the device that sound goes to, '' where the browser does not tell
   */
  say(answer, output) {
    this.#keep({ ...this.#me, answer, output });
  }

  /**
   * A device that the browser does not tell is taken for the one of before: asking again and again would teach nothing. The first one
   * that it tells after the answer is the one that was meant.
   * @param {string} output
   * @returns {Answer | 'unknown'}
   */
  answerFor(output) {
    const said = this.#said;
    const { app, user } = this.#me;
    if (!said || said.app !== app || said.user !== user || !isSameOutput(said.output, output))
      return 'unknown';
    if (output && !said.output) this.#keep({ ...said, output });
    return said.answer;
  }

  get #me() {
    return { app: this.#session.app, user: this.#session.user.get().id };
  }

  /** @param {Said} said */
  #keep(said) {
    this.#said = said;
    try {
      this.#storage?.setItem(storageKey, JSON.stringify(said));
    } catch {
      // Full or refused: it holds for this visit.
    }
  }
}

/** When a singer is asked: once for each sitting down and each device that sound goes to. */
export class HeadphonesQuestion {
  #isOpen = false;
  // The output for which the question was closed without an answer.
  /** @type {string | null} */ #unanswered = null;

  /**
   * Whether to ask now; whoever asks says when it is `closed`.
   * @param {Pick<import('./duet.js').DuetState, 'seated' | 'headphones'>} duet
   * @param {string} output
   */
  asks({ seated, headphones }, output) {
    if (!seated || headphones !== 'unknown') this.#unanswered = null;
    if (!seated || headphones !== 'unknown' || this.#isOpen || this.#isUnanswered(output)) return false;
    this.#isOpen = true;
    return true;
  }

  /** The singer has opened it, whatever holds. */
  opened() {
    this.#isOpen = true;
  }

  /**
   * @param {Pick<import('./duet.js').DuetState, 'headphones'>} duet
   * @param {string} output
   */
  closed({ headphones }, output) {
    this.#isOpen = false;
    this.#unanswered = headphones === 'unknown' ? output : null;
  }

  /** @param {string} output */
  #isUnanswered(output) {
    if (this.#unanswered === null || !isSameOutput(this.#unanswered, output)) return false;
    this.#unanswered ||= output;
    return true;
  }
}

/** @param {string} one @param {string} other */
function isSameOutput(one, other) {
  return !one || !other || one === other;
}

/** @param {Storage | null} storage @returns {Said | null} */
function read(storage) {
  try {
    const { app, user, answer, output } = JSON.parse(storage?.getItem(storageKey) ?? '{}') ?? {};
    const isWhole = typeof app === 'number' && typeof user === 'string' && typeof output === 'string';
    return isWhole && (answer === 'yes' || answer === 'no') ? { app, user, answer, output } : null;
  } catch {
    // Somebody else's text under our key.
    return null;
  }
}
