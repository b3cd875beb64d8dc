import { cropAt, movedCrop, nearness, pinchedCrop, widestCrop, zoomedCrop } from '../models/crop.js';

/** @typedef {import('../models/crop.js').Crop} Crop */
/** @typedef {import('../models/crop.js').Point} Point */
/** @typedef {{picture: ImageBitmap, shape: import('../models/crop.js').Shape, round: boolean}} CropOf */

/** So much of the element's width and height is around the frame, where one sees what is left out. */
const margin = 0.08;
/** Arrow keys go so far, in widths of the frame. */
const step = 0.04;
const bigStep = 0.2;
const zoomStep = 1.15;
const outside = 'rgb(6 7 11 / 62%)';

/**
 * `<ov-crop .of=${{picture, shape, round}}>`: a picture under a frame. Drag, pinch, the wheel, arrow keys and + and − say what is in the
 * frame; each change fires `crop`. `crop` and `near` tell it.
 */
export class CropFrame extends HTMLElement {
  #canvas = document.createElement('canvas');
  /** @type {CropOf | null} */ #of = null;
  /** @type {Crop | null} */ #crop = null;
  /** @type {Map<number, Point>} fingers and the mouse, in widths and heights of the frame */ #pointers =
    new Map();
  #sizes = new ResizeObserver(() => this.#draw());

  connectedCallback() {
    this.tabIndex = 0;
    this.replaceChildren(this.#canvas);
    this.#sizes.observe(this);
    this.addEventListener('pointerdown', event => this.#press(event));
    this.addEventListener('pointermove', event => this.#drag(event));
    for (const end of ['pointerup', 'pointercancel'])
      this.addEventListener(end, event =>
        this.#pointers.delete(/** @type {PointerEvent} */ (event).pointerId),
      );
    this.addEventListener('wheel', event => this.#roll(event), { passive: false });
    this.addEventListener('keydown', event => this.#key(event));
  }

  disconnectedCallback() {
    this.#sizes.disconnect();
  }

  get of() {
    return this.#of;
  }

  set of(of) {
    if (of?.picture === this.#of?.picture) return;
    this.#of = of;
    this.#set(of && widestCrop(of.picture, of.shape));
  }

  /** What is in the frame, in the picture's pixels. */
  get crop() {
    return this.#crop;
  }

  /** 0…1. */
  get near() {
    return this.#of && this.#crop ? nearness(this.#of.picture, this.#of.shape, this.#crop) : 0;
  }

  set near(near) {
    this.#change((picture, shape, crop) => cropAt(picture, shape, crop, near));
  }

  /** @param {(picture: ImageBitmap, shape: import('../models/crop.js').Shape, crop: Crop) => Crop} make */
  #change(make) {
    if (this.#of && this.#crop) this.#set(make(this.#of.picture, this.#of.shape, this.#crop));
  }

  /** @param {Crop | null} crop */
  #set(crop) {
    this.#crop = crop;
    this.#draw();
    this.dispatchEvent(new Event('crop'));
  }

  /** The frame in the element's own pixels. */
  #frame() {
    const { clientWidth, clientHeight } = this;
    const aspect = this.#of?.shape.aspect ?? 1;
    const width = Math.min(clientWidth * (1 - 2 * margin), clientHeight * (1 - 2 * margin) * aspect);
    const height = width / aspect;
    return { x: (clientWidth - width) / 2, y: (clientHeight - height) / 2, width, height };
  }

  /** @param {MouseEvent} event @returns {Point} */
  #at({ clientX, clientY }) {
    const box = this.getBoundingClientRect();
    const frame = this.#frame();
    return {
      x: (clientX - box.left - frame.x) / frame.width,
      y: (clientY - box.top - frame.y) / frame.height,
    };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0 || this.#pointers.size === 2) return;
    this.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, this.#at(event));
  }

  /** @param {PointerEvent} event */
  #drag(event) {
    const from = this.#pointers.get(event.pointerId);
    if (!from) return;
    const to = this.#at(event);
    const [other] = [...this.#pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    this.#pointers.set(event.pointerId, to);
    this.#change((picture, shape, crop) =>
      other
        ? pinchedCrop(picture, shape, crop, [other, from], [other, to])
        : movedCrop(picture, shape, crop, { x: from.x - to.x, y: from.y - to.y }),
    );
  }

  /** @param {WheelEvent} event */
  #roll(event) {
    event.preventDefault();
    // Lines, or what a pinch on a touchpad sends, or pixels.
    const rate = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 0.04 : event.ctrlKey ? 0.01 : 0.002;
    this.#change((picture, shape, crop) =>
      zoomedCrop(picture, shape, crop, Math.exp(-event.deltaY * rate), this.#at(event)),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? bigStep : step;
    // The picture goes where the key points, as it goes with a finger.
    const by = { ArrowLeft: [far, 0], ArrowRight: [-far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] }[
      event.key
    ];
    const factor = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep, '−': 1 / zoomStep }[event.key];
    if (!by && !factor) return;
    event.preventDefault();
    event.stopPropagation();
    this.#change((picture, shape, crop) =>
      by
        ? movedCrop(picture, shape, crop, { x: by[0], y: by[1] })
        : zoomedCrop(picture, shape, crop, factor ?? 1),
    );
  }

  #draw() {
    const { clientWidth, clientHeight } = this;
    const pen = this.#canvas.getContext('2d');
    if (!this.#of || !this.#crop || !pen || clientWidth === 0) return;
    const { picture, round } = this.#of;
    const crop = this.#crop;
    const sharp = globalThis.devicePixelRatio || 1;
    this.#canvas.width = Math.round(clientWidth * sharp);
    this.#canvas.height = Math.round(clientHeight * sharp);
    pen.scale(sharp, sharp);
    const frame = this.#frame();
    const scale = frame.width / crop.width;
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(
      picture,
      frame.x - crop.x * scale,
      frame.y - crop.y * scale,
      picture.width * scale,
      picture.height * scale,
    );
    const edge = new Path2D();
    if (round)
      edge.ellipse(
        frame.x + frame.width / 2,
        frame.y + frame.height / 2,
        frame.width / 2,
        frame.height / 2,
        0,
        0,
        2 * Math.PI,
      );
    else edge.rect(frame.x, frame.y, frame.width, frame.height);
    const rest = new Path2D();
    rest.rect(0, 0, clientWidth, clientHeight);
    rest.addPath(edge);
    pen.fillStyle = outside;
    pen.fill(rest, 'evenodd');
    pen.strokeStyle = '#fff';
    pen.lineWidth = 2;
    pen.stroke(edge);
  }
}

customElements.define('ov-crop', CropFrame);
