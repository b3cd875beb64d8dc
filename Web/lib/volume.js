/** @type {boolean | null} */ let known = null;

/** Whether the volume of a media element is the page's to set. On an iPhone it is the device's alone; muting works there. */
export function volumeSticks() {
  if (known === null) {
    const audio = document.createElement('audio');
    audio.volume = 0.5;
    known = audio.volume === 0.5;
  }
  return known;
}
