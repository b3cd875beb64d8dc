// The view models of a salon, as types. A page renders them and calls `SalonModel`.

/** @typedef {import('../protocol/ids.js').RoomID} RoomID */
/** @typedef {import('../protocol/events.js').User} User */
/** @typedef {import('../protocol/events.js').Role} Role */
/** @typedef {import('../protocol/errors.js').OvationError} OvationError */

/**
 * What the big button shows.
 * `listener`: not seated · `pending`: my request for a seat waits · `live`: people hear me · `cutOff`: they would, but nothing of me
 * gets through right now · `mutedByMe` · `mutedByHost` (see `Me.mutedBy`) · `noDevice` (see `Me.microphoneProblem`): seated, but no
 * microphone could be opened.
 * @typedef {'listener' | 'pending' | 'live' | 'cutOff' | 'mutedByMe' | 'mutedByHost' | 'noDevice'} MicState
 */

/**
 * @typedef {object} RoomView
 * @property {RoomID} id
 * @property {string} slug the last path segment of its link
 * @property {string} label the id as people read and say it
 * @property {string} link absolute URL
 * @property {string} name
 * @property {string} cover '' when there is none
 * @property {string[]} tags
 * @property {User} owner
 * @property {boolean} needsRequest
 * @property {import('../protocol/events.js').ChatRules} chat what the chat takes from those who do not run the room
 * @property {number} createdAt milliseconds since 1970, server's clock
 */

/**
 * @typedef {object} SeatView
 * @property {number} index from 0
 * @property {'empty' | 'used' | 'closed'} state
 * @property {User | null} user
 * @property {boolean} muted the host muted this seat (also when empty)
 * @property {boolean} micMuted the person's own mute
 * @property {'off' | 'on' | 'blocked' | null} camera in a live room, while somebody sits
 * @property {'online' | 'reconnecting'} presence
 * @property {number | null} presenceUntil when the server will free the seat of somebody who is reconnecting
 * @property {boolean} isMe
 * @property {boolean} isOwner the room's owner sits here: host mark, larger seat
 * @property {boolean} isAdmin
 * @property {boolean} poorLine what this person sends and gets comes badly, in a live room
 * @property {boolean} spokeLast the "who spoke last" dot
 * @property {{user: User, invitation: string, until: number | null} | null} reserved an invitation to this seat waits: dimmed face with a countdown (server time)
 * @property {{volume: number, muted: boolean} | null} listening how loud I hear this person (0…100), null for myself and empty seats
 * @property {boolean} pending an action of mine on this seat is on its way
 */

/**
 * @typedef {object} Me
 * @property {string} id
 * @property {string} name
 * @property {string} avatar
 * @property {Role} role
 * @property {boolean} isOwner
 * @property {boolean} canManage owner or admin
 * @property {number | null} seat
 * @property {MicState} mic
 * @property {User | null} mutedBy who muted my seat, when `mic` is `mutedByHost`
 * @property {string | null} microphoneProblem an error name such as `microphone_denied`, when `mic` is `noDevice`
 * @property {boolean} speakingWhileMuted "you seem to be speaking while muted"
 * @property {{until: number | null, by: User, reason: string} | null} chatMute somebody keeps me from writing; its time may be over
 * @property {number | null} writesAt slow mode: when my next message is taken (server's clock)
 */

/**
 * @typedef {object} PersonView
 * @property {string} id
 * @property {string} name
 * @property {string} avatar
 * @property {Role} role
 * @property {number | null} seat
 * @property {boolean} isMe
 * @property {'online' | 'reconnecting'} presence
 * @property {{volume: number, muted: boolean} | null} listening null when this is me
 */

/**
 * Somebody asks me (or, as an admin, the owner) for a seat.
 * @typedef {object} RequestView
 * @property {string} id
 * @property {User} user
 * @property {number | null} seat the wished seat
 * @property {string} words or none
 * @property {string | null} still the address of a picture of them
 * @property {number} since milliseconds since 1970, server's clock
 * @property {boolean} later I put it off
 * @property {boolean} pending my answer is on its way
 */

/**
 * My own request.
 * @typedef {{id: string, seat: number | null, position: number | null, since: number}} MyRequest
 */
/**
 * Somebody invites me to a seat.
 * @typedef {{id: string, from: User, seat: number | null, until: number | null, pending: boolean}} InvitationView
 */

/**
 * `text` and `danmu` are people's lines; `system` tells of one kind of happening and is folded
 * ("5 people joined": `people` holds up to 3, `count` all); `gap`: lines from…to are missing, because the connection was slow or lost for long.
 * @typedef {TextLine | SystemLine | GiftLine | GapLine} ChatLine
 */
/**
 * @typedef {object} TextLine
 * @property {'text' | 'danmu'} kind
 * @property {string} key stable, for keyed rendering
 * @property {User} from
 * @property {string} text
 * @property {number} time
 * @property {boolean} mine
 * @property {'sent' | 'sending' | 'failed'} status
 * @property {OvationError | null} error why it failed; `salon.resend(key)` or `salon.discard(key)`
 * @property {number | null} chat its number; null before it was sent
 * @property {boolean} deleted by a host; `text` is what was read here before, or empty
 */
/**
 * @typedef {object} SystemLine
 * @property {'system'} kind
 * @property {string} key
 * @property {'entered' | 'left' | 'seatTaken' | 'seatLeft' | 'kicked' | 'lost' | 'seatMuted' | 'seatUnmuted' | 'seatClosed' | 'seatOpened' | 'becameAdmin' | 'becameMember' | 'becameOwner' | 'renamed'} what
 * @property {User[]} people
 * @property {number} count
 * @property {number | null} seat index, where it concerns a seat
 * @property {number} time
 */
/**
 * Gifts of one kind from one person to another that came in a row: `count` of them.
 * @typedef {{kind: 'gift', key: string, from: User, to: User, gift: import('../protocol/events.js').Gift, count: number, time: number}} GiftLine
 */
/** @typedef {{kind: 'gap', key: string, from: number, to: number, time: number}} GapLine */

/**
 * Standing notices, the most urgent first.
 * `ownerAbsent {until, heir: User|null}` · `reconnecting {until: retryAt (server time)|null, seated}` · `noMediaPath {error: name}` (test: `salon.testMedia()`) ·
 * `deafened` (I have muted all that I hear; button: `salon.hearing.setDeafened(false)`) · `soundBlocked` (button: `salon.unlockSound()`, in the click) · `echoPair` (button: `salon.listenAnyway()`) ·
 * `broughtOnStage {by: User|null}`: the host seated me and my microphone stays off until I unmute ·
 * `microphoneProblem {error: name}` · `signedInElsewhere`.
 * @typedef {object} Banner
 * @property {'ownerAbsent' | 'reconnecting' | 'noMediaPath' | 'deafened' | 'soundBlocked' | 'echoPair' | 'broughtOnStage' | 'microphoneProblem' | 'signedInElsewhere'} kind
 * @property {number | null} [until] milliseconds since 1970, server's clock
 * @property {User | null} [heir]
 * @property {User | null} [by]
 * @property {boolean} [seated] a seat is kept for me
 * @property {string} [error]
 */

/**
 * An owner's action that can be taken back until `until` (local clock, `Date.now()`): `salon.undo()`.
 * @typedef {{action: 'kick' | 'mute' | 'unmute' | 'close' | 'open' | 'chatMute' | 'ban', user: User | null, seat: number, until: number}} UndoView
 */

/** @typedef {{reason: 'owner' | 'owner_absent' | 'operator', seconds: number, peak: number, likes: number, gifts: import('../protocol/events.js').GiftStanding, name: string, owner: User}} EndCard */

/**
 * @typedef {object} SalonState
 * @property {'idle' | 'entering' | 'in' | 'left' | 'ended' | 'failed'} phase `in` also while reconnecting (see `banners`, `connection`)
 * @property {OvationError | null} error why it `failed`, or why we are out (`session_replaced`, …)
 * @property {RoomView | null} room
 * @property {SeatView[]} seats
 * @property {User | null} screen who shares a screen
 * @property {{form: 'grid' | 'spotlight', large: string | null}} stage how everybody sees the people on the stage of a live room
 * @property {Me} me
 * @property {PersonView[]} audience those known who have no seat: owner, admins, then as they came
 * @property {number} memberCount everyone, the seated too
 * @property {number} audienceCount everyone but the host
 * @property {import('../protocol/events.js').GiftStanding} gifts what the room has been given
 * @property {RequestView[]} requests waiting, oldest first, those put off last
 * @property {MyRequest | null} myRequest
 * @property {InvitationView | null} invitation
 * @property {ChatLine[]} chat
 * @property {number} unread lines of others since `salon.markRead()`
 * @property {string | null} unreadKey the first unread line: the divider stands above it
 * @property {Banner[]} banners
 * @property {UndoView | null} undo
 * @property {ReadonlySet<string>} pending actions on their way: `mic`, `seat:3`, `request`, `leave`, `person:alice`, `room`
 * @property {EndCard | null} end
 */

/**
 * @typedef {object} ConnectionView
 * @property {'connecting' | 'good' | 'fair' | 'poor' | 'noMedia' | 'reconnecting' | 'offline'} word
 * @property {number | null} rttMs of the media path if there is one, else of signalling
 * @property {number | null} lossPercent of what we hear, last 2 s
 * @property {number | null} jitterMs
 * @property {'udp' | 'tcp' | 'relay' | null} way of the media path
 * @property {'open' | 'reconnecting' | 'closed'} signalling
 * @property {'new' | 'connecting' | 'connected' | 'disconnected' | 'failed' | 'closed'} media
 * @property {number | null} retryAt local clock (`Date.now()`) of the next try while reconnecting
 * @property {string | null} error why there is no media path, by the name of an error; null where there is one, or the first is on its way
 */

/**
 * One-off happenings, for tones, toasts, `aria-live`, danmu and bursts of hearts.
 * @typedef {object} SalonNewsMap
 * @property {{seat: number, user: User, mine: boolean}} seatTaken
 * @property {{seat: number, user: User, mine: boolean, reason: string}} seatLeft
 * @property {{by: User | null}} kicked I was taken off my seat
 * @property {{by: User | null, muted: boolean}} mutedByHost my seat was muted or unmuted
 * @property {{by: User | null, allowed: boolean}} cameraByHost my camera was switched off, or may be on again
 * @property {{user: User | null, mine: boolean, wasMine: boolean}} screen somebody shares a screen from now on, or nobody
 * @property {{challenge: import('../protocol/events.js').PKChallenge, state: import('../protocol/events.js').ChallengeState, until: number | null}} challenge what became of my room's invitation to a PK, or another host's
 * @property {{cause: import('../protocol/events.js').PKCause, match: import('../protocol/events.js').PKMatch | null, host: User | null, mine: boolean}} pk links to other rooms, or the PK, have changed
 * @property {{request: RequestView}} requestReceived
 * @property {{by: User | null, seat: number | null}} requestAccepted
 * @property {{by: User | null, reason: string}} requestRejected
 * @property {{}} requestExpired
 * @property {{invitation: InvitationView}} invited
 * @property {{user: User, accepted: boolean, reason: string}} invitationAnswered
 * @property {{line: TextLine}} chat somebody else's line, or my own once it came back
 * @property {{added: number, total: number, users: string[]}} likes others' likes
 * @property {{role: Role}} myRole
 * @property {{restriction: import('../protocol/events.js').Restriction, lifted: boolean, mine: boolean, by: User}} restriction somebody may not write any more, or may again
 * @property {{user: User}} ownerChanged
 * @property {{}} reconnected
 * @property {{}} ended
 * @property {{error: OvationError}} problem something that nobody asked for went wrong (for example the microphone was lost)
 */

export {};
