import { avatar } from '../../elements/avatar.js';
import { picture } from '../../elements/gifts.js';
import { giftName } from '../../lib/gift-name.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, formatSpan, formatTime, formatWhole, language, parts, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { pageShape } from '../../lib/page-shape.js';
import { sendsLine } from '../../lib/shortcuts.js';
import { Store } from '../../lib/store.js';
import { view } from '../../lib/view.js';
import { hiddenPeople } from '../../models/hidden.js';
import { openLineMenu } from '../shared/moderation.js';
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
  /** Deleted lines that a host looks at, by their keys. */ unfolded = new Store(
    /** @type {ReadonlySet<string>} */ (new Set()),
  );
  /** What keeps me from writing, and what the room's chat takes. */ #writing;
  /** @type {HTMLElement} */ #composer = document.createElement('div');
  /** @type {Log | null} */ #log = null;
  #composing = false;

  /** @param {SalonContext} context */
  constructor(context) {
    this.context = context;
    this.#writing = writingOf(context);
    this.#composer.className = 'composer-place';
    view(
      this.#composer,
      [language, this.#draft, this.#writing, context.app.preferences],
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
    // On a wide screen the chat is in view by itself.
    pageShape.subscribe(() => queueMicrotask(read), { signal });
  }

  panel() {
    const { chat: all, unread, unreadKey, me } = this.context.state;
    const hidden = hiddenPeople(this.context.app.preferences);
    const chat = all.filter(line => !isHidden(line, hidden));
    return html`<aside class="chat" aria-label=${t('chat.title')} ?data-open=${this.opened} data-testid="chat">
      <header class="chat-head">
        <h2>${t('chat.title')}</h2>
        <button class="icon-button chat-close" type="button" aria-label=${t('common.close')} @click=${() => this.close()}>${icon('chevron-down')}</button>
      </header>
      <ov-log class="chat-log" role="log" aria-live="polite" aria-label=${t('chat.title')} data-testid="chat-log" ?data-holds=${me.canManage}>
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
    const hidden = hiddenPeople(this.context.app.preferences);
    const lines = this.context.state.chat
      .filter(
        line => (line.kind === 'text' || line.kind === 'danmu') && !line.deleted && !isHidden(line, hidden),
      )
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
    if (line.kind === 'gift') return keyed(line.key, html`${rule}${giftLine(line)}`);
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
    if (line.deleted) return this.#deleted(line);
    const menu = () => openLineMenu(context, line, () => openPerson(context, line.from.id));
    return html`<div class="chat-line" ?data-mine=${line.mine} data-status=${line.status} data-testid="chat-line" data-from=${line.from.id}
      @contextmenu=${(/** @type {Event} */ event) => {
        if (line.status !== 'sent' || String(getSelection())) return;
        event.preventDefault();
        menu();
      }}>
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
      ${line.status === 'sent' && html`<button class="icon-button chat-more" type="button" aria-label=${t('line.more', { name: line.from.name })} data-testid="line-more" @click=${menu}>${icon('ellipsis')}</button>`}
    </div>`;
  }

  /**
   * One soft sentence; whoever runs the room can look at what it was.
   * @param {TextLine} line
   */
  #deleted(line) {
    const { me } = this.context.state;
    const unfolded = this.unfolded.get().has(line.key);
    const toggle = () =>
      this.unfolded.update(keys =>
        keys.has(line.key)
          ? new Set([...keys].filter(key => key !== line.key))
          : new Set([...keys, line.key]),
      );
    return html`<p class="chat-system" data-testid="chat-deleted">${icon('trash-2')}<span>${t('chat.deleted')}</span>
      ${
        me.canManage &&
        line.text !== '' &&
        html`<button class="link-button" type="button" aria-expanded=${String(unfolded)} data-testid="chat-unfold" @click=${toggle}>${t(unfolded ? 'chat.fold' : 'chat.unfold')}</button>
          ${unfolded && html`<span class="chat-was" dir="auto" data-testid="chat-was"><b>${line.from.name}</b> ${line.text}</span>`}`
      }</p>`;
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
    const { rules, closed, until, writesAt } = this.#writing.get();
    const { now } = this.context;
    const placeholder = closed ?? t(danmu ? 'chat.writeDanmu' : 'chat.write');
    return html`${chips(rules)}<form class="composer" @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      if (!this.#composing) this.#send();
    }}>
      <button class="icon-button" type="button" aria-pressed=${String(danmu)} title=${t('chat.asDanmu')} aria-label=${t('chat.asDanmu')}
        data-testid="danmu-toggle" @click=${() => this.#draft.update(state => ({ ...state, danmu: !state.danmu }))}>${icon(danmu ? 'captions' : 'captions-off')}</button>
      <input class="composer-input" maxlength=${longest} autocomplete="off" enterkeyhint="send" data-testid="chat-input" dir="auto"
        aria-label=${t('chat.write')} placeholder=${placeholder} .value=${closed === null ? text : ''} ?disabled=${closed !== null}
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
      ${closed !== null && until !== null && html`<span class="composer-left numbers" data-testid="chat-muted-left"><ov-countdown .until=${until} .now=${now}></ov-countdown></span>`}
      <button class="icon-button send" type="submit" aria-label=${t('chat.send')} data-testid="chat-send" ?disabled=${text.trim() === '' || closed !== null || writesAt !== null}>${icon('send')}${
        writesAt !== null &&
        html`<ov-countdown class="slow-ring" ring .until=${writesAt} .now=${now} data-testid="slow-ring"></ov-countdown>`
      }</button>
    </form>`;
  }

  #send() {
    const { text, danmu } = this.#draft.get();
    const line = text.trim();
    const { closed, writesAt } = this.#writing.get();
    if (line === '' || closed !== null || writesAt !== null) return;
    this.#draft.update(state => ({ ...state, text: '' }));
    queueMicrotask(() => this.#log?.toEnd());
    // A line that could not be sent stays in the list with its text and says why.
    this.context.salon.talk.send(line, { danmu }).catch(() => {});
  }
}

/**
 * What keeps me from writing now, drawn anew when its time is over.
 * @param {SalonContext} context
 */
function writingOf({ salon, signal, now }) {
  const store = new Store(writing(salon.state.get(), now()));
  let timer = 0;
  const look = () => {
    clearTimeout(timer);
    const next = writing(salon.state.get(), now());
    const former = store.get();
    if (Object.keys(next).some(key => /** @type {any} */ (next)[key] !== /** @type {any} */ (former)[key]))
      store.set(next);
    const end = Math.min(next.until ?? Infinity, next.writesAt ?? Infinity);
    // Longer than a timer can: whoever is muted for weeks has left before.
    if (end < now() + longestTimerMs) timer = window.setTimeout(look, Math.max(50, end - now()));
  };
  salon.state.subscribe(look, { signal });
  language.subscribe(look, { signal, now: false });
  signal.addEventListener('abort', () => clearTimeout(timer));
  return store;
}

const longestTimerMs = 2 ** 31 - 1;

/**
 * @param {import('../../models/salon-state.js').SalonState} state
 * @param {number} now the server's clock
 */
function writing({ me, room }, now) {
  const { chatMute } = me;
  const rules = room?.chat ?? null;
  const until = chatMute?.until ?? null;
  const writesAt = me.writesAt !== null && rules?.slowSeconds && me.writesAt > now ? me.writesAt : null;
  if (chatMute && (until === null || until > now))
    return { rules, closed: t('chat.mutedBy', { name: chatMute.by.name }), until, writesAt };
  if (rules?.hostsOnly && !me.canManage)
    return { rules, closed: t('error.hosts_only'), until: null, writesAt: null };
  return { rules, closed: null, until: null, writesAt };
}

/**
 * What the chat takes, over everybody's field.
 * @param {import('../../protocol/events.js').ChatRules | null} rules
 */
function chips(rules) {
  if (!rules || !(rules.slowSeconds || rules.hostsOnly || rules.noLinks)) return null;
  /** @param {string} sign @param {string} text @param {string} id */
  const chip = (sign, text, id) =>
    html`<span class="rule-chip" data-testid=${id}>${icon(sign)}${text}</span>`;
  return html`<p class="rule-chips" data-testid="rule-chips">
    ${rules.slowSeconds > 0 && chip('hourglass', t('rules.slowChip', { time: formatSpan(rules.slowSeconds) }), 'chip-slow')}
    ${rules.hostsOnly && chip('message-circle-off', t('rules.hostsOnlyChip'), 'chip-hosts')}
    ${rules.noLinks && chip('link', t('rules.noLinksChip'), 'chip-links')}
  </p>`;
}

/** @param {ChatLine} line @param {ReadonlySet<string>} hidden */
function isHidden(line, hidden) {
  return (line.kind === 'text' || line.kind === 'danmu') && hidden.has(line.from.id);
}

/** @param {import('../../models/salon-state.js').GiftLine} line */
function giftLine({ from, to, gift, count }) {
  return html`<p class="chat-gift" data-testid="chat-gift">${picture(gift)}<span>${parts('chat.gift', {
    name: html`<bdi>${from.name}</bdi>`,
    to: html`<bdi>${to.name}</bdi>`,
    gift: html`<b dir="auto">${giftName(gift)}</b>`,
    count: html`<b class="numbers">${formatWhole(count)}</b>`,
  })}</span></p>`;
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
