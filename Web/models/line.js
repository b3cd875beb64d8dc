import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { wholeRate } from './sending.js';

/** @typedef {import('./preferences.js').PreferencesModel} PreferencesModel */
/**
 * @typedef {object} LineState
 * `untold`: the browser has not found the end of the line, which carries all that was tried.
 * @property {'idle' | 'testing' | 'done' | 'untold' | 'failed'} phase
 * @property {number} share of the test that is over, 0…1
 * @property {string} quality what the line carries, one of `lineQualities`; '' when that is less than the smallest
 * @property {OvationError | null} error why it could not be tested
 */

/** What automatic quality can be, the best first. */
export const lineQualities = /** @type {const} */ (['720', '540', '360']);
/** So much of a line is left for what else goes over it: sound, repeats, other people. */
const share = 0.85;

/**
 * The best quality whose layers a line carries; '' for none.
 * @param {number} bitrate bits a second
 */
export function qualityFor(bitrate) {
  return lineQualities.find(quality => wholeRate(quality) <= bitrate * share) ?? '';
}

/** Finds out what my line carries, before going live; automatic quality begins there. */
export class LineModel {
  state = new Store(/** @type {LineState} */ ({ phase: 'idle', share: 0, quality: '', error: null }));

  #preferences;
  #test;
  /** @type {AbortController | null} */ #running = null;

  /**
   * @param {PreferencesModel} preferences
   * @param {typeof import('../protocol/line-test.js').testLine} [test] loaded on first use
   */
  constructor(
    preferences,
    test = async (...given) => (await import('../protocol/line-test.js')).testLine(...given),
  ) {
    this.#preferences = preferences;
    this.#test = test;
  }

  /** Whether it is to be asked for: a test takes two megabytes. */
  get savesData() {
    return Boolean(/** @type {any} */ (globalThis.navigator)?.connection?.saveData);
  }

  /**
   * Tests the line; a test that is going on ends. Never throws, see `state`.
   * @param {import('../protocol/session.js').Session} session
   */
  async test(session) {
    this.stop();
    const running = new AbortController();
    this.#running = running;
    this.#change({ phase: 'testing', share: 0, error: null });
    try {
      const { bitrate, atLeast } = await this.#test(session, running.signal, share => {
        if (this.#running === running) this.#change({ share });
      });
      if (this.#running !== running) return;
      const quality = qualityFor(bitrate);
      if (atLeast && quality !== lineQualities[0]) {
        this.#preferences.change({ lineQuality: lineQualities[0] });
        return this.#change({ phase: 'untold', share: 1, quality: '' });
      }
      this.#preferences.change({ lineQuality: quality || lineQualities[lineQualities.length - 1] });
      this.#change({ phase: 'done', share: 1, quality });
    } catch (thrown) {
      if (this.#running === running) this.#change({ phase: 'failed', error: OvationError.of(thrown) });
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }

  /** Ends a test that is going on: the line is needed for more. */
  stop() {
    const running = this.#running;
    this.#running = null;
    running?.abort();
    if (running) this.#change({ phase: 'idle', share: 0 });
  }

  /** @param {Partial<LineState>} changes */
  #change(changes) {
    this.state.set({ ...this.state.get(), ...changes });
  }
}
