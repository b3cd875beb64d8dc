import '../../elements/meter.js';
import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { hasWebRTC } from '../../protocol/peer.js';
import { cameraField, mediaHint, microphoneField, microphoneProblem } from '../devices.js';
import { ownPicture } from './own-picture.js';
import { holder } from './prepared.js';
import { sendingFields } from './sending.js';

/**
 * Before going live: my own picture as I see it, the devices, and how loud I am. Nothing is sent, and no room exists yet.
 * @param {import('../app.js').App} app
 * @param {AbortSignal} signal
 */
export function prepareLive(app, signal) {
  const { camera, microphone, line } = app;
  let handedOver = false;
  let life = new AbortController();
  /** @type {any} */ let meter = null;

  const testLine = () => {
    const { session } = app.identity.state.get();
    if (session) void line.test(session);
  };

  const turnOn = async () => {
    life.abort();
    life = new AbortController();
    microphone.level.subscribe(
      level => {
        if (meter) meter.level = level;
      },
      { signal: life.signal, now: false },
    );
    // Both in one turn: the browser asks once (`jointMedia`), and on iPhones a second request can end the first track. What cannot be
    // opened says so itself.
    const [seen] = await Promise.allSettled([camera.open(holder), microphone.open(holder)]);
    if (
      seen.status === 'fulfilled' &&
      !life.signal.aborted &&
      hasWebRTC() &&
      !line.savesData &&
      !['done', 'untold'].includes(line.state.get().phase)
    )
      testLine();
  };

  return {
    /** The room's page takes the camera over, and lets go what is held here. */
    handOver: () => {
      handedOver = true;
    },
    /** Lets the devices go. */
    end: () => {
      life.abort();
      line.stop();
      if (handedOver) return;
      camera.close(holder);
      microphone.close(holder);
    },
    /** What others will see and hear, and how well it gets there. */
    preview: () => {
      const { open } = camera.state.get();
      const { permission, problem } = microphone.state.get();
      // What is never there is said beside the choice of devices.
      const refused = permission === 'insecure' || permission === 'withheld' ? null : problem;
      return html`<div class="prepare" data-testid="prepare">
        ${mediaHint()}
        ${ownPicture(app, { name: 'prepare', announce: t('live.announce'), turnOn: () => void turnOn(), signal })}
        ${
          microphone.state.get().open &&
          html`<ov-meter aria-label=${t('green.level')} ref=${(/** @type {any} */ element) => {
            meter = element;
          }}></ov-meter>`
        }
        ${microphoneProblem(refused)}
        ${open && hasWebRTC() && lineWord(line, testLine)}
      </div>`;
    },
    /** With which devices, and how it is sent. */
    choices: () => {
      const { none } = camera.state.get();
      return html`<div class="prepare-devices">${!none && cameraField(app)}${microphoneField(app)}${!none && sendingFields(app)}</div>`;
    },
  };
}

/**
 * What follows from the test of the line, in a sentence.
 * @param {import('../../models/line.js').LineModel} line @param {() => void} test
 */
function lineWord(line, test) {
  const { phase, share, quality, error } = line.state.get();
  const again = html`<button class="button compact" type="button" data-testid="line-again" @click=${test}>${t(phase === 'idle' ? 'line.test' : 'line.again')}</button>`;
  if (phase === 'testing')
    return html`<p class="prepare-line" role="status" data-testid="line" data-phase=${phase}>${icon('signal')}<span>${t('line.testing')}</span>
      <span class="progress" role="progressbar" aria-label=${t('line.testing')} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${String(Math.round(share * 100))}
        .vars=${{ '--value': `${share * 100}%` }}><i></i></span></p>`;
  const said =
    phase === 'idle' || phase === 'untold'
      ? t(phase === 'idle' ? 'line.untested' : 'line.untold')
      : phase === 'failed'
        ? t(error?.name === 'media_failed' ? 'line.noPath' : 'line.failed')
        : quality
          ? t('line.carries', { quality })
          : t('line.tooSlow');
  const sign =
    phase === 'done' && quality
      ? quality === '720'
        ? 'signal'
        : 'signal-high'
      : phase === 'idle' || phase === 'untold'
        ? 'signal'
        : 'triangle-alert';
  return html`<p class="prepare-line" role="status" data-testid="line" data-phase=${phase} data-quality=${quality}>${icon(sign)}<span>${said}</span>${again}</p>`;
}
