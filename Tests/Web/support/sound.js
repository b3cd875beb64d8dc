// Sounds to try effects on, and measures of what comes out. 48 kHz throughout.

export const rate = 48_000;

/** @param {number} hertz */
export function sine(hertz, seconds, amplitude = 0.5) {
  return Float32Array.from(
    { length: Math.round(seconds * rate) },
    (_, n) => amplitude * Math.sin((2 * Math.PI * hertz * n) / rate),
  );
}

/** White noise, the same for the same seed. */
export function noise(seconds, amplitude = 0.5, seed = 1) {
  let state = seed * 2654435761;
  return Float32Array.from({ length: Math.round(seconds * rate) }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}

/** A speaker made of a source and a filter: pulses of the vocal folds through four resonances. Effective value 0.15. */
export function voice(hertz, seconds, { until = hertz, level = 0.15 } = {}) {
  const count = Math.round(seconds * rate);
  const sound = new Float64Array(count);
  let phase = 0;
  let last = 0;
  for (let n = 0; n < count; n++) {
    phase += (hertz + ((until - hertz) * n) / count) / rate;
    if (phase >= 1) phase -= 1;
    let flow = 0;
    if (phase < 0.4) flow = 0.5 * (1 - Math.cos((Math.PI * phase) / 0.4));
    else if (phase < 0.56) flow = Math.cos(((Math.PI / 2) * (phase - 0.4)) / 0.16);
    sound[n] = flow - last;
    last = flow;
  }
  for (const [frequency, width] of [
    [620, 80],
    [1200, 100],
    [2550, 140],
    [3500, 200],
  ]) {
    const radius = Math.exp((-Math.PI * width) / rate);
    const first = -2 * radius * Math.cos((2 * Math.PI * frequency) / rate);
    const second = radius * radius;
    let [before, earlier] = [0, 0];
    for (let n = 0; n < count; n++) {
      const out = sound[n] * (1 + first + second) - first * before - second * earlier;
      [earlier, before] = [before, out];
      sound[n] = out;
    }
  }
  const effective = Math.sqrt(sound.reduce((sum, v) => sum + v * v, 0) / count);
  return Float32Array.from(sound, v => (v / effective) * level);
}

/** One after another; a number is so many seconds of silence. */
export function joined(...parts) {
  const sounds = parts.map(part =>
    typeof part === 'number' ? new Float32Array(Math.round(part * rate)) : part,
  );
  const whole = new Float32Array(sounds.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sound of sounds) {
    whole.set(sound, at);
    at += sound.length;
  }
  return whole;
}

export function peakOf(sound) {
  return sound.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
}

/** Decibels of the effective value. */
export function level(sound) {
  return 10 * Math.log10(sound.reduce((sum, v) => sum + v * v, 0) / sound.length + 1e-20);
}

/** The fundamental in hertz by autocorrelation, between two bounds; over 85 ms from `start` on. */
export function pitchOf(sound, { start = 0, low = 50, high = 1000, seconds = 0.085 } = {}) {
  const part = sound.slice(start, start + Math.round(seconds * rate));
  const [shortest, longest] = [Math.floor(rate / high), Math.ceil(rate / low)];
  const likeness = lag => {
    let [product, a, b] = [0, 1e-12, 1e-12];
    for (let n = 0; n + lag < part.length; n++) {
      product += part[n] * part[n + lag];
      a += part[n] ** 2;
      b += part[n + lag] ** 2;
    }
    return product / Math.sqrt(a * b);
  };
  const values = new Map();
  for (let lag = shortest; lag <= longest; lag++) values.set(lag, likeness(lag));
  const best = Math.max(...values.values());
  for (let lag = shortest + 1; lag < longest; lag++) {
    const [before, here, after] = [values.get(lag - 1), values.get(lag), values.get(lag + 1)];
    if (here < 0.93 * best || here < before || here < after) continue;
    const offset = (0.5 * (before - after)) / (before - 2 * here + after || -1);
    return rate / (lag + offset);
  }
  return 0;
}

/** Magnitudes of the whole sound's spectrum under a Hann window, and the width of a bin in hertz. */
export function spectrum(sound) {
  let size = 1;
  while (size * 2 <= sound.length) size *= 2;
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  for (let n = 0; n < size; n++) real[n] = sound[n] * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / size));
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) [real[i], real[j]] = [real[j], real[i]];
  }
  for (let span = 2; span <= size; span *= 2) {
    const angle = (-2 * Math.PI) / span;
    for (let start = 0; start < size; start += span) {
      for (let k = 0; k < span / 2; k++) {
        const [c, s] = [Math.cos(angle * k), Math.sin(angle * k)];
        const [a, b] = [start + k, start + k + span / 2];
        const [re, im] = [real[b] * c - imaginary[b] * s, real[b] * s + imaginary[b] * c];
        [real[b], imaginary[b]] = [real[a] - re, imaginary[a] - im];
        [real[a], imaginary[a]] = [real[a] + re, imaginary[a] + im];
      }
    }
  }
  const magnitudes = Float64Array.from(
    { length: size / 2 },
    (_, bin) => Math.hypot(real[bin], imaginary[bin]) / size,
  );
  return { magnitudes, width: rate / size };
}

/** Decibels of what lies between two frequencies. */
export function band({ magnitudes, width }, low, high) {
  let sum = 1e-20;
  for (let bin = Math.ceil(low / width); bin <= Math.min(magnitudes.length - 1, high / width); bin++)
    sum += magnitudes[bin] ** 2;
  return 10 * Math.log10(sum);
}

/** The strongest frequency. */
export function strongest({ magnitudes, width }) {
  let best = 1;
  for (let bin = 2; bin < magnitudes.length; bin++) if (magnitudes[bin] > magnitudes[best]) best = bin;
  return best * width;
}

/** Seconds in which a response decays by 60 dB: Schroeder's integral between −5 and −35 dB. */
export function decayTime(response) {
  const energy = new Float64Array(response.length + 1);
  for (let n = response.length - 1; n >= 0; n--) energy[n] = energy[n + 1] + response[n] ** 2;
  const at = decibels => energy.findIndex(value => value < energy[0] * 10 ** (decibels / 10));
  return ((at(-35) - at(-5)) / rate) * 2;
}

/** What can be told apart: octave bands of a few stretches, in decibels, each stretch's loudness included. */
export function print(sound, stretches) {
  return stretches.flatMap(([from, to]) => {
    const part = spectrum(sound.slice(from * rate, to * rate));
    return [62, 125, 250, 500, 1000, 2000, 4000, 8000, 16000].map(low =>
      Math.max(-110, band(part, low, low * 2)),
    );
  });
}

/** The middle difference of two prints in decibels. */
export function distance(one, other) {
  return Math.sqrt(one.reduce((sum, v, i) => sum + (v - other[i]) ** 2, 0) / one.length);
}

/** Runs a mono effect over a copy, in blocks as a worklet gets them. */
export function through(effect, sound, blocks = [128]) {
  const out = Float32Array.from(sound);
  for (let at = 0, turn = 0; at < out.length; turn++) {
    const count = Math.min(blocks[turn % blocks.length], out.length - at);
    effect.process(out.subarray(at, at + count), count);
    at += count;
  }
  return out;
}

/** Runs a stereo effect over copies of both sides; gives the two sides. */
export function throughBoth(effect, left, right = left, blocks = [128]) {
  const sides = [Float32Array.from(left), Float32Array.from(right)];
  for (let at = 0, turn = 0; at < left.length; turn++) {
    const count = Math.min(blocks[turn % blocks.length], left.length - at);
    effect.process(sides[0].subarray(at, at + count), sides[1].subarray(at, at + count), count);
    at += count;
  }
  return sides;
}
