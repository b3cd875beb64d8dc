import { t } from '../../lib/i18n.js';
import { hiddenPeople } from '../../models/hidden.js';

/**
 * What happens once: tones, drifting comments, hearts, toasts, and words for screen readers.
 * @param {HTMLElement} root
 * @param {import('./context.js').SalonContext} context
 * @param {import('./requests.js').Requests} requests
 */
export function watchNews(root, context, requests) {
  const { salon, tones, signal, app } = context;
  const { news } = salon;
  const options = { signal };
  const read = (/** @type {string} */ text) => {
    const announcer = root.querySelector('[data-testid=announcer]');
    if (announcer) announcer.textContent = text;
  };
  const seat = (/** @type {number} */ index) => index + 1;
  const name = (/** @type {{name: string} | null} */ user) => user?.name ?? t('salon.theHost');

  news.on(
    'seatTaken',
    ({ seat: index, user, mine }) => {
      tones.play('seatTaken');
      read(
        mine
          ? t('news.youSat', { seat: seat(index) })
          : t('news.sat', { name: user.name, seat: seat(index) }),
      );
    },
    options,
  );
  news.on(
    'seatLeft',
    ({ seat: index, user, mine, reason }) => {
      if (reason === 'moved') return;
      tones.play('seatLeft');
      if (!mine) read(t('news.stood', { name: user.name, seat: seat(index) }));
    },
    options,
  );
  news.on(
    'kicked',
    ({ by }) => context.say(t('news.kicked', { name: name(by) }), 'arrow-down-to-line'),
    options,
  );
  news.on(
    'mutedByHost',
    ({ by, muted }) => {
      tones.play('muted');
      context.say(t(muted ? 'news.muted' : 'news.unmuted', { name: name(by) }), muted ? 'mic-off' : 'mic');
    },
    options,
  );
  news.on(
    'cameraByHost',
    ({ by, allowed }) => {
      tones.play('muted');
      const sentence = t(allowed ? 'news.cameraAllowed' : 'news.cameraBlocked', { name: name(by) });
      context.say(sentence, allowed ? 'video' : 'video-off');
    },
    options,
  );
  news.on(
    'screen',
    ({ user, mine, wasMine }) => {
      if (wasMine && !mine) context.say(t('sharing.ended'), 'monitor');
      else if (user && !mine) read(t('sharing.begun', { name: user.name }));
    },
    options,
  );
  news.on(
    'requestReceived',
    ({ request }) => {
      tones.play('request');
      requests.arrived(request);
      read(t('requests.asks', { name: request.user.name }));
    },
    options,
  );
  news.on(
    'requestAccepted',
    () => {
      tones.play('accepted');
      context.say(t('news.requestAccepted'), 'circle-check');
    },
    options,
  );
  news.on(
    'requestRejected',
    ({ reason }) => {
      context.say(reason ? t('news.requestRejectedReason', { reason }) : t('news.requestRejected'), 'hand');
    },
    options,
  );
  news.on('requestExpired', () => context.say(t('news.requestExpired'), 'hourglass'), options);
  news.on(
    'invited',
    ({ invitation }) => {
      tones.play('request');
      read(t('invitation.text', { name: invitation.from.name }));
    },
    options,
  );
  news.on(
    'invitationAnswered',
    ({ user, accepted, reason }) => {
      if (accepted) context.say(t('news.invitationAccepted', { name: user.name }), 'circle-check');
      else if (reason) context.say(t('news.invitationRejectedReason', { name: user.name, reason }), 'x');
      else context.say(t('news.invitationRejected', { name: user.name }), 'x');
    },
    options,
  );
  news.on(
    'chat',
    ({ line }) => {
      if (line.kind !== 'danmu' || line.deleted || !app.preferences.get().danmu) return;
      if (hiddenPeople(app.preferences).has(line.from.id)) return;
      const danmu = /** @type {import('../../elements/danmu.js').Danmu | null} */ (
        root.querySelector('ov-danmu')
      );
      danmu?.add(
        line.mine ? line.text : t('common.fact', { label: line.from.name, value: line.text }),
        line.mine,
      );
    },
    options,
  );
  news.on(
    'likes',
    ({ added }) => {
      const hearts = /** @type {import('../../elements/hearts.js').Hearts | null} */ (
        root.querySelector('ov-hearts')
      );
      hearts?.add(added);
    },
    options,
  );
  news.on(
    'restriction',
    ({ restriction, lifted, mine, by }) => {
      if (!mine || restriction.kind !== 'chat_mute') return;
      context.say(
        t(lifted ? 'news.chatUnmuted' : 'news.chatMuted', { name: by.name }),
        lifted ? 'message-circle' : 'message-circle-off',
      );
    },
    options,
  );
  news.on(
    'myRole',
    ({ role }) => {
      if (role !== 'member') context.say(t(`news.role.${role}`), role === 'owner' ? 'crown' : 'shield');
    },
    options,
  );
  news.on(
    'ownerChanged',
    ({ user }) => context.say(t('news.ownerChanged', { name: user.name }), 'crown'),
    options,
  );
  news.on('reconnected', () => context.say(t('news.reconnected'), 'wifi'), options);
  news.on('ended', () => tones.play('ended'), options);
  news.on('problem', ({ error }) => context.complain(error), options);
}
