import { avatar } from '../../elements/avatar.js';
import { picture } from '../../elements/gifts.js';
import { ask } from '../../elements/sheet.js';
import { giftName } from '../../lib/gift-name.js';
import { html, keyed } from '../../lib/html.js';
import { formatNumber as number, t, formatWhole as whole } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { openRanking } from './ranking.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../models/gifts.js').GiftsModel} GiftsModel */

/** How many can be sent at once with one press. */
const counts = [1, 10, 50];

/**
 * Opens or closes the tray.
 * @param {SalonContext} context
 */
export function toggleGifts(context) {
  const { gifts } = context.salon;
  if (!gifts || gifts.state.get().catalogue.length === 0) return;
  if (context.opened.get().gifts) return context.open({ gifts: false });
  context.enter('gifts');
  void gifts.refresh();
}

/**
 * Opens the tray. In the middle of a viewer's bar it is what they do most, and while two rooms compete it cheers one's own on.
 * @param {SalonContext} context
 * @param {boolean} isMain
 */
export function giftButton(context, isMain) {
  const cheers = isMain && context.salon.live?.pk.isOn;
  const look = isMain ? 'mic' : 'dock';
  return html`<button class=${`${look}-button`} type="button" data-testid="gifts" data-main=${isMain ? 'gifts' : null} aria-pressed=${String(context.opened.get().gifts)}
    aria-keyshortcuts="g" @click=${() => toggleGifts(context)}>
    <span class=${`${look}-sign`}>${icon('gift')}</span><span class=${`${look}-word`}><span>${t(cheers ? 'gift.cheer' : 'gift.open')}</span></span></button>`;
}

/**
 * What came and went, read when somebody looks.
 * @param {SalonContext} context
 */
export async function showCoins({ salon, signal }) {
  const { openCoins } = await import('./coins.js');
  if (salon.gifts) openCoins(salon.gifts.statement(), signal);
}

/**
 * Who can be given something: the host first, then who else sits.
 * @param {SalonContext} context
 */
function receivers(context) {
  const { room, seats, me } = context.state;
  const owner = room && room.owner.id !== me.id ? [room.owner] : [];
  const seated = seats.flatMap(({ user }) =>
    user && user.id !== me.id && user.id !== room?.owner.id ? [user] : [],
  );
  return [...owner, ...seated];
}

/**
 * What can be sent, to whom, and what I have. It lies over the stage and takes nothing away from the room.
 * @param {SalonContext} context
 */
export function giftTray(context) {
  const { gifts } = context.salon;
  if (!gifts || !context.opened.get().gifts) return null;
  const { catalogue, wallet, chosen, count, own, to, waiting, combo } = gifts.state.get();
  const people = receivers(context);
  const receiver = people.find(({ id }) => id === to) ?? people[0] ?? null;
  const close = () => context.open({ gifts: false });
  return html`<section class="tray gift-tray" tabindex="-1" data-testid="gift-tray" aria-label=${t('gift.open')}>
    <header>
      <h3>${t('gift.open')}</h3>
      ${
        wallet &&
        html`<button class="coins numbers" type="button" data-testid="gift-coins" title=${t('gift.yourCoins')} @click=${() => void showCoins(context)}>${icon('coins')}<span class="only-read">${t('gift.yourCoins')}</span>${number(wallet.coins)}</button>`
      }
      ${wallet?.topUpURL && html`<a class="button compact" href=${wallet.topUpURL} target="_blank" rel="noopener" data-testid="top-up">${t('gift.topUp')}</a>`}
      ${wallet?.faucet && html`<button class="button compact" type="button" data-testid="gift-faucet" @click=${() => void gifts.drawCoins()}>${t('gift.faucet')}</button>`}
      <button class="icon-button" type="button" aria-label=${t('gift.ranking')} title=${t('gift.ranking')} data-testid="gift-ranking" @click=${() => openRanking(context)}>${icon('trophy')}</button>
      <button class="icon-button" type="button" aria-label=${t('common.close')} data-testid="gift-close" @click=${close}>${icon('x')}</button>
    </header>
    ${
      receiver
        ? html`${people.length > 1 && receiverChoice(gifts, people, receiver)}
          <div class="gift-cells" role="group" aria-label=${t('gift.open')}>${catalogue.map(gift => {
            const isChosen = gift.id === chosen;
            const counting = isChosen && combo?.gift === gift.id ? combo : null;
            return keyed(
              gift.id,
              html`<button class=${isChosen ? 'gift-cell chosen' : 'gift-cell'} type="button" data-testid=${`gift-${gift.id}`}
              aria-pressed=${String(isChosen)} aria-busy=${isChosen && waiting > 0}
              aria-label=${isChosen ? t('gift.sendOf', { gift: giftName(gift), count, coins: whole(gift.price * count) }) : t('gift.choose', { gift: giftName(gift), coins: whole(gift.price) })}
              @click=${() => void press(context, gifts, gift.id, receiver.id)}>
              ${picture(gift)}<span class="clip gift-name" dir="auto">${giftName(gift)}</span>
              ${
                isChosen
                  ? html`<span class="gift-send" data-testid="gift-send">${counting ? t('gift.combo', { count: counting.count, coins: counting.coins }) : t('gift.send')}</span>`
                  : html`<span class="gift-price numbers">${icon('coins')}${whole(gift.price)}</span>`
              }
            </button>`,
            );
          })}</div>
          <div class="gift-counts" role="group" aria-label=${t('gift.count')}>${counts.map(
            some =>
              html`<button class="chip numbers" type="button" data-testid=${`gift-count-${some}`} aria-pressed=${String(own === '' && count === some)} @click=${() => gifts.choose({ count: some })}>×${some}</button>`,
          )}<input class="input numbers gift-own" inputmode="numeric" autocomplete="off" placeholder="×…" data-testid="gift-count-own"
            aria-label=${t('gift.ownCount')} title=${t('gift.ownCount')} .value=${own} @input=${(
              /** @type {any} */ event,
            ) => {
              gifts.chooseOwn(event.target.value);
              event.target.value = gifts.state.get().own;
            }} />${chosen && html`<span class="soft numbers gift-sum" data-testid="gift-sum">${t('gift.sum', { count: gifts.price, coins: whole(gifts.price) })}</span>`}</div>`
        : html`<p class="soft" data-testid="gift-nobody">${t('gift.nobody')}</p>`
    }
  </section>`;
}

/**
 * @param {GiftsModel} gifts
 * @param {import('../../protocol/events.js').User[]} people
 * @param {import('../../protocol/events.js').User} receiver
 */
function receiverChoice(gifts, people, receiver) {
  return html`<div class="gift-people" role="group" aria-label=${t('gift.to')}><span class="soft">${t('gift.to')}</span>${people.map(
    user =>
      html`<button class="gift-person" type="button" data-testid=${`gift-to-${user.id}`} aria-pressed=${String(user.id === receiver.id)}
        @click=${() => gifts.choose({ to: user.id })}>${avatar(user, 's28')}<span class="clip" dir="auto">${user.name}</span></button>`,
  )}</div>`;
}

/**
 * The first press chooses, the next ones send.
 * @param {SalonContext} context
 * @param {GiftsModel} gifts
 * @param {string} id
 * @param {string} to
 */
async function press(context, gifts, id, to) {
  const state = gifts.state.get();
  if (state.chosen !== id) return gifts.choose({ chosen: id });
  gifts.choose({ to });
  const gift = state.catalogue.find(gift => gift.id === id);
  if (!gift) return;
  // Somebody in a row has said yes already.
  if (gifts.isMuch && state.combo?.gift !== id) {
    const yes = await ask({
      title: t('gift.askTitle', { gift: giftName(gift), count: state.count }),
      text: t('gift.askText', { coins: whole(gifts.price) }),
      yes: t('gift.send'),
      signal: context.signal,
      testid: 'gift-ask',
      calm: true,
    });
    if (!yes) return;
  }
  gifts.give();
}
