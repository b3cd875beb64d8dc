import { html } from '../../lib/html.js';
import { t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { ListModel } from '../list.js';
import { askFor, figure } from '../parts.js';
import { table } from '../table.js';

/**
 * What people can give.
 * @param {import('../console.js').Console} console
 * @returns {import('../console.js').Page}
 */
export function giftsPage(console) {
  const list = new ListModel(async () => ({ rows: (await console.api.get('gifts')).gifts }));
  void list.refresh();
  const edit = (/** @type {any} */ gift) =>
    askFor({
      console,
      title: gift ? t('console.gifts.edit') : t('console.gifts.add'),
      about: t('console.gifts.about'),
      yes: t('common.save'),
      testid: 'ask-gift',
      fields: [
        ...(gift ? [] : [{ name: 'id', label: t('console.gifts.id'), limit: 32 }]),
        { name: 'name', label: t('console.gifts.name'), value: gift?.name, limit: 64 },
        {
          name: 'price',
          label: t('console.gifts.price'),
          value: gift && String(gift.price),
          kind: /** @type {const} */ ('number'),
        },
        { name: 'picture', label: t('console.gifts.picture'), value: gift?.picture },
        {
          name: 'large',
          label: t('console.gifts.size'),
          kind: /** @type {const} */ ('choice'),
          value: gift?.large ? '1' : '',
          choices: /** @type {[string, string][]} */ ([
            ['', t('console.gifts.small')],
            ['1', t('console.gifts.large')],
          ]),
        },
      ],
      call: ({ id = '', name, price, picture, large }) => {
        const wanted = gift?.id ?? id.trim();
        if (!/^[\w-]{1,32}$/.test(wanted)) return t('console.gifts.idWrong');
        if (!/^[1-9]\d{0,11}$/.test(price)) return t('console.gifts.priceWrong');
        return {
          method: 'PUT',
          path: `gifts/${wanted}`,
          body: { name: name.trim(), price: Number(price), picture: picture.trim(), large: large === '1' },
        };
      },
      done: () => list.refresh(),
    });
  return {
    stores: [list.state],
    draw: () => html`
      ${
        console.changes('gifts:write') &&
        html`<div class="console-actions"><button class="button compact" type="button" data-testid="gifts-add" @click=${() => edit(null)}>
          ${icon('plus')}${t('console.gifts.add')}</button></div>`
      }
      ${table({
        list,
        testid: 'gifts-table',
        empty: t('console.gifts.none'),
        key: gift => gift.id,
        ...(console.changes('gifts:write') ? { open: edit } : {}),
        columns: [
          { label: t('console.gifts.name'), cell: gift => gift.name },
          { label: t('console.gifts.id'), cell: gift => gift.id, minor: true },
          { label: t('console.gifts.price'), cell: gift => figure(gift.price), number: true },
          {
            label: '',
            number: true,
            cell: gift =>
              console.changes('gifts:write') &&
              html`<button class="icon-button" type="button" data-testid="gifts-remove" aria-label=${t('console.gifts.remove', { name: gift.name })}
                @click=${(/** @type {Event} */ event) => {
                  event.stopPropagation();
                  askFor({
                    console,
                    title: t('console.gifts.remove', { name: gift.name }),
                    yes: t('console.gifts.removeIt'),
                    testid: 'ask-remove',
                    danger: true,
                    call: () => ({ method: 'DELETE', path: `gifts/${gift.id}` }),
                    done: () => list.refresh(),
                  });
                }}>${icon('trash-2')}</button>`,
          },
        ],
      })}`,
  };
}
