import { Toasts } from './elements/toasts.js';
import { preferredLanguage, useFirstLanguage, useLanguage } from './lib/i18n.js';
import { watchKeyboard } from './lib/keyboard.js';
import { keepOfflinePage } from './lib/offline.js';
import { Router } from './lib/router.js';
import { BeautyModel } from './models/beauty.js';
import { CameraModel } from './models/camera.js';
import { MicrophoneModel, SpeakerModel } from './models/devices.js';
import { EffectsModel } from './models/effects.js';
import { IdentityModel } from './models/identity.js';
import { jointMedia } from './models/joint-media.js';
import { LineModel } from './models/line.js';
import { fetchMusic } from './models/music.js';
import { PreferencesModel } from './models/preferences.js';
import { runApp } from './pages/shell.js';

const preferences = new PreferencesModel();
watchKeyboard(window);
const media = jointMedia(navigator.mediaDevices);
const microphone = new MicrophoneModel(preferences, media);
const speaker = new SpeakerModel(preferences);
const camera = new CameraModel(preferences, media);
const beauty = new BeautyModel(camera, preferences);
const identity = new IdentityModel();
const effects = new EffectsModel(microphone, speaker, {
  fetch: source => fetchMusic(source, identity.musicOrigins),
});
const toasts = new Toasts();
document.body.append(toasts);

const systemTheme = matchMedia('(prefers-color-scheme: light)');
const wantedLanguage = () => preferences.get().language || preferredLanguage(navigator.languages);
const applyTheme = () => {
  const { theme } = preferences.get();
  const shown = theme === 'system' ? (systemTheme.matches ? 'light' : 'dark') : theme;
  document.documentElement.dataset.theme = shown;
  // One for each theme of the system; what is shown here may be the other.
  for (const color of document.querySelectorAll('meta[name=theme-color]'))
    color.setAttribute('content', shown === 'light' ? '#f6f5f2' : '#0e0f16');
};
systemTheme.addEventListener('change', applyTheme);
preferences.subscribe(applyTheme);

await useFirstLanguage(wantedLanguage());
preferences.subscribe(() => void useLanguage(wantedLanguage()).catch(() => {}));
runApp(/** @type {HTMLElement} */ (document.getElementById('app')), {
  identity,
  preferences,
  microphone,
  speaker,
  camera,
  beauty,
  line: new LineModel(preferences),
  effects,
  toasts,
  router: new Router(),
});
keepOfflinePage();
