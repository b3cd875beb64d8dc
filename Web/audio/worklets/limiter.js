import { Limiter } from '../dsp/limiter.js';

/** The last stage before sound leaves: two sides in, two sides out. */
class LimiterProcessor extends AudioWorkletProcessor {
  #limiter = new Limiter();

  /** @param {Float32Array[][]} inputs @param {Float32Array[][]} outputs @override */
  process(inputs, outputs) {
    const left = outputs[0][0];
    const right = outputs[0][1];
    const input = inputs[0];
    if (input[0]) {
      left.set(input[0]);
      right.set(input[1] ?? input[0]);
    } else {
      left.fill(0);
      right.fill(0);
    }
    this.#limiter.process(left, right, left.length);
    return true;
  }
}

registerProcessor('ovation-limiter', LimiterProcessor);
