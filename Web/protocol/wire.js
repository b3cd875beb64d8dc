// What servers send, as the Swift side reads it. Written by `make wire`; a test compares.

/** @typedef {{ slowSeconds: number, hostsOnly: boolean, noLinks: boolean }} ChatSettings */
/** @typedef {{ mode: 'together' | 'leadFollow', leader?: string }} DuetMode */
/** @typedef {{ id: string, name: string, names?: Record<string, string>, price: number, picture?: string, large?: boolean }} Gift */
/** @typedef {{ coins: number, supporters: Supporter[] }} GiftStanding */
/** @typedef {{ id: string, place: number, room: number | string, host: UserProfile, isOurs: boolean, muted: boolean, isEnding: boolean, since: number }} HostLink */
/** @typedef {{ id: string, room: number | string, from: string, to: string, command: string, content: string, words?: string, hasStill?: boolean, state: 'waiting' | 'accepted' | 'rejected' | 'cancelled' | 'expired', createdAt: number, expiresAt?: number, reason?: string }} Invitation */
/** @typedef {{ id: string, name: string, avatar: string, role: 'member' | 'admin' | 'owner', seat?: number, micMuted: boolean, presence: 'online' | 'reconnecting', marks?: number[] }} Member */
/** @typedef {{ id: string, isOurs: boolean, room: number | string, host: UserProfile, terms?: PKTerms, expiresAt: number }} PKChallenge */
/** @typedef {{ link: string, terms: PKTerms, phase: 'linking' | 'running' | 'counting' | 'over', ours: number, theirs: number, startAt?: number, endAt?: number, until?: number, isReady: boolean, isOtherReady: boolean, hasFinal: boolean, result?: PKResult }} PKMatch */
/** @typedef {{ outcome: 'won' | 'lost' | 'draw', cause: 'time' | 'quit' | 'gone' }} PKResult */
/** @typedef {{ links: HostLink[], match?: PKMatch }} PKState */
/** @typedef {{ seconds: number, forfeitSeconds: number, forfeit: string }} PKTerms */
/** @typedef {{ screen?: boolean, guest?: number, size: 'off' | 'low' | 'middle' | 'high', lack?: 'line' | 'sender', seat?: number }} PictureNews */
/** @typedef {{ kind: 'chat_mute' | 'ban', user: string, name: string, until?: number, everywhere?: boolean, by: string, reason?: string }} Restriction */
/** @typedef {{ room: number | string, kind: string, name: string, cover: string, tags: string[], owner: UserProfile, seats: number, seated: number, memberCount: number, needsRequest: boolean, createdAt: number, speaking: boolean, pk?: 'free' | 'away' | 'people_on_stage' | 'challenged' | 'linked' | 'in_pk' | 'paused', linkedHosts?: string[], pictureFormat?: string, chat?: ChatSettings, still?: number }} RoomInfo */
/** @typedef {{ seconds: number, peak: number, likes: number }} RoomSummary */
/** @typedef {{ index: number, state: 'empty' | 'used' | 'closed', user?: string, muted: boolean, micMuted?: boolean, camera?: 'off' | 'on' | 'blocked', presence?: 'online' | 'reconnecting', by?: string }} Seat */
/** @typedef {{ number: number, gift: Gift, count: number, combo: number, from: UserProfile, to: UserProfile, time: number }} SentGift */
/** @typedef {{ quality: number, roundTripMs?: number, jitterMs?: number, lossPercent: number }} SingerNetwork */
/** @typedef {{ id: string, title: string, artist?: string, durationMs: number, accompaniment: string, original?: string, lyrics?: string }} Song */
/** @typedef {{ song: Song, by: string, track: 'accompaniment' | 'original', startAt?: number, positionMs: number }} SongPlay */
/** @typedef {{ form: 'grid' | 'spotlight', large?: string }} StageLayout */
/** @typedef {{ user: UserProfile, coins: number }} Supporter */
/** @typedef {{ id: string, name: string, avatar: string, bio?: string }} UserProfile */

/**
 * The events of a room, by their types; those with `seq` are numbered.
 * @typedef {{
 *   'room.updated': { seq: number, time: number, info: RoomInfo },
 *   'attributes.changed': { seq: number, time: number, set: Record<string, string>, removed: string[], by?: string },
 *   'room.destroyed': { seq: number, time: number, reason: 'owner' | 'owner_absent' | 'operator', summary: RoomSummary },
 *   'seat.taken': { seq: number, time: number, seat: Seat, user: UserProfile, by?: string },
 *   'seat.left': { seq: number, time: number, seat: Seat, user: UserProfile, reason: 'left' | 'kicked' | 'closed' | 'exited' | 'lost' | 'moved', by?: string },
 *   'seat.muted': { seq: number, time: number, seat: Seat, by?: string },
 *   'seat.closed': { seq: number, time: number, seat: Seat, by?: string },
 *   'microphone.muted': { seq: number, time: number, user: string, muted: boolean, seat: number },
 *   'camera.changed': { seq: number, time: number, user: string, camera: 'off' | 'on' | 'blocked', seat: number, by?: string },
 *   'screen.changed': { seq: number, time: number, user?: string, by?: string },
 *   'stage.arranged': { seq: number, time: number, stage: StageLayout, by?: string },
 *   'role.changed': { seq: number, time: number, user: string, role: 'member' | 'admin' | 'owner', by?: string },
 *   'owner.changed': { seq: number, time: number, user: UserProfile, reason: 'owner_absent' | 'handed_over' },
 *   'song.changed': { seq: number, time: number, play?: SongPlay, reason: 'started' | 'paused' | 'resumed' | 'sought' | 'track' | 'stopped' | 'ended', by?: string },
 *   'duet.changed': { seq: number, time: number, duet: DuetMode, by?: string },
 *   'pk.changed': { seq: number, time: number, pk: PKState, cause: 'accepted' | 'ready' | 'began' | 'counting' | 'over' | 'cleared' | 'muted' | 'quit' | 'gone' | 'unseen', by?: string },
 *   'gifts.sent': { seq: number, time: number, gifts: SentGift[], standing: GiftStanding },
 *   'message.deleted': { seq: number, time: number, chat: number, by?: string },
 *   'message': { chat: number, id?: string, from: UserProfile, time: number, deleted?: boolean, text?: string, command?: string, message?: string },
 *   'dropped': { from: number, to: number },
 *   'invitation.received': { invitation: Invitation, by?: string },
 *   'invitation.accepted': { invitation: Invitation, by?: string },
 *   'invitation.rejected': { invitation: Invitation, by?: string },
 *   'invitation.cancelled': { invitation: Invitation, by?: string },
 *   'invitation.expired': { invitation: Invitation, by?: string },
 *   'restriction.set': { restriction: Restriction },
 *   'restriction.lifted': { restriction: Restriction },
 *   'pk.challenge': { challenge: PKChallenge, state: 'waiting' | 'accepted' | 'declined' | 'cancelled' | 'unanswered' | 'busy' | 'crossed' | 'gone', until?: number },
 *   'audience.entered': { member: Member },
 *   'audience.left': { user: string, reason: 'left' | 'lost' },
 *   'presence': { user: string, presence: 'online' | 'reconnecting', until?: number },
 *   'owner.absent': { until: number, heir?: string },
 *   'owner.back': {},
 *   'levels': { levels: Record<string, number> },
 *   'likes': { total: number, added: number, users: string[] },
 *   'count': { memberCount: number },
 *   'network': { users: Record<string, SingerNetwork>, apartMs?: number, tight?: boolean },
 *   'pk.points': { ours: number, theirs: number },
 *   'media.pictures': { pictures: PictureNews[] },
 *   'media.wanted': { camera: 'off' | 'low' | 'middle' | 'high', spare?: boolean },
 * }} RoomEventMap
 */

export {};
