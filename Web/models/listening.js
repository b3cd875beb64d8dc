import { Store } from '../lib/store.js';
import { plainListening } from './audio.js';
import { storageOrNull } from './preferences.js';

/** @typedef {import('./audio.js').Listening} Listening */

const storageKey = 'ovation.listening';
/** People remembered; the longest unchanged are forgotten first. */
const peopleMost = 200;

/**
 * How loud this device plays each person, kept over rooms and visits.
 * @extends {Store<ReadonlyMap<string, Listening>>}
 */
export class ListeningModel extends Store {
  /** @type {Storage | null} */ #storage;

  /** @param {Storage | null} storage */
  constructor(storage = storageOrNull(() => localStorage)) {
    super(read(storage));
    this.#storage = storage;
  }

  /** @param {string} user @returns {Listening} */
  of(user) {
    return this.get().get(user) ?? plainListening;
  }

  /**
   * @param {string} user
   * @param {Partial<Listening>} some
   */
  change(user, some) {
    const next = { ...this.of(user), ...some };
    const map = new Map(this.get());
    map.delete(user);
    if (next.muted || next.volume !== plainListening.volume) map.set(user, next);
    const kept = [...map].slice(-peopleMost);
    this.set(new Map(kept));
    try {
      this.#storage?.setItem(storageKey, JSON.stringify(kept));
    } catch {
      // Full or refused: it holds for this visit.
    }
  }
}

/** @param {Storage | null} storage @returns {Map<string, Listening>} */
function read(storage) {
  try {
    const kept = JSON.parse(storage?.getItem(storageKey) ?? '[]');
    return new Map(
      kept.filter(
        (/** @type {any} */ entry) => typeof entry?.[0] === 'string' && typeof entry[1]?.volume === 'number',
      ),
    );
  } catch {
    return new Map();
  }
}
