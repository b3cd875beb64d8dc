import { OvationError } from '../protocol/errors.js';
import { storageOrNull } from './preferences.js';

/** After a failure it is said again then. */
const againMs = 2_000;

/**
 * Says to the room whether my camera is to be seen, and again when the room and I do not agree: whoever sits down is not seen before
 * saying so. Says nothing of a camera that another program films, under my name: only what this tab has switched on does it switch off.
 */
export class CameraWord {
  #room;
  #wanted;
  #signal;
  #memory;
  #key;
  #busy = false;
  /** @type {any} */ #timer = null;

  /**
   * @param {Pick<import('../protocol/room.js').OvationRoom, 'id' | 'state' | 'setCamera'>} room
   * @param {() => boolean} wanted whether I show a camera
   * @param {AbortSignal} signal ends with my visit
   * @param {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null} memory of this tab, over a reload
   */
  constructor(room, wanted, signal, memory = storageOrNull(() => sessionStorage)) {
    this.#room = room;
    this.#wanted = wanted;
    this.#signal = signal;
    this.#memory = memory;
    this.#key = `ovation.camera.${room.id}`;
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  /** What the room says of my camera; null without a seat. */
  get present() {
    const room = this.#room.state.get();
    const seat = room?.me.seat;
    return seat === undefined ? null : (room?.seats[seat]?.camera ?? 'off');
  }

  /** Says what is to be said, if anything. */
  settle() {
    const { present } = this;
    if (this.#busy || this.#signal.aborted || present === null) return;
    const wanted = this.#wanted();
    if (wanted && present === 'off') void this.#say(true);
    else if (!wanted && present === 'on' && this.#memory?.getItem(this.#key)) void this.#say(false);
  }

  /** @param {boolean} on */
  async #say(on) {
    this.#busy = true;
    clearTimeout(this.#timer);
    let failed = false;
    try {
      if (on) this.#memory?.setItem(this.#key, '1');
      await this.#room.setCamera(on);
      if (!on) this.#memory?.removeItem(this.#key);
    } catch (thrown) {
      // Without the seat, or against the host's word, it is not said again: the room's news come instead.
      failed = !['not_seated', 'camera_blocked', 'not_in_room'].includes(OvationError.of(thrown).name);
    }
    this.#busy = false;
    if (failed && !this.#signal.aborted) this.#timer = setTimeout(() => this.settle(), againMs);
    // What has been said is not said again before the room's own news of it.
    else if (this.#wanted() !== on) this.settle();
  }
}
