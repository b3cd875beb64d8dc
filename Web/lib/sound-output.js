/** @typedef {{setSinkId?: (id: string) => Promise<void>}} Routed */

/** Whether this browser sends the sound of a context to a chosen device. Firefox and Safari move media elements alone. */
export function movesContexts() {
  return 'setSinkId' in (globalThis.AudioContext?.prototype ?? {});
}

/** The way out of a context: to the system's device, or to one that was chosen. Where a context cannot be moved, an `<audio>` plays it. */
export class SoundOutput {
  #context;
  #document;
  #node;
  /** @type {HTMLAudioElement | null} */ #audio = null;
  /** @type {MediaStreamAudioDestinationNode | null} */ #aside = null;
  /** Grows with each choice: only the last one counts. */ #turn = 0;

  /** @param {AudioContext} context @param {Document} [document] */
  constructor(context, document = globalThis.document) {
    this.#context = context;
    this.#document = document;
    this.#node = context.createGain();
    this.#node.connect(context.destination);
  }

  /** What is to be heard is connected to this. */
  get node() {
    return this.#node;
  }

  /**
   * Where a device is gone, or none can be chosen, the system's choice goes on sounding.
   * @param {string} id of the output device, '' for the system's choice
   */
  async route(id) {
    const turn = ++this.#turn;
    const context = /** @type {Routed} */ (/** @type {unknown} */ (this.#context));
    if (context.setSinkId) return void (await context.setSinkId(id).catch(() => {}));
    if (id === '') return this.#direct();
    this.#audio ??= this.#document.createElement('audio');
    this.#aside ??= this.#context.createMediaStreamDestination();
    const audio = /** @type {HTMLAudioElement & Routed} */ (this.#audio);
    try {
      if (!audio.setSinkId) return;
      await audio.setSinkId(id);
      if (turn !== this.#turn) return;
      audio.srcObject = this.#aside.stream;
      await audio.play();
      if (turn !== this.#turn) return;
      this.#node.disconnect();
      this.#node.connect(this.#aside);
    } catch {
      if (turn === this.#turn) this.#direct();
    }
  }

  close() {
    this.#turn++;
    this.#hush();
    this.#node.disconnect();
  }

  #direct() {
    this.#hush();
    this.#node.disconnect();
    this.#node.connect(this.#context.destination);
  }

  #hush() {
    this.#audio?.pause();
    if (this.#audio) this.#audio.srcObject = null;
  }
}
