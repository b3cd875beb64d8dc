package import RoomModel

/// What a room says to another one. Letters of one session arrive in their order, and each one is heard once, whatever fails on
/// the way: it waits in the sender's state until the other room says that it has stored it.
package struct RoomLetter: Codable, Hashable, Sendable {
    /// The challenge that it belongs to, and the link that comes of it.
    package var session: String
    /// Dense within the session, for each direction, from 1.
    package var step: UInt64
    package var to: RoomID
    package var content: Content

    package enum Content: Hashable, Sendable {
        /// Asks for a link, or for a PK. The host is the sender's.
        case challenge(host: UserProfile, terms: PKTerms?, expiresAt: Int64)
        /// Takes it back.
        case withdrawn(ChallengeState)
        /// Accepted: on that link, a new one or the one that the rooms have had already.
        case answered(ChallengeState, host: UserProfile?, until: Int64?, link: String?)
        case ready
        case began(startAt: Int64, endAt: Int64)
        /// The time is over, and that is what the sender's people have made of it.
        case final(points: UInt64)
        /// As the room that gets it says it, with the points of the sender and its own.
        case result(PKResult, theirs: UInt64, ours: UInt64)
        /// The sender's end of the link is closed.
        case left(PKCause, points: UInt64)
    }

    package init(session: String, step: UInt64, to: RoomID, content: Content) {
        self.session = session
        self.step = step
        self.to = to
        self.content = content
    }
}

// As it stands in the journal: `{"type":"began", …}`. A word that this program does not know is from a newer server, and an error.
extension RoomLetter.Content: Codable {
    private enum Kind: String, Codable { case challenge, withdrawn, answered, ready, began, final, result, left }
    private enum CodingKeys: String, CodingKey {
        case type, host, terms, expiresAt, state, until, link, startAt, endAt, points, result, theirs, ours, cause
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        switch try fields.decode(Kind.self, forKey: .type) {
        case .challenge:
            self = .challenge(
                host: try fields.decode(UserProfile.self, forKey: .host),
                terms: try fields.decodeIfPresent(PKTerms.self, forKey: .terms),
                expiresAt: try fields.decode(Int64.self, forKey: .expiresAt))
        case .withdrawn: self = .withdrawn(try fields.decode(ChallengeState.self, forKey: .state))
        case .answered:
            self = .answered(
                try fields.decode(ChallengeState.self, forKey: .state),
                host: try fields.decodeIfPresent(UserProfile.self, forKey: .host),
                until: try fields.decodeIfPresent(Int64.self, forKey: .until),
                link: try fields.decodeIfPresent(String.self, forKey: .link))
        case .ready: self = .ready
        case .began:
            self = .began(
                startAt: try fields.decode(Int64.self, forKey: .startAt),
                endAt: try fields.decode(Int64.self, forKey: .endAt))
        case .final: self = .final(points: try fields.decode(UInt64.self, forKey: .points))
        case .result:
            self = .result(
                try fields.decode(PKResult.self, forKey: .result),
                theirs: try fields.decode(UInt64.self, forKey: .theirs),
                ours: try fields.decode(UInt64.self, forKey: .ours))
        case .left:
            self = .left(
                try fields.decode(PKCause.self, forKey: .cause), points: try fields.decode(UInt64.self, forKey: .points)
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        func type(_ kind: Kind) throws { try fields.encode(kind, forKey: .type) }
        switch self {
        case .challenge(let host, let terms, let expiresAt):
            try type(.challenge)
            try fields.encode(host, forKey: .host)
            try fields.encodeIfPresent(terms, forKey: .terms)
            try fields.encode(expiresAt, forKey: .expiresAt)
        case .withdrawn(let state):
            try type(.withdrawn)
            try fields.encode(state, forKey: .state)
        case .answered(let state, let host, let until, let link):
            try type(.answered)
            try fields.encode(state, forKey: .state)
            try fields.encodeIfPresent(host, forKey: .host)
            try fields.encodeIfPresent(until, forKey: .until)
            try fields.encodeIfPresent(link, forKey: .link)
        case .ready: try type(.ready)
        case .began(let startAt, let endAt):
            try type(.began)
            try fields.encode(startAt, forKey: .startAt)
            try fields.encode(endAt, forKey: .endAt)
        case .final(let points):
            try type(.final)
            try fields.encode(points, forKey: .points)
        case .result(let result, let theirs, let ours):
            try type(.result)
            try fields.encode(result, forKey: .result)
            try fields.encode(theirs, forKey: .theirs)
            try fields.encode(ours, forKey: .ours)
        case .left(let cause, let points):
            try type(.left)
            try fields.encode(cause, forKey: .cause)
            try fields.encode(points, forKey: .points)
        }
    }
}
