import HTTP
import RoomModel
import RoomPorts
import RoomService
import Signalling
import Synchronization
import Timing

/// Which way the media of a session over HTTP goes.
enum HTTPMediaKind: String, Sendable, Hashable {
    /// Somebody sends a camera and a microphone: WHIP (RFC 9725).
    case publish = "whip"
    /// Somebody plays what a seat shows: WHEP (draft-ietf-wish-whep).
    case play = "whep"
}

/// A media path that was opened over HTTP, and the place in a room that goes with it. Ends by `DELETE`, with its path, with its place, or with
/// its ticket.
final class HTTPMediaSession: Sendable {
    /// Names it in its URL; 128 random bits, known to its client alone.
    let secret: String
    let kind: HTTPMediaKind
    let application: ApplicationID
    let user: UserID
    let token: SessionToken
    let room: Room
    let ticket: TicketProof

    private struct State {
        /// What the offer's lines are for; empty: their directions tell.
        var lines: [String: MediaLine] = [:]
        /// The newest offer, whose ICE credentials are those in use.
        var offer = ""
        var number: UInt32 = 0
        /// Changes with each set of ICE credentials.
        var tag = ""
    }

    private let state = Mutex(State())

    init(
        secret: String, kind: HTTPMediaKind, application: ApplicationID, user: UserID, token: SessionToken, room: Room,
        ticket: TicketProof
    ) {
        self.secret = secret
        self.kind = kind
        self.application = application
        self.user = user
        self.token = token
        self.room = room
        self.ticket = ticket
    }

    var tag: String { state.withLock { $0.tag } }
    var offer: String { state.withLock { $0.offer } }
    var lines: [String: MediaLine] { state.withLock { $0.lines } }

    /// The number of an offer that is about to be made.
    func nextNumber() -> UInt32 {
        state.withLock { state in
            state.number += 1
            return state.number
        }
    }

    /// That offer has been answered. A later one that was answered first stays.
    /// - Returns: the tag of what is in use now.
    func answered(_ offer: String, _ lines: [String: MediaLine], number: UInt32) -> String {
        state.withLock { state in
            guard number == state.number else { return state.tag }
            state.offer = offer
            state.lines = lines
            state.tag = "\"\(number)-\(Secret.make().prefix(8))\""
            return state.tag
        }
    }
}

/// News of a room that nobody reads: who is there over HTTP hears sound and sees pictures, and nothing else.
final class SilentOutbox: Outbox {
    func enqueue(_ news: RoomNews, lane: NewsLane) {}
}
