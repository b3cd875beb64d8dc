import { t } from '../../lib/i18n.js';

/** @typedef {import('../salon/context.js').SalonContext} SalonContext */
/** @typedef {import('../../protocol/events.js').PKMatch} PKMatch */

/**
 * Who has won.
 * @param {SalonContext} context @param {PKMatch} match @param {string} other the other host's name
 */
export function resultText({ state }, match, other) {
  const outcome = match.result?.outcome ?? 'draw';
  if (outcome === 'draw') return t('rivals.draw');
  return t('rivals.wins', { name: outcome === 'won' ? (state.room?.owner.name ?? '') : other });
}

/**
 * What a host is told of an invitation that has come to nothing, by its state.
 * @type {Record<string, string>}
 */
const endings = {
  declined: 'rivals.declined',
  unanswered: 'rivals.unanswered',
  busy: 'rivals.busy',
  gone: 'rivals.gone',
};

/**
 * Tones, toasts, and words for screen readers.
 * @param {HTMLElement} root @param {SalonContext} context
 */
export function watchPK(root, context) {
  const { salon, signal, tones } = context;
  const read = (/** @type {string} */ text) => {
    const announcer = root.querySelector('[data-testid=announcer]');
    if (announcer) announcer.textContent = text;
  };
  salon.news.on(
    'challenge',
    ({ challenge, state }) => {
      const { host, isOurs } = challenge;
      if (state === 'waiting' && !isOurs) {
        tones.play('request');
        read(t('rivals.invitesRead', { name: host.name }));
      } else if (isOurs && state in endings) context.say(t(endings[state], { name: host.name }), 'x');
      else if (!isOurs && (state === 'cancelled' || state === 'unanswered' || state === 'gone'))
        context.say(
          t(state === 'unanswered' ? 'rivals.missed' : 'rivals.takenBack', { name: host.name }),
          'x',
        );
    },
    { signal },
  );
  /** @type {any[]} */ let timers = [];
  const forget = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  signal.addEventListener('abort', forget);
  salon.news.on(
    'pk',
    ({ cause, match, host, mine }) => {
      const name = host?.name ?? t('salon.theHost');
      const result = match?.result;
      if (cause !== 'muted') forget();
      switch (cause) {
        case 'began': {
          tones.play('accepted');
          read(t('rivals.beganRead', { name }));
          const left = (match?.endAt ?? 0) - context.now();
          const at = (/** @type {number} */ before, /** @type {() => void} */ run) => {
            if (left > before) timers.push(setTimeout(run, left - before));
          };
          at(60_000, () => read(t('rivals.minuteLeft')));
          at(10_000, () => read(t('rivals.tenLeft')));
          for (let second = 10; second > 0; second--) at(second * 1000, () => tones.play('tick'));
          break;
        }
        case 'over':
        case 'quit':
        case 'gone':
          if (result) {
            tones.play('ended');
            read(resultText(context, match, name));
            if (result.cause === 'gone') context.say(t('rivals.early', { name }), 'unplug');
            else if (result.cause === 'quit' && !mine)
              context.say(
                t(result.outcome === 'won' ? 'rivals.hasQuit' : 'rivals.weQuit', { name }),
                'unplug',
              );
          } else context.say(t('rivals.ended', { name }), 'unplug');
          break;
        case 'unseen':
          context.say(t('rivals.unseen', { name }), 'video-off');
          break;
        default:
          break;
      }
    },
    { signal },
  );
}
