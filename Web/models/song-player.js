import { keepSounding } from '../lib/sound-context.js';
import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';

/** @typedef {import('../protocol/events.js').SongPlay} SongPlay */
/** @typedef {import('../protocol/clock.js').RoomClock} RoomClock */
/**
 * `blocked`: the browser wants a click first · `unheard`: it does not know the file's format, as Safari before 18.4 does not know Ogg, or
 * gives pages no sound of their own, as in Lockdown Mode · `driftMs`: how far what is heard was from where it should be, at the last
 * measurement (positive: ahead) · `outputMs`: from the program to the ear, as far as the browser tells.
 * @typedef {{phase: 'idle' | 'loading' | 'ready' | 'failed' | 'unheard' | 'blocked', sounding: boolean, driftMs: number | null, outputMs: number}} SongSound
 */

/** Up to here a difference is within what can be measured. */
export const toleranceMs = 2;
/** Beyond this a nudge would take too long: jump. */
export const jumpMs = 30;
/** The most that speed is changed by: an eighth of a semitone is not heard. */
const nudgeMost = 0.005;
/** A difference is made good within about this time. */
const nudgeOverMs = 4_000;
/** One source takes over from another. */
const fadeSeconds = 0.06;
/** A source is told to begin so far ahead at least. */
const leadSeconds = 0.08;
const measureMs = 200;
/** Measurements that one correction is made of. */
const measured = 5;
/** A file that could not be had is tried again after so long at first, and at most. */
const retryMs = 500;
const retryMostMs = 8_000;
/** Decoded songs kept: both tracks of this song, and the one before. */
const soundsKept = 3;

/**
 * Where a song is at a moment of the room time.
 * @param {SongPlay} play @param {number} time
 * @returns {{positionMs: number, moving: boolean}} before the start the position from which it goes on
 */
export function positionAt({ song, startAt, positionMs }, time) {
  if (startAt === undefined) return { positionMs, moving: false };
  const passed = Math.max(0, time - startAt);
  const at = Math.min(song.durationMs, positionMs + passed);
  return { positionMs: at, moving: time >= startAt && at < song.durationMs };
}

/**
 * What to do about a difference.
 * @param {number} driftMs positive: ahead
 * @returns {{jump: boolean, rate: number}}
 */
export function correctionOf(driftMs) {
  const size = Math.abs(driftMs);
  if (size > jumpMs) return { jump: true, rate: 1 };
  if (size <= toleranceMs) return { jump: false, rate: 1 };
  const nudge = Math.min(nudgeMost, size / nudgeOverMs);
  return { jump: false, rate: 1 - Math.sign(driftMs) * nudge };
}

/** @typedef {{source: AudioBufferSourceNode, gain: GainNode, url: string, from: number, at: number, position: number, rate: number}} Sounding */

/**
 * Plays the room's song where the room time says: each source is scheduled ahead on the audio clock, which is tied to the
 * room time by what the browser says about its output; the difference is measured all the time and made good.
 */
export class SongPlayer {
  /** @type {Store<SongSound>} */
  state = new Store(
    /** @type {SongSound} */ ({ phase: 'idle', sounding: false, driftMs: null, outputMs: 0 }),
  );

  #clock;
  #host;
  /** @type {AudioContext | null} */ #context = null;
  /** @type {GainNode | null} */ #out = null;
  /** @type {SongPlay | null} */ #play = null;
  /** @type {Map<string, Promise<AudioBuffer>>} */ #sounds = new Map();
  /** @type {Sounding | null} */ #sounding = null;
  /** Grows with each wish; what was loaded for an older one is not played. */ #turn = 0;
  /** @type {number[]} */ #drifts = [];
  #audible = true;
  #volume = 1;
  #delayMs = 0;
  #sink = '';
  /** @type {any} */ #timer = null;
  /** @type {any} */ #retryTimer = null;
  /** @type {Set<string>} Files that were had whole and not decoded. */ #unheard = new Set();
  /** In a row, of one file. */ #failures = { url: '', count: 0 };
  #life = new AbortController();

  /**
   * @param {RoomClock} clock
   * @param {Partial<SongHost>} [host]
   */
  constructor(clock, host = {}) {
    this.#clock = clock;
    this.#host = { ...browserSongHost, ...host };
  }

  /**
   * What is to be heard from now on.
   * @param {SongPlay | null} play
   */
  follow(play) {
    this.#play = play;
    void this.#bring();
  }

  /**
   * Whether it is heard here: not where the server's mix brings it.
   * @param {boolean} audible
   */
  setAudible(audible) {
    if (this.#audible === audible) return;
    this.#audible = audible;
    void this.#bring();
  }

  /** @param {number} volume 0…100 */
  setVolume(volume) {
    this.#volume = Math.max(0, Math.min(1, volume / 100));
    if (this.#out && this.#context)
      this.#out.gain.setTargetAtTime(this.#volume, this.#context.currentTime, 0.02);
  }

  /**
   * Plays everything so much later than the room: for whoever sings after a leader far away.
   * @param {number} ms
   */
  setDelay(ms) {
    if (Math.abs(ms - this.#delayMs) < 1) return;
    this.#delayMs = ms;
    void this.#bring();
  }

  /** @param {string} id of the output device, '' for the system's choice */
  setOutput(id) {
    this.#sink = id;
    void this.#route();
  }

  /** In a click: begins what the browser held back. */
  async unlock() {
    if (this.#life.signal.aborted) return;
    try {
      await this.#open().resume();
    } catch {
      // The phase tells what there is to be told.
    }
    await this.#bring();
  }

  /** Where this machine is in the song, milliseconds; what the ear hears now. */
  position() {
    const play = this.#play;
    return play ? positionAt(play, this.#now()).positionMs : 0;
  }

  /** For good: what is still being loaded is given up. */
  close() {
    this.#life.abort();
    this.#host.clearTimer(this.#retryTimer);
    this.#turn++;
    this.#play = null;
    this.#stop();
    this.#sounds.clear();
    void this.#context?.close().catch(() => {});
    this.#context = null;
  }

  #now() {
    return this.#clock.now() - this.#delayMs;
  }

  #open() {
    if (this.#context) return this.#context;
    const context = this.#host.createContext();
    this.#context = context;
    this.#out = context.createGain();
    this.#out.gain.value = this.#volume;
    this.#out.connect(context.destination);
    context.onstatechange = () => void this.#bring();
    void this.#route();
    return context;
  }

  async #route() {
    const routed = /** @type {{setSinkId?: (id: string) => Promise<void>, sinkId?: string} | null} */ (
      /** @type {unknown} */ (this.#context)
    );
    if (!routed?.setSinkId || (routed.sinkId ?? '') === this.#sink) return;
    // Unplugged, or not to be chosen here: the system's choice goes on sounding.
    await routed.setSinkId(this.#sink).catch(() => {});
  }

  /** Makes what sounds what should. */
  async #bring() {
    // Whoever waited for something may say what to play after the end.
    if (this.#life.signal.aborted) return;
    const turn = ++this.#turn;
    this.#host.clearTimer(this.#retryTimer);
    const play = this.#play;
    if (!play) {
      this.#failures.count = 0;
      this.#stop();
      return this.#set({ phase: 'idle', driftMs: null });
    }
    const wanted = play.track === 'original' ? (play.song.original ?? play.song.accompaniment) : null;
    const url = this.#host.resolve(wanted ?? play.song.accompaniment);
    /** @type {AudioBuffer} */ let sound;
    try {
      if (this.#failures.url !== url) this.#failures = { url, count: 0 };
      // While a failure is tried again it goes on being told.
      if (!this.#sounds.has(url) && !this.#failures.count) this.#set({ phase: 'loading' });
      sound = await this.#load(url);
    } catch {
      if (turn !== this.#turn) return;
      this.#stop();
      // The same bytes again would not help.
      if (this.#unheard.has(url)) return this.#set({ phase: 'unheard', driftMs: null });
      const wait = Math.min(retryMostMs, retryMs * 2 ** this.#failures.count++);
      this.#retryTimer = this.#host.setTimer(() => void this.#bring(), wait);
      return this.#set({ phase: 'failed' });
    }
    if (turn !== this.#turn) return;
    this.#failures.count = 0;
    if (!this.#audible || play.startAt === undefined) {
      this.#stop();
      return this.#set({ phase: 'ready', driftMs: null });
    }
    const context = this.#open();
    if (context.state !== 'running') {
      this.#stop();
      // Not while a call has the sound: the next gesture does then.
      if (context.state === 'suspended') void context.resume().catch(() => {});
      return this.#set({ phase: 'blocked' });
    }
    this.#begin(play, sound, url);
    this.#set({ phase: 'ready' });
    this.#listen();
  }

  /** @param {SongPlay} play @param {AudioBuffer} sound @param {string} url */
  #begin(play, sound, url) {
    const context = this.#open();
    const start = this.#contextTime((play.startAt ?? 0) + this.#delayMs);
    const at = Math.max(context.currentTime + leadSeconds, start);
    const position = play.positionMs / 1000 + Math.max(0, at - start);
    // Until a start that lies ahead there is silence; otherwise one takes over from the other.
    this.#fadeOut(start > at - 1e-6 ? context.currentTime + 0.005 : at);
    if (position >= sound.duration) return;
    const source = context.createBufferSource();
    const gain = context.createGain();
    source.buffer = sound;
    source.connect(gain).connect(/** @type {GainNode} */ (this.#out));
    // From the very beginning of a song nothing is cut, so nothing need be faded.
    if (position > 0) {
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime(1, at + fadeSeconds);
    }
    source.start(at, position);
    this.#sounding = { source, gain, url, from: at, at, position, rate: 1 };
    this.#drifts = [];
    this.#set({ sounding: true });
  }

  /** @param {number} at */
  #fadeOut(at) {
    const old = this.#sounding;
    this.#sounding = null;
    if (!old || !this.#context) return;
    // What has not begun yet is taken back.
    if (old.from > this.#context.currentTime + 0.005) {
      old.source.stop();
      old.source.disconnect();
      return;
    }
    old.gain.gain.cancelScheduledValues(at);
    old.gain.gain.setValueAtTime(1, at);
    old.gain.gain.linearRampToValueAtTime(0, at + fadeSeconds);
    old.source.stop(at + fadeSeconds + 0.01);
  }

  #stop() {
    this.#host.clearTimer(this.#timer);
    this.#timer = null;
    if (this.#context) this.#fadeOut(this.#context.currentTime + 0.005);
    this.#set({ sounding: false });
  }

  /**
   * The moment of the audio clock that is heard at a room time.
   * @param {number} time
   */
  #contextTime(time) {
    const { contextTime, performanceTime } = this.#heard();
    return contextTime + (this.#clock.localOf(time) - performanceTime) / 1000;
  }

  /** What of the audio clock leaves the loudspeaker at which moment. */
  #heard() {
    const context = this.#open();
    const told = context.getOutputTimestamp?.();
    if (told?.contextTime && told.performanceTime)
      return { contextTime: told.contextTime, performanceTime: told.performanceTime };
    const latency = context.outputLatency || context.baseLatency || 0;
    return { contextTime: context.currentTime - latency, performanceTime: this.#clock.local() };
  }

  #listen() {
    this.#timer ??= this.#host.setTimer(() => {
      this.#timer = null;
      this.#measure();
      if (this.#sounding) this.#listen();
    }, measureMs);
  }

  #measure() {
    const { contextTime, performanceTime } = this.#heard();
    const play = this.#play;
    const sounding = this.#sounding;
    const context = this.#context;
    if (!play || !sounding || !context) return;
    const outputMs = Math.max(
      0,
      (context.currentTime - contextTime) * 1000 - (this.#clock.local() - performanceTime),
    );
    if (contextTime < sounding.at) return this.#set({ outputMs });
    const is = (sounding.position + (contextTime - sounding.at) * sounding.rate) * 1000;
    const time = this.#clock.now(performanceTime) - this.#delayMs;
    const { positionMs: should, moving } = positionAt(play, time);
    if (!moving) {
      if (should >= play.song.durationMs) this.#stop();
      return this.#set({ outputMs });
    }
    this.#drifts.push(is - should);
    if (this.#drifts.length < measured) return;
    const driftMs = median(this.#drifts);
    this.#drifts = [];
    this.#set({ driftMs, outputMs });
    const { jump, rate } = correctionOf(driftMs);
    if (jump) {
      const sound = sounding.source.buffer;
      if (sound) this.#begin(play, sound, sounding.url);
      return;
    }
    if (rate === sounding.rate) return;
    // From here on counted anew, at the new speed.
    const now = context.currentTime;
    sounding.position += (now - sounding.at) * sounding.rate;
    sounding.at = now;
    sounding.rate = rate;
    sounding.source.playbackRate.setValueAtTime(rate, now);
  }

  /** @param {string} url */
  #load(url) {
    const known = this.#sounds.get(url);
    if (known) return known;
    if (this.#unheard.has(url)) return Promise.reject(new OvationError('song_unplayable'));
    const { signal } = this.#life;
    const sound = this.#host
      .fetch(url, signal)
      .then(async bytes => {
        // A context that is opened after the end is closed by nobody.
        signal.throwIfAborted();
        try {
          return await this.#open().decodeAudioData(bytes);
        } catch (thrown) {
          this.#unheard.add(url);
          throw thrown;
        }
      })
      .catch(thrown => {
        this.#sounds.delete(url);
        throw new OvationError('song_unplayable', String(thrown), { cause: thrown });
      });
    this.#sounds.set(url, sound);
    for (const old of [...this.#sounds.keys()].slice(0, -soundsKept)) this.#sounds.delete(old);
    return sound;
  }

  /** @param {Partial<SongSound>} some */
  #set(some) {
    const now = this.state.get();
    const next = { ...now, ...some };
    const same = /** @type {(keyof SongSound)[]} */ (Object.keys(next)).every(key => next[key] === now[key]);
    if (!same) this.state.set(next);
  }
}

/**
 * Where the browser comes in; others in tests.
 * @typedef {object} SongHost
 * @property {() => AudioContext} createContext
 * @property {(url: string, signal: AbortSignal) => Promise<ArrayBuffer>} fetch
 * @property {(url: string) => string} resolve
 * @property {(run: () => void, ms: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 */
/** @type {SongHost} */
const browserSongHost = {
  createContext: () => keepSounding(new AudioContext({ latencyHint: 'interactive' })),
  fetch: async (url, signal) => {
    const answer = await fetch(url, { signal });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return answer.arrayBuffer();
  },
  resolve: url => new URL(url, globalThis.location?.origin ?? 'http://localhost').href,
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: timer => clearTimeout(timer),
};

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
