import { picture } from '../../elements/gifts.js';
import { isPictureElsewhere } from '../../lib/assets.js';
import { giftName } from '../../lib/gift-name.js';
import { html } from '../../lib/html.js';
import { language, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { giftBody, nameLanguages } from '../gift-fields.js';
import { ListModel } from '../list.js';
import { askFor, figure } from '../parts.js';
import { table } from '../table.js';

/** @typedef {import('../../protocol/events.js').Gift} Gift */

/**
 * What people can give.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function giftsPage(console) {
  const list = new ListModel(async () => ({
    rows: /** @type {Gift[]} */ ((await console.api.get('gifts')).gifts),
  }));
  void list.refresh();
  const edit = (/** @type {Gift | null} */ gift) => askGift(console, gift, () => list.refresh());
  const remove = (/** @type {Gift} */ gift) => (/** @type {Event} */ event) => {
    event.stopPropagation();
    askFor({
      console,
      title: t('console.gifts.remove', { name: giftName(gift) }),
      yes: t('console.gifts.removeIt'),
      testid: 'ask-remove',
      danger: true,
      call: () => ({ method: 'DELETE', path: `gifts/${gift.id}` }),
      done: () => list.refresh(),
    });
  };
  return {
    stores: [list.state],
    draw: () => {
      const changes = console.changes('gifts:write');
      return html`
        ${
          changes &&
          html`<div class="console-actions"><button class="button compact" type="button" data-testid="gifts-add" @click=${() => edit(null)}>
            ${icon('plus')}${t('console.gifts.add')}</button></div>`
        }
        ${table({
          list,
          testid: 'gifts-table',
          empty: t('console.gifts.none'),
          key: gift => gift.id,
          ...(changes ? { open: edit } : {}),
          columns: [
            {
              label: t('console.gifts.name'),
              cell: gift =>
                html`<span class="console-gift">${picture(gift)}<span class="clip" dir="auto">${giftName(gift)}</span></span>`,
              sort: giftName,
            },
            { label: t('console.gifts.id'), cell: gift => gift.id, minor: true, sort: gift => gift.id },
            {
              label: t('console.gifts.price'),
              cell: gift => figure(gift.price),
              number: true,
              sort: gift => gift.price,
            },
            {
              label: '',
              number: true,
              cell: gift =>
                changes &&
                html`<button class="icon-button" type="button" data-testid="gifts-remove" aria-label=${t('console.gifts.remove', { name: giftName(gift) })}
                  @click=${remove(gift)}>${icon('trash-2')}</button>`,
            },
          ],
        })}`;
    },
  };
}

/** @param {string} tag */
function languageName(tag) {
  return new Intl.DisplayNames(language.get(), { type: 'language' }).of(tag) ?? tag;
}

/**
 * Adds a gift, or changes one.
 * @param {import('../console.js').Console} console @param {Gift | null} gift @param {() => void} done
 */
function askGift(console, gift, done) {
  askFor({
    console,
    title: gift ? t('console.gifts.edit') : t('console.gifts.add'),
    about: t('console.gifts.about'),
    yes: t('common.save'),
    testid: 'ask-gift',
    fields: [
      ...(gift ? [] : [{ name: 'id', label: t('console.gifts.id'), limit: 32 }]),
      { name: 'name', label: t('console.gifts.name'), value: gift?.name, limit: 64 },
      ...nameLanguages(gift).map(tag => ({
        name: `name-${tag}`,
        label: t('console.gifts.nameIn', { language: languageName(tag) }),
        value: gift?.names?.[tag],
        limit: 64,
      })),
      {
        name: 'language',
        label: t('console.gifts.language'),
        limit: 12,
        about: t('console.gifts.languageAbout'),
      },
      { name: 'other', label: t('console.gifts.nameInIt'), limit: 64 },
      {
        name: 'price',
        label: t('console.gifts.price'),
        value: gift ? String(gift.price) : '',
        kind: 'number',
      },
      {
        name: 'picture',
        label: t('console.gifts.picture'),
        value: gift?.picture,
        show: address => shownPicture({ name: gift?.name ?? '', picture: address.trim() }),
      },
      {
        name: 'large',
        label: t('console.gifts.size'),
        kind: 'choice',
        value: gift?.large ? '1' : '',
        choices: [
          ['', t('console.gifts.small')],
          ['1', t('console.gifts.large')],
        ],
      },
    ],
    call: values => {
      const id = gift?.id ?? values.id.trim();
      if (!/^[\w-]{1,32}$/.test(id)) return t('console.gifts.idWrong');
      if (!/^[1-9]\d{0,11}$/.test(values.price)) return t('console.gifts.priceWrong');
      return { method: 'PUT', path: `gifts/${id}`, body: giftBody(values) };
    },
    done,
  });
}

/**
 * The picture as people see it, or why they would not.
 * @param {{name: string, picture: string}} gift
 */
function shownPicture({ name, picture: address }) {
  return html`<div class="console-gift" data-testid="gift-shown">${picture({ id: '', name, price: 0, picture: address })}
    ${isPictureElsewhere(address) && html`<span class="soft small">${t('console.gifts.elsewhere')}</span>`}</div>`;
}
