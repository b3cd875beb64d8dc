import { OvationError } from '../protocol/errors.js';

/** What I do with my seat and my microphone. */
export class SeatActions {
  #room;
  #run;
  #voice;
  #mic;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('./salon-parts.js').Run} parts.run
   * @param {import('./salon-voice.js').OwnVoice} parts.voice
   * @param {() => import('./salon-state.js').MicState} parts.mic what is shown of my microphone
   */
  constructor({ room, run, voice, mic }) {
    this.#room = room;
    this.#run = run;
    this.#voice = voice;
    this.#mic = mic;
  }

  /**
   * Sits down; opens the microphone (the browser may ask), muted if the preference says so.
   * With "ask before speaking" this throws `consent_required`: use `ask`. A `microphone_*` error comes with the seat taken.
   * @param {number} seat
   */
  async sit(seat) {
    await this.#voice.sit(seat);
  }

  /** Leaves the seat, stays as a listener. */
  async stand() {
    await this.#run('mic', () => this.#room.leaveSeat());
  }

  /**
   * Changes seats, at most once a second.
   * @param {number} seat
   */
  async move(seat) {
    await this.#run(`seat:${seat}`, () => this.#room.moveSeat(seat));
  }

  /**
   * The big button: unmutes or mutes me; in `noDevice` tries the device again.
   * Throws `seat_muted` if the host muted the seat, `not_seated` without one.
   */
  async toggleMicrophone() {
    const mic = this.#mic();
    if (mic === 'mutedByHost') throw new OvationError('seat_muted');
    if (mic === 'listener' || mic === 'pending') throw new OvationError('not_seated');
    await this.setMuted(mic === 'live' || mic === 'cutOff');
  }

  /** @param {boolean} muted */
  async setMuted(muted) {
    await this.#run('mic', () => (muted ? this.#voice.mute() : this.#voice.unmute()));
  }
}
