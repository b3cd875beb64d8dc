/// What a live room has to do with other rooms: whose host is seen and heard here too, and how the PK with them stands.
public struct PKState: Codable, Hashable, Sendable {
    /// Rooms whose host is seen and heard here, and the other way round. At most three.
    public var links: [HostLink]
    /// The PK that is prepared, runs or has just ended; only with the one link that there is then.
    public var match: PKMatch?

    /// No link and no PK where nothing else is given.
    public init(links: [HostLink] = [], match: PKMatch? = nil) {
        self.links = links
        self.match = match
    }

    private enum CodingKeys: String, CodingKey { case links, match }

    // By hand, since it stands in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            links: try fields.decodeIfPresent([HostLink].self, forKey: .links) ?? [],
            match: try fields.decodeIfPresent(PKMatch.self, forKey: .match))
    }

    /// Nothing to tell.
    public var isEmpty: Bool { links.isEmpty && match == nil }
}

/// Two rooms that see and hear each other's host.
public struct HostLink: Codable, Hashable, Sendable {
    /// The same in both rooms.
    public var id: String
    /// Where the other host is seen and heard, from 0: a place beside the seats that stays theirs as long as the link lasts.
    public var place: Int
    /// The other room.
    public var room: RoomID
    /// The other room's host.
    public var host: UserProfile
    /// Whether this room asked for it.
    public var isOurs: Bool
    /// Whether this room's host has muted the other one, for everybody here.
    public var muted: Bool
    /// It is being ended: nothing is seen or heard by it any more.
    public var isEnding: Bool
    /// Milliseconds since 1970.
    package var since: Int64

    /// A link that has just begun, where nothing else is given.
    package init(
        id: String, place: Int, room: RoomID, host: UserProfile, isOurs: Bool, muted: Bool = false,
        isEnding: Bool = false, since: Int64
    ) {
        self.id = id
        self.place = place
        self.room = room
        self.host = host
        self.isOurs = isOurs
        self.muted = muted
        self.isEnding = isEnding
        self.since = since
    }

    private enum CodingKeys: String, CodingKey { case id, place, room, host, isOurs, muted, isEnding, since }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try fields.decode(String.self, forKey: .id), place: try fields.decode(Int.self, forKey: .place),
            room: try fields.decode(RoomID.self, forKey: .room),
            host: try fields.decode(UserProfile.self, forKey: .host),
            isOurs: try fields.decodeIfPresent(Bool.self, forKey: .isOurs) ?? false,
            muted: try fields.decodeIfPresent(Bool.self, forKey: .muted) ?? false,
            isEnding: try fields.decodeIfPresent(Bool.self, forKey: .isEnding) ?? false,
            since: try fields.decode(Int64.self, forKey: .since))
    }
}

/// What two hosts agree on before a PK.
public struct PKTerms: Codable, Hashable, Sendable {
    /// How long points count, 60…600.
    package var seconds: Int
    /// How long the loser's forfeit takes, 0…180; 0: there is none.
    package var forfeitSeconds: Int
    /// What the forfeit is: up to 60 characters.
    public var forfeit: String

    /// Without a forfeit where nothing else is given.
    package init(seconds: Int, forfeitSeconds: Int = 0, forfeit: String = "") {
        self.seconds = seconds
        self.forfeitSeconds = forfeitSeconds
        self.forfeit = forfeit
    }

    private enum CodingKeys: String, CodingKey { case seconds, forfeitSeconds, forfeit }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            seconds: try fields.decode(Int.self, forKey: .seconds),
            forfeitSeconds: try fields.decodeIfPresent(Int.self, forKey: .forfeitSeconds) ?? 0,
            forfeit: try fields.decodeIfPresent(String.self, forKey: .forfeit) ?? "")
    }
}

/// Two linked rooms' contest for points, as one of them sees it.
public struct PKMatch: Codable, Hashable, Sendable {
    /// How far it is.
    @nonexhaustive public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
        /// Both hosts say when they see each other; it begins then.
        case linking
        /// From `startAt` to `endAt` points count. Before `startAt` everybody counts down.
        case running
        /// The time is over; the room that asked for the PK counts.
        case counting
        /// `result` is there; until `until` it is shown and the loser does the forfeit.
        case over
    }

    /// Of its link.
    public var link: String
    /// What was agreed on.
    public var terms: PKTerms
    /// How far it is.
    public var phase: Phase
    /// This room's points.
    public var ours: UInt64
    /// The other room's.
    public var theirs: UInt64
    /// Milliseconds since 1970; from `running` on.
    package var startAt: Int64?
    /// Milliseconds since 1970; from `running` on.
    package var endAt: Int64?
    /// When the phase ends by itself, in milliseconds since 1970: `linking`, `counting` and `over`.
    package var until: Int64?
    /// This room's host has said that they see the other one.
    public var isReady: Bool
    /// The other room's host has.
    public var isOtherReady: Bool
    /// The other room has told its last points.
    public var hasFinal: Bool
    /// How it ended.
    public var result: PKResult?

    /// One that is being prepared.
    package init(link: String, terms: PKTerms, until: Int64) {
        self.link = link
        self.terms = terms
        phase = .linking
        ours = 0
        theirs = 0
        self.until = until
        isReady = false
        isOtherReady = false
        hasFinal = false
    }

    private enum CodingKeys: String, CodingKey {
        case link, terms, phase, ours, theirs, startAt, endAt, until, isReady, isOtherReady, hasFinal, result
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        link = try fields.decode(String.self, forKey: .link)
        terms = try fields.decode(PKTerms.self, forKey: .terms)
        phase = try fields.decode(Phase.self, forKey: .phase)
        ours = try fields.decodeIfPresent(UInt64.self, forKey: .ours) ?? 0
        theirs = try fields.decodeIfPresent(UInt64.self, forKey: .theirs) ?? 0
        startAt = try fields.decodeIfPresent(Int64.self, forKey: .startAt)
        endAt = try fields.decodeIfPresent(Int64.self, forKey: .endAt)
        until = try fields.decodeIfPresent(Int64.self, forKey: .until)
        isReady = try fields.decodeIfPresent(Bool.self, forKey: .isReady) ?? false
        isOtherReady = try fields.decodeIfPresent(Bool.self, forKey: .isOtherReady) ?? false
        hasFinal = try fields.decodeIfPresent(Bool.self, forKey: .hasFinal) ?? false
        result = try fields.decodeIfPresent(PKResult.self, forKey: .result)
    }

    /// Nobody may be asked for another one, or come on stage.
    public var isOn: Bool { phase != .over }
}

/// How a PK ended. The room that asked for it decides, the other one says the same.
public struct PKResult: Codable, Hashable, Sendable {
    /// For the room that says it.
    @nonexhaustive public enum Outcome: Codable, Hashable, Sendable, CaseIterable, RawRepresentable {
        /// This room has more points, or the other one broke off.
        case won
        /// The other way round.
        case lost
        /// Both have as many points.
        case draw
        /// Something that this version does not know, with its wire name.
        case unknown(String)

        /// The outcomes that this version knows.
        public static let allCases: [Outcome] = [.won, .lost, .draw]

        /// The wire name.
        public var rawValue: String {
            switch self {
            case .won: "won"
            case .lost: "lost"
            case .draw: "draw"
            case .unknown(let name): name
            }
        }
    }

    /// Why it ended.
    @nonexhaustive public enum Cause: String, Codable, Hashable, Sendable, CaseIterable {
        /// The time was over.
        case time
        /// One of the hosts broke it off, and lost by that.
        case quit
        /// One of the hosts was gone, or the other room was: the points stand.
        case gone
    }

    /// For this room.
    public var outcome: Outcome
    /// Why it ended.
    public var cause: Cause

    /// That outcome, for that cause.
    public init(_ outcome: Outcome, _ cause: Cause) {
        self.outcome = outcome
        self.cause = cause
    }

    /// As the other room says it.
    package var reversed: PKResult {
        switch outcome {
        case .won: PKResult(.lost, cause)
        case .lost: PKResult(.won, cause)
        case .draw, .unknown: self
        }
    }
}

/// Why something changed between rooms.
@nonexhaustive public enum PKCause: String, Codable, Hashable, Sendable, CaseIterable {
    /// The challenge was accepted.
    case accepted
    /// One of the hosts sees the other one.
    case ready
    /// Both do: points count soon.
    case began
    /// The time is over.
    case counting
    /// The result is there.
    case over
    /// The result has been shown long enough.
    case cleared
    /// A host mutes the other one, or does so no more.
    case muted
    /// A host has ended the link.
    case quit
    /// A host, or a room, is gone.
    case gone
    /// The hosts did not see each other in time.
    case unseen
}

/// One host's asking another room's host for a link, or for a PK.
public struct PKChallenge: Codable, Hashable, Sendable {
    /// The same in both rooms.
    public var id: String
    /// Whether this room's host asks.
    public var isOurs: Bool
    /// The other room.
    public var room: RoomID
    /// The other room's host.
    public var host: UserProfile
    /// Absent: a link without a PK.
    public var terms: PKTerms?
    /// Milliseconds since 1970.
    package var expiresAt: Int64

    /// Creates the value from its parts.
    package init(
        id: String, isOurs: Bool, room: RoomID, host: UserProfile, terms: PKTerms?, expiresAt: Int64
    ) {
        self.id = id
        self.isOurs = isOurs
        self.room = room
        self.host = host
        self.terms = terms
        self.expiresAt = expiresAt
    }
}

/// What became of a challenge.
@nonexhaustive public enum ChallengeState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It waits for its answer.
    case waiting
    /// Both rooms are linked.
    case accepted
    /// By its host, or, with a time, because that host wants none until then.
    case declined
    /// Who asked has taken it back.
    case cancelled
    /// Nobody answered.
    case unanswered
    /// The other room could not: it is in a PK, has people on stage, or asks somebody else.
    case busy
    /// Each asked the other: the other one's challenge stands.
    case crossed
    /// The other room is not there any more.
    case gone
}

/// Something happened to a challenge: for this room's host alone.
public struct ChallengeNews: Codable, Hashable, Sendable {
    /// As it stood.
    public var challenge: PKChallenge
    /// What became of it.
    public var state: ChallengeState
    /// With `declined`: until when the other host wants no challenge, in milliseconds since 1970.
    package var until: Int64?

    /// That became of it.
    package init(_ challenge: PKChallenge, _ state: ChallengeState, until: Int64? = nil) {
        self.challenge = challenge
        self.state = state
        self.until = until
    }
}

/// How the points stand.
public struct PKPoints: Codable, Hashable, Sendable {
    /// This room's.
    public var ours: UInt64
    /// The other room's.
    public var theirs: UInt64

    /// So many and so many.
    public init(ours: UInt64, theirs: UInt64) {
        self.ours = ours
        self.theirs = theirs
    }
}

/// Whether a live room's host can be challenged now, and why not.
@nonexhaustive public enum PKReadiness: String, Codable, Hashable, Sendable, CaseIterable {
    /// Yes.
    case free
    /// The host has not sat down.
    case away
    /// Others are on stage.
    case peopleOnStage = "people_on_stage"
    /// There is a challenge to another room, or from one.
    case challenged
    /// There is a link to another room.
    case linked
    /// A PK is on.
    case inPK = "in_pk"
    /// The host takes no challenges for the time being.
    case paused
}

/// For how long a host who declines wants to be left alone.
package enum PKPause: String, Codable, Hashable, Sendable, CaseIterable {
    /// By that host, for three minutes.
    case host
    /// By everybody, for twelve hours.
    case all
}

// MARK: - Events

/// In a live room, the links to other rooms or the PK with them have changed.
public struct PKChanged: StoredPayload, Codable, Hashable, Sendable {
    /// All links, and the PK.
    public var pk: PKState
    /// What has happened.
    public var cause: PKCause
    /// Who did it, if it was somebody in this room.
    public var by: UserID?

    /// So much has changed, by that.
    public init(_ pk: PKState, _ cause: PKCause, by: UserID? = nil) {
        self.pk = pk
        self.cause = cause
        self.by = by
    }

    package var type: EventType { .pkChanged }
    package var wireSize: Int { 2 * WireSize.object + pk.wireSize }
}

extension PKPoints: EventPayload {
    package var type: EventType { .pkPoints }
}

extension ChallengeNews: EventPayload {
    package var type: EventType { .pkChallenge }
    package var wireSize: Int { WireSize.object + challenge.wireSize }
}
