/** Refusals that say nothing of the other device. */
const ofOne = new Set(['NotFoundError', 'OverconstrainedError', 'NotReadableError', 'AbortError']);

/**
 * The browser's devices, as the models of camera and microphone use them. What both ask for in the same turn is one question to the
 * person: Safari puts two for two requests, on every visit.
 * @param {MediaDevices | undefined} media
 * @returns {MediaDevices | undefined}
 */
export function jointMedia(media) {
  if (!media?.getUserMedia) return media;
  /** @type {{constraints: MediaStreamConstraints, resolve: (stream: Promise<MediaStream>) => void}[]} */ let asked =
    [];
  const ask = () => {
    const requests = asked;
    asked = [];
    const [first, second] = requests;
    const isPair =
      requests.length === 2 && Boolean(first.constraints.audio) !== Boolean(second.constraints.audio);
    const together = isPair ? media.getUserMedia({ ...first.constraints, ...second.constraints }) : null;
    for (const { constraints, resolve } of requests) {
      const alone = () => media.getUserMedia(constraints);
      const answer = together?.catch(thrown => {
        // One of the two is missing or taken: each is told its own.
        if (ofOne.has(thrown?.name)) return alone();
        throw thrown;
      });
      resolve(answer ?? alone());
    }
  };
  const joint = {
    /** @param {MediaStreamConstraints} constraints */
    getUserMedia: (constraints = {}) =>
      new Promise(resolve => {
        asked.push({ constraints, resolve });
        if (asked.length === 1) queueMicrotask(ask);
      }),
    enumerateDevices: () => media.enumerateDevices(),
    /** @param {string} type @param {EventListener} listener */
    addEventListener: (type, listener) => media.addEventListener(type, listener),
  };
  return /** @type {any} */ (joint);
}
