import { pageShape } from '../../lib/page-shape.js';
import { like } from '../salon/like.js';
import { arrangement } from './stage.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */

/** A finger that has moved so far to one side, in CSS pixels, has swiped. */
const swipe = 64;
/** Phones take what begins so close to the edge for going back. */
const edge = 24;
/** A finger that has moved no farther has tapped. */
const still = 12;
/** The second tap comes within this, milliseconds, and as near as this, CSS pixels. */
const again = { ms: 350, px: 40 };

/**
 * What fingers do on the picture of a phone: two taps are a like; a swipe to the right leaves nothing but the picture, one to the left
 * brings everything back.
 * @param {HTMLElement} root
 * @param {SalonContext} context
 * @param {LiveModel} live
 */
export function watchGestures(root, context, live) {
  const { signal } = context;
  /** @type {PointerEvent | null} */ let begun = null;
  /** @type {{at: number, x: number, y: number} | null} */ let tapped = null;
  /** @param {PointerEvent} event */
  const isOnPicture = event => {
    const target = /** @type {Element} */ (event.target);
    return target.closest('.live-stage') !== null && target.closest('button, a') === null;
  };
  // What is put away comes back with the layout that has a place for it.
  const settle = () => {
    if (context.opened.get().pictureAlone && arrangement(context, live).chat !== 'over')
      context.open({ pictureAlone: false });
  };
  for (const store of [pageShape, context.salon.state, live.state, live.pk.state])
    store.subscribe(settle, { signal, now: false });
  root.addEventListener(
    'pointerdown',
    event => {
      begun =
        pageShape.get() !== 'wide' && event.isPrimary && event.pointerType !== 'mouse' && isOnPicture(event)
          ? event
          : null;
      // A second finger makes it something else.
      if (!event.isPrimary) tapped = null;
    },
    { signal },
  );
  root.addEventListener(
    'pointercancel',
    () => {
      begun = null;
    },
    { signal },
  );
  root.addEventListener(
    'pointerup',
    event => {
      if (begun?.pointerId !== event.pointerId) return;
      const { clientX, clientY } = begun;
      const [right, down] = [event.clientX - clientX, event.clientY - clientY];
      begun = null;
      if (Math.hypot(right, down) <= still) {
        const now = performance.now();
        const isSecond =
          tapped !== null &&
          now - tapped.at <= again.ms &&
          Math.hypot(event.clientX - tapped.x, event.clientY - tapped.y) <= again.px;
        tapped = isSecond ? null : { at: now, x: event.clientX, y: event.clientY };
        if (isSecond) like(context);
        return;
      }
      tapped = null;
      const fromEdge = clientX < edge || clientX > innerWidth - edge;
      if (Math.abs(right) < swipe || Math.abs(right) < 2 * Math.abs(down) || fromEdge) return;
      if (arrangement(context, live).chat === 'over') context.open({ pictureAlone: right > 0 });
    },
    { signal },
  );
}
