import { keepSounding } from '../lib/sound-context.js';
import { SoundOutput } from '../lib/sound-output.js';
import { MusicPlayer } from './dsp/music-player.js';

/** @typedef {import('./dsp/voice-chain.js').VoiceSetting} VoiceSetting */
/**
 * Decoded, as `MusicPlayer` takes it: `right` and `mix` are those of stereo.
 * @typedef {{left: Float32Array, right?: Float32Array, mix?: Float32Array, durationMs: number}} Sound
 */

const worklets = ['voice', 'music', 'limiter'];
/** Volumes glide there, so that no step is heard: time constant in seconds. */
const glide = 0.015;
/** Longer than songs are. A minute of decoded stereo is 35 MB. */
const longestSeconds = 10 * 60;

/**
 * The page's sound desk, alive while something needs it: the microphone through its effects, and any number of pieces of
 * music, each with one way to the others (`track`) and one to this person's ears.
 *
 *     microphone ── voice effects ── volume ─┬─ limiter ── track
 *     music ── volume for others ────────────┘
 *        └──── volume for me ─┬─ limiter ── loudspeaker
 *     voice ── ear monitor ───┘
 */
export class Mixer {
  /**
   * Told whether it sounds, see `keepSounding`.
   * @type {(how: 'runs' | 'waits' | 'stands') => void}
   */
  changed = () => {};

  #context;
  #waits = false;
  #voice;
  #voiceGain;
  #ear;
  #out;
  #local;
  #destination;
  #output;
  /** @type {MediaStreamAudioSourceNode | null} */ #source = null;

  /** @param {AudioContext} context whose worklets are loaded */
  constructor(context) {
    this.#context = context;
    // A phone call interrupts it; the others must not be left with silence.
    keepSounding(context, how => {
      this.#waits = how !== 'runs';
      this.changed(how);
    });
    const stereo = { numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [2] };
    /** @type {AudioWorkletNodeOptions} */
    const mono = { ...stereo, channelCount: 1, channelCountMode: 'explicit' };
    this.#voice = new AudioWorkletNode(context, 'ovation-voice', mono);
    this.#out = new AudioWorkletNode(context, 'ovation-limiter', stereo);
    this.#local = new AudioWorkletNode(context, 'ovation-limiter', stereo);
    this.#voiceGain = context.createGain();
    this.#ear = context.createGain();
    this.#ear.gain.value = 0;
    this.#destination = context.createMediaStreamDestination();
    this.#output = new SoundOutput(context);
    this.#voice.connect(this.#voiceGain);
    this.#voiceGain.connect(this.#out).connect(this.#destination);
    this.#voiceGain.connect(this.#ear).connect(this.#local).connect(this.#output.node);
  }

  /**
   * Opens one. Rejects where the browser has no audio worklets.
   * @returns {Promise<Mixer>}
   */
  static async open() {
    // Rooms and voices are tuned at this rate, and Opus works at it.
    const context = new AudioContext({ latencyHint: 'interactive', sampleRate: 48_000 });
    try {
      await Promise.all(
        worklets.map(name =>
          context.audioWorklet.addModule(new URL(`./worklets/${name}.js`, import.meta.url).href),
        ),
      );
      void context.resume().catch(() => {});
      return new Mixer(context);
    } catch (thrown) {
      void context.close().catch(() => {});
      throw thrown;
    }
  }

  /** It has run, and gives silence now. */
  get waits() {
    return this.#waits;
  }

  /** The mix for the others. @returns {MediaStreamTrack} */
  get track() {
    return this.#destination.stream.getAudioTracks()[0];
  }

  /** In a click: a context that was made without one sleeps. */
  async resume() {
    await this.#context.resume().catch(() => {});
  }

  /** @param {MediaStreamTrack | null} track what the microphone gives */
  setMicrophone(track) {
    this.#source?.disconnect();
    this.#source = track && this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#source?.connect(this.#voice);
  }

  /**
   * @param {VoiceSetting} setting
   * @param {number} volume a factor
   */
  setVoice(setting, volume) {
    this.#voice.port.postMessage(setting);
    this.#glide(this.#voiceGain, volume);
  }

  /** @param {number} volume a factor; 0 is off */
  setEar(volume) {
    this.#glide(this.#ear, volume);
  }

  /** @param {string} id of the output device, '' for the system's choice */
  async setOutput(id) {
    await this.#output.route(id);
  }

  /**
   * Makes samples of an encoded sound. Rejects with `EncodingError` when it is none that the browser knows, with
   * `RangeError` when it is too long.
   * @param {ArrayBuffer} bytes given away
   * @returns {Promise<Sound>}
   */
  async decode(bytes) {
    const buffer = await this.#context.decodeAudioData(bytes);
    if (buffer.duration > longestSeconds) throw new RangeError('too long');
    const { margin } = MusicPlayer;
    const side = (/** @type {number} */ channel) => {
      const whole = new Float32Array(buffer.length + 2 * margin);
      buffer.copyFromChannel(whole.subarray(margin, margin + buffer.length), channel);
      return whole;
    };
    const left = side(0);
    const durationMs = buffer.duration * 1000;
    if (buffer.numberOfChannels === 1) return { left, durationMs };
    const right = side(1);
    return { left, right, mix: MusicPlayer.mixed(left, right), durationMs };
  }

  /**
   * Puts a piece of music on the desk, paused.
   * @param {Sound} sound given away
   * @param {{startMs: number, endMs: number, loops: number}} range
   * @param {(news: {positionMs: number, ended: boolean}) => void} tell about five times a second while it plays
   * @returns {MusicChannel}
   */
  addMusic(sound, range, tell) {
    const node = new AudioWorkletNode(this.#context, 'ovation-music', {
      numberOfInputs: 0,
      numberOfOutputs: 1,
      outputChannelCount: [2],
    });
    node.port.onmessage = ({ data }) => tell(data);
    const memory = [sound.left, sound.right, sound.mix].flatMap(samples => (samples ? [samples.buffer] : []));
    node.port.postMessage({ load: { sound, range }, play: false }, memory);
    const forOthers = this.#context.createGain();
    const forMe = this.#context.createGain();
    forOthers.gain.value = 0;
    forMe.gain.value = 0;
    node.connect(forOthers).connect(this.#out);
    node.connect(forMe).connect(this.#local);
    return {
      send: word => node.port.postMessage(word),
      setVolumes: (others, me) => {
        this.#glide(forOthers, others);
        this.#glide(forMe, me);
      },
      remove: () => {
        node.port.postMessage({ stop: true });
        node.disconnect();
        forOthers.disconnect();
        forMe.disconnect();
      },
    };
  }

  close() {
    this.setMicrophone(null);
    this.#output.close();
    this.#destination.stream.getTracks().forEach(track => {
      track.stop();
    });
    void this.#context.close().catch(() => {});
  }

  /** @param {GainNode} node @param {number} volume */
  #glide(node, volume) {
    node.gain.setTargetAtTime(volume, this.#context.currentTime, glide);
  }
}

/**
 * One piece of music on the desk; `send` takes the words of worklets/music.js, volumes are factors.
 * @typedef {{send: (word: {play?: boolean, seek?: number, speed?: number, pitch?: number, loops?: number, range?: {startMs: number, endMs: number}}) => void, setVolumes: (others: number, me: number) => void, remove: () => void}} MusicChannel
 */
