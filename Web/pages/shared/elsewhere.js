import { t } from '../../lib/i18n.js';
import { roomSlug } from '../../protocol/ids.js';

/**
 * Shows invitations of rooms in which I am not, for as long as they wait, wherever I am.
 * @param {import('../app.js').App} app
 * @param {import('../../protocol/session.js').Session} session
 */
export function watchInvitations(app, session) {
  /** @type {Map<string, () => void>} what takes each away, by room and invitation */
  const shown = new Map();
  session.elsewhere.on('invitation', ({ room, invitation }) => {
    const slug = roomSlug(room.room);
    const key = `${slug} ${invitation.id}`;
    shown.get(key)?.();
    shown.delete(key);
    // Who owns the room and has left it, or enters it right now, hears of it there.
    const place = app.router.place.get();
    if (invitation.state !== 'waiting' || (place.page === 'room' && place.slug === slug)) return;
    const wait = (invitation.expiresAt ?? session.serverNow()) - session.serverNow();
    const remove = app.toasts.show({
      text: t('elsewhere.invited', {
        name: room.owner.id === invitation.from ? room.owner.name : t('salon.theHost'),
        room: room.name,
      }),
      icon: 'user-plus',
      label: t('elsewhere.go'),
      action: () => void app.router.go(`/r/${slug}`),
      until: Date.now() + Math.max(0, wait),
      testid: 'elsewhere-toast',
    });
    shown.set(key, remove);
  });
}
