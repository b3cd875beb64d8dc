import { apply, corners, shrink, soften, weigh } from './beauty-shaders.js';

/**
 * How much of each, 0…9, and whether left and right change places.
 * @typedef {{smooth: number, whiten: number, ruddy: number, style: string, mirror: boolean}} BeautyLevels
 */

/**
 * How wide a style smooths, in points of the small picture, and how much of it is taken.
 * @type {Record<string, {radius: number, share: number}>}
 */
const styles = {
  strong: { radius: 4, share: 1 },
  balanced: { radius: 3, share: 0.85 },
  natural: { radius: 2, share: 0.7 },
};
/** The small picture is smaller by this. */
const reduction = 4;
/** Levels are 0…9: what one step of each does. */
const steps = { smoothing: 0.09, tolerance: 0.006, lift: 0.05, blush: 1.2 / 255 };

/** Draws pictures with smoother, lighter and rosier skin on a canvas, by WebGL 2. Throws where that is not to be had. */
export class BeautyFilter {
  #canvas;
  #gl;
  #programs;
  #picture;
  /** @type {{texture: WebGLTexture, target: WebGLFramebuffer}[]} */ #small = [];
  #size = { width: 0, height: 0 };

  /** @param {HTMLCanvasElement} canvas or one of a worker's */
  constructor(canvas) {
    this.#canvas = canvas;
    const gl = /** @type {WebGL2RenderingContext | null} */ (
      canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false })
    );
    if (!gl) throw new Error('no WebGL 2');
    this.#gl = gl;
    this.#programs = {
      shrink: program(gl, shrink, ['picture', 'texel']),
      weigh: program(gl, weigh, ['small', 'radius', 'tolerance']),
      soften: program(gl, soften, ['weights', 'texel']),
      apply: program(gl, apply, ['picture', 'weights', 'smoothing', 'lift', 'blush', 'mirror']),
    };
    this.#picture = texture(gl);
    gl.bindVertexArray(gl.createVertexArray());
  }

  /**
   * @param {TexImageSource} source
   * @param {number} width @param {number} height of the source
   * @param {BeautyLevels} levels
   */
  draw(source, width, height, levels) {
    const gl = this.#gl;
    this.#fit(width, height);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.#picture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, source);
    const { radius, share } = styles[levels.style] ?? styles.balanced;
    const [first, second] = this.#small;
    const { shrink, weigh, soften, apply } = this.#programs;
    if (levels.smooth > 0 || levels.whiten > 0 || levels.ruddy > 0) {
      this.#pass(shrink.use, first.target);
      gl.uniform2f(shrink.at.texel, 1 / width, 1 / height);
      this.#paint();
      gl.bindTexture(gl.TEXTURE_2D, first.texture);
      this.#pass(weigh.use, second.target);
      gl.uniform1i(weigh.at.radius, radius);
      gl.uniform1f(weigh.at.tolerance, (steps.tolerance * (1 + levels.smooth)) ** 2);
      this.#paint();
      gl.bindTexture(gl.TEXTURE_2D, second.texture);
      this.#pass(soften.use, first.target);
      gl.uniform2f(soften.at.texel, reduction / width, reduction / height);
      this.#paint();
      gl.bindTexture(gl.TEXTURE_2D, this.#picture);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D, first.texture);
    }
    this.#pass(apply.use, null);
    gl.uniform1i(apply.at.weights, 1);
    gl.uniform1f(apply.at.smoothing, steps.smoothing * levels.smooth * share);
    gl.uniform1f(apply.at.lift, steps.lift * levels.whiten);
    gl.uniform1f(apply.at.blush, steps.blush * levels.ruddy);
    gl.uniform1i(apply.at.mirror, Number(levels.mirror));
    this.#paint();
  }

  /** Gives the graphics memory back. */
  end() {
    this.#gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** @param {number} width @param {number} height */
  #fit(width, height) {
    if (this.#size.width === width && this.#size.height === height) return;
    const gl = this.#gl;
    this.#size = { width, height };
    this.#canvas.width = width;
    this.#canvas.height = height;
    for (const { texture, target } of this.#small) {
      gl.deleteTexture(texture);
      gl.deleteFramebuffer(target);
    }
    const smaller = (/** @type {number} */ side) => Math.max(1, Math.ceil(side / reduction));
    this.#small = [0, 1].map(() => {
      const made = texture(gl);
      gl.bindTexture(gl.TEXTURE_2D, made);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, smaller(width), smaller(height));
      const target = /** @type {WebGLFramebuffer} */ (gl.createFramebuffer());
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, made, 0);
      return { texture: made, target };
    });
  }

  /** @param {WebGLProgram} use @param {WebGLFramebuffer | null} target the canvas, if none */
  #pass(use, target) {
    const gl = this.#gl;
    const { width, height } = this.#size;
    const by = target ? reduction : 1;
    gl.useProgram(use);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, Math.max(1, Math.ceil(width / by)), Math.max(1, Math.ceil(height / by)));
  }

  #paint() {
    this.#gl.drawArrays(this.#gl.TRIANGLES, 0, 3);
  }
}

/** @param {WebGL2RenderingContext} gl */
function texture(gl) {
  const made = /** @type {WebGLTexture} */ (gl.createTexture());
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const [name, value] of [
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
    [gl.TEXTURE_MAG_FILTER, gl.LINEAR],
  ])
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  return made;
}

/**
 * @template {string} Name
 * @param {WebGL2RenderingContext} gl @param {string} fragment @param {Name[]} names of what is set from outside
 */
function program(gl, fragment, names) {
  const use = /** @type {WebGLProgram} */ (gl.createProgram());
  for (const [kind, text] of /** @type {[number, string][]} */ ([
    [gl.VERTEX_SHADER, corners],
    [gl.FRAGMENT_SHADER, fragment],
  ])) {
    const shader = /** @type {WebGLShader} */ (gl.createShader(kind));
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(use, shader);
  }
  gl.linkProgram(use);
  if (!gl.getProgramParameter(use, gl.LINK_STATUS))
    throw new Error(gl.getProgramInfoLog(use) ?? 'no program');
  const at = /** @type {Record<Name, WebGLUniformLocation | null>} */ (
    Object.fromEntries(names.map(name => [name, gl.getUniformLocation(use, name)]))
  );
  return { use, at };
}
