// What every page gets. Types only.

/**
 * @typedef {object} App
 * @property {import('../models/identity.js').IdentityModel} identity
 * @property {import('../models/preferences.js').PreferencesModel} preferences
 * @property {import('../models/devices.js').MicrophoneModel} microphone
 * @property {import('../models/devices.js').SpeakerModel} speaker
 * @property {import('../models/camera.js').CameraModel} camera
 * @property {import('../models/beauty.js').BeautyModel} beauty
 * @property {import('../models/line.js').LineModel} line
 * @property {import('../models/effects.js').EffectsModel} effects
 * @property {import('../elements/toasts.js').Toasts} toasts
 * @property {import('../lib/router.js').Router} router
 */

/**
 * A page fills `root` and takes everything back when `signal` aborts.
 * @typedef {(root: HTMLElement, signal: AbortSignal) => void} Page
 */

export {};
