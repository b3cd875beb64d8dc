/** Under this name the devices are held before the room is there. */
export const holder = 'prepare';

/**
 * The room has begun: what it holds itself by now, the preparation lets go.
 * @param {import('../app.js').App} app
 */
export function releasePrepared({ camera, microphone }) {
  camera.close(holder);
  microphone.close(holder);
}
