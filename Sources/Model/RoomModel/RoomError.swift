/// Why a call was refused: the stable name and number, an English sentence for a log, and what the caller can do with
/// it.
package struct RoomError: Error, Hashable, Sendable {
    /// Its name and number.
    package var code: Code
    /// An English sentence for a log; people get their sentence from the name, in their language.
    package var message: String
    /// The call may be tried again after so many milliseconds.
    package var retryAfterMs: Int?
    /// The parameter that is missing or wrong, with `invalid_params`.
    package var field: String?
    /// What exactly is wrong where the code alone does not say it (`data.reason` on the wire).
    package var reason: String?

    /// Without a message it says what the code means.
    package init(
        _ code: Code, _ message: String = "", retryAfterMs: Int? = nil, field: String? = nil, reason: String? = nil
    ) {
        self.code = code
        self.message = message.isEmpty ? code.meaning : message
        self.retryAfterMs = retryAfterMs
        self.field = field
        self.reason = reason
    }

    /// A parameter is missing or wrong.
    package static func invalid(_ field: String, _ message: String) -> RoomError {
        RoomError(.invalidParams, message, field: field)
    }

    /// A code of the wire protocol.
    package enum Code: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        // The call itself
        /// The frame is not JSON.
        case parseError = "parse_error"
        /// This is not a JSON-RPC call.
        case invalidRequest = "invalid_request"
        /// There is no such method.
        case methodNotFound = "method_not_found"
        /// A parameter is missing or wrong.
        case invalidParams = "invalid_params"
        /// The server made a mistake.
        case internalError = "internal"
        /// The change could not be stored; try again.
        case unavailable = "unavailable"
        /// At most one call a second.
        case tooFrequent = "too_frequent"
        /// Too many calls.
        case rateLimited = "rate_limited"
        /// The idempotency key was used with another body.
        case keyReused = "key_reused"

        /// A text has more than 30 marks on one letter, or more than 64 flags in a row.
        case tooManyMarks = "too_many_marks"

        // Sessions
        /// Call session.open first.
        case notSignedIn = "not_signed_in"
        /// There is no such application on this server.
        case appUnknown = "app_unknown"
        /// A user id is 1…32 of A-Z a-z 0-9 _ -.
        case userIDInvalid = "user_id_invalid"
        /// No ticket was given.
        case ticketEmpty = "ticket_empty"
        /// The ticket is malformed, forged or belongs to another user.
        case ticketFailed = "ticket_failed"
        /// The ticket has expired.
        case ticketExpired = "ticket_expired"
        /// The ticket is not valid yet.
        case ticketNotYetValid = "ticket_not_yet_valid"
        /// The ticket expired during the session.
        case sessionExpired = "session_expired"
        /// The same user signed in elsewhere.
        case sessionReplaced = "session_replaced"
        /// This name is in use: choose another.
        case nameTaken = "name_taken"
        /// Too many guest sign-ins from this address.
        case guestsLimited = "guests_limited"
        /// The operator keeps the caller out for a while.
        case bannedHere = "banned_here"
        /// The operator keeps the caller out.
        case bannedHereForGood = "banned_here_for_good"

        // Rooms
        /// This is not a room id.
        case roomIDInvalid = "room_id_invalid"
        /// The caller's role does not allow this.
        case permissionDenied = "permission_denied"
        /// There is no such room.
        case roomNotFound = "room_not_found"
        /// The privateMapKey is missing or does not open this room.
        case roomKeyFailed = "room_key_failed"
        /// The room has ended.
        case roomClosed = "room_closed"
        /// Another user's room has this id.
        case roomIDTaken = "room_id_taken"
        /// The room is full.
        case roomFull = "room_full"
        /// One person has only so many rooms open.
        case roomsLimited = "rooms_limited"
        /// Enter the room first.
        case notInRoom = "not_in_room"
        /// A room keeps up to 16 attributes, of 16,000 bytes with their names.
        case attributesFull = "attributes_full"
        /// Leave the other room first.
        case inAnotherRoom = "in_another_room"
        /// The other user is not in the room.
        case userNotInRoom = "user_not_in_room"

        // Seats
        /// Another user has this seat.
        case seatTaken = "seat_taken"
        /// The seat is closed.
        case seatClosed = "seat_closed"
        /// There is no such seat.
        case seatNotFound = "seat_not_found"
        /// The seat is empty.
        case seatEmpty = "seat_empty"
        /// The user has another seat.
        case alreadySeated = "already_seated"
        /// The user has no seat.
        case notSeated = "not_seated"
        /// The host muted this seat.
        case seatMuted = "seat_muted"
        /// This room requires a request first.
        case consentRequired = "consent_required"

        // Pictures
        /// Only live rooms have pictures.
        case notLive = "not_live"
        /// The host switched this camera off.
        case cameraBlocked = "camera_blocked"
        /// Somebody else shares a screen.
        case screenTaken = "screen_taken"
        /// The host has not sat down on the first seat.
        case hostOffStage = "host_off_stage"
        /// Others are on stage: a PK is between hosts alone.
        case peopleOnStage = "people_on_stage"
        /// A challenge waits for its answer already.
        case challengePending = "challenge_pending"
        /// The challenge has been answered, taken back, or is too old.
        case challengeGone = "challenge_gone"
        /// The other host takes no challenges for the time being.
        case challengeRefused = "challenge_refused"
        /// The other room's pictures come in another format, which nobody here could be shown.
        case otherFormat = "other_format"
        /// A PK is on.
        case inPK = "in_pk"
        /// The room is linked already, or with as many rooms as can be.
        case linksFull = "links_full"
        /// There is no such link.
        case notLinked = "not_linked"

        // Gifts
        /// There is no such gift.
        case giftUnknown = "gift_unknown"
        /// The wallet does not hold enough coins; `reason` is how many it holds.
        case balanceLow = "balance_low"

        // Messages and invitations
        /// A message may be at most 12 KiB.
        case messageTooLarge = "message_too_large"
        /// The word filter stopped the text.
        case textFiltered = "text_filtered"
        /// Who reviews messages refused this one.
        case reviewRefused = "review_refused"
        /// Somebody who runs the room muted the caller's chat.
        case chatMuted = "chat_muted"
        /// Only the owner and the admins write at present.
        case hostsOnly = "hosts_only"
        /// Messages come no faster than the room's slow mode allows.
        case slowMode = "slow_mode"
        /// The room takes no links.
        case linksRefused = "links_refused"
        /// The message is too old to be deleted, or there is none of that number.
        case messageNotFound = "message_not_found"
        /// Somebody who runs the room removed the caller for a while.
        case banned = "banned"
        /// The caller may not enter again.
        case bannedForGood = "banned_for_good"
        /// There is no such restriction.
        case notRestricted = "not_restricted"
        /// A room keeps so many restrictions.
        case restrictionsFull = "restrictions_full"
        /// Unknown or already settled.
        case invitationNotFound = "invitation_not_found"
        /// The caller may not answer or cancel this invitation.
        case invitationDenied = "invitation_denied"
        /// The other user is not signed in.
        case userAway = "user_away"
        /// The same request is already waiting.
        case invitationExists = "invitation_exists"

        // Songs
        /// Only chorus rooms have songs.
        case notAChorus = "not_a_chorus"
        /// No song is playing.
        case noSong = "no_song"
        /// A song's sound has up to 30 MiB, its words up to 256 KiB.
        case songTooLarge = "song_too_large"
        /// This is no sound that everybody can play.
        case songFormat = "song_format"
        /// The song library is full.
        case songLibraryFull = "song_library_full"
        /// Words need times.
        case lyricsInvalid = "lyrics_invalid"
        /// Uploads are off: files cannot be inspected safely.
        case uploadsUnavailable = "uploads_unavailable"
        /// There is no such song.
        case songNotFound = "song_not_found"

        // Faces
        /// A picture of somebody has up to 8 MiB and 40 megapixels.
        case faceTooLarge = "face_too_large"
        /// This is no JPEG, PNG or WebP that can be read.
        case faceFormat = "face_format"
        /// The person, or the application, has as many pictures as they may have.
        case faceLibraryFull = "face_library_full"
        /// The caller has no such picture.
        case faceNotFound = "face_not_found"

        // Media
        /// The media offer was refused.
        case mediaRefused = "media_refused"

        /// The code of that name, if there is one.
        package init?(name: String) { self.init(rawValue: name) }

        /// Stable, to switch on.
        package var name: String { rawValue }
        package var description: String { rawValue }
        /// The published number where there is one (references.md); several names may share a number.
        package var number: Int { row.number }
        /// One sentence.
        package var meaning: String { row.meaning }

        private var row: (number: Int, meaning: String) {
            switch self {
            case .parseError: (-32700, "the frame is not JSON")
            case .invalidRequest: (-32600, "this is not a JSON-RPC call")
            case .methodNotFound: (-32601, "there is no such method")
            case .invalidParams: (-32602, "a parameter is missing or wrong")
            case .internalError: (-32603, "the server made a mistake")
            case .unavailable: (20503, "the change could not be stored; try again")
            case .tooFrequent: (10001, "at most one call a second")
            case .rateLimited: (10006, "too many calls")
            case .keyReused: (20431, "the idempotency key was used with another body")
            case .tooManyMarks: (20432, "a text has more than 30 marks on one letter, or more than 64 flags in a row")
            case .notSignedIn: (6014, "call session.open first")
            case .appUnknown: (-3317, "there is no such application on this server")
            case .userIDInvalid: (-3319, "a user ID has 1 to 32 of A-Z a-z 0-9 _ -")
            case .ticketEmpty: (-3320, "no ticket was given")
            case .ticketFailed: (-100018, "the ticket is malformed, forged or belongs to another user")
            case .ticketExpired: (-100018, "the ticket has expired")
            case .ticketNotYetValid: (-100018, "the ticket is not valid yet")
            case .sessionExpired: (6206, "the ticket expired during the session")
            case .sessionReplaced: (6208, "the same user signed in elsewhere")
            case .nameTaken: (20409, "this name is in use: choose another")
            case .guestsLimited: (20451, "too many guest sign-ins from this address")
            case .bannedHere: (20452, "the operator has banned you for a time")
            case .bannedHereForGood: (20453, "the operator has banned you")
            case .roomIDInvalid: (-3318, "this is not a room id")
            case .permissionDenied: (10007, "your role does not allow this")
            case .roomNotFound: (10010, "there is no such room")
            case .roomKeyFailed: (-100006, "the privateMapKey is missing or does not open this room")
            case .roomClosed: (20410, "the room has ended")
            case .roomIDTaken: (10021, "another user's room has this id")
            case .roomFull: (20413, "the room is full")
            case .roomsLimited: (20414, "you have too many open rooms: end one first")
            case .notInRoom: (20401, "enter the room first")
            case .attributesFull: (10048, "a room keeps up to 16 attributes, of 16,000 bytes with their names")
            case .inAnotherRoom: (20402, "leave the other room first")
            case .userNotInRoom: (20428, "the other user is not in the room")
            case .seatTaken: (10056, "another user has this seat")
            case .seatClosed: (20421, "the seat is closed")
            case .seatNotFound: (20422, "there is no such seat")
            case .seatEmpty: (20423, "the seat is empty")
            case .alreadySeated: (20424, "the user has another seat")
            case .notSeated: (20425, "the user has no seat")
            case .seatMuted: (20426, "the host muted this seat")
            case .consentRequired: (20427, "this room requires a request first")
            case .notLive: (20471, "only live rooms have pictures")
            case .cameraBlocked: (20472, "the host switched this camera off")
            case .screenTaken: (20473, "somebody else shares a screen")
            case .hostOffStage: (20474, "the host has not sat down on the first seat")
            case .peopleOnStage: (20475, "others are on stage")
            case .challengePending: (20476, "a challenge waits for its answer already")
            case .challengeGone: (20477, "the challenge has been answered, taken back, or is too old")
            case .challengeRefused: (20478, "the other host takes no challenges for the time being")
            case .inPK: (20479, "a PK is on")
            case .linksFull: (20480, "the room is linked already, or with as many rooms as can be")
            case .notLinked: (20481, "there is no such link")
            case .otherFormat: (20482, "the other room's pictures come in another format")
            case .giftUnknown: (20490, "there is no such gift")
            case .balanceLow: (20491, "the wallet does not hold enough coins")
            case .textFiltered: (80001, "the word filter stopped the text")
            case .reviewRefused: (10016, "who reviews messages refused this one")
            case .chatMuted: (10017, "your chat is muted in this room")
            case .hostsOnly: (10017, "only the owner and the admins write at present")
            case .slowMode: (20511, "slow mode: wait before the next message")
            case .linksRefused: (20512, "this room takes no links")
            case .messageNotFound: (20513, "the message is too old, or there is none of that number")
            case .banned: (20514, "you are banned from this room for a time")
            case .bannedForGood: (20515, "you are banned from this room")
            case .notRestricted: (20516, "there is no such restriction")
            case .restrictionsFull: (20517, "the room has as many restrictions as it keeps")
            case .messageTooLarge: (80002, "a message may be at most 12 KiB")
            case .invitationNotFound: (8010, "unknown or already settled")
            case .invitationDenied: (8011, "you may not answer or cancel this invitation")
            case .invitationExists: (8012, "the same request is already waiting")
            case .userAway: (20518, "the other user is not signed in")
            case .notAChorus: (20461, "only chorus rooms have songs")
            case .noSong: (20462, "no song is playing")
            case .songTooLarge: (20463, "the file is too large")
            case .songFormat:
                (20464, "this is no sound that everybody can play, such as MP3, M4A with AAC, Ogg, FLAC or WAV")
            case .songLibraryFull: (20465, "the song library is full: remove a song first")
            case .lyricsInvalid: (20466, "lyrics are LRC or WebVTT text with times")
            case .uploadsUnavailable: (20468, "this server cannot inspect files safely, so it accepts none")
            case .songNotFound: (20467, "there is no such song")
            case .faceTooLarge: (20456, "a picture has at most 8 MiB and 40 megapixels")
            case .faceFormat: (20457, "this is no JPEG, PNG or WebP picture that can be read")
            case .faceLibraryFull: (20458, "there are too many pictures: remove one first")
            case .faceNotFound: (20459, "you have no such picture")
            case .mediaRefused: (20441, "the media offer was refused")
            }
        }
    }
}
