import { OvationError } from '../protocol/errors.js';
import { freeSeat } from './salon-invitations.js';

/** My own voice in the room: what a seat does to my microphone. */
export class OwnVoice {
  /** I muted myself here, and the server may not know yet. */ silent = false;

  #stage;
  /** @type {Promise<void> | null} */ #starting = null;
  /** Counts what was said of my microphone: the last word holds, however long an earlier one takes. */ #wish = 0;

  /** @param {import('./salon-stage.js').SalonStage} stage */
  constructor(stage) {
    this.#stage = stage;
  }

  /** @param {number} seat */
  async sit(seat) {
    this.#stage.needMedia();
    await this.#stage.run(`seat:${seat}`, () => this.#stage.room.takeSeat(seat));
    await this.#start();
  }

  /**
   * Who sits already stays there: the host may have seated me since I asked.
   * @param {number | null} wished
   */
  async sitSomewhere(wished) {
    if (this.#stage.room.now.me.seat !== undefined) return;
    const seat = freeSeat(this.#stage.room.now, wished);
    if (seat === null) throw new OvationError('seat_taken', 'no seat is free');
    await this.sit(seat);
  }

  /** Silent at once, whatever the network does. */
  async mute() {
    this.#wish++;
    this.silent = true;
    this.#stage.render();
    await this.tellMuted();
  }

  async unmute() {
    this.#stage.needMedia();
    const { me, seats } = this.#stage.room.now;
    if (me.seat === undefined) throw new OvationError('not_seated');
    if (seats[me.seat].muted) throw new OvationError('seat_muted');
    const wish = ++this.#wish;
    await this.#stage.visit?.voice.open();
    if (wish !== this.#wish) return;
    if (this.#stage.room.now.me.micMuted) await this.#stage.room.setMicrophone(false);
    if (wish !== this.#wish) return;
    this.silent = false;
    this.#stage.set({ broughtBy: null });
  }

  /**
   * I have a seat.
   * @param {string | undefined} host who put me there: then my microphone stays off; undefined when I sat down myself
   */
  seated(host) {
    const { me, seats } = this.#stage.room.now;
    const seat = me.seat === undefined ? undefined : seats[me.seat];
    this.#stage.set({ mutedBy: seat?.muted ? (seat.by ?? null) : null });
    if (this.#stage.visit?.voice.state.get().wanted) return; // moved
    if (host === undefined) {
      this.#start().catch(() => {
        // `voice.problem` shows it; whoever called `sit` hears of it too.
      });
      return;
    }
    this.#wish++;
    this.silent = true;
    this.#stage.set({ broughtBy: { by: host } });
    void this.tellMuted().catch(() => {});
  }

  unseated() {
    this.#wish++;
    this.#stage.visit?.voice.close();
    this.silent = false;
    this.#starting = null;
    this.#stage.set({ mutedBy: null, broughtBy: null });
  }

  /** Opens the device for the seat that I took, once. */
  #start() {
    this.#starting ??= this.#stage
      .run('mic', async () => {
        if (this.#stage.preferences.get().joinMuted) await this.mute();
        await this.#stage.visit?.voice.open();
      })
      .finally(() => {
        this.#starting = null;
      });
    return this.#starting;
  }

  /**
   * Tells the server that I muted myself. It would hold back my music too, so that it hears of it only when none goes out;
   * my voice is silent here all the same.
   */
  async tellMuted() {
    const { me } = this.#stage.room.now;
    if (!this.silent || me.micMuted || this.#stage.effects?.publishing.get()) return;
    await this.#stage.room.setMicrophone(true);
  }

  /**
   * Music for the others began or ended while my microphone may be off; or the server has taken up what it was told, which may be
   * another thing by now.
   */
  settle() {
    const { me } = this.#stage.room.now;
    if (this.#stage.effects?.publishing.get() && me.seat !== undefined && me.micMuted) {
      this.silent = true;
      this.#stage.render();
      void this.#stage.room.setMicrophone(false).catch(() => {});
    } else {
      void this.tellMuted().catch(() => {});
    }
  }

  /** Back after a lost connection: the seat may be gone, or the server may not know that I am muted. */
  returned() {
    const { me } = this.#stage.room.now;
    if (me.seat !== undefined) void this.tellMuted().catch(() => {});
    else if (this.#stage.visit?.voice.state.get().wanted) this.unseated();
  }
}
