/// Why a call was refused: the stable name and number, an English sentence for a log, and what the caller can do with
/// it.
public struct RoomError: Error, Hashable, Sendable {
    /// Its name and number.
    public var code: Code
    /// An English sentence for a log; people get their sentence from the name, in their language.
    public var message: String
    /// The call may be tried again after so many milliseconds.
    public var retryAfterMs: Int?
    /// The parameter that is missing or wrong, with `invalid_params`.
    public var field: String?
    /// What exactly is wrong where the code alone does not say it (`data.reason` on the wire).
    public var reason: String?

    /// Without a message it says what the code means.
    public init(
        _ code: Code, _ message: String = "", retryAfterMs: Int? = nil, field: String? = nil, reason: String? = nil
    ) {
        self.code = code
        self.message = message.isEmpty ? code.meaning : message
        self.retryAfterMs = retryAfterMs
        self.field = field
        self.reason = reason
    }

    /// A parameter is missing or wrong.
    public static func invalid(_ field: String, _ message: String) -> RoomError {
        RoomError(.invalidParams, message, field: field)
    }

    /// A code of the wire protocol. New codes are added to the table below and nowhere else.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// Stable, to switch on.
        public let name: String
        /// The number that the reference systems document where they have one; several names may share a number.
        public let number: Int
        /// One sentence.
        public let meaning: String

        private init(_ name: String, _ number: Int, _ meaning: String) {
            self.name = name
            self.number = number
            self.meaning = meaning
        }

        public static func == (a: Code, b: Code) -> Bool { a.name == b.name }
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
        public var description: String { name }

        /// The code of that name, if there is one.
        public init?(name: String) {
            guard let code = Code.byName[name] else { return nil }
            self = code
        }

        // The call itself
        /// The frame is not JSON.
        public static let parseError = Code("parse_error", -32700, "the frame is not JSON")
        /// This is not a JSON-RPC call.
        public static let invalidRequest = Code("invalid_request", -32600, "this is not a JSON-RPC call")
        /// There is no such method.
        public static let methodNotFound = Code("method_not_found", -32601, "there is no such method")
        /// A parameter is missing or wrong.
        public static let invalidParams = Code("invalid_params", -32602, "a parameter is missing or wrong")
        /// The server made a mistake.
        public static let internalError = Code("internal", -32603, "the server made a mistake")
        /// The change could not be stored; try again.
        public static let unavailable = Code("unavailable", 20503, "the change could not be stored; try again")
        /// At most one call a second.
        public static let tooFrequent = Code("too_frequent", 10001, "at most one call a second")
        /// Too many calls.
        public static let rateLimited = Code("rate_limited", 10006, "too many calls")
        /// The idempotency key was used with another body.
        public static let keyReused = Code("key_reused", 20431, "the idempotency key was used with another body")

        // Sessions
        /// Call session.open first.
        public static let notSignedIn = Code("not_signed_in", 6014, "call session.open first")
        /// There is no such application on this server.
        public static let appUnknown = Code("app_unknown", -3317, "there is no such application on this server")
        /// A user id is 1…32 of A-Z a-z 0-9 _ -.
        public static let userIDInvalid = Code("user_id_invalid", -3319, "a user id is 1…32 of A-Z a-z 0-9 _ -")
        /// No ticket was given.
        public static let ticketEmpty = Code("ticket_empty", -3320, "no ticket was given")
        /// The ticket is malformed, forged or another's.
        public static let ticketFailed = Code("ticket_failed", -100018, "the ticket is malformed, forged or another's")
        /// The ticket is out of date.
        public static let ticketExpired = Code("ticket_expired", -100018, "the ticket is out of date")
        /// The ticket is from the future.
        public static let ticketNotYetValid = Code("ticket_not_yet_valid", -100018, "the ticket is from the future")
        /// The ticket ran out during the session.
        public static let sessionExpired = Code("session_expired", 6206, "the ticket ran out during the session")
        /// The same user signed in elsewhere.
        public static let sessionReplaced = Code("session_replaced", 6208, "the same user signed in elsewhere")
        /// This name is in use: choose another.
        public static let nameTaken = Code("name_taken", 20409, "this name is in use: choose another")
        /// Too many guest sign-ins from this address.
        public static let guestsLimited = Code("guests_limited", 20451, "too many guest sign-ins from this address")

        // Rooms
        /// This is no room id.
        public static let roomIDInvalid = Code("room_id_invalid", -3318, "this is no room id")
        /// The role does not allow this.
        public static let permissionDenied = Code("permission_denied", 10007, "the role does not allow this")
        /// There is no such room.
        public static let roomNotFound = Code("room_not_found", 10010, "there is no such room")
        /// The room has ended.
        public static let roomClosed = Code("room_closed", 20410, "the room has ended")
        /// Somebody else's room has this id.
        public static let roomIDTaken = Code("room_id_taken", 10021, "somebody else's room has this id")
        /// The room is full.
        public static let roomFull = Code("room_full", 20413, "the room is full")
        /// One person has only so many rooms open.
        public static let roomsLimited = Code("rooms_limited", 20414, "you have too many open rooms: end one first")
        /// Enter the room first.
        public static let notInRoom = Code("not_in_room", 20401, "enter the room first")
        /// Leave the other room first.
        public static let inAnotherRoom = Code("in_another_room", 20402, "leave the other room first")
        /// The other person is not here.
        public static let userNotInRoom = Code("user_not_in_room", 20428, "the other person is not here")

        // Seats
        /// Somebody else sits there.
        public static let seatTaken = Code("seat_taken", 10056, "somebody else sits there")
        /// The seat is closed.
        public static let seatClosed = Code("seat_closed", 20421, "the seat is closed")
        /// There is no such seat.
        public static let seatNotFound = Code("seat_not_found", 20422, "there is no such seat")
        /// Nobody sits there.
        public static let seatEmpty = Code("seat_empty", 20423, "nobody sits there")
        /// The person sits on another seat.
        public static let alreadySeated = Code("already_seated", 20424, "the person sits on another seat")
        /// The person has no seat.
        public static let notSeated = Code("not_seated", 20425, "the person has no seat")
        /// The host muted this seat.
        public static let seatMuted = Code("seat_muted", 20426, "the host muted this seat")
        /// Ask first.
        public static let consentRequired = Code("consent_required", 20427, "ask first")

        // Messages and invitations
        /// A message may have 12 KiB.
        public static let messageTooLarge = Code("message_too_large", 80002, "a message may have 12 KiB")
        /// Unknown or already settled.
        public static let invitationNotFound = Code("invitation_not_found", 8010, "unknown or already settled")
        /// It is not yours to answer or cancel.
        public static let invitationDenied = Code("invitation_denied", 8011, "it is not yours to answer or cancel")
        /// The same request is already waiting.
        public static let invitationExists = Code("invitation_exists", 8012, "the same request is already waiting")

        // Songs
        /// Songs are sung in chorus rooms.
        public static let notAChorus = Code("not_a_chorus", 20461, "songs are sung in chorus rooms")
        /// Nothing is sung at the moment.
        public static let noSong = Code("no_song", 20462, "nothing is sung at the moment")
        /// A song's sound has up to 30 MiB, its words up to 256 KiB.
        public static let songTooLarge = Code("song_too_large", 20463, "the file is too large")
        /// This is no sound that can be sung to.
        public static let songFormat = Code("song_format", 20464, "this is no MP3, M4A, Ogg, FLAC or WAV file")
        /// Remove a song first.
        public static let songLibraryFull = Code("song_library_full", 20465, "there are too many songs: remove one")
        /// Words need times.
        public static let lyricsInvalid = Code("lyrics_invalid", 20466, "lyrics are LRC or WebVTT text with times")
        /// Uploads are off: files cannot be inspected safely.
        public static let uploadsUnavailable = Code(
            "uploads_unavailable", 20468, "this server cannot inspect files safely, so it takes none")
        /// There is no such song.
        public static let songNotFound = Code("song_not_found", 20467, "there is no such song")

        // Media
        /// The media offer was refused.
        public static let mediaRefused = Code("media_refused", 20441, "the media offer was refused")

        /// Every code, in the order of the manual.
        public static let all: [Code] = [
            parseError, invalidRequest, methodNotFound, invalidParams, internalError, unavailable, tooFrequent,
            rateLimited, keyReused, notSignedIn, appUnknown, userIDInvalid, ticketEmpty, ticketFailed, ticketExpired,
            ticketNotYetValid, sessionExpired, sessionReplaced, nameTaken, guestsLimited, roomIDInvalid,
            permissionDenied, roomNotFound, roomClosed, roomIDTaken, roomFull, roomsLimited, notInRoom, inAnotherRoom,
            userNotInRoom,
            seatTaken, seatClosed, seatNotFound, seatEmpty, alreadySeated, notSeated, seatMuted, consentRequired,
            messageTooLarge, invitationNotFound, invitationDenied, invitationExists, notAChorus,
            noSong, songTooLarge, songFormat, songLibraryFull, lyricsInvalid, uploadsUnavailable, songNotFound,
            mediaRefused,
        ]

        private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    }
}
