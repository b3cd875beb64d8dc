// People whose lines somebody does not want to read: on this device alone, and nobody is told.

/** More is a setting that nobody remembers; the oldest go first. */
const most = 200;

/** @typedef {import('./preferences.js').PreferencesModel} PreferencesModel */

/**
 * @param {PreferencesModel} preferences
 * @returns {ReadonlySet<string>} their ids
 */
export function hiddenPeople(preferences) {
  return new Set(preferences.get().hidden.split(' ').filter(Boolean));
}

/**
 * @param {PreferencesModel} preferences
 * @param {string} user
 * @param {boolean} hidden
 */
export function setHidden(preferences, user, hidden) {
  const others = [...hiddenPeople(preferences)].filter(id => id !== user);
  preferences.change({ hidden: (hidden ? [...others, user] : others).slice(-most).join(' ') });
}
