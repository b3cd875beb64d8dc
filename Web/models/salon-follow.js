import { derive } from '../lib/store.js';
import { OvationError } from '../protocol/errors.js';
import { invitationView, requestViews } from './salon-invitations.js';
import { tellNews } from './salon-news.js';

/** @template T @typedef {import('../lib/store.js').Store<T>} Store */

/**
 * Connects the parts of a visit with the salon's state, for as long as the visit lasts.
 * @param {import('./salon-stage.js').SalonStage} stage
 * @param {import('./salon-parts.js').Visit} visit
 */
export function followVisit(stage, visit) {
  const { signal } = visit.life;
  const quietly = { signal, now: false };
  const render = () => stage.render();
  const { chat, likes, peer, playout, echo, voice } = visit;
  const { room, session } = stage;

  chat.reset();
  likes.confirm(room.now.likes);
  likes.total.subscribe(total => stage.likes.set(total), { signal });
  visit.connection.state.subscribe(view => stage.connection.set(view), { signal });
  visit.connection.state.subscribe(render, quietly);
  derive([peer.tracks, peer.mix, peer.guests], (tracks, mix, guests) => [
    ...tracks,
    ...(mix ? [mix] : []),
    ...guests.map(({ sound }) => sound),
  ]).subscribe(tracks => playout.setTracks(tracks), { signal });
  stage.speaker.state.subscribe(({ chosen }) => void playout.setOutput(chosen), { signal });
  stage.preferences.subscribe(
    ({ quality, playout: volume }) => {
      peer.setQuality(quality);
      playout.setVolume(volume);
    },
    { signal },
  );
  stage.effects?.publishing.subscribe(() => stage.voice.settle(), quietly);
  room.events.on('microphone.muted', ({ user }) => user === room.now.me.id && stage.voice.settle(), {
    signal,
  });
  stage.host.listening.subscribe(render, quietly);
  for (const store of [room.state, chat.state, playout.blocked, voice.state, echo.paired, stage.deafened]) {
    /** @type {Store<any>} */ (store).subscribe(render, quietly);
  }
  room.levels.subscribe(() => stage.levels.hear(), quietly);
  voice.state.subscribe(({ open }) => open && stage.levels.watchOwn(signal), quietly);
  tellNews(
    {
      room,
      chat,
      likes,
      news: stage.news,
      react: {
        seated: by => stage.voice.seated(by === room.now.me.id ? undefined : by),
        unseated: () => stage.voice.unseated(),
        seatMuted: by => stage.set({ mutedBy: by }),
        consented: seat => void stage.takeUp(seat).catch(error => stage.news.emit('problem', { error })),
        requests: () => requestViews(room.now, stage.around()),
        invitation: () => invitationView(room.now, stage.around()),
      },
    },
    signal,
  );
  room.events.on('snapshot', () => chat.reset(), { signal });
  room.events.on(
    'resumed',
    () => {
      likes.confirm(room.now.likes);
      stage.voice.returned();
      stage.news.emit('reconnected', {});
    },
    { signal },
  );
  const ended = (/** @type {Ended} */ end) => finish(stage, end);
  room.events.on('room.destroyed', ended, { signal });
  room.events.on('gone', ended, { signal });
  room.events.on(
    'removed',
    ({ restriction }) => {
      const { owner } = room.now.info;
      stage.endVisit();
      stage.set({ phase: 'failed', error: removal(restriction, owner, session.serverNow()) });
    },
    { signal },
  );
  session.state.subscribe(({ phase, error }) => {
    if (phase !== 'closed' || !stage.visit) return stage.render();
    stage.endVisit();
    stage.set({ phase: 'left', error });
  }, quietly);
  stage.set({ phase: 'in', error: null });
  peer.start();
  if (room.now.me.seat !== undefined) stage.voice.seated(undefined);
}

/**
 * What keeps me out, as the server would say it when I enter again, and what it would not say: why, and the host whose other rooms are
 * closed to me too.
 * @param {import('../protocol/events.js').Restriction} restriction
 * @param {import('../protocol/events.js').User} owner of the room
 * @param {number} now
 */
function removal({ kind, until, reason, everywhere }, owner, now) {
  // A newer server may have other reasons to put somebody out. It tells them to who enters again.
  if (kind !== 'ban') return new OvationError('not_in_room');
  const name = until === undefined ? 'banned_for_good' : 'banned';
  const data = {
    reason: owner.name,
    ...(reason && { why: reason }),
    ...(everywhere && { host: owner.id }),
    ...(until !== undefined && { retryAfterMs: Math.max(1, until - now) }),
  };
  return new OvationError(name, name, { data });
}

/** @typedef {{reason: string, summary: import('../protocol/events.js').RoomSummary | null}} Ended */

/**
 * The room has ended: the visit with it, and the page shows what it was.
 * @param {import('./salon-stage.js').SalonStage} stage
 * @param {Ended} ended
 */
function finish(stage, { reason, summary }) {
  const { info, likes, gifts } = stage.room.now;
  const {
    seconds,
    peak,
    likes: total,
  } = summary ?? {
    seconds: Math.round((stage.session.serverNow() - info.createdAt) / 1000),
    peak: stage.local.peak,
    likes,
  };
  const known = reason === 'owner_absent' || reason === 'operator' ? reason : 'owner';
  stage.endVisit();
  stage.set({
    phase: 'ended',
    end: { reason: known, seconds, peak, likes: total, gifts, name: info.name, owner: info.owner },
  });
  stage.news.emit('ended', {});
}
