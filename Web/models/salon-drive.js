import { plainListening } from './audio.js';

/** @typedef {import('./salon-project.js').SalonSound} SalonSound */
/** @typedef {import('./audio.js').Listening} Listening */
/** @typedef {'deafened' | 'echo'} Reason */

/** @type {readonly Reason[]} */
const reasons = ['deafened', 'echo'];

/**
 * What acts on a visit's sound: my microphone goes out or not, my other tabs hear that it does, everybody is as loud as I want them. Only what
 * has changed is passed on.
 */
export class SalonDrive {
  #voice;
  #echo;
  #playout;
  /** @type {SalonSound | null} */ #wanted = null;
  // What has been passed on.
  #audible = false;
  #live = false;
  /** @type {Listening[]} */ #voices = [];
  /** @type {Set<Reason>} */ #silenced = new Set();

  /**
   * @param {object} visit
   * @param {Pick<import('./voice.js').VoiceModel, 'setAudible'>} visit.voice
   * @param {Pick<import('./echo.js').EchoWatch, 'setLive'>} visit.echo
   * @param {Pick<import('./audio.js').Playout, 'setListening' | 'setSilenced'>} visit.playout
   */
  constructor({ voice, echo, playout }) {
    this.#voice = voice;
    this.#echo = echo;
    this.#playout = playout;
  }

  /** @param {SalonSound | null} sound null: nothing is known yet */
  apply(sound) {
    if (!sound) return;
    this.#wanted = sound;
    this.#speak();
    this.#hear();
  }

  // Each of these may bring about a newer wish before it returns: that one is asked again, never one that was kept.

  #speak() {
    if (this.#wanted && this.#wanted.audible !== this.#audible) {
      this.#audible = this.#wanted.audible;
      this.#voice.setAudible(this.#audible);
    }
    if (this.#wanted && this.#wanted.live !== this.#live) {
      this.#live = this.#wanted.live;
      this.#echo.setLive(this.#live);
    }
  }

  #hear() {
    for (const reason of reasons) {
      const silent = this.#wanted?.silenced[reason] ?? false;
      if (silent === this.#silenced.has(reason)) continue;
      if (silent) this.#silenced.add(reason);
      else this.#silenced.delete(reason);
      this.#playout.setSilenced(reason, silent);
    }
    for (let line = 0; line < (this.#wanted?.voices.length ?? 0); line++) {
      const wanted = this.#wanted?.voices[line] ?? plainListening;
      const done = this.#voices[line];
      if (done && wanted.volume === done.volume && wanted.muted === done.muted) continue;
      this.#voices[line] = wanted;
      this.#playout.setListening(line, wanted);
    }
  }
}
