import { avatar } from '../../elements/avatar.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, formatTime, language, parts, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageShape } from '../../lib/page-shape.js';
import { sendsLine } from '../../lib/shortcuts.js';
import { Store } from '../../lib/store.js';
import { view } from '../../lib/view.js';
import { openPerson } from './person.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/salon-state.js').ChatLine} ChatLine */
/** @typedef {import('../../models/salon-state.js').TextLine} TextLine */
/** @typedef {import('../../models/salon-state.js').SystemLine} SystemLine */
/** @typedef {import('../../elements/log.js').Log} Log */

const longest = 2000;
/** Lines seen above the bar on phones while the chat is closed. */
const peeked = 3;

/** The chat: beside the stage on wide screens, a drawer on phones. */
export class Chat {
  /** What stands in the field. */ #draft = new Store({ text: '', danmu: false });
  /** @type {HTMLElement} */ #composer = document.createElement('div');
  /** @type {Log | null} */ #log = null;
  #composing = false;

  /** @param {SalonContext} context */
  constructor(context) {
    this.context = context;
    this.#composer.className = 'composer-place';
    view(
      this.#composer,
      [language, this.#draft, context.app.preferences],
      () => this.#composerTemplate(),
      context.signal,
    );
  }

  get opened() {
    return this.context.opened.get().chat;
  }

  /** Whether lines are on screen now. */
  get visible() {
    const { chat, pictureAlone } = this.context.opened.get();
    const shown = pageShape.get() === 'wide' || chat || (this.context.salon.live !== null && !pictureAlone);
    return shown && !document.hidden;
  }

  toggle() {
    this.context.open({ chat: !this.opened, tray: false });
    if (this.opened) queueMicrotask(() => this.#log?.toEnd());
  }

  close() {
    if (this.opened) this.context.open({ chat: false });
    else if (document.activeElement instanceof HTMLElement && this.#composer.contains(document.activeElement))
      document.activeElement.blur();
  }

  focus() {
    if (pageShape.get() !== 'wide' && !this.opened && !this.context.salon.live) this.toggle();
    queueMicrotask(() => /** @type {HTMLElement | null} */ (this.#composer.querySelector('input'))?.focus());
  }

  /**
   * Lines in view are read.
   * @param {HTMLElement} root
   */
  start(root) {
    const { salon, signal, opened } = this.context;
    this.#log = root.querySelector('ov-log');
    const read = () => {
      if (this.visible && this.#log?.atEnd && salon.state.get().unread > 0) salon.talk.markRead();
    };
    this.#log?.addEventListener('ov-end', read, { signal });
    document.addEventListener('visibilitychange', read, { signal });
    salon.state.subscribe(read, { signal });
    opened.subscribe(read, { signal });
  }

  panel() {
    const { chat, unread, unreadKey } = this.context.state;
    return html`<aside class="chat" aria-label=${t('chat.title')} ?data-open=${this.opened} data-testid="chat">
      <header class="chat-head">
        <h2>${t('chat.title')}</h2>
        <button class="icon-button chat-close" type="button" aria-label=${t('common.close')} @click=${() => this.close()}>${icon('chevron-down')}</button>
      </header>
      <ov-log class="chat-log" role="log" aria-live="polite" aria-label=${t('chat.title')} data-testid="chat-log">
        ${chat.length === 0 && html`<p class="chat-empty soft">${t('chat.empty')}</p>`}
        ${chat.map(line => this.#line(line, unread > 0 && line.key === unreadKey))}
      </ov-log>
      ${
        unread > 0 &&
        html`<button class="chat-new" type="button" data-testid="chat-new" @click=${() => this.#log?.toEnd()}>${icon('arrow-down')}${t('chat.unread', { count: unread })}</button>`
      }
      ${this.#composer}
    </aside>`;
  }

  /** The last lines over the bar, on phones. */
  peek() {
    if (this.opened || this.context.salon.live) return null;
    const lines = this.context.state.chat
      .filter(line => line.kind === 'text' || line.kind === 'danmu')
      .slice(-peeked);
    return html`<button class="chat-peek" type="button" tabindex="-1" aria-hidden="true" @click=${() => this.toggle()}>${lines.map(
      line =>
        keyed(
          line.key,
          html`<span class="peek-line"><b>${/** @type {TextLine} */ (line).from.name}</b> ${/** @type {TextLine} */ (line).text}</span>`,
        ),
    )}</button>`;
  }

  /** @param {ChatLine} line @param {boolean} divider */
  #line(line, divider) {
    const rule =
      divider && html`<p class="chat-divider" role="separator"><span>${t('chat.newLines')}</span></p>`;
    if (line.kind === 'system')
      return keyed(
        line.key,
        html`${rule}<p class="chat-system" data-testid="chat-system">${systemText(line, this.context.salon.live !== null)}</p>`,
      );
    if (line.kind === 'gap')
      return keyed(
        line.key,
        html`${rule}<p class="chat-system" data-testid="chat-gap">${t('chat.gap', { count: line.to - line.from + 1 })}</p>`,
      );
    return keyed(line.key, html`${rule}${this.#text(line)}`);
  }

  /** @param {TextLine} line */
  #text(line) {
    const { context } = this;
    const { salon } = context;
    return html`<div class="chat-line" ?data-mine=${line.mine} data-status=${line.status} data-testid="chat-line" data-from=${line.from.id}>
      <button class="chat-face" type="button" tabindex="-1" aria-hidden="true" @click=${() => openPerson(context, line.from.id)}>${avatar(line.from, 's28')}</button>
      <div class="chat-words">
        <p class="chat-by"><button class="chat-name clip" type="button" dir="auto" data-testid="chat-name" @click=${() => openPerson(context, line.from.id)}>${line.from.name}</button>
          ${line.kind === 'danmu' && html`<span class="chat-danmu" title=${t('chat.danmu')}>${icon('captions')}</span>`}
          <time class="soft numbers">${formatTime(line.time)}</time></p>
        <p class="chat-text" dir="auto" data-testid="chat-text">${line.text}</p>
        ${
          line.status === 'failed' &&
          html`<p class="chat-failed problem" role="alert" data-testid="chat-failed"><span>${line.error ? errorText(line.error) : t('chat.failed')}</span>
            <button class="button compact" type="button" data-testid="chat-resend" @click=${() => void context.act(() => salon.talk.resend(line.key))}>${t('common.retry')}</button>
            <button class="button compact plain" type="button" data-testid="chat-discard" @click=${() => this.#takeBack(line.key)}>${t('chat.edit')}</button></p>`
        }
      </div>
    </div>`;
  }

  /**
   * A failed line goes back into the field.
   * @param {string} key
   */
  #takeBack(key) {
    const text = this.context.salon.talk.discard(key);
    const { text: draft } = this.#draft.get();
    this.#draft.update(state => ({ ...state, text: draft ? `${text} ${draft}` : text }));
    this.focus();
  }

  #composerTemplate() {
    const { text, danmu } = this.#draft.get();
    return html`<form class="composer" @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (!this.#composing) this.#send();
    }}>
      <button class="icon-button" type="button" aria-pressed=${String(danmu)} title=${t('chat.asDanmu')} aria-label=${t('chat.asDanmu')}
        data-testid="danmu-toggle" @click=${() => this.#draft.update(state => ({ ...state, danmu: !state.danmu }))}>${icon(danmu ? 'captions' : 'captions-off')}</button>
      <input class="composer-input" maxlength=${longest} autocomplete="off" enterkeyhint="send" data-testid="chat-input" dir="auto"
        aria-label=${t('chat.write')} placeholder=${t(danmu ? 'chat.writeDanmu' : 'chat.write')} .value=${text}
        @input=${(/** @type {any} */ event) => this.#draft.update(state => ({ ...state, text: event.target.value }))}
        @compositionstart=${() => {
          this.#composing = true;
        }}
        @compositionend=${() => {
          this.#composing = false;
        }}
        @keydown=${(/** @type {KeyboardEvent} */ event) => {
          if (event.key !== 'Enter') return;
          // The form's own submit would also fire for the Enter that ends composing.
          event.preventDefault();
          if (sendsLine(event) && !this.#composing) this.#send();
        }} />
      <button class="icon-button send" type="submit" aria-label=${t('chat.send')} data-testid="chat-send" ?disabled=${text.trim() === ''}>${icon('send')}</button>
    </form>`;
  }

  #send() {
    const { text, danmu } = this.#draft.get();
    const line = text.trim();
    if (line === '') return;
    this.#draft.update(state => ({ ...state, text: '' }));
    queueMicrotask(() => this.#log?.toEnd());
    // A line that could not be sent stays in the list with its text and says why.
    this.context.salon.talk.send(line, { danmu }).catch(() => {});
  }
}

/** What a live room says in words of its own: of its stage, where others have seats. */
const ofStage = new Set(['seatTaken', 'seatLeft', 'kicked', 'lost']);

/**
 * "Mina and 4 others joined".
 * @param {SystemLine} line
 * @param {boolean} isLive
 */
function systemText(line, isLive) {
  const name = html`<bdi>${line.people[0]?.name ?? ''}</bdi>`;
  const seat = line.seat === null ? '' : line.seat + 1;
  const start = isLive && ofStage.has(line.what) ? 'system.live.' : 'system.';
  if (line.count > 1) return parts(`${start}${line.what}Many`, { name, count: line.count - 1, seat });
  return parts(`${start}${line.what}`, { name, seat });
}
