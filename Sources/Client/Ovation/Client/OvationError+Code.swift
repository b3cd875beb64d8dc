package import RoomModel

extension OvationError {
    /// Why something did not work, in a word that stays the same. Newer servers may have more of them than this version names.
    ///
    /// ```swift
    /// do { try await room.takeSeat(3) } catch let error where error.code == .seatTaken { … }
    /// ```
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The word, as it stands on the wire (Documentation/build/protocol.md §3).
        public let rawValue: String

        /// A code by its word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A refusal of the server.
        package init(_ refusal: RoomError.Code) { rawValue = refusal.name }

        public var description: String { rawValue }

        // MARK: - On this side

        /// There was no connection within the call's timeout.
        public static let offline = Code(rawValue: "offline")
        /// The connection broke before the answer.
        public static let connectionLost = Code(rawValue: "connection_lost")
        /// No answer in time.
        public static let timeout = Code(rawValue: "timeout")
        /// The calling task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")
        /// Nobody is signed in.
        public static let signedOut = Code(rawValue: "signed_out")
        /// No server answers at that address.
        public static let serverUnreachable = Code(rawValue: "server_unreachable")
        /// This server gives out no tickets of its own.
        public static let signInUnavailable = Code(rawValue: "sign_in_unavailable")
        /// Too many calls wait for answers.
        public static let tooManyCalls = Code(rawValue: "too_many_calls")
        /// Events were not read fast enough.
        public static let tooSlow = Code(rawValue: "too_slow")
        /// This is no address of a server.
        public static let invalidAddress = Code(rawValue: "invalid_address")
        /// What answered is no Ovation server.
        public static let invalidAnswer = Code(rawValue: "invalid_answer")
        /// A file of this machine cannot be read.
        public static let fileUnreadable = Code(rawValue: "file_unreadable")
        /// The room is of a kind that this version does not know.
        public static let roomKindUnknown = Code(rawValue: "room_kind_unknown")
        /// This device cannot do that.
        public static let notSupported = Code(rawValue: "not_supported")
        /// The path for sound could not be opened.
        public static let mediaFailed = Code(rawValue: "media_failed")

        // MARK: - The call itself

        /// The frame is not JSON.
        public static let parseError = Code(.parseError)
        /// This is not a JSON-RPC call.
        public static let invalidRequest = Code(.invalidRequest)
        /// There is no such method.
        public static let methodNotFound = Code(.methodNotFound)
        /// A parameter is missing or wrong.
        public static let invalidParams = Code(.invalidParams)
        /// The server made a mistake.
        public static let internalError = Code(.internalError)
        /// The change could not be stored; try again.
        public static let unavailable = Code(.unavailable)
        /// At most one call a second.
        public static let tooFrequent = Code(.tooFrequent)
        /// Too many calls.
        public static let rateLimited = Code(.rateLimited)
        /// The idempotency key was used with another body.
        public static let keyReused = Code(.keyReused)
        /// A text has more than 30 marks on one letter, or more than 64 flags in a row.
        public static let tooManyMarks = Code(.tooManyMarks)

        // MARK: - Sessions

        /// Call session.open first.
        public static let notSignedIn = Code(.notSignedIn)
        /// There is no such application on this server.
        public static let appUnknown = Code(.appUnknown)
        /// A user id is 1…32 of A-Z a-z 0-9 _ -.
        public static let userIDInvalid = Code(.userIDInvalid)
        /// No ticket was given.
        public static let ticketEmpty = Code(.ticketEmpty)
        /// The ticket is malformed, forged or belongs to another user.
        public static let ticketFailed = Code(.ticketFailed)
        /// The ticket has expired.
        public static let ticketExpired = Code(.ticketExpired)
        /// The ticket is not valid yet.
        public static let ticketNotYetValid = Code(.ticketNotYetValid)
        /// The ticket expired during the session.
        public static let sessionExpired = Code(.sessionExpired)
        /// The same user signed in elsewhere.
        public static let sessionReplaced = Code(.sessionReplaced)
        /// This name is in use: choose another.
        public static let nameTaken = Code(.nameTaken)
        /// Too many guest sign-ins from this address.
        public static let guestsLimited = Code(.guestsLimited)
        /// The operator keeps the caller out for a while.
        public static let bannedHere = Code(.bannedHere)
        /// The operator keeps the caller out.
        public static let bannedHereForGood = Code(.bannedHereForGood)

        // MARK: - Rooms

        /// This is not a room id.
        public static let roomIDInvalid = Code(.roomIDInvalid)
        /// The caller's role does not allow this.
        public static let permissionDenied = Code(.permissionDenied)
        /// There is no such room.
        public static let roomNotFound = Code(.roomNotFound)
        /// The privateMapKey is missing or does not open this room.
        public static let roomKeyFailed = Code(.roomKeyFailed)
        /// The room has ended.
        public static let roomClosed = Code(.roomClosed)
        /// Another user's room has this id.
        public static let roomIDTaken = Code(.roomIDTaken)
        /// The room is full.
        public static let roomFull = Code(.roomFull)
        /// One person has only so many rooms open.
        public static let roomsLimited = Code(.roomsLimited)
        /// Enter the room first.
        public static let notInRoom = Code(.notInRoom)
        /// A room keeps up to 16 attributes, of 16,000 bytes with their names.
        public static let attributesFull = Code(.attributesFull)
        /// Leave the other room first.
        public static let inAnotherRoom = Code(.inAnotherRoom)
        /// The other user is not in the room.
        public static let userNotInRoom = Code(.userNotInRoom)

        // MARK: - Seats

        /// Another user has this seat.
        public static let seatTaken = Code(.seatTaken)
        /// The seat is closed.
        public static let seatClosed = Code(.seatClosed)
        /// There is no such seat.
        public static let seatNotFound = Code(.seatNotFound)
        /// The seat is empty.
        public static let seatEmpty = Code(.seatEmpty)
        /// The user has another seat.
        public static let alreadySeated = Code(.alreadySeated)
        /// The user has no seat.
        public static let notSeated = Code(.notSeated)
        /// The host muted this seat.
        public static let seatMuted = Code(.seatMuted)
        /// This room requires a request first.
        public static let consentRequired = Code(.consentRequired)

        // MARK: - Pictures

        /// Only live rooms have pictures.
        public static let notLive = Code(.notLive)
        /// The host switched this camera off.
        public static let cameraBlocked = Code(.cameraBlocked)
        /// Somebody else shares a screen.
        public static let screenTaken = Code(.screenTaken)
        /// The host has not sat down on the first seat.
        public static let hostOffStage = Code(.hostOffStage)
        /// Others are on stage: a PK is between hosts alone.
        public static let peopleOnStage = Code(.peopleOnStage)
        /// A challenge waits for its answer already.
        public static let challengePending = Code(.challengePending)
        /// The challenge has been answered, taken back, or is too old.
        public static let challengeGone = Code(.challengeGone)
        /// The other host takes no challenges for the time being.
        public static let challengeRefused = Code(.challengeRefused)
        /// The other room's pictures come in another format, which nobody here could be shown.
        public static let otherFormat = Code(.otherFormat)
        /// A PK is on.
        public static let inPK = Code(.inPK)
        /// The room is linked already, or with as many rooms as can be.
        public static let linksFull = Code(.linksFull)
        /// There is no such link.
        public static let notLinked = Code(.notLinked)

        // MARK: - Gifts

        /// There is no such gift.
        public static let giftUnknown = Code(.giftUnknown)
        /// The wallet does not hold enough coins; `reason` is how many it holds.
        public static let balanceLow = Code(.balanceLow)

        // MARK: - Messages and invitations

        /// A message may be at most 12 KiB.
        public static let messageTooLarge = Code(.messageTooLarge)
        /// The word filter stopped the text.
        public static let textFiltered = Code(.textFiltered)
        /// Who reviews messages refused this one.
        public static let reviewRefused = Code(.reviewRefused)
        /// Somebody who runs the room muted the caller's chat.
        public static let chatMuted = Code(.chatMuted)
        /// Only the owner and the admins write at present.
        public static let hostsOnly = Code(.hostsOnly)
        /// Messages come no faster than the room's slow mode allows.
        public static let slowMode = Code(.slowMode)
        /// The room takes no links.
        public static let linksRefused = Code(.linksRefused)
        /// The message is too old to be deleted, or there is none of that number.
        public static let messageNotFound = Code(.messageNotFound)
        /// Somebody who runs the room removed the caller for a while.
        public static let banned = Code(.banned)
        /// The caller may not enter again.
        public static let bannedForGood = Code(.bannedForGood)
        /// There is no such restriction.
        public static let notRestricted = Code(.notRestricted)
        /// A room keeps so many restrictions.
        public static let restrictionsFull = Code(.restrictionsFull)
        /// Unknown or already settled.
        public static let invitationNotFound = Code(.invitationNotFound)
        /// The caller may not answer or cancel this invitation.
        public static let invitationDenied = Code(.invitationDenied)
        /// The other user is not signed in.
        public static let userAway = Code(.userAway)
        /// The same request is already waiting.
        public static let invitationExists = Code(.invitationExists)

        // MARK: - Songs

        /// Only chorus rooms have songs.
        public static let notAChorus = Code(.notAChorus)
        /// No song is playing.
        public static let noSong = Code(.noSong)
        /// A song's sound has up to 30 MiB, its words up to 256 KiB.
        public static let songTooLarge = Code(.songTooLarge)
        /// This is not a supported audio file.
        public static let songFormat = Code(.songFormat)
        /// The song library is full.
        public static let songLibraryFull = Code(.songLibraryFull)
        /// Words need times.
        public static let lyricsInvalid = Code(.lyricsInvalid)
        /// Uploads are off: files cannot be inspected safely.
        public static let uploadsUnavailable = Code(.uploadsUnavailable)
        /// There is no such song.
        public static let songNotFound = Code(.songNotFound)

        // MARK: - Faces

        /// A picture of a user has up to 8 MiB and 40 megapixels.
        public static let faceTooLarge = Code(.faceTooLarge)
        /// This is no JPEG, PNG or WebP that can be read.
        public static let faceFormat = Code(.faceFormat)
        /// The user, or the application, has as many pictures as they may have.
        public static let faceLibraryFull = Code(.faceLibraryFull)
        /// The user has no such picture.
        public static let faceNotFound = Code(.faceNotFound)

        // MARK: - Media

        /// The media offer was refused.
        public static let mediaRefused = Code(.mediaRefused)
    }
}

extension OvationError.Code {
    /// The number and the sentence of a failure of this side; nil for a refusal of the server.
    var ofThisSide: (number: Int32, meaning: String)? {
        switch self {
        case .offline: (-1, "there is no connection")
        case .connectionLost: (-2, "the connection broke before the answer")
        case .timeout: (-3, "there was no answer in time")
        case .cancelled: (-4, "the calling task was cancelled")
        case .signedOut: (-5, "nobody is signed in")
        case .serverUnreachable: (-6, "no server answers at this address")
        case .signInUnavailable: (-7, "this server gives out no tickets")
        case .tooManyCalls: (-8, "too many calls wait for answers")
        case .tooSlow: (-9, "events were not read fast enough")
        case .invalidAddress: (-11, "this is no address of a server")
        case .invalidAnswer: (-12, "the answer is not from an Ovation server")
        case .fileUnreadable: (-13, "the file cannot be read")
        case .roomKindUnknown: (-14, "the room needs a newer version of this app")
        case .notSupported: (-15, "this device cannot do that")
        case .mediaFailed: (-30, "the path for sound could not be opened")
        default: nil
        }
    }

    /// What it means, where this version knows it.
    fileprivate var known: (number: Int32, meaning: String)? {
        ofThisSide ?? RoomError.Code(name: rawValue).map { (Int32(clamping: $0.number), $0.meaning) }
    }
}

extension OvationError {
    /// A failure, as this SDK or a server tells it.
    /// - Parameter message: absent: what the code means.
    public init(_ code: Code, _ message: String? = nil, retryAfter: Duration? = nil) {
        self.init(code, message, reason: nil, retryAfter: retryAfter)
    }

    init(_ code: Code, _ message: String?, reason: String?, retryAfter: Duration?) {
        let known = code.known
        self.init(
            code: code, number: known?.number ?? 0, message: message ?? known?.meaning ?? code.rawValue,
            reason: reason, retryAfter: retryAfter)
    }
}
