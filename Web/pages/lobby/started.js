// What this tab has just started, from the form to the room's page and back.

/** The slug of the room that this tab has just created: its host enters it at once. */
let created = '';

/** @param {string} slug */
export function expectCreated(slug) {
  created = slug;
}

/**
 * Whether this room was created a moment ago; true once.
 * @param {string} slug
 */
export function wasJustCreated(slug) {
  const just = created === slug;
  if (just) created = '';
  return just;
}

/** @type {{name: string} | null} A live room of this tab that got no picture to the server: it is closed, and its preview is to come back. */
let anotherTry = null;

/** @param {{name: string}} room */
export function expectAnotherTry(room) {
  anotherTry = room;
}

/** What is to be tried again; once. */
export function takeAnotherTry() {
  const room = anotherTry;
  anotherTry = null;
  return room;
}
