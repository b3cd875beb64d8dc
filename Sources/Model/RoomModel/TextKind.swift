/// A text that a client sends, by what it is. What holds for it stands once, in its row: who reads it, whether the word filter does, whether
/// a mute stops it, and how long it may be.
package enum TextKind: String, CaseIterable, Hashable, Sendable {
    // People and rooms
    case personName, personBio, pictureAddress
    case roomName, roomTag, roomID
    case attributeName, attributeValue
    // What people say
    case messageText, messageCommand, messageContent
    case invitationWords, invitationCommand, invitationContent, rejectionReason
    case forfeit, restrictionReason, reportWords
    /// A client's own id of a message, an invitation or a song.
    case clientID
    /// What an operator calls a gift, in one language.
    case giftName
    // Songs
    case songTitle, songArtist, songFile, lyrics
    // What no other person reads
    case search, userID, wordOfTheProtocol, idempotencyKey, secret, cursor, sessionDescription, mediaLine, picture
    case clientName

    package struct Rule: Hashable, Sendable {
        /// Who reads it beside its author.
        package enum Reader: String, Hashable, Sendable {
            /// Whoever sees the list of rooms, or the person's profile.
            case everybody
            /// Whoever is in the room.
            case room
            /// One other person.
            case person
            case `operator`
            case nobody
        }

        /// Which mutes stop it.
        package enum Mute: String, Hashable, Sendable {
            case none
            /// The operator's: the text is no room's.
            case operators
            /// The room's and the operator's.
            case all
        }

        package var reader: Reader
        /// Whether the operator's words are looked for in it.
        package var isFiltered: Bool
        package var mute: Mute
        /// In UTF-8. Whatever is longer is refused before anything else looks at it.
        package var bytes: Int
    }

    package var rule: Rule {
        switch self {
        case .personName: Rule(.everybody, filtered: true, .operators, RoomLimits.nameBytes)
        case .personBio: Rule(.everybody, filtered: true, .operators, RoomLimits.bioBytes)
        case .pictureAddress, .songFile: Rule(.everybody, filtered: false, .none, RoomLimits.urlBytes)
        case .roomName, .roomTag: Rule(.everybody, filtered: true, .all, RoomLimits.nameBytes)
        case .roomID: Rule(.everybody, filtered: true, .operators, 64)
        case .attributeName: Rule(.room, filtered: true, .all, AttributesDraft.nameBytes)
        case .attributeValue: Rule(.room, filtered: true, .all, AttributesDraft.wordsBytes)
        case .messageText, .messageContent: Rule(.room, filtered: true, .all, RoomLimits.messageBytes)
        case .messageCommand: Rule(.room, filtered: true, .all, RoomLimits.commandBytes)
        case .invitationWords: Rule(.person, filtered: true, .all, 4 * RoomLimits.invitationWordsCharacters)
        // Who is muted may still ask for a seat: an app's word is no message. See `isMeant`.
        case .invitationCommand: Rule(.person, filtered: true, .all, RoomLimits.commandBytes)
        case .invitationContent: Rule(.person, filtered: true, .all, RoomLimits.invitationContentBytes)
        case .rejectionReason: Rule(.person, filtered: true, .all, RoomLimits.rejectReasonBytes)
        case .forfeit: Rule(.room, filtered: true, .all, 4 * RoomLimits.forfeitCharacters)
        case .restrictionReason: Rule(.person, filtered: true, .all, Restriction.reasonBytes)
        case .reportWords: Rule(.operator, filtered: false, .none, Restriction.reasonBytes)
        case .clientID: Rule(.room, filtered: true, .all, RoomLimits.clientIDBytes)
        case .giftName: Rule(.everybody, filtered: false, .none, RoomLimits.nameBytes)
        case .songTitle, .songArtist: Rule(.room, filtered: true, .all, RoomLimits.songTitleBytes)
        case .lyrics: Rule(.room, filtered: true, .operators, 256 << 10)
        case .search: Rule(.nobody, filtered: false, .none, RoomLimits.nameBytes)
        case .userID, .wordOfTheProtocol, .idempotencyKey, .mediaLine: Rule(.nobody, filtered: false, .none, 64)
        case .secret: Rule(.nobody, filtered: false, .none, 4 << 10)
        case .cursor: Rule(.nobody, filtered: false, .none, 128)
        case .clientName: Rule(.operator, filtered: false, .none, 64)
        case .sessionDescription: Rule(.nobody, filtered: false, .none, 256 << 10)
        case .picture: Rule(.room, filtered: false, .none, 2 * StillPicture.byteLimit)
        }
    }
}

extension TextKind.Rule {
    fileprivate init(_ reader: Reader, filtered isFiltered: Bool, _ mute: Mute, _ bytes: Int) {
        self.init(reader: reader, isFiltered: isFiltered, mute: mute, bytes: bytes)
    }
}

/// A text in a call.
package struct SaidText: Hashable, Sendable {
    package var kind: TextKind
    package var text: String
    /// The parameter that it came in.
    package var field: String

    package init(_ kind: TextKind, _ text: String, _ field: String) {
        self.kind = kind
        self.text = text
        self.field = field
    }

    /// Whether anybody could be told something by it. An app's number (of a seat, say) is no word, and its own words and ids have no spaces.
    fileprivate var isMeant: Bool {
        switch kind {
        case .invitationContent: !text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        case .invitationCommand, .clientID: !text.utf8.allSatisfy(Self.isOfToken)
        default: !text.isEmpty
        }
    }

    package static func isOfToken(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte)
            || "._:-".utf8.contains(byte)
    }

    /// Whether the filter reads it. Ids that are drawn at random may happen to spell a word.
    fileprivate var isRead: Bool {
        kind.rule.isFiltered && !(kind == .clientID && text.utf8.allSatisfy { $0 == 0x2d || Self.isHexadecimal($0) })
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }

    private var tooLong: RoomError {
        switch kind {
        case .messageText, .messageCommand, .messageContent: RoomError(.messageTooLarge)
        default: .invalid(field, "\(field) has at most \(kind.rule.bytes) bytes")
        }
    }

    fileprivate func checkSize() throws(RoomError) {
        guard text.utf8.count <= kind.rule.bytes else { throw tooLong }
    }
}

extension Array where Element == SaidText {
    /// What costs nothing to find out: whether each is short enough to be looked at.
    package func checkSizes() throws(RoomError) { for said in self { try said.checkSize() } }

    /// Whether a mute of that reach stops any of them.
    package func areStopped(byOperatorsMute isOperators: Bool) -> Bool {
        contains { said in
            guard said.isMeant else { return false }
            return switch said.kind.rule.mute {
            case .none: false
            case .operators: isOperators
            case .all: true
            }
        }
    }

    /// G03: a text that the filter stops is not read by others, whoever wrote it.
    package func check(against filter: (any TextFilter)?) throws(RoomError) {
        guard let filter else { return }
        for said in self where said.isRead && filter.stopped(in: said.text) != nil {
            throw RoomError(.textFiltered, field: said.field)
        }
    }
}
