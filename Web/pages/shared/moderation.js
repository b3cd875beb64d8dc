import { avatar } from '../../elements/avatar.js';
import { ask, openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { errorText, formatSpan, parts, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { hiddenPeople, setHidden } from '../../models/hidden.js';
import { OvationError } from '../../protocol/errors.js';
import { reportCauses } from '../../protocol/events.js';
import { busy, problem } from '../parts.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../protocol/events.js').User} User */
/** @typedef {import('../../protocol/events.js').Restriction} Restriction */
/** @typedef {import('../../models/salon-state.js').TextLine} TextLine */

/** For how long somebody's chat is muted, in seconds; null: until the room ends. */
const muteTimes = [60, 600, 3600, null];
/** A removal, a day, and for good. */
const banTimes = [600, 86_400, null];
/** Seconds between two messages of one person. */
const slowTimes = [0, 5, 15, 30, 60];
/** A year, the longest that the server takes (Documentation/build/protocol.md §6). */
const longestSeconds = 31_536_000;
/** Characters of a reason. */
const reasonMost = 200;

/**
 * What can be done about a message. The sheet quotes it, so that nobody acts on another one while lines go on.
 * @param {SalonContext} context
 * @param {TextLine} line
 * @param {() => void} openPerson
 */
export function openLineMenu(context, line, openPerson) {
  const { salon, signal, app } = context;
  const { from, chat } = line;
  openSheet({
    title: () => t('line.title'),
    testid: 'line-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.state, app.preferences],
    body: sheet => {
      /** @param {() => unknown} action */
      const then = action => () => {
        sheet.close();
        void action();
      };
      const mayDelete = chat !== null && !line.deleted && canRestrict(context, from.id, true);
      return html`<div class="stack">
        <blockquote class="quote" data-testid="line-quote"><b dir="auto">${from.name}</b><p dir="auto">${line.text}</p></blockquote>
        <div class="menu">
          ${
            !line.deleted &&
            item(
              'line-copy',
              'copy',
              t('line.copy'),
              then(() => copy(context, line.text)),
            )
          }
          ${!line.mine && item('line-person', 'user-round', from.name, then(openPerson))}
          ${!line.mine && hideItem(context, from, sheet.close)}
          ${!line.mine && !line.deleted && reportItem(context, from, sheet.close, chat)}
          ${
            mayDelete &&
            item(
              'line-delete',
              'trash-2',
              t('line.delete'),
              then(() => context.act(() => salon.moderation.deleteMessage(chat))),
              'bad',
            )
          }
          ${restrictItems(context, from, sheet.close)}
        </div>
      </div>`;
    },
  });
}

/** @param {string} id @param {string} sign @param {string} text @param {() => void} press @param {string} [look] */
function item(id, sign, text, press, look = '') {
  return html`<button type="button" class=${look} data-testid=${id} @click=${press}>${icon(sign)}<span dir="auto">${text}</span></button>`;
}

/** @param {SalonContext} context @param {string} text */
async function copy(context, text) {
  try {
    await navigator.clipboard.writeText(text);
    context.say(t('line.copied'), 'copy');
  } catch {
    context.say(t('line.copyFailed'), 'triangle-alert');
  }
}

/**
 * I read somebody no more, or again; nobody is told.
 * @param {SalonContext} context @param {User} user @param {() => void} close
 */
export function hideItem({ app }, user, close) {
  const hidden = hiddenPeople(app.preferences).has(user.id);
  return item('person-hide', hidden ? 'eye' : 'eye-off', t(hidden ? 'person.show' : 'person.hide'), () => {
    close();
    setHidden(app.preferences, user.id, !hidden);
  });
}

/**
 * Tells the operator of somebody.
 * @param {SalonContext} context @param {User} user @param {() => void} close @param {number | null} [chat] a message of theirs
 */
export function reportItem(context, user, close, chat = null) {
  return item('report', 'flag', t('report.open'), () => {
    close();
    openReport(context, user, chat);
  });
}

/** @param {SalonContext} context @param {User} user @param {number | null} chat */
function openReport(context, user, chat) {
  /** @type {import('../../protocol/events.js').ReportCause | null} */ let cause = null;
  let words = '';
  form(context, {
    title: () => t('report.title', { name: user.name }),
    id: 'report',
    yes: () => t('report.send'),
    isReady: () => cause !== null,
    send: async () => {
      if (cause === null) return;
      const options = { ...(words.trim() !== '' && { words: words.trim() }), ...(chat !== null && { chat }) };
      await context.salon.moderation.report(user.id, cause, options);
      context.say(t('report.thanks'), 'flag');
    },
    fields:
      redraw => html`<p class="soft small">${t(chat === null ? 'report.about' : 'report.aboutMessage')}</p>
      <fieldset class="causes"><legend class="label">${t('report.cause')}</legend>${reportCauses.map(
        one =>
          html`<label class="cause"><input type="radio" name="cause" value=${one} data-testid=${`report-${one}`} .checked=${cause === one}
            @change=${() => {
              cause = one;
              redraw();
            }} /><span>${t(`report.cause.${one}`)}</span></label>`,
      )}</fieldset>
      <label class="field">
        <span class="label">${t('report.words')}</span>
        <input class="input" maxlength=${reasonMost} autocomplete="off" dir="auto" data-testid="report-words"
          @input=${(/** @type {any} */ event) => {
            words = event.target.value;
          }} />
      </label>`,
  });
}

/**
 * A sheet with fields and one button, which says what went wrong and closes when it went through.
 * @param {SalonContext} context
 * @param {{title: () => string, id: string, yes: () => string, isReady?: () => boolean, send: () => Promise<void>, fields: (redraw: () => void) => unknown}} parts
 */
function form({ signal }, { title, id, yes, isReady = () => true, send, fields }) {
  let sending = false;
  /** @type {OvationError | null} */ let error = null;
  openSheet({
    title,
    testid: `${id}-sheet`,
    className: 'small-sheet',
    signal,
    body: sheet => {
      const submit = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        if (sending || !isReady()) return;
        sending = true;
        error = null;
        sheet.redraw();
        try {
          await send();
          sheet.close();
        } catch (thrown) {
          error = OvationError.of(thrown);
          sending = false;
          sheet.redraw();
        }
      };
      return html`<form class="stack" novalidate @submit=${submit}>
        ${fields(sheet.redraw)}
        ${problem(error && errorText(error))}
        <div class="sheet-actions sticky"><button class="button primary" type="submit" data-testid=${`${id}-send`} aria-busy=${sending} ?disabled=${!isReady()}>
          ${sending && busy()}${yes()}</button></div>
      </form>`;
    },
  });
}

/**
 * Whether I may act against that person: nobody does against their own role or a higher one.
 * @param {SalonContext} context @param {string} user
 * @param {boolean} [equals] also against my own role, myself included
 */
function canRestrict({ salon, state }, user, equals = false) {
  const { me, room } = state;
  if (!me.canManage || room?.owner.id === user) return me.isOwner && equals;
  if (me.isOwner || equals) return me.isOwner ? user !== me.id || equals : true;
  return user !== me.id && salon.person(user)?.role !== 'admin';
}

/**
 * Mute somebody's chat, remove or ban them.
 * @param {SalonContext} context @param {User} user @param {() => void} close
 */
export function restrictItems(context, user, close) {
  if (!canRestrict(context, user.id)) return null;
  /** @param {() => void} open */
  const then = open => () => {
    close();
    open();
  };
  return html`${item(
    'chat-mute',
    'message-circle-off',
    t('restrict.mute'),
    then(() => openRestriction(context, 'chat_mute', user)),
  )}${item(
    'ban',
    'user-x',
    t('restrict.ban'),
    then(() => openRestriction(context, 'ban', user)),
    'bad',
  )}`;
}

/** @param {'chat_mute' | 'ban'} kind @param {number | null} seconds */
function timeText(kind, seconds) {
  if (seconds !== null) return formatSpan(seconds, 'short');
  return t(kind === 'ban' ? 'restrict.forGood' : 'restrict.roomEnd');
}

/**
 * For how long, and why.
 * @param {SalonContext} context
 * @param {'chat_mute' | 'ban'} kind
 * @param {User} user
 */
function openRestriction(context, kind, user) {
  const { salon } = context;
  const times = kind === 'ban' ? banTimes : muteTimes;
  let [seconds] = times;
  let own = '';
  let everywhere = false;
  let reason = '';
  form(context, {
    title: () => t(kind === 'ban' ? 'restrict.banTitle' : 'restrict.muteTitle', { name: user.name }),
    id: 'restrict',
    yes: () => t(kind === 'ban' ? 'restrict.banYes' : 'restrict.muteYes'),
    send: () =>
      salon.moderation.restrict(kind, user, {
        ...(seconds !== null && { seconds }),
        ...(everywhere && { everywhere }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      }),
    fields: redraw => html`<div class="field">
        <span class="label" id="restrict-time">${t('restrict.time')}</span>
        <div class="segments" role="group" aria-labelledby="restrict-time">${times.map(
          time =>
            html`<button type="button" data-testid=${`restrict-${time ?? 'always'}`} aria-pressed=${String(own === '' && time === seconds)}
              @click=${() => {
                seconds = time;
                own = '';
                redraw();
              }}>${timeText(kind, time)}</button>`,
        )}</div>
      </div>
      ${
        kind === 'chat_mute' &&
        html`<label class="field">
          <span class="label">${t('restrict.own')}</span>
          <input class="input" inputmode="numeric" autocomplete="off" data-testid="restrict-own" .value=${own}
            @input=${(/** @type {any} */ event) => {
              own = event.target.value.replace(/\D/g, '').replace(/^0+/, '').slice(0, 6);
              event.target.value = own;
              seconds = own === '' ? times[0] : Math.min(Number(own) * 60, longestSeconds);
              redraw();
            }} />
        </label>`
      }
      ${
        kind === 'ban' &&
        html`<label class="switch">
          <span>${t('restrict.everywhere')}<span class="about">${t('restrict.everywhereAbout')}</span></span>
          <input type="checkbox" role="switch" data-testid="restrict-everywhere" .checked=${everywhere}
            @change=${(/** @type {any} */ event) => {
              everywhere = event.target.checked;
            }} />
        </label>`
      }
      <label class="field">
        <span class="label">${t('restrict.reason')}</span>
        <input class="input" maxlength=${reasonMost} autocomplete="off" dir="auto" data-testid="restrict-reason" placeholder=${t('restrict.reasonHint')}
          @input=${(/** @type {any} */ event) => {
            reason = event.target.value;
          }} />
      </label>`,
  });
}

/**
 * Gives the room away, once asked.
 * @param {SalonContext} context @param {User} user
 */
export async function handOver(context, user) {
  const yes = await ask({
    title: t('handOver.title', { name: user.name }),
    text: t('handOver.text', { name: user.name }),
    yes: t('handOver.yes'),
    signal: context.signal,
    testid: 'owner-sheet',
  });
  if (yes) await context.act(() => context.salon.moderation.setOwner(user.id));
}

/**
 * What the chat takes, and who may not write or enter.
 * @param {SalonContext} context
 */
export function openChatRules(context) {
  const { salon, signal } = context;
  /** @type {Restriction[] | null} */ let held = null;
  /** @type {OvationError | null} */ let error = null;
  const sheet = openSheet({
    title: () => t('rules.title'),
    testid: 'rules-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.state],
    body: () => {
      const rules = context.state.room?.chat ?? { slowSeconds: 0, hostsOnly: false, noLinks: false };
      /** @param {Partial<import('../../protocol/events.js').ChatRules>} some */
      const change = some => void context.act(() => salon.moderation.updateRoom(some));
      /** @param {'hostsOnly' | 'noLinks'} rule */
      const rule = rule => html`<label class="switch">
        <span>${t(`rules.${rule}`)}<span class="about">${t(`rules.${rule}About`)}</span></span>
        <input type="checkbox" role="switch" data-testid=${`rules-${rule}`} .checked=${rules[rule]}
          @change=${(/** @type {any} */ event) => change({ [rule]: event.target.checked })} />
      </label>`;
      return html`<div class="stack">
        <div class="field">
          <span class="label" id="rules-slow">${t('rules.slow')}</span>
          <div class="segments" role="group" aria-labelledby="rules-slow">${slowTimes.map(
            seconds =>
              html`<button type="button" data-testid=${`rules-slow-${seconds}`} aria-pressed=${String(seconds === rules.slowSeconds)}
                @click=${() => change({ slowSeconds: seconds })}>${seconds === 0 ? t('rules.slowOff') : t('rules.seconds', { count: seconds })}</button>`,
          )}</div>
        </div>
        ${rule('hostsOnly')}${rule('noLinks')}
        <h3>${t('rules.held')}</h3>
        ${problem(error && errorText(error))}
        ${held === null && !error && busy()}
        ${held?.length === 0 && html`<p class="soft" data-testid="rules-none">${t('rules.none')}</p>`}
        ${
          held !== null &&
          held.length > 0 &&
          html`<ul class="restricted">${held.map(restriction => keyed(`${restriction.kind}:${restriction.user}`, heldLine(restriction)))}</ul>`
        }
      </div>`;
    },
  });
  const load = async () => {
    try {
      held = await salon.moderation.restrictions();
      error = null;
    } catch (thrown) {
      error = OvationError.of(thrown);
    }
    sheet.redraw();
  };
  /** @param {Restriction} restriction */
  const heldLine = ({ kind, user, name, until, by, reason, everywhere }) => {
    const words = everywhere ? 'rules.bannedEverywhere' : kind === 'ban' ? 'rules.banned' : 'rules.muted';
    const left = until === undefined ? timeText(kind, null) : formatSpan((until - context.now()) / 1000);
    const host = salon.person(by)?.name ?? by;
    return html`<li data-testid="restricted" data-user=${user}>
      ${avatar({ id: user, name, avatar: salon.profile(user)?.avatar ?? '' }, 's40')}
      <span class="restricted-words"><b class="clip" dir="auto">${name}</b>
        <span class="soft small">${parts(words, { time: left, name: host })}</span>
        ${reason && html`<span class="soft small" dir="auto">“${reason}”</span>`}</span>
      <button class="button compact" type="button" data-testid="lift"
        @click=${async () => {
          await context.act(() => salon.moderation.lift(kind, user));
          await load();
        }}>${t('rules.lift')}</button></li>`;
  };
  salon.news.on('restriction', () => void load(), { signal: sheet.signal });
  void load();
}
