import '../../elements/video.js';
import { html } from '../../lib/html.js';
import { errorText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { busy } from '../parts.js';

/**
 * My own picture before anybody else sees it, with what changes it.
 * @param {import('../app.js').App} app
 * @param {{name: string, announce: string, turnOn: () => void, signal: AbortSignal, over?: unknown}} options `name`: of the place, for its
 *   parts' names; `announce`: what comes when the camera is turned on, and who sees it; `over`: what lies over the picture
 */
export function ownPicture(app, { name, announce, turnOn, signal, over = null }) {
  const { camera, beauty, preferences } = app;
  const { open, opening, problem, none, away, devices, facesMe } = camera.state.get();
  const { mirror } = preferences.get();
  const turned = beauty.turns(beauty.track.get());
  const showBeauty = async () => (await import('./beauty.js')).openBeauty(app, signal);
  return html`<div class="prepare-picture" ?data-open=${open}>
    <ov-video data-testid=${`${name}-video`} ?data-mirror=${turned} .track=${beauty.track.get()}></ov-video>
    ${open && beauty.state.get().mode === 'failed' && html`<p class="prepare-empty" role="alert">${t('beauty.failed')}</p>`}
    ${open && away && html`<p class="prepare-empty" role="status">${t('live.cameraAwayMine')}</p>`}
    ${
      !open &&
      html`<div class="prepare-empty">
        ${problem && html`<p role="alert" data-testid="camera-problem">${icon('triangle-alert')}<span>${errorText({ name: problem })}</span></p>`}
        ${
          !none &&
          html`${!problem && html`<p class="soft small">${announce}</p>`}
            <button class="button primary" type="button" data-testid=${`${name}-camera`} aria-busy=${opening} @click=${turnOn}>
              ${opening ? busy() : icon('video')}${t(problem ? 'common.retry' : 'live.turnOnCamera')}</button>`
        }
      </div>`
    }
    ${
      open &&
      turned &&
      html`<figure class="others-see" data-testid=${`${name}-others`}>
        <ov-video .track=${beauty.track.get()}></ov-video>
        <figcaption class="clip">${t('live.othersSee')}</figcaption>
      </figure>`
    }
    ${
      open &&
      html`<div class="prepare-tools">
        <button class="icon-button over" type="button" aria-pressed=${String(preferences.get().beauty)} title=${t('beauty.title')} aria-label=${t('beauty.title')}
          aria-haspopup="dialog" data-testid=${`${name}-beauty`} @click=${() => void showBeauty()}>${icon('sparkles')}</button>
        ${
          facesMe &&
          html`<button class="icon-button over" type="button" aria-pressed=${String(mirror)} title=${t('live.mirror')} aria-label=${t('live.mirror')}
            data-testid=${`${name}-mirror`} @click=${() => preferences.change({ mirror: !mirror })}>${icon('flip-horizontal-2')}</button>`
        }
        ${
          devices.length > 1 &&
          html`<button class="icon-button over" type="button" title=${t('live.flip')} aria-label=${t('live.flip')}
            data-testid=${`${name}-flip`} @click=${() => void camera.flip().catch(() => {})}>${icon('switch-camera')}</button>`
        }
      </div>`
    }
    ${over}
  </div>`;
}
