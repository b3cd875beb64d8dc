import { MusicPlayer } from '../dsp/music-player.js';

/** How often progress is told. */
const progressSeconds = 0.2;

/**
 * One piece of music. `port` takes `{load: {sound, range}}`, `{play}`, `{seek}`, `{speed}`, `{pitch}`, `{loops}`, `{range}`, `{stop}` and
 * tells `{positionMs, ended}` about five times a second while it plays, and at its end.
 */
class MusicProcessor extends AudioWorkletProcessor {
  /** @type {MusicPlayer | null} */ #player = null;
  #news = { positionMs: 0, ended: false };
  #left = 0;
  #stopped = false;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#obey(data);
  }

  /** @param {any} word */
  #obey({ load, play, seek, speed, pitch, loops, range, stop }) {
    if (load) this.#player = new MusicPlayer(load.sound, load.range);
    const player = this.#player;
    if (seek !== undefined) player?.seek(seek);
    if (play !== undefined) player?.play(play);
    if (speed !== undefined) player?.setSpeed(speed);
    if (pitch !== undefined) player?.setPitch(pitch);
    if (range) player?.setRange(range.startMs, range.endMs);
    if (loops !== undefined) player?.setLoops(loops);
    if (stop) {
      this.#stopped = true;
      this.#player = null;
    }
    if (seek !== undefined) this.#tell();
  }

  #tell() {
    this.#left = progressSeconds * sampleRate;
    if (!this.#player) return;
    this.#news.positionMs = this.#player.positionMs;
    this.#news.ended = this.#player.ended;
    this.port.postMessage(this.#news);
  }

  /** @param {Float32Array[][]} _inputs @param {Float32Array[][]} outputs @override */
  process(_inputs, outputs) {
    const player = this.#player;
    if (!player || player.silent) return !this.#stopped;
    const left = outputs[0][0];
    player.render(left, outputs[0][1], left.length);
    this.#left -= left.length;
    if (this.#left <= 0 || player.ended) this.#tell();
    return true;
  }
}

registerProcessor('ovation-music', MusicProcessor);
