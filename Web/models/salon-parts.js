import { OvationPeer } from '../protocol/peer.js';
import { Playout } from './audio.js';
import { ChatModel } from './chat.js';
import { readText } from './duet.js';
import { EchoWatch } from './echo.js';
import { HeadphonesModel } from './headphones.js';
import { LikesModel } from './likes.js';
import { ListeningModel } from './listening.js';
import { SalonConnection } from './salon-connection.js';
import { SongPlayer } from './song-player.js';
import { VoiceModel } from './voice.js';

/** @typedef {import('../protocol/room.js').OvationRoom} OvationRoom */

/**
 * Does what may take its time; its name is in `state.pending` meanwhile. Throws OvationError.
 * @typedef {<T>(name: string, work: () => Promise<T>) => Promise<T>} Run
 *
 * Changes what this tab itself knows, and brings everything that follows from it up to date; null changes nothing.
 * @typedef {(make: (local: import('./salon-project.js').Local) => Partial<import('./salon-project.js').Local> | null) => void} Change
 */

/**
 * Where the browser comes in; others in tests.
 * @typedef {object} SalonHost
 * @property {(room: OvationRoom) => OvationPeer} peer
 * @property {() => Playout} playout
 * @property {(room: string) => EchoWatch} echo
 * @property {ListeningModel} listening
 * @property {(session: import('../protocol/session.js').Session) => HeadphonesModel} headphones
 * @property {(clock: import('../protocol/clock.js').RoomClock) => SongPlayer} songPlayer
 * @property {(url: string) => Promise<string>} readText
 * @property {string} origin of links
 */

/** @returns {SalonHost} */
export function browserHost() {
  return {
    peer: room => new OvationPeer(room),
    playout: () => new Playout(),
    echo: room => new EchoWatch(room),
    listening: new ListeningModel(),
    headphones: session => new HeadphonesModel(session),
    songPlayer: clock => new SongPlayer(clock),
    readText,
    origin: globalThis.location?.origin ?? '',
  };
}

/** Sound and talk of one visit to a room: made when entering, ended when leaving. */
export class Visit {
  life = new AbortController();
  chat;
  likes;
  peer;
  voice;
  playout;
  echo;
  connection;
  #effects;

  /**
   * @param {OvationRoom} room entered
   * @param {import('./devices.js').MicrophoneModel} microphone
   * @param {SalonHost} host
   * @param {Playout} playout begun in the click
   * @param {import('./effects.js').EffectsModel | null} [effects]
   */
  constructor(room, microphone, host, playout, effects = null) {
    this.chat = new ChatModel(room);
    this.likes = new LikesModel(room);
    this.peer = host.peer(room);
    this.#effects = effects;
    this.voice = new VoiceModel(microphone, this.peer, effects);
    this.playout = playout;
    this.echo = host.echo(`${typeof room.id}:${room.id}`);
    this.connection = new SalonConnection(room.session, this.peer, this.life.signal);
  }

  /** Lets device, path and sound go. */
  end() {
    if (this.life.signal.aborted) return;
    this.life.abort();
    this.likes.close();
    this.voice.end();
    // Another room begins with one's own voice, and without music.
    void this.#effects?.reset();
    this.peer.close();
    this.playout.close();
    this.echo.close();
  }
}
