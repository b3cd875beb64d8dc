public import Foundation
public import RoomModel

/// A snapshot of a room as one of its members sees it. It is a value: later events do not change it.
public struct RoomState: Sendable, Hashable {
    /// How many messages are kept. Older ones are dropped.
    public static let messagesKept = 300

    /// Whether the user is in the room.
    @nonexhaustive public enum Phase: Sendable, Hashable {
        /// In the room. This also holds while the connection is lost; see `OvationClient.state`.
        case present
        /// The user left.
        case left
        /// The room has ended; with its summary.
        case ended(RoomEndReason, RoomSummary)
        /// The user was put out of the room, the room could not be entered again after a lost connection, or the session ended.
        case gone(OvationError)
    }

    /// The room's id.
    public internal(set) var room: RoomID
    /// Whether the user is in the room.
    public internal(set) var phase: Phase

    // The rest by subject, each with its own rules.
    var point: Point
    var card: RoomCard
    var people: RoomRoster
    var row: SeatRow
    var talk: RoomTalk
    var requests: WaitingInvitations
    var live: RoomStage
    var song: RoomSong

    /// How far the state goes, and over which media plane.
    struct Point: Sendable, Hashable {
        var epoch: UInt64
        var seq: UInt64
        var mediaEpoch: UInt64
    }

    package init(_ snapshot: RoomSnapshot) {
        room = snapshot.room
        phase = .present
        point = Point(epoch: snapshot.epoch, seq: snapshot.seq, mediaEpoch: snapshot.mediaEpoch)
        card = RoomCard(snapshot)
        people = RoomRoster(snapshot)
        row = SeatRow(snapshot.seats)
        talk = RoomTalk(snapshot)
        requests = WaitingInvitations(snapshot.invitations)
        live = RoomStage(snapshot)
        song = RoomSong(snapshot)
        people.name([snapshot.info.owner] + snapshot.messages.map(\.from))
        forgetNames()
    }

    /// The room's name, cover, tags, owner and seat rule. The counts in it are those of the last update; use `memberCount` and `seats`
    /// for exact ones.
    public var info: RoomInfo { card.info }
    /// What the app keeps with the room for everybody in it, by name.
    public var attributes: [String: String] { card.attributes }
    /// What the room has been given, and who gave most.
    public var giftStanding: GiftStanding { card.giftStanding }
    /// Grows when the server has loaded the room again.
    public var epoch: UInt64 { point.epoch }
    /// The number of the last durable change that this state shows.
    public var seq: UInt64 { point.seq }
    /// The number of the last message that this state shows, or that was missed.
    public var chat: UInt64 { talk.number }
    /// If it differs from the last one, the way of the sound is gone and must be opened anew.
    package var mediaEpoch: UInt64 { point.mediaEpoch }
    /// How far this client has seen the room.
    var resumePoint: ResumePoint { ResumePoint(epoch: epoch, seq: seq, chat: chat) }

    /// Whether the user is in the room.
    public var isPresent: Bool { phase == .present }

    // MARK: - People and seats

    /// The seats, by index.
    public var seats: [Seat] { row.seats }
    /// The user's own membership.
    public internal(set) var me: Member {
        get { people.me }
        set { people.me = newValue }
    }
    /// The members that this client knows, including the user, in the order in which it learned of them. In large rooms not everybody.
    public var members: [Member] { people.members }
    /// The number of members.
    public var memberCount: Int { people.count }
    /// While the owner is away: when the heir takes over.
    public var ownerAbsentUntil: Date? { people.ownerAbsentUntil }
    /// While the owner is away: who takes over the room.
    public var heir: UserID? { people.heir }
    /// When the seats of members who are reconnecting are freed.
    public var presenceUntil: [UserID: Date] { people.presenceUntil }
    /// The index of the user's seat, or `nil`.
    public var mySeat: Int? { me.seat }

    /// Returns the member with that id, if `members` has one.
    public func member(_ id: UserID) -> Member? { people.member(id) }

    /// Returns somebody's profile. If it is not known, the id stands in for the name.
    public func profile(of id: UserID) -> UserProfile { people.profile(of: id) }

    // MARK: - Talk

    /// Waiting invitations from or to the user, oldest first.
    public var invitations: [Invitation] { requests.all }
    /// The last messages, oldest first.
    public var messages: [Message] { talk.messages }
    /// The likes since the room was created.
    public var likes: UInt64 { talk.likes }
    /// Keeps the user from writing messages; `nil`: nothing does. Its time may be over.
    public var chatMute: Restriction? { talk.mute }

    // MARK: - Songs

    /// The song of a chorus room; `nil` without one.
    public var play: SongPlay? { song.play }
    /// Whether the singers of a chorus room sing together, or one leads.
    public var duet: DuetMode { song.duet }
    /// The network quality of a chorus room's singers, and whether they are too far apart; of a live room those on stage whose quality is
    /// poor or worse. Empty until the first report.
    public var network: NetworkReport { song.network }

    // MARK: - Live rooms

    /// Who shares a screen in a live room; `nil`: nobody.
    public var screen: UserID? { live.screen }
    /// How the host of a live room has arranged its stage.
    public var stage: StageLayout { live.layout }
    /// A live room's links to other rooms, and the PK with them.
    public var pk: PKState { live.pk }
    /// The challenge to a PK that waits; only the owner of a live room sees it.
    public var challenge: PKChallenge? { live.challenge }
}
