// A guided filter over brightness (He, Sun, Tang: "Guided image filtering"), at a quarter of the size, where the colour is that of skin.
// Brightness and colour as in BT.601, full range, colours around 0.

/** One triangle over everything; `place` goes from 0 to 1. */
export const corners = `#version 300 es
out vec2 place;
void main() {
  vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
  place = corner;
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}`;

const head = `#version 300 es
precision highp float;
in vec2 place;
out vec4 result;
float brightness(vec3 colour) { return dot(colour, vec3(0.299, 0.587, 0.114)); }
vec2 chroma(vec3 colour, float bright) { return vec2(colour.b - bright, colour.r - bright) * vec2(0.564, 0.713); }
`;

/** To a quarter: the mean of 4 by 4 points, by four reads between points. */
export const shrink = `${head}
uniform sampler2D picture;
uniform vec2 texel;
void main() {
  vec3 sum = vec3(0.0);
  for (int y = -1; y <= 1; y += 2)
    for (int x = -1; x <= 1; x += 2) sum += texture(picture, place + vec2(x, y) * texel).rgb;
  vec3 colour = sum / 4.0;
  float bright = brightness(colour);
  result = vec4(bright, chroma(colour, bright) + 0.5, 1.0);
}`;

/** For each point: how much of the picture stays (r), what is added (g), and how much the colour is that of skin (b). */
export const weigh = `${head}
uniform sampler2D small;
uniform int radius;
uniform float tolerance;
void main() {
  ivec2 last = textureSize(small, 0) - 1;
  ivec2 here = ivec2(gl_FragCoord.xy);
  float sum = 0.0, squares = 0.0, count = 0.0;
  for (int y = -4; y <= 4; y++)
    for (int x = -4; x <= 4; x++) {
      if (abs(x) > radius || abs(y) > radius) continue;
      float bright = texelFetch(small, clamp(here + ivec2(x, y), ivec2(0), last), 0).r;
      sum += bright;
      squares += bright * bright;
      count += 1.0;
    }
  float mean = sum / count;
  float variance = max(squares / count - mean * mean, 0.0);
  float kept = variance / (variance + tolerance);
  vec2 tint = texelFetch(small, here, 0).gb - 0.5;
  // Around Cb 109 and Cr 152 of 255; brightness has no say, so that every skin counts.
  float distance = length((tint - vec2(-0.0745, 0.0941)) / vec2(0.098, 0.078));
  result = vec4(kept, mean * (1.0 - kept), 1.0 - smoothstep(0.7, 1.3, distance), 1.0);
}`;

/** The weights without steps. */
export const soften = `${head}
uniform sampler2D weights;
uniform vec2 texel;
void main() {
  vec4 sum = vec4(0.0);
  for (int y = -2; y <= 2; y++)
    for (int x = -2; x <= 2; x++) sum += texture(weights, place + vec2(x, y) * texel);
  result = sum / 25.0;
}`;

/** The whole picture, the right way up for a canvas. */
export const apply = `${head}
uniform sampler2D picture;
uniform sampler2D weights;
uniform float smoothing;
uniform float lift;
uniform float blush;
uniform bool mirror;
void main() {
  vec2 at = vec2(mirror ? 1.0 - place.x : place.x, 1.0 - place.y);
  vec3 colour = texture(picture, at).rgb;
  if (smoothing == 0.0 && lift == 0.0 && blush == 0.0) {
    result = vec4(colour, 1.0);
    return;
  }
  vec3 weight = texture(weights, at).rgb;
  float bright = brightness(colour);
  vec2 tint = chroma(colour, bright);
  float skin = weight.b;
  bright = mix(bright, weight.r * bright + weight.g, smoothing * skin);
  if (lift > 0.0) bright = mix(bright, log(1.0 + bright * lift) / log(1.0 + lift), 0.5 + 0.5 * skin);
  tint += vec2(-0.5, 1.0) * blush * skin;
  float red = bright + tint.y / 0.713;
  float blue = bright + tint.x / 0.564;
  result = vec4(red, (bright - 0.299 * red - 0.114 * blue) / 0.587, blue, 1.0);
}`;
