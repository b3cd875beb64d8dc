import { avatar } from '../../elements/avatar.js';
import { openSheet } from '../../elements/sheet.js';
import { html, keyed } from '../../lib/html.js';
import { parts, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { isInvitable, isTooLate } from '../../models/pk.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/live.js').LiveModel} LiveModel */
/** @typedef {import('../../models/pk.js').Rival} Rival */
/** @typedef {import('../../protocol/events.js').HostLink} HostLink */

/** Minutes that can be chosen for a PK; 0: the rooms are linked only. */
const lengths = [3, 5, 10, 0];
const forfeits = [0, 1, 2, 3];
const forfeitMost = 60;

/**
 * Whether my seat has a picture, of this page or of another program of mine.
 * @param {SalonContext} context
 */
const isFilmed = ({ state }) => state.seats.some(seat => seat.isMe && seat.camera === 'on');

/** What this page's host chose last. @type {WeakMap<SalonContext, {minutes: number, forfeitMinutes: number, forfeit: string}>} */
const drafts = new WeakMap();

/**
 * Whom to invite, for how long, and what the loser does. With a link: the same host once more.
 * @param {SalonContext} context @param {LiveModel} live @param {HostLink} [link]
 */
export function openRivals(context, live, link) {
  const { signal, salon } = context;
  const draft = drafts.get(context) ?? { minutes: 3, forfeitMinutes: 0, forfeit: '' };
  drafts.set(context, draft);
  if (link && draft.minutes === 0) draft.minutes = 3;
  let query = '';
  /** @param {import('../../protocol/ids.js').RoomID} room */
  const invite = async room => {
    const { minutes, forfeitMinutes, forfeit } = draft;
    const terms = {
      seconds: minutes * 60,
      forfeitSeconds: forfeitMinutes * 60,
      forfeit: forfeitMinutes > 0 ? forfeit.trim() : '',
    };
    // The other host would wait for a picture in vain.
    if (minutes > 0 && !isFilmed(context)) return context.say(t('rivals.needsCamera'), 'video-off');
    if (await context.act(() => live.pk.challenge(room, minutes > 0 ? terms : null))) sheet.close();
  };
  const sheet = openSheet({
    title: () => t(link ? 'rivals.again' : 'rivals.title', { name: link?.host.name ?? '' }),
    testid: 'rivals-sheet',
    signal,
    stores: [live.pk.list, live.pk.state, salon.state],
    body: sheet => {
      const radio = (
        /** @type {string} */ testid,
        /** @type {boolean} */ checked,
        /** @type {string} */ text,
        /** @type {() => void} */ press,
      ) =>
        html`<button class="chip" type="button" role="radio" aria-checked=${String(checked)} data-testid=${testid} @click=${() => {
          press();
          sheet.redraw();
        }}>${text}</button>`;
      return html`<div class="stack">
        <div class="field"><span class="label" id="rivals-length">${t('rivals.length')}</span>
          <div class="pk-chips" role="radiogroup" aria-labelledby="rivals-length">${lengths
            .filter(minutes => minutes > 0 || !link)
            .map(minutes =>
              radio(
                `pk-minutes-${minutes}`,
                draft.minutes === minutes,
                minutes > 0 ? t('rivals.minutes', { count: minutes }) : t('rivals.linkOnly'),
                () => {
                  draft.minutes = minutes;
                },
              ),
            )}</div></div>
        ${
          draft.minutes > 0 &&
          html`<div class="field"><span class="label" id="rivals-forfeit">${t('rivals.forfeitFor')}</span>
          <div class="pk-chips" role="radiogroup" aria-labelledby="rivals-forfeit">${forfeits.map(minutes =>
            radio(
              `pk-forfeit-${minutes}`,
              draft.forfeitMinutes === minutes,
              minutes > 0 ? t('rivals.minutes', { count: minutes }) : t('rivals.forfeitNone'),
              () => {
                draft.forfeitMinutes = minutes;
              },
            ),
          )}</div></div>`
        }
        ${
          draft.minutes > 0 &&
          draft.forfeitMinutes > 0 &&
          html`<label class="field"><span class="label">${t('rivals.forfeitWhat')}</span>
          <input class="input" type="text" maxlength=${forfeitMost} data-testid="pk-forfeit-text" placeholder=${t('rivals.forfeitHint')} .value=${draft.forfeit}
            @input=${(/** @type {any} */ event) => {
              draft.forfeit = event.target.value;
            }} /></label>`
        }
        ${
          link
            ? html`<div class="sheet-actions"><button class="button primary" type="button" data-testid="pk-again" @click=${() => void invite(link.room)}>${t('rivals.invite')}</button></div>`
            : list(context, live, {
                toPK: draft.minutes > 0,
                query,
                search: text => {
                  query = text;
                  sheet.redraw();
                },
                invite,
              })
        }
      </div>`;
    },
  });
  if (!link) void live.pk.watchList(sheet.signal);
  live.pk.state.subscribe(({ links }) => isTooLate(links, link?.room) && sheet.close(), {
    signal: sheet.signal,
    now: false,
  });
}

/**
 * @param {SalonContext} context @param {LiveModel} live
 * @param {{toPK: boolean, query: string, search: (text: string) => void, invite: (room: import('../../protocol/ids.js').RoomID) => Promise<void>}} choice
 */
function list(context, live, { toPK, query, search, invite }) {
  const known = live.pk.list.get();
  if (!known) return html`<p class="soft" role="status">${t('common.loading')}</p>`;
  const wanted = query.trim().toLocaleLowerCase();
  const rivals = known.rivals.filter(({ room, name, host }) =>
    [String(room), name, host.name, host.id].some(text => text.toLocaleLowerCase().includes(wanted)),
  );
  return html`<label class="search">${icon('search')}<span class="only-read">${t('rivals.search')}</span>
      <input type="search" placeholder=${t('rivals.search')} data-testid="rivals-search" autocomplete="off" .value=${query} @input=${(/** @type {any} */ event) => search(event.target.value)} /></label>
    ${known.failed && html`<p class="problem" role="alert">${t('rivals.listFailed')}</p>`}
    ${
      rivals.length === 0
        ? html`<p class="soft rivals-none" data-testid="rivals-none">${t(wanted ? 'rivals.noneFound' : 'rivals.none')}</p>`
        : html`<ul class="rivals" data-testid="rivals">${rivals.map(rival => row(context, live, rival, toPK, invite))}</ul>`
    }`;
}

/**
 * @param {SalonContext} context @param {LiveModel} live @param {Rival} rival @param {boolean} toPK
 * @param {(room: import('../../protocol/ids.js').RoomID) => Promise<void>} invite
 */
function row(context, live, rival, toPK, invite) {
  const isFree = isInvitable(rival, toPK);
  const waits = Boolean(live.pk.state.get().challenge) || context.state.pending.has('pk');
  const time =
    rival.until !== null && html`<ov-countdown .now=${context.now} .until=${rival.until}></ov-countdown>`;
  return keyed(
    String(rival.room),
    html`<li class="rival" data-testid="rival" data-room=${rival.room} data-state=${rival.state} ?data-dim=${!isFree}>
      ${avatar(rival.host, 's40')}
      <div class="request-who"><span class="clip" dir="auto">${rival.host.name}</span>
        <span class="soft small clip">${rival.state === 'refused' ? parts('rivals.state.refused', { time }) : isFree ? rival.name : t(`rivals.state.${rival.state}`)}</span></div>
      <button class="button compact" type="button" data-testid="rival-invite" ?disabled=${!isFree || waits} @click=${() => void invite(rival.room)}>${t('rivals.invite')}</button>
    </li>`,
  );
}

/**
 * Above the bar: an invitation that waits for my answer, or one of mine.
 * @param {SalonContext} context @param {LiveModel} live
 */
export function pkInvitation(context, live) {
  const { challenge } = live.pk.state.get();
  if (!challenge) return null;
  const time = html`<ov-countdown .now=${context.now} .until=${challenge.expiresAt}></ov-countdown>`;
  const name = html`<bdi>${challenge.host.name}</bdi>`;
  if (challenge.isOurs)
    return html`<section class="invitation" role="status" data-testid="pk-waiting">${avatar(challenge.host, 's48')}
      <div class="request-who"><strong>${parts('rivals.inviting', { name })}</strong><span class="soft small">${parts('rivals.answerWithin', { time })}</span></div>
      <div class="request-buttons"><button class="button compact" type="button" data-testid="pk-cancel" @click=${() => void context.act(() => live.pk.cancel())}>${t('common.cancel')}</button></div></section>`;
  const { terms } = challenge;
  const text = !terms
    ? parts('rivals.invitedLink', { name })
    : terms.forfeitSeconds > 0
      ? parts('rivals.invitedForfeit', {
          name,
          minutes: terms.seconds / 60,
          forfeit: terms.forfeit || t('rivals.forfeit'),
        })
      : parts('rivals.invited', { name, minutes: terms.seconds / 60 });
  const accept = async () => {
    if (terms && !isFilmed(context)) return context.say(t('rivals.needsCamera'), 'video-off');
    await context.act(() => live.pk.answer(true));
  };
  /** @param {'host' | 'all'} pause */
  const decline = pause => () => void context.act(() => live.pk.answer(false, pause));
  return html`<section class="invitation" role="alertdialog" aria-label=${t('rivals.title')} data-testid="pk-invited">${avatar(challenge.host, 's48')}
    <div class="request-who"><strong>${text}</strong><span class="soft small">${parts('rivals.answerWithin', { time })}</span></div>
    <div class="request-buttons">
      <button class="button compact primary" type="button" data-testid="pk-accept" @click=${() => void accept()}>${t('rivals.accept')}</button>
      <button class="button compact" type="button" data-testid="pk-not-now" title=${t('rivals.notNowAbout')} @click=${decline('host')}>${t('common.notNow')}</button>
      <button class="button compact" type="button" data-testid="pk-not-today" title=${t('rivals.notTodayAbout')} @click=${decline('all')}>${t('rivals.notToday')}</button>
    </div></section>`;
}
