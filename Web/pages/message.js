import { html } from '../lib/html.js';
import { errorText, language, t } from '../lib/i18n.js';
import { icon } from '../lib/icon.js';
import { view } from '../lib/view.js';
import { brand, busy, follow } from './parts.js';

/** @typedef {import('./app.js').App} App */
/**
 * @typedef {object} Notice
 * @property {'unsupported' | 'unreachable' | 'ended' | 'notFound' | 'failed'} kind
 * @property {import('../protocol/errors.js').OvationError} [error]
 * @property {() => void} [retry]
 */

/**
 * Whether this person's session goes on somewhere else, from where this page can take it back.
 * @param {Notice} notice
 */
const isReplaced = ({ kind, error }) => kind === 'ended' && error?.name === 'session_replaced';

/**
 * Icon, heading and sentence of a notice.
 * @param {Notice} notice
 */
function words({ kind, error }) {
  if (kind === 'unsupported')
    return {
      sign: 'circle-alert',
      title: t('message.unsupported.title'),
      text: t('error.unsupported_browser'),
    };
  if (kind === 'unreachable')
    return { sign: 'unplug', title: t('message.unreachable.title'), text: t('error.server_unreachable') };
  if (kind === 'notFound')
    return { sign: 'door-open', title: t('message.notFound.title'), text: t('message.notFound.text') };
  const text = error ? errorText(error) : '';
  if (error?.name.startsWith('banned')) {
    // In a room's refusal the reason is the host's name.
    const why = error.name.startsWith('banned_here') ? error.data.reason : error.data.why;
    return {
      sign: 'user-x',
      title: t('message.banned.title'),
      text: why ? t('message.banned.why', { text, reason: why }) : text,
    };
  }
  if (kind === 'ended') {
    const title = isReplaced({ kind, error }) ? t('message.elsewhere.title') : t('message.ended.title');
    return { sign: 'log-out', title, text };
  }
  if (error?.name === 'room_not_found' || error?.name === 'room_id_invalid')
    return { sign: 'door-open', title: t('message.roomNotFound.title'), text };
  // What these errors say first is the heading.
  if (error?.name === 'room_closed')
    return {
      sign: 'moon-star',
      title: t('message.roomClosed.title'),
      text: t('message.roomClosed.text'),
    };
  if (error?.name === 'room_full')
    return { sign: 'users', title: t('message.roomFull.title'), text: t('message.roomFull.text') };
  return { sign: 'triangle-alert', title: t('message.failed.title'), text };
}

/**
 * One calm page for what stands in the way: a title, a sentence, a next step.
 * @param {App} app
 * @param {Notice} notice
 * @returns {import('./app.js').Page}
 */
export function messagePage(app, notice) {
  return (root, signal) => {
    let retrying = false;
    const retry = async () => {
      retrying = true;
      redraw();
      await (notice.retry ? notice.retry() : app.identity.retry());
      retrying = false;
      redraw();
    };
    const page = () => {
      const { sign, title, text } = words(notice);
      return html`<div class="page">
        <header class="topbar">${brand(app)}</header>
        <main class="notice" data-testid="message-page" data-kind=${notice.error?.name ?? notice.kind}>
          <div class="notice-sign">${icon(sign)}</div>
          <h1>${title}</h1>
          <p class="soft">${text}</p>
          <div class="notice-actions">${actions()}</div>
        </main>
      </div>`;
    };
    const actions = () => {
      if (notice.kind === 'unsupported') return null;
      if (notice.kind === 'ended') {
        const back = isReplaced(notice);
        return html`${
          back &&
          html`<button class="button primary" type="button" data-testid="continue-here" aria-busy=${retrying}
            ?disabled=${retrying} @click=${retry}>${retrying && busy()}${t('message.continueHere')}</button>`
        }
        <button class=${back ? 'button' : 'button primary'} type="button" data-testid="sign-in-again"
          @click=${() => void app.identity.signOut()}>${t('message.signInAgain')}</button>`;
      }
      const again = notice.kind === 'unreachable' || notice.retry;
      return html`${
        again &&
        html`<button class="button primary" type="button" data-testid="retry" aria-busy=${retrying} @click=${retry}>
          ${retrying ? busy() : icon('refresh-cw')}${t('common.retry')}</button>`
      }
      ${
        notice.kind !== 'unreachable' &&
        html`<a class=${again ? 'button' : 'button primary'} href="/" data-testid="to-lobby"
        @click=${(/** @type {MouseEvent} */ event) => follow(event, app)}>${t('message.toLobby')}</a>`
      }`;
    };
    const redraw = view(root, [language, app.identity.state], page, signal);
  };
}

/**
 * While what was asked for is on its way.
 * @returns {import('./app.js').Page}
 */
export function waitingPage() {
  return (root, signal) => {
    view(
      root,
      [language],
      () => html`<div class="page">
        <header class="topbar">${brand()}</header>
        <main class="notice" aria-busy="true">${busy()}</main>
      </div>`,
      signal,
    );
  };
}
