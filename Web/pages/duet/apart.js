import { openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { tightMs } from '../../models/duet.js';

/**
 * The picture of a way's quality.
 * @param {number} quality 1…6, 0: not known
 */
export function waySign(quality) {
  return (
    ['signal', 'signal-high', 'signal-high', 'signal-medium', 'signal-low', 'signal-low', 'wifi-off'][
      quality
    ] ?? 'signal'
  );
}

/**
 * How far the singers are apart, and what helps when it is too far.
 * @param {import('../salon/context.js').SalonContext} context
 * @param {import('../../models/duet.js').DuetModel} duet
 */
export function openApart(context, duet) {
  openSheet({
    title: () => t('duet.apartTitle'),
    testid: 'apart-sheet',
    className: 'small-sheet',
    signal: context.signal,
    stores: [duet.state],
    body: () => {
      const { apart, leading, leader, ways, sound, errorMs } = duet.state.get();
      const pending = context.state.pending.has('duet');
      const unknown = t('connection.unknown');
      /** @param {string} label @param {number | null | undefined} value */
      const row = (label, value) =>
        html`<div class="detail"><dt>${label}</dt><dd class="numbers">${typeof value === 'number' && Number.isFinite(value) ? t('connection.ms', { ms: Math.round(value) }) : unknown}</dd></div>`;
      return html`<div class="stack">
        <p>${!apart ? t('duet.alone') : t(apart.byBrowser ? 'duet.tooFarBrowser' : apart.far ? 'duet.tooFar' : 'duet.tight', { ms: apart.ms, most: tightMs, browser: apart.browserMs ?? 0 })}</p>
        <dl class="details">
          ${ways.map(({ id, name, quality, roundTripMs }) =>
            keyed(
              id,
              html`<div class="detail" data-testid="way" data-user=${id} data-quality=${quality}><dt class="clip" dir="auto">${name}</dt>
                <dd class="numbers way" data-quality=${quality}>${icon(waySign(quality))}${t(`duet.quality.${quality}`)}${roundTripMs !== null && html`<span class="soft">· ${t('connection.ms', { ms: Math.max(1, roundTripMs) })}</span>`}</dd></div>`,
            ),
          )}
          ${row(t('duet.oneWay'), apart?.ms)} ${row(t('duet.browserWait'), apart?.browserMs)} ${row(t('connection.jitter'), apart?.jitterMs)}
          ${row(t('duet.drift'), sound.driftMs)} ${row(t('duet.clockError'), errorMs)} ${row(t('duet.output'), sound.outputMs)}
        </dl>
        <label class="switch">
          <span>${t('duet.leadFollow')}<span class="about">${t(leading === 'off' ? 'duet.leadFollowAbout' : `duet.leading.${leading}`)}</span></span>
          <input type="checkbox" role="switch" data-testid="lead-follow" .checked=${leading !== 'off'} aria-busy=${pending}
            @change=${(/** @type {any} */ event) => void context.act(() => duet.setLeading(event.target.checked))} />
        </label>
        ${
          leading !== 'off' &&
          html`<div class="lead-choice"><span class="soft small" id="lead-choice">${t('duet.whoLeads')}</span>
            <div class="segments" role="group" aria-labelledby="lead-choice">${context.state.seats
              .filter(({ user }) => user)
              .map(
                ({ index, user }) =>
                  html`<button type="button" class="clip" dir="auto" data-testid=${`leader-${index}`} aria-pressed=${String(user?.id === leader)}
                    @click=${() => void context.act(() => duet.setLeading(true, user?.id))}>${user?.name}</button>`,
              )}</div></div>`
        }
      </div>`;
    },
  });
}

/**
 * Offered on the stage, once the way is too long for singing at once.
 * @param {import('../salon/context.js').SalonContext} context
 * @param {import('../../models/duet.js').DuetModel} duet
 */
export function farOffer(context, duet) {
  const { apart, leading } = duet.state.get();
  if (leading !== 'off')
    return html`<p class="dock-hint duet-hint" role="status" data-testid="leading">${icon('repeat')}<span>${t(`duet.leading.${leading}`)}</span>
      <button class="button compact" type="button" data-testid="lead-end" @click=${() => void context.act(() => duet.setLeading(false))}>${t('duet.leadEnd')}</button></p>`;
  if (!apart?.far) return null;
  return html`<p class="dock-hint duet-hint" role="status" data-testid="too-far">${icon('signal-low')}<span>${t(apart.byBrowser ? 'duet.tooFarBrowserShort' : 'duet.tooFarShort', { ms: apart.ms, browser: apart.browserMs ?? 0 })}</span>
    <button class="button compact" type="button" data-testid="lead-offer" @click=${() => openApart(context, duet)}>${t('duet.leadFollow')}</button></p>`;
}
