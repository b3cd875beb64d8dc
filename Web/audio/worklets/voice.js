import { VoiceChain } from '../dsp/voice-chain.js';

/** A microphone on its way: `port` takes `VoiceSetting`s. */
class VoiceProcessor extends AudioWorkletProcessor {
  #chain = new VoiceChain();

  constructor() {
    super();
    this.port.onmessage = ({ data }) => this.#chain.set(data);
  }

  /** @param {Float32Array[][]} inputs @param {Float32Array[][]} outputs @override */
  process(inputs, outputs) {
    const left = outputs[0][0];
    const right = outputs[0][1];
    const voice = inputs[0][0];
    // Without a source the tail still rings.
    if (voice) left.set(voice);
    else left.fill(0);
    this.#chain.process(left, right, left.length);
    return true;
  }
}

registerProcessor('ovation-voice', VoiceProcessor);
