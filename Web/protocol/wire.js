// What servers take and send, as the Swift side reads it. Written by `make wire`; a test compares.

/** @typedef {{ slowSeconds: number, hostsOnly: boolean, noLinks: boolean }} ChatSettings */
/** @typedef {{ name?: string, version?: string }} ClientGiven */
/** @typedef {{ mode: 'together' | 'leadFollow', leader?: string }} DuetMode */
/** @typedef {{ id: string, name: string, names?: Record<string, string>, price: number, picture?: string, large?: boolean }} Gift */
/** @typedef {{ coins: number, supporters: Supporter[] }} GiftStanding */
/** @typedef {{ seq: number, type: string }} HeardEvent */
/** @typedef {{ id: string, place: number, room: number | string, host: UserProfile, isOurs: boolean, muted: boolean, isEnding: boolean, since: number }} HostLink */
/** @typedef {{ urls: string[], username?: string, credential?: string }} ICEServer */
/** @typedef {{ id: string, room: number | string, from: string, to: string, command: string, content: string, words?: string, hasStill?: boolean, state: 'waiting' | 'accepted' | 'rejected' | 'cancelled' | 'expired', createdAt: number, expiresAt?: number, reason?: string }} Invitation */
/** @typedef {{ invitation: Invitation, by?: string }} InvitationNews */
/** @typedef {{ textBytes: number, seats: number, callsAtOnce?: number, callsPerSecond?: number }} Limits */
/** @typedef {{ id: string, name: string, avatar: string, role: 'member' | 'admin' | 'owner', seat?: number, micMuted: boolean, presence: 'online' | 'reconnecting', marks?: number[] }} Member */
/** @typedef {{ chat: number, id?: string, from: UserProfile, time: number, deleted?: boolean, text?: string, command?: string, message?: string }} Message */
/** @typedef {{ id: string, isOurs: boolean, room: number | string, host: UserProfile, terms?: PKTerms, expiresAt: number }} PKChallenge */
/** @typedef {{ link: string, terms: PKTerms, phase: 'linking' | 'running' | 'counting' | 'over', ours: number, theirs: number, startAt?: number, endAt?: number, until?: number, isReady: boolean, isOtherReady: boolean, hasFinal: boolean, result?: PKResult }} PKMatch */
/** @typedef {{ ours: number, theirs: number }} PKPoints */
/** @typedef {{ outcome: 'won' | 'lost' | 'draw', cause: 'time' | 'quit' | 'gone' }} PKResult */
/** @typedef {{ links: HostLink[], match?: PKMatch }} PKState */
/** @typedef {{ seconds: number, forfeitSeconds: number, forfeit: string }} PKTerms */
/** @typedef {{ seconds: number, forfeitSeconds?: number, forfeit?: string }} PKTermsGiven */
/** @typedef {{ memberCount: number, presence: SeatedPresence[], invitations: Invitation[], moreInvitations?: string, settled?: InvitationNews[], likes: number, ownerAbsentUntil?: number, heir?: string, points?: PKPoints, challenge?: PKChallenge, chatMute?: Restriction }} PassingState */
/** @typedef {{ screen?: boolean, guest?: number, mid: string, seat?: number }} Picture */
/** @typedef {{ screen?: boolean, guest?: number, size: 'off' | 'low' | 'middle' | 'high', lack?: 'line' | 'sender', seat?: number }} PictureNews */
/** @typedef {{ kind: 'chat_mute' | 'ban', user: string, name: string, until?: number, everywhere?: boolean, by: string, reason?: string }} Restriction */
/** @typedef {{ epoch: number, seq: number, chat: number }} ResumePointGiven */
/** @typedef {{ room: number | string, kind: string, name: string, cover: string, tags: string[], owner: UserProfile, seats: number, seated: number, memberCount: number, needsRequest: boolean, createdAt: number, speaking: boolean, pk?: 'free' | 'away' | 'people_on_stage' | 'challenged' | 'linked' | 'in_pk' | 'paused', linkedHosts?: string[], pictureFormat?: string, chat?: ChatSettings, still?: number }} RoomInfo */
/** @typedef {{ room: number | string, epoch: number, seq: number, chat: number, info: RoomInfo, seats: Seat[], me: Member, members: Member[], memberCount: number, ownerAbsentUntil?: number, heir?: string, invitations: Invitation[], moreInvitations?: string, messages: Message[], likes: number, play?: SongPlay, duet?: DuetMode, screen?: string, stage?: StageLayout, pk?: PKState, challenge?: PKChallenge, chatMute?: Restriction, gifts?: GiftStanding, attributes?: Record<string, string>, mediaEpoch: number }} RoomSnapshot */
/** @typedef {{ seconds: number, peak: number, likes: number }} RoomSummary */
/** @typedef {{ index: number, state: 'empty' | 'used' | 'closed', user?: string, muted: boolean, micMuted?: boolean, camera?: 'off' | 'on' | 'blocked', presence?: 'online' | 'reconnecting', by?: string }} Seat */
/** @typedef {{ muted?: boolean, closed?: boolean }} SeatSetupGiven */
/** @typedef {{ user: string, presence: 'online' | 'reconnecting' }} SeatedPresence */
/** @typedef {{ number: number, gift: Gift, count: number, combo: number, from: UserProfile, to: UserProfile, time: number }} SentGift */
/** @typedef {{ quality: number, roundTripMs?: number, jitterMs?: number, lossPercent: number }} SingerNetwork */
/** @typedef {{ seat?: number, mix?: boolean, guest?: number, mid: string }} Slot */
/** @typedef {{ id: string, title: string, artist?: string, durationMs: number, accompaniment: string, original?: string, lyrics?: string }} Song */
/** @typedef {{ id: string, title: string, artist?: string, durationMs: number, accompaniment: string, original?: string, lyrics?: string }} SongGiven */
/** @typedef {{ song: Song, by: string, track: 'accompaniment' | 'original', startAt?: number, positionMs: number }} SongPlay */
/** @typedef {{ form: 'grid' | 'spotlight', large?: string }} StageLayout */
/** @typedef {{ number: number, time: number, kind: 'gift' | 'topUp' | 'refund', coins: number, balance: number, user?: UserProfile, gift?: Gift, count?: number }} StatementEntry */
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

/**
 * What each command of a room takes, beside `room` and `key`.
 * @typedef {{
 *   'seat.take': { seat: number },
 *   'seat.leave': {},
 *   'seat.move': { seat: number },
 *   'seat.pick': { seat: number, user: string },
 *   'seat.kick': { seat: number },
 *   'seat.mute': { seat: number, muted: boolean },
 *   'seat.close': { seat: number, closed: boolean },
 *   'microphone.set': { muted: boolean },
 *   'camera.set': { on: boolean },
 *   'seat.camera': { seat: number, allowed: boolean },
 *   'screen.start': {},
 *   'screen.stop': {},
 *   'stage.arrange': { form: 'grid' | 'spotlight', large?: string },
 *   'invitation.send': { user: string, command: string, content?: string, words?: string, still?: string, timeoutSeconds?: number, id?: string },
 *   'invitation.accept': { id: string },
 *   'invitation.reject': { id: string, reason?: string },
 *   'invitation.cancel': { id: string },
 *   'message.send': { text?: string, id?: string, priority?: 'high' | 'normal' | 'low', command?: string, message?: string },
 *   'like.send': { count: number },
 *   'gift.send': { gift: string, count?: number, to?: string },
 *   'message.delete': { chat: number },
 *   'restriction.set': { kind: 'chat_mute' | 'ban', user: string, seconds?: number, everywhere?: boolean, reason?: string },
 *   'restriction.lift': { kind: 'chat_mute' | 'ban', user: string },
 *   'song.start': { song: SongGiven, track?: 'accompaniment' | 'original', positionMs?: number, leadMs?: number },
 *   'song.pause': {},
 *   'song.resume': { leadMs?: number },
 *   'song.seek': { positionMs: number, leadMs?: number },
 *   'song.track': { track: 'accompaniment' | 'original' },
 *   'song.stop': {},
 *   'duet.mode': { mode: 'together' | 'leadFollow', leader?: string },
 *   'pk.challenge': { other: number | string, terms?: PKTermsGiven },
 *   'pk.cancel': {},
 *   'pk.answer': { id: string, agreed: boolean, pause?: 'host' | 'all' },
 *   'pk.ready': {},
 *   'pk.quit': { link?: string },
 *   'pk.mute': { link: string, muted: boolean },
 *   'room.update': { name?: string, cover?: string, tags?: string[], needsRequest?: boolean, slowSeconds?: number, hostsOnly?: boolean, noLinks?: boolean },
 *   'attributes.set': { set?: Record<string, string>, add?: Record<string, number>, remove?: string[], replace?: boolean },
 *   'role.set': { user: string, role: 'member' | 'admin' | 'owner' },
 *   'owner.set': { user: string },
 *   'room.exit': {},
 *   'room.destroy': {},
 * }} CommandParameters
 */

/**
 * What each command of a room answers.
 * @typedef {{
 *   'seat.take': { seq?: number },
 *   'seat.leave': { seq?: number },
 *   'seat.move': { seq?: number },
 *   'seat.pick': { seq?: number },
 *   'seat.kick': { seq?: number },
 *   'seat.mute': { seq?: number },
 *   'seat.close': { seq?: number },
 *   'microphone.set': { seq?: number },
 *   'camera.set': { seq?: number },
 *   'seat.camera': { seq?: number },
 *   'screen.start': { seq?: number },
 *   'screen.stop': { seq?: number },
 *   'stage.arrange': { seq?: number },
 *   'invitation.send': { id: string, position: number, seq?: number },
 *   'invitation.accept': { seq?: number },
 *   'invitation.reject': { seq?: number },
 *   'invitation.cancel': { seq?: number },
 *   'message.send': { chat: number, time: number, seq?: number },
 *   'like.send': { total: number, seq?: number },
 *   'gift.send': { gift: number, balance: number, seq?: number },
 *   'message.delete': { seq?: number },
 *   'restriction.set': { seq?: number },
 *   'restriction.lift': { seq?: number },
 *   'song.start': { startAt: number, seq?: number },
 *   'song.pause': { seq?: number },
 *   'song.resume': { startAt: number, seq?: number },
 *   'song.seek': { startAt?: number, seq?: number },
 *   'song.track': { seq?: number },
 *   'song.stop': { seq?: number },
 *   'duet.mode': { seq?: number },
 *   'pk.challenge': { seq?: number },
 *   'pk.cancel': { seq?: number },
 *   'pk.answer': { seq?: number },
 *   'pk.ready': { seq?: number },
 *   'pk.quit': { seq?: number },
 *   'pk.mute': { seq?: number },
 *   'room.update': { seq?: number },
 *   'attributes.set': { seq?: number },
 *   'role.set': { seq?: number },
 *   'owner.set': { seq?: number },
 *   'room.exit': { seq?: number },
 *   'room.destroy': { seq?: number },
 * }} CommandAnswers
 */

/**
 * What each other call takes.
 * @typedef {{
 *   'session.open': { version: number, app: number, user: string, ticket?: string, name?: string, avatar?: string, resume?: string, client?: ClientGiven },
 *   'session.renew': { ticket: string },
 *   'session.close': {},
 *   'clock.read': {},
 *   'profile.set': { name?: string, avatar?: string, bio?: string },
 *   'profile.get': { users?: string[] },
 *   'room.create': { kind?: string, name: string, cover?: string, tags?: string[], needsRequest?: boolean, pictureFormat?: string, consent?: 'enforced' | 'advisory', seats?: SeatSetupGiven[] | number, room?: number | string, key?: string, privateMapKey?: string },
 *   'room.enter': { room: number | string, since?: ResumePointGiven, privateMapKey?: string },
 *   'room.list': { kind?: string, query?: string, tag?: string, order?: 'newest' | 'busiest', limit?: number, cursor?: string },
 *   'room.get': { rooms?: (number | string)[] },
 *   'room.members': { room: number | string, users?: string[], limit?: number, cursor?: string },
 *   'still.set': { room: number | string, picture?: string },
 *   'invitation.list': { room: number | string, cursor?: string },
 *   'invitation.still': { room: number | string, id: string },
 *   'restriction.list': { room: number | string },
 *   'report.send': { room: number | string, user: string, cause: 'spam' | 'abuse' | 'nudity' | 'violence' | 'fraud' | 'minor' | 'other', words?: string, chat?: number },
 *   'signal.send': { user: string, text?: string, id?: string, command?: string, message?: string },
 *   'gift.list': {},
 *   'gift.ranking': { room: number | string },
 *   'wallet.get': {},
 *   'wallet.statement': { account?: 'wallet' | 'earnings', cursor?: string, limit?: number },
 *   'wallet.faucet': { key?: string },
 *   'song.latency': { room: number | string, outputMs: number, inputMs: number, roundTripMs?: number, bufferMs?: number },
 *   'media.offer': { room: number | string, number: number, sdp: string, lines?: Record<string, string> },
 *   'media.view': { room: number | string, screen?: boolean, guest?: number, size: 'off' | 'low' | 'middle' | 'high', seat?: number },
 *   'media.close': { room: number | string },
 *   'line.test': { sdp: string },
 *   'line.end': {},
 * }} CallParameters
 */

/**
 * What each other call answers.
 * @typedef {{
 *   'session.open': { session: string, resumed: boolean, user: UserProfile, time: number, expiresInSeconds: number, rooms: (number | string)[], mediaEpoch: number, limits: Limits, iceServers?: ICEServer[] },
 *   'session.renew': { expiresInSeconds: number },
 *   'session.close': {},
 *   'clock.read': { time: number, monotonicUs: number, timeUs?: number },
 *   'profile.set': { user: UserProfile },
 *   'profile.get': { users: UserProfile[] },
 *   'room.create': { room: number | string, snapshot: RoomSnapshot },
 *   'room.enter': { resumed: boolean, snapshot?: RoomSnapshot, events?: HeardEvent[], epoch?: number, seq?: number, chat?: number, state?: PassingState, mediaEpoch?: number },
 *   'room.list': { rooms: RoomInfo[], cursor?: string },
 *   'room.get': { rooms: RoomInfo[] },
 *   'room.members': { members: Member[], count: number, cursor?: string },
 *   'still.set': { still?: number },
 *   'invitation.list': { invitations: Invitation[], cursor?: string },
 *   'invitation.still': { picture?: string },
 *   'restriction.list': { restrictions: Restriction[] },
 *   'report.send': {},
 *   'signal.send': {},
 *   'gift.list': { gifts: Gift[] },
 *   'gift.ranking': { coins: number, supporters: Supporter[], own: number, place?: number, toNext?: number },
 *   'wallet.get': { coins: number, earnings: number, topUpURL?: string, faucet: boolean },
 *   'wallet.statement': { entries: StatementEntry[], cursor?: string },
 *   'wallet.faucet': { coins: number, earnings: number, topUpURL?: string, faucet: boolean },
 *   'song.latency': {},
 *   'media.offer': { number: number, sdp: string, slots: Slot[], pictures?: Picture[], mediaEpoch: number, iceServers: ICEServer[] },
 *   'media.view': {},
 *   'media.close': {},
 *   'line.test': { sdp: string, seconds: number, bitrate: number },
 *   'line.end': {},
 * }} CallAnswers
 */

export {};
