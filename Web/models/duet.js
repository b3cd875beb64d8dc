import { Store } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { profileOf } from '../protocol/room-state.js';
import { HeadphonesQuestion } from './headphones.js';
import { parseLyrics } from './lyrics.js';
import { SongLibrary } from './song-library.js';
import { positionAt } from './song-player.js';

/** @typedef {import('../protocol/events.js').SongPlay} SongPlay */
/** @typedef {import('../protocol/events.js').SongTrack} SongTrack */
/** @typedef {import('./song-library.js').SongEntry} SongEntry */
/**
 * How late singers hear each other. `far`: too late for singing at once, see `tightMs`; `browserMs`: for how much of it sound waits in
 * the slower browser, null where that is not known; `byBrowser`: with the usual wait there they would not be too far apart.
 * @typedef {{ms: number, jitterMs: number, far: boolean, browserMs: number | null, byBrowser: boolean}} Apart
 */
/**
 * A singer's way to the server, as the room tells it: `quality` 1 (excellent) to 6 (down), 0 while nothing is known.
 * @typedef {{seat: number, id: string, name: string, quality: number, roundTripMs: number | null}} SingerWay
 */
/**
 * @typedef {object} DuetState
 * @property {SongPlay | null} play
 * @property {string} by who started it
 * @property {import('./lyrics.js').Lyrics | null} lyrics null while loading, and when there are none
 * @property {'none' | 'loading' | 'ready' | 'failed'} words
 * @property {import('./song-player.js').SongSound} sound
 * @property {boolean} seated I sing
 * @property {boolean} controls I may choose, stop and seek
 * @property {boolean} mixed I hear the server's mix: the song comes with the voices
 * @property {'unknown' | 'yes' | 'no'} headphones
 * @property {Apart | null} apart null while nobody else sings, or nothing is measured yet
 * @property {readonly SingerWay[]} ways how the way of everybody who sits does, by seat
 * @property {'off' | 'lead' | 'follow'} leading one sings first, the others after: `lead` does not hear the others, `follow` hears the song later; `off` for those who listen too
 * @property {string} leader who leads; empty while all sing at once
 * @property {number} errorMs how far this machine's room time may be wrong
 */

/** Singers keep together up to about here, one way; measured on clapping and playing musicians. The server's limit too. */
export const tightMs = 50;
/** A way that has changed by less moves no song: the leader is still heard with it. */
const lagStepMs = 20;
/** What changes by less is not told to the server anew, */
const distinctMs = 3;
/** but after this time, milliseconds. */
const repeatMs = 10_000;
/** What a server takes for a round trip and for a wait, milliseconds. */
const roundTripMost = 2_000;
const bufferMost = 1_000;
/** A browser's Opus frame, and its way through encoder and device. */
const frameMs = 10;
/** The server's mix lies so far behind the singers, to wait for late voices. */
export const mixBehindMs = 300;
/** How long a browser keeps sound before it plays it, until that is measured. */
export const usualBufferMs = 20;
/** What a server takes for a latency, milliseconds. */
const latencyMost = 500;
/** Lyrics that could not be had are asked for again after so long at first, and at most, milliseconds. */
const wordsAgainMs = 2_000;
const wordsAgainMostMs = 60_000;
/** Lyrics that are larger are none. */
const lyricsMost = 300_000;

/**
 * Sound of one singer to the other's ear, one way, as far as I know alone: the other is taken to be as far from the server as I
 * am. The room's own word, which knows both, goes before it (`network`).
 * @param {import('../protocol/quality.js').MediaQuality | null} quality
 * @returns {Apart | null}
 */
export function apartOf(quality) {
  if (!quality || quality.rttMs === null) return null;
  const jitterMs = quality.jitterMs ?? 0;
  const ms = Math.round(quality.rttMs + (quality.bufferMs ?? jitterMs * 2) + frameMs);
  const far = ms > tightMs;
  return { ms, jitterMs: Math.round(jitterMs), far, ...browserPart(ms, far, quality.rttMs) };
}

/**
 * What of the time between two singers is the browsers' own: the rest of it is the way to the server and from there, and a packet.
 * @param {number} ms from one to the other's ear
 * @param {boolean} far
 * @param {number | undefined} wayMs half of both round trips
 * @returns {Pick<Apart, 'browserMs' | 'byBrowser'>}
 */
export function browserPart(ms, far, wayMs) {
  if (wayMs === undefined) return { browserMs: null, byBrowser: false };
  const browserMs = Math.max(0, Math.round(ms - wayMs - frameMs));
  return { browserMs, byBrowser: far && wayMs + frameMs + usualBufferMs <= tightMs };
}

/** The song of a chorus room, for one of its people: hears it, sees it, and steers it if they may. */
export class DuetModel {
  /** @type {Store<DuetState>} */
  state;
  /** @type {SongLibrary} */
  library;
  /** One for each visit, whoever opens it. */
  question = new HeadphonesQuestion();

  #room;
  #session;
  #run;
  #voice;
  #microphone;
  #speaker;
  #headphones;
  #readText;
  #lead;
  #visit;
  #player;
  #wordsOf = '';
  /** @type {import('./lyrics.js').Lyrics | null} */ #lyrics = null;
  /** @type {DuetState['words']} */ #words = 'none';
  /** @type {SongPlay | null} */ #play = null;
  /** How late the leader's voice comes to me, who follow. */ #lag = 0;
  /** @type {{latency: {outputMs: number, inputMs: number, roundTripMs?: number, bufferMs?: number}, at: number} | null} */ #told =
    null;

  /**
   * @param {object} parts
   * @param {import('../protocol/room.js').OvationRoom} parts.room
   * @param {import('../protocol/session.js').Session} parts.session
   * @param {import('./salon-parts.js').Run} parts.run
   * @param {Pick<import('./salon-voice.js').OwnVoice, 'sit'>} parts.voice
   * @param {import('./devices.js').MicrophoneModel} parts.microphone
   * @param {import('./devices.js').SpeakerModel} parts.speaker
   * @param {import('./preferences.js').PreferencesModel} parts.preferences
   * @param {Store<boolean>} parts.deafened
   * @param {Pick<import('./salon-parts.js').SalonHost, 'songPlayer' | 'readText' | 'headphones'>} parts.host
   * @param {(leads: boolean) => void} parts.lead whether I sing first
   * @param {import('./salon-parts.js').Visit} visit of a chorus room, begun
   */
  constructor(parts, visit) {
    const { room, session, microphone, speaker, preferences, deafened, host } = parts;
    this.#room = room;
    this.#session = session;
    this.#run = parts.run;
    this.#voice = parts.voice;
    this.#microphone = microphone;
    this.#speaker = speaker;
    this.#headphones = host.headphones(session);
    this.#readText = host.readText;
    this.#lead = parts.lead;
    this.#visit = visit;
    this.#player = host.songPlayer(session.clock);
    this.library = new SongLibrary(session);
    this.state = new Store(this.#view());
    // Of its own, so that the visit's has one listener more and not ten.
    const life = new AbortController();
    visit.life.signal.addEventListener('abort', () => life.abort(), { once: true });
    const { signal } = life;
    const quietly = { signal, now: false };
    const render = () => this.#render();
    room.state.subscribe(() => this.#follow(), { signal });
    visit.peer.mix.subscribe(() => this.#follow(), quietly);
    microphone.track.subscribe(track => {
      this.#follow();
      // With the microphone browsers tell more of the devices.
      if (track) void speaker.refresh();
    }, quietly);
    visit.peer.quality.subscribe(() => this.#follow(), quietly);
    this.#player.state.subscribe(render, quietly);
    speaker.state.subscribe(
      ({ chosen }) => {
        this.#player.setOutput(chosen);
        this.#capture();
        this.#render();
      },
      { signal },
    );
    const setVolume = () => this.#player.setVolume(deafened.get() ? 0 : preferences.get().playout);
    preferences.subscribe(setVolume, { signal });
    deafened.subscribe(setVolume, quietly);
    signal.addEventListener('abort', () => {
      this.#player.close();
      session.setSinging(false);
    });
    void session.measureClock().then(() => {
      // The room may be left by then.
      if (!signal.aborted) this.#player.follow(this.#play);
    });
  }

  /** In a click: what the browser held back. */
  async unlock() {
    await this.#player.unlock();
  }

  /** Where the song is in my ear, milliseconds. */
  position() {
    const play = this.#play;
    if (!play) return 0;
    const { mixed } = this.state.get();
    const late = mixed ? this.#behind : this.#lag;
    return positionAt(play, this.#session.clock.now() - late).positionMs;
  }

  /** Milliseconds until the song begins; 0 while it runs, stands or nothing plays. */
  untilStart() {
    const { startAt } = this.#play ?? {};
    return startAt === undefined ? 0 : Math.max(0, startAt - this.#session.clock.now());
  }

  // Singers, the owner and admins.

  /** @param {SongEntry} entry */
  async start(entry) {
    const { id, title, artist, durationMs, accompaniment, original, lyrics } = entry;
    /** @type {import('../protocol/events.js').Song} */
    const song = { id, title, durationMs, accompaniment };
    if (artist) song.artist = artist;
    if (original) song.original = original;
    if (lyrics) song.lyrics = lyrics;
    await this.#run('song', () => this.#room.startSong(song));
  }

  async pause() {
    await this.#run('song', () => this.#room.pauseSong());
  }

  async resume() {
    await this.#run('song', () => this.#room.resumeSong());
  }

  /** @param {number} positionMs */
  async seek(positionMs) {
    await this.#run('song', () => this.#room.seekSong(positionMs));
  }

  async stop() {
    await this.#run('song', () => this.#room.stopSong());
  }

  /** @param {SongTrack} track */
  async setTrack(track) {
    await this.#run('song', () => this.#room.setSongTrack(track));
  }

  // Myself.

  /** The owner's page sits down by itself after creating the room. */
  async takeOwnSeat() {
    const { me, seats } = this.#room.now;
    if (me.role !== 'owner' || me.seat !== undefined || seats[0]?.state !== 'empty') return;
    await this.#voice.sit(0);
  }

  /**
   * With headphones the voice goes out as it is; without, the browser keeps taking the loudspeaker out of it.
   * @param {'yes' | 'no'} headphones
   */
  async setHeadphones(headphones) {
    this.#headphones.say(headphones, this.#speaker.state.get().output);
    this.#render();
    await this.#microphone.setSinging(headphones === 'yes');
  }

  get #wears() {
    return this.#headphones.answerFor(this.#speaker.state.get().output);
  }

  /** As suits what is known of the headphones. What goes wrong with the microphone, it tells itself. */
  #capture() {
    void this.#microphone.setSinging(this.#wears === 'yes').catch(() => {});
  }

  /**
   * For everybody who sits.
   * @param {boolean} apart one after the other, since we are too far apart to sing at once
   * @param {string} [leader] who sings first; unless told, whoever sits foremost
   */
  async setLeading(apart, leader) {
    await this.#run('duet', () =>
      this.#room.setDuetMode(apart ? 'leadFollow' : 'together', apart ? leader : undefined),
    );
  }

  /** Without headphones I had better hear nobody while I sing; who leads already does. */
  async leadAlone() {
    const { me, duet } = this.#room.now;
    if (duet.mode === 'together') await this.setLeading(true, me.id);
  }

  /** How late the mix is in my ear. */
  get #behind() {
    const quality = this.#visit.peer.quality.get();
    return mixBehindMs + (quality?.rttMs ?? 0) / 2 + (quality?.bufferMs ?? usualBufferMs);
  }

  /** @param {import('../protocol/room-state.js').RoomState} room */
  #leadingIn({ me, duet }) {
    if (me.seat === undefined || duet.mode === 'together') return 'off';
    return duet.leader === me.id ? 'lead' : 'follow';
  }

  /**
   * Between the singers: what the room says, before it has said anything what I know myself.
   * @param {import('../protocol/room-state.js').RoomState} room
   * @returns {Apart | null}
   */
  #apartIn({ network }) {
    const mine = apartOf(this.#visit.peer.quality.get());
    const { apartMs, tight } = network ?? {};
    if (apartMs === undefined) return mine;
    const trips = Object.values(network?.users ?? {}).map(({ roundTripMs }) => roundTripMs);
    const known = trips.length >= 2 && trips.every(trip => trip !== undefined);
    // Of the two furthest apart.
    const [first = 0, second = 0] = known ? trips.map(Number).sort((a, b) => b - a) : [];
    const far = tight === false;
    const part = browserPart(apartMs, far, known ? (first + second) / 2 : undefined);
    return { ms: apartMs, jitterMs: mine?.jitterMs ?? 0, far, ...part };
  }

  /**
   * How late the leader's voice comes to me: half of both ways as the room tells them, a packet, and the wait here.
   * @param {import('../protocol/room-state.js').RoomState} room
   */
  #leaderLate({ me, duet, network }) {
    const quality = this.#visit.peer.quality.get();
    const there = network?.users[duet.leader ?? '']?.roundTripMs;
    const here = network?.users[me.id]?.roundTripMs ?? quality?.rttMs;
    // Before the room has told of the ways: the leader is taken to be as far away as I am.
    if (there === undefined || typeof here !== 'number') return apartOf(quality)?.ms ?? this.#lag;
    return Math.round((there + here) / 2 + frameMs + (quality?.bufferMs ?? usualBufferMs));
  }

  /** The room, or how I hear it, has changed. */
  #follow() {
    const room = this.#room.state.get();
    if (!room) return;
    const seated = room.me.seat !== undefined;
    const leading = this.#leadingIn(room);
    this.#lead(leading === 'lead');
    this.#visit.peer.setTight(seated);
    this.#session.setSinging(seated && room.play?.startAt !== undefined);
    this.#player.setAudible(seated || this.#visit.peer.mix.get() === null);
    const lag = leading === 'follow' ? this.#leaderLate(room) : 0;
    if (lag === 0 || Math.abs(lag - this.#lag) >= lagStepMs) this.#lag = lag;
    this.#player.setDelay(this.#lag);
    if (!samePlay(room.play, this.#play)) {
      this.#play = room.play;
      this.#player.follow(room.play);
      void this.#readWords();
    }
    this.#tellLatency(seated);
    this.#render();
  }

  /**
   * What lies between the song in my ear and my voice in a packet, for the mix: the output's own latency is made up for by
   * the player, so that only what I hear later on purpose counts as such.
   * @param {boolean} seated
   */
  #tellLatency(seated) {
    if (!seated) {
      this.#told = null;
      return;
    }
    const settings = /** @type {{latency?: number}} */ (this.#microphone.track.get()?.getSettings?.() ?? {});
    const inputMs = bounded(1000 * (settings.latency ?? 0.01));
    /** @type {{outputMs: number, inputMs: number, roundTripMs?: number, bufferMs?: number}} */
    const latency = { inputMs, outputMs: bounded(this.#lag) };
    const { rttMs, bufferMs } = this.#visit.peer.quality.get() ?? {};
    // A singer who hears nobody sends no reports: the server cannot know how far away I am.
    if (typeof rttMs === 'number') latency.roundTripMs = bounded(rttMs, roundTripMost);
    if (typeof bufferMs === 'number') latency.bufferMs = bounded(bufferMs, bufferMost);
    const at = this.#session.clock.local();
    if (this.#told && at - this.#told.at < repeatMs && sameLatency(latency, this.#told.latency)) return;
    this.#told = { latency, at };
    // A server without a mix knows no such call.
    this.#room.setLatency(latency).catch(() => {});
  }

  async #readWords() {
    const url = this.#play?.song.lyrics ?? '';
    if (url === this.#wordsOf) return;
    this.#wordsOf = url;
    this.#lyrics = null;
    this.#words = url ? 'loading' : 'none';
    this.#render();
    for (
      let wait = wordsAgainMs;
      url && !(await this.#hasRead(url));
      wait = Math.min(wait * 2, wordsAgainMostMs)
    ) {
      this.#words = 'failed';
      this.#render();
      if (!(await passed(wait, this.#visit.life.signal)) || url !== this.#wordsOf) return;
    }
  }

  /**
   * Whether the lyrics are there, or nobody wants them any more.
   * @param {string} url
   */
  async #hasRead(url) {
    /** @type {string} */ let text;
    try {
      text = await this.#readText(url);
    } catch {
      return url !== this.#wordsOf;
    }
    if (url !== this.#wordsOf) return true;
    this.#lyrics = parseLyrics(text.slice(0, lyricsMost));
    this.#words = this.#lyrics.lines.length > 0 ? 'ready' : 'none';
    this.#render();
    return true;
  }

  /** @returns {DuetState} */
  #view() {
    const room = this.#room.now;
    const seated = room.me.seat !== undefined;
    const others = room.seats.some(seat => seat.state === 'used' && seat.user !== room.me.id);
    return {
      play: this.#play,
      by: this.#play ? profileOf(room, this.#play.by).name : '',
      lyrics: this.#lyrics,
      words: this.#words,
      sound: this.#player.state.get(),
      seated,
      controls: seated || room.me.role !== 'member',
      mixed: !seated && this.#visit.peer.mix.get() !== null,
      headphones: this.#wears,
      apart: seated && others ? this.#apartIn(room) : null,
      ways: room.seats.flatMap(({ index, user }) => {
        const way = user === undefined ? undefined : room.network?.users[user];
        if (user === undefined || !way) return [];
        const { name } = profileOf(room, user);
        return [{ seat: index, id: user, name, quality: way.quality, roundTripMs: way.roundTripMs ?? null }];
      }),
      leading: this.#leadingIn(room),
      leader: room.duet.leader ?? '',
      errorMs: this.#session.clock.errorMs,
    };
  }

  #render() {
    if (this.#room.state.get()) this.state.set(this.#view());
  }
}

/**
 * Reads a text of the server.
 * @param {string} url
 */
export async function readText(url) {
  const answer = await fetch(new URL(url, globalThis.location.origin));
  if (!answer.ok) throw new OvationError('song_unplayable', `HTTP ${answer.status}`);
  return answer.text();
}

/**
 * @param {number} ms
 * @param {AbortSignal} signal ends the wait
 * @returns {Promise<boolean>} whether the time has passed
 */
function passed(ms, signal) {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** @param {number} ms @param {number} [most] */
function bounded(ms, most = latencyMost) {
  return Math.round(Math.max(0, Math.min(most, ms)));
}

/**
 * @param {Readonly<Record<string, number | undefined>>} a @param {Readonly<Record<string, number | undefined>>} b
 */
function sameLatency(a, b) {
  return ['outputMs', 'inputMs', 'roundTripMs', 'bufferMs'].every(name => {
    const [one, other] = [a[name], b[name]];
    if (one === undefined || other === undefined) return one === other;
    return Math.abs(one - other) < distinctMs;
  });
}

/** @param {SongPlay | null} a @param {SongPlay | null} b */
function samePlay(a, b) {
  if (a === null || b === null) return a === b;
  return (
    a.startAt === b.startAt &&
    a.positionMs === b.positionMs &&
    a.track === b.track &&
    a.song.accompaniment === b.song.accompaniment &&
    a.song.id === b.song.id &&
    a.song.lyrics === b.song.lyrics
  );
}
