import { Toasts } from './elements/toasts.js';
import { preferredLanguage, useLanguage } from './lib/i18n.js';
import { watchKeyboard } from './lib/keyboard.js';
import { Router } from './lib/router.js';
import { BeautyModel } from './models/beauty.js';
import { CameraModel } from './models/camera.js';
import { MicrophoneModel, SpeakerModel } from './models/devices.js';
import { EffectsModel } from './models/effects.js';
import { IdentityModel } from './models/identity.js';
import { jointMedia } from './models/joint-media.js';
import { LineModel } from './models/line.js';
import { LobbyModel } from './models/lobby.js';
import { fetchMusic } from './models/music.js';
import { PreferencesModel } from './models/preferences.js';
import { SalonModel } from './models/salon.js';
import { runApp } from './pages/shell.js';
import { roomFromSlug } from './protocol/ids.js';

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
const applyPreferences = () => {
  const { theme, language } = preferences.get();
  const shown = theme === 'system' ? (systemTheme.matches ? 'light' : 'dark') : theme;
  document.documentElement.dataset.theme = shown;
  document
    .querySelector('meta[name=theme-color]')
    ?.setAttribute('content', shown === 'light' ? '#f6f5f2' : '#0e0f16');
  void useLanguage(language || preferredLanguage(navigator.languages));
};
systemTheme.addEventListener('change', applyPreferences);
preferences.subscribe(applyPreferences);

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
  openLobby: session => new LobbyModel(session),
  openSalon: (session, slug) => {
    const room = roomFromSlug(slug);
    if (room === null) throw new RangeError(`no room id: ${slug}`);
    const picture = beauty.track;
    return new SalonModel({ session, room, microphone, speaker, camera, picture, preferences, effects });
  },
});
