import { ask, openSheet } from '../../elements/sheet.js';
import { html } from '../../lib/html.js';
import { errorText, t } from '../../lib/i18n.js';
import { icon } from '../../lib/icon.js';
import { uploadOf } from '../../models/faces.js';
import { OvationError } from '../../protocol/errors.js';
import { askAboutHeadphones } from '../duet/headphones.js';
import { openEffects } from '../effects.js';
import { openRanking } from '../gifts/ranking.js';
import { showCoins, toggleGifts } from '../gifts/tray.js';
import { canBeApart, pressApart } from '../live/apart.js';
import { openQuality } from '../live/controls.js';
import { openPrograms } from '../live/programs.js';
import { canShare, pressScreen } from '../live/screen.js';
import { arrangement } from '../live/stage.js';
import { openStatistics } from '../live/statistics.js';
import { coverNames, coverOf, roomFields, tagsOf } from '../lobby/create.js';
import { openIdSheet } from '../lobby/id-sheet.js';
import { OwnCover } from '../lobby/own-cover.js';
import { busy, problem } from '../parts.js';
import { openSettings } from '../settings.js';
import { openChatRules } from '../shared/moderation.js';
import { dockNow } from './dock.js';

/** @typedef {import('./context.js').SalonContext} SalonContext */

/**
 * What is needed less often.
 * @param {SalonContext} context
 * @param {() => void} leave
 */
export function openMore(context, leave) {
  const { salon, signal, app } = context;
  openSheet({
    title: () => t('more.title'),
    testid: 'more-sheet',
    className: 'small-sheet',
    signal,
    stores: [salon.state, salon.hearing.deafened],
    body: sheet => {
      const { room, me } = context.state;
      const deafened = salon.hearing.deafened.get();
      const { main, before, after } = dockNow(context);
      const inBar = new Set([main, ...before, ...after]);
      /** @param {() => unknown} action */
      const then = action => () => {
        sheet.close();
        void action();
      };
      /** @param {string} id @param {string} sign @param {string} text @param {() => void} press @param {string} [look] */
      const item = (id, sign, text, press, look = '') =>
        html`<button type="button" class=${look} data-testid=${id} @click=${press}>${icon(sign)}<span>${text}</span></button>`;
      return html`<div class="menu">
        ${
          room &&
          item(
            'more-share',
            'share-2',
            t('more.share'),
            then(() => openIdSheet(room, signal)),
          )
        }
        ${
          salon.gifts?.state.get().isOffered &&
          !inBar.has('gifts') &&
          item(
            'more-gifts',
            'gift',
            t('gift.open'),
            then(() => toggleGifts(context)),
          )
        }
        ${
          salon.gifts &&
          salon.gifts.state.get().catalogue.length > 0 &&
          item(
            'more-ranking',
            'trophy',
            t('gift.ranking'),
            then(() => openRanking(context)),
          )
        }
        ${
          salon.gifts &&
          salon.gifts.state.get().catalogue.length > 0 &&
          item(
            'more-coins',
            'coins',
            t('coins.title'),
            then(() => showCoins(context)),
          )
        }
        ${
          !inBar.has('effects') &&
          item(
            'more-effects',
            'wand-sparkles',
            t('effects.title'),
            then(() => openEffects(app, signal, { salon })),
          )
        }
        ${
          salon.live &&
          canShare(context, salon.live) &&
          item(
            'more-screen',
            'monitor',
            t(salon.live.screen.state.get().track ? 'sharing.stop' : 'sharing.share'),
            then(() => salon.live && pressScreen(context, salon.live)),
          )
        }
        ${
          salon.live &&
          arrangement(context, salon.live).chat === 'over' &&
          item(
            'more-alone',
            'image',
            t('live.pictureAlone'),
            then(() => context.open({ pictureAlone: true })),
          )
        }
        ${
          salon.live &&
          canBeApart() &&
          item(
            'more-apart',
            'picture-in-picture-2',
            t('live.apart'),
            then(() => salon.live && pressApart(context, salon.live)),
          )
        }
        ${
          salon.live &&
          me.seat !== null &&
          item(
            'more-beauty',
            'sparkles',
            t('beauty.title'),
            then(() => void import('../live/beauty.js').then(({ openBeauty }) => openBeauty(app, signal))),
          )
        }
        ${
          salon.live &&
          me.seat !== null &&
          item(
            'more-sending',
            'video',
            t('sending.title'),
            then(() => void import('../live/sending.js').then(({ openSending }) => openSending(app, signal))),
          )
        }
        ${
          salon.live &&
          me.canManage &&
          item(
            'more-layout',
            context.state.stage.form === 'grid' ? 'star' : 'users-round',
            t(context.state.stage.form === 'grid' ? 'layout.spotlight' : 'layout.grid'),
            then(() => changeLayout(context)),
          )
        }
        ${
          salon.live &&
          item(
            'more-quality',
            'sliders-horizontal',
            t('quality.title'),
            then(() => salon.live && openQuality(context, salon.live)),
          )
        }
        ${
          salon.live &&
          item(
            'more-statistics',
            'signal',
            t('statistics.title'),
            then(() => salon.live && openStatistics(context, salon.live)),
          )
        }
        ${
          salon.live &&
          item(
            'more-programs',
            'radio',
            t('programs.title'),
            then(() => openPrograms(context)),
          )
        }
        ${
          salon.duet &&
          me.seat !== null &&
          item(
            'more-headphones',
            'headphones',
            t('headphones.short'),
            then(() => salon.duet && askAboutHeadphones(context, salon.duet)),
          )
        }
        ${item('more-deafen', deafened ? 'volume-2' : 'volume-x', t(deafened ? 'banner.soundBlockedAction' : 'more.deafen'), () => salon.hearing.setDeafened(!deafened))}
        ${item(
          'more-settings',
          'settings',
          t('settings.title'),
          then(() => openSettings(app, signal)),
        )}
        ${item(
          'more-another',
          'user-plus',
          t('profile.another'),
          then(() => app.identity.openAsAnother()),
        )}
        ${
          me.canManage &&
          item(
            'more-edit',
            'pencil',
            t('more.edit'),
            then(() => openRoomSettings(context)),
          )
        }
        ${
          me.canManage &&
          item(
            'more-rules',
            'message-circle-off',
            t('rules.title'),
            then(() => openChatRules(context)),
          )
        }
        ${
          me.seat !== null &&
          !inBar.has('stand') &&
          item(
            'more-stand',
            'arrow-down-to-line',
            t(salon.live ? 'live.stepDown' : 'seat.leave'),
            then(() => context.act(() => salon.seats.stand())),
          )
        }
        ${item('more-leave', 'log-out', me.isOwner ? t('more.leaveOwner') : t('salon.leave'), then(leave))}
        ${
          me.isOwner &&
          item(
            'more-end',
            'power',
            t('more.end'),
            then(() => end(context)),
            'bad',
          )
        }
      </div>`;
    },
  });
}

/**
 * Between a grid and one person in the spotlight, for everybody.
 * @param {SalonContext} context
 */
function changeLayout(context) {
  const { form } = context.state.stage;
  return context.act(() =>
    context.salon.command('stage.arrange', { form: form === 'grid' ? 'spotlight' : 'grid' }),
  );
}

/** @param {SalonContext} context */
async function end(context) {
  const { memberCount } = context.state;
  const yes = await ask({
    title: t('more.endTitle'),
    text: memberCount > 1 ? t('more.endText', { count: memberCount - 1 }) : t('more.endAlone'),
    yes: t('more.end'),
    signal: context.signal,
    testid: 'end-sheet',
  });
  if (yes) await context.act(() => context.salon.destroy());
}

/** @param {SalonContext} context */
function openRoomSettings(context) {
  const { salon, signal, state } = context;
  const { room } = state;
  if (!room) return;
  const own = coverNames.some(name => room.cover === `covers/${name}.svg`) || uploadOf(room.cover) !== null;
  const ownCover = new OwnCover(context.app, signal);
  let saved = room.cover;
  /** @type {import('../lobby/create.js').Draft} */
  const draft = {
    name: room.name,
    cover: own ? room.cover : '',
    coverText: own ? '' : room.cover,
    seats: 8,
    needsRequest: room.needsRequest,
    tags: room.tags.join(' '),
  };
  let saving = false;
  /** @type {OvationError | null} */ let error = null;
  openSheet({
    title: () => t('more.edit'),
    testid: 'room-sheet',
    signal,
    onClose: () => ownCover.settle(saved, room.cover),
    body: sheet => {
      const save = async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        saving = true;
        error = null;
        sheet.redraw();
        try {
          await salon.moderation.updateRoom({
            name: draft.name.trim() || room.name,
            cover: coverOf(draft),
            tags: tagsOf(draft),
            needsRequest: draft.needsRequest,
          });
          saved = coverOf(draft);
          sheet.close();
        } catch (thrown) {
          error = OvationError.of(thrown);
          saving = false;
          sheet.redraw();
        }
      };
      return html`<form class="stack" novalidate @submit=${save}>
        ${roomFields(draft, { redraw: sheet.redraw, invalid: error?.data.field ?? null, seats: false, ownCover })}
        ${problem(error && errorText(error))}
        <div class="sheet-actions sticky"><button class="button primary" type="submit" data-testid="room-save" aria-busy=${saving}>
          ${saving && busy()}${t('common.save')}</button></div>
      </form>`;
    },
  });
}
