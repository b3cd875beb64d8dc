/** A clock that has not moved after this will not. */
const standsMs = 1_000;
/** What a browser takes for a person's doing. */
const gestures = ['pointerup', 'touchend', 'click', 'keydown'];

/** @type {Map<BaseAudioContext, () => void>} Contexts that are to sound, and what wakes each. */
const wakers = new Map();

const wakeAll = () => {
  for (const wake of wakers.values()) wake();
};

let listens = false;
/** Once, for as long as the page lives. */
function listen() {
  const page = globalThis.document;
  if (listens || !page) return;
  listens = true;
  for (const gesture of gestures) page.addEventListener(gesture, wakeAll, { capture: true, passive: true });
  page.addEventListener('visibilitychange', () => !page.hidden && wakeAll());
}

/**
 * Keeps a context sounding until it is closed. A call, an alarm or Siri takes the sound from a page on an iPhone (`interrupted`). Who
 * resumes it meanwhile gets a context that says it runs and stands, so it is woken when it is merely `suspended`, and otherwise in the
 * person's next gesture or when the page is looked at again.
 * @template {AudioContext} C
 * @param {C} context
 * @param {(how: 'runs' | 'waits' | 'stands') => void} [tell] `waits`: it has run, and does not now; `stands`: it says that it runs, and
 *   its clock does not move: only a new one helps
 * @returns {C}
 */
export function keepSounding(context, tell = () => {}) {
  let hasRun = false;
  let wasTaken = false;
  const resume = () => void context.resume().catch(() => {});
  const look = () => {
    const at = context.currentTime;
    setTimeout(() => {
      if (context.state === 'running' && context.currentTime === at) tell('stands');
    }, standsMs);
  };
  listen();
  wakers.set(context, () => {
    if (context.state !== 'running') resume();
    else if (wasTaken) look();
  });
  context.addEventListener('statechange', () => {
    const { state } = context;
    if (state === 'closed') return void wakers.delete(context);
    if (state === 'running') {
      hasRun = true;
      if (wasTaken) look();
      return tell('runs');
    }
    if (state === 'suspended') resume();
    wasTaken ||= hasRun;
    if (hasRun) tell('waits');
  });
  if (context.state === 'running') hasRun = true;
  return context;
}
