import { OvationError } from '../protocol/errors.js';
import { freeSeat } from './salon-invitations.js';

/** My own voice in the room: what a seat does to my microphone. */
export class OwnVoice {
  /** I muted myself here, and the server may not know yet. */ silent = false;

  #room;
  #run;
  #change;
  #device;
  #needMedia;
  #joinsMuted;
  #publishes;
  /** @type {Promise<void> | null} */ #starting = null;
  /** Counts what was said of my microphone: the last word holds, however long an earlier one takes. */ #wish = 0;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('./salon-parts.js').Run} parts.run
   * @param {import('./salon-parts.js').Change} parts.change
   * @param {() => Pick<import('./voice.js').VoiceModel, 'state' | 'open' | 'close'> | null} parts.device null outside of a visit
   * @param {() => void} parts.needMedia throws in a browser that cannot have sound
   * @param {() => boolean} parts.joinsMuted whether I want to sit down in silence
   * @param {() => boolean} parts.publishes whether music of mine goes out
   */
  constructor({ room, run, change, device, needMedia, joinsMuted, publishes }) {
    this.#room = room;
    this.#run = run;
    this.#change = change;
    this.#device = device;
    this.#needMedia = needMedia;
    this.#joinsMuted = joinsMuted;
    this.#publishes = publishes;
  }

  /** @param {number} seat */
  async sit(seat) {
    this.#needMedia();
    await this.#run(`seat:${seat}`, () => this.#room.takeSeat(seat));
    await this.#start();
  }

  /**
   * Who sits already stays there: the host may have seated me since I asked.
   * @param {number | null} wished
   */
  async sitSomewhere(wished) {
    if (this.#room.now.me.seat !== undefined) return;
    const seat = freeSeat(this.#room.now, wished);
    if (seat === null) throw new OvationError('seat_taken', 'no seat is free');
    await this.sit(seat);
  }

  /** Silent at once, whatever the network does. */
  async mute() {
    this.#wish++;
    this.silent = true;
    this.#change(() => ({}));
    await this.tellMuted();
  }

  async unmute() {
    this.#needMedia();
    const { me, seats } = this.#room.now;
    if (me.seat === undefined) throw new OvationError('not_seated');
    if (seats[me.seat].muted) throw new OvationError('seat_muted');
    const wish = ++this.#wish;
    await this.#device()?.open();
    if (wish !== this.#wish) return;
    if (this.#room.now.me.micMuted) await this.#room.setMicrophone(false);
    if (wish !== this.#wish) return;
    this.silent = false;
    this.#change(() => ({ broughtBy: null }));
  }

  /**
   * I have a seat.
   * @param {string | undefined} host who put me there: then my microphone stays off; undefined when I sat down myself
   */
  seated(host) {
    const { me, seats } = this.#room.now;
    const seat = me.seat === undefined ? undefined : seats[me.seat];
    this.#change(() => ({ mutedBy: seat?.muted ? (seat.by ?? null) : null }));
    if (this.#device()?.state.get().wanted) return; // moved
    if (host === undefined) {
      this.#start().catch(() => {
        // `voice.problem` shows it; whoever called `sit` hears of it too.
      });
      return;
    }
    this.#wish++;
    this.silent = true;
    this.#change(() => ({ broughtBy: { by: host } }));
    void this.tellMuted().catch(() => {});
  }

  unseated() {
    this.#wish++;
    this.#device()?.close();
    this.silent = false;
    this.#starting = null;
    this.#change(() => ({ mutedBy: null, broughtBy: null }));
  }

  /** Opens the device for the seat that I took, once. */
  #start() {
    this.#starting ??= this.#run('mic', async () => {
      if (this.#joinsMuted()) await this.mute();
      await this.#device()?.open();
    }).finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /**
   * Tells the server that I muted myself. It would hold back my music too, so that it hears of it only when none goes out;
   * my voice is silent here all the same.
   */
  async tellMuted() {
    const { me } = this.#room.now;
    if (!this.silent || me.micMuted || this.#publishes()) return;
    await this.#room.setMicrophone(true);
  }

  /**
   * Music for the others began or ended while my microphone may be off; or the server has taken up what it was told, which may be
   * another thing by now.
   */
  settle() {
    const { me } = this.#room.now;
    if (this.#publishes() && me.seat !== undefined && me.micMuted) {
      this.silent = true;
      this.#change(() => ({}));
      void this.#room.setMicrophone(false).catch(() => {});
    } else {
      void this.tellMuted().catch(() => {});
    }
  }

  /** Back after a lost connection: the seat may be gone, or the server may not know that I am muted. */
  returned() {
    const { me } = this.#room.now;
    if (me.seat !== undefined) void this.tellMuted().catch(() => {});
    else if (this.#device()?.state.get().wanted) this.unseated();
  }
}
