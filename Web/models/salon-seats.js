import { OvationError } from '../protocol/errors.js';

/** What I do with my seat and my microphone. */
export class SeatActions {
  #stage;

  /** @param {import('./salon-stage.js').SalonStage} stage */
  constructor(stage) {
    this.#stage = stage;
  }

  /**
   * Sits down; opens the microphone (the browser may ask), muted if the preference says so.
   * With "ask before speaking" this throws `consent_required`: use `ask`. A `microphone_*` error comes with the seat taken.
   * @param {number} seat
   */
  async sit(seat) {
    await this.#stage.voice.sit(seat);
  }

  /** Leaves the seat, stays as a listener. */
  async stand() {
    await this.#stage.run('mic', () => this.#stage.room.leaveSeat());
  }

  /**
   * Changes seats, at most once a second.
   * @param {number} seat
   */
  async move(seat) {
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.moveSeat(seat));
  }

  /**
   * The big button: unmutes or mutes me; in `noDevice` tries the device again.
   * Throws `seat_muted` if the host muted the seat, `not_seated` without one.
   */
  async toggleMicrophone() {
    const { mic } = this.#stage.state.get().me;
    if (mic === 'mutedByHost') throw new OvationError('seat_muted');
    if (mic === 'listener' || mic === 'pending') throw new OvationError('not_seated');
    await this.setMuted(mic === 'live' || mic === 'cutOff');
  }

  /** @param {boolean} muted */
  async setMuted(muted) {
    const { voice } = this.#stage;
    await this.#stage.run('mic', () => (muted ? voice.mute() : voice.unmute()));
  }
}
