public import Foundation
public import RoomModel

/// A snapshot of a room as one of its members sees it. It is a value: later events do not change it.
public struct RoomState: Sendable, Hashable {
    /// How many messages are kept. Older ones are dropped.
    public static let messagesKept = 300
    /// Names and faces of people who left are kept up to so many.
    static let profilesKept = 4_096

    /// Whether the user is in the room.
    @nonexhaustive public enum Phase: Sendable, Hashable {
        /// In the room. This also holds while the connection is lost; see `OvationClient.state`.
        case present
        /// The user left.
        case left
        /// The room has ended; with its summary.
        case ended(RoomEndReason, RoomSummary)
        /// The room could not be entered again after a lost connection, or the session ended.
        case gone(OvationError)
    }

    /// The room's id.
    public internal(set) var room: RoomID
    /// Grows when the server has loaded the room again.
    public internal(set) var epoch: UInt64
    /// The number of the last durable change that this state shows.
    public internal(set) var seq: UInt64
    /// The number of the last message that this state shows, or that was missed.
    public internal(set) var chat: UInt64
    /// The room's name, cover, tags, owner and seat rule. The counts in it are those of the last update; use `memberCount` and `seats`
    /// for exact ones.
    public internal(set) var info: RoomInfo
    /// The seats, by index.
    public internal(set) var seats: [Seat]
    /// The user's own membership.
    public internal(set) var me: Member
    /// The members that this client knows, including the user, in the order in which it learned of them. In large rooms not everybody.
    public internal(set) var members: [Member]
    /// The number of members.
    public internal(set) var memberCount: Int
    /// While the owner is away: when the heir takes over.
    public internal(set) var ownerAbsentUntil: Date?
    /// While the owner is away: who takes over the room.
    public internal(set) var heir: UserID?
    /// When the seats of members who are reconnecting are freed.
    public internal(set) var presenceUntil: [UserID: Date]
    /// Waiting invitations from or to the user, oldest first.
    public internal(set) var invitations: [Invitation]
    /// The last messages, oldest first.
    public internal(set) var messages: [Message]
    /// The likes since the room was created.
    public internal(set) var likes: UInt64
    /// The song of a chorus room; `nil` without one.
    public internal(set) var play: SongPlay?
    /// What the app keeps with the room for everybody in it, by name.
    public internal(set) var attributes: [String: String]
    /// Whether the singers of a chorus room sing together, or one leads.
    public internal(set) var duet: DuetMode
    /// Who shares a screen in a live room; `nil`: nobody.
    public internal(set) var screen: UserID?
    /// How the host of a live room has arranged its stage.
    public internal(set) var stage: StageLayout
    /// A live room's links to other rooms, and the PK with them.
    public internal(set) var pk = PKState()
    /// Keeps the user from writing messages; `nil`: nothing does. Its time may be over.
    public internal(set) var chatMute: Restriction?
    /// What the room has been given, and who gave most.
    public internal(set) var giftStanding = GiftStanding()
    /// The challenge to a PK that waits; only the owner of a live room sees it.
    public internal(set) var challenge: PKChallenge?
    /// The network quality of a chorus room's singers, and whether they are too far apart; of a live room those on stage whose quality is
    /// poor or worse. Empty until the first report.
    public internal(set) var network: NetworkReport
    /// Whether the user is in the room.
    public internal(set) var phase: Phase
    /// If it differs from the last one, the way of the sound is gone and must be opened anew.
    package internal(set) var mediaEpoch: UInt64
    /// Whoever was named, also those who left.
    var profiles: [UserID: UserProfile]

    package init(_ snapshot: RoomSnapshot) {
        room = snapshot.room
        epoch = snapshot.epoch
        seq = snapshot.seq
        chat = snapshot.chat
        info = snapshot.info
        seats = snapshot.seats
        me = snapshot.me
        members = snapshot.members
        memberCount = snapshot.memberCount
        ownerAbsentUntil = snapshot.ownerAbsentUntil.map(Date.init(milliseconds:))
        heir = snapshot.heir
        presenceUntil = [:]
        invitations = snapshot.invitations.filter { $0.state == .waiting }
        messages = snapshot.messages.suffix(Self.messagesKept)
        likes = snapshot.likes
        play = snapshot.play
        attributes = snapshot.attributes ?? [:]
        duet = snapshot.duet ?? .together
        screen = snapshot.screen
        stage = snapshot.stage ?? StageLayout()
        pk = snapshot.pk ?? PKState()
        challenge = snapshot.challenge
        chatMute = snapshot.chatMute
        giftStanding = snapshot.gifts ?? GiftStanding()
        network = NetworkReport()
        phase = .present
        mediaEpoch = snapshot.mediaEpoch
        profiles = [:]
        set(snapshot.me)
        name([snapshot.info.owner] + snapshot.members.map(\.profile) + snapshot.messages.map(\.from))
    }

    /// The index of the user's seat, or `nil`.
    public var mySeat: Int? { me.seat }

    /// Whether the user is in the room.
    public var isPresent: Bool { phase == .present }

    /// Returns the member with that id, if `members` has one.
    public func member(_ id: UserID) -> Member? { members.first { $0.id == id } }

    /// Returns somebody's profile. If it is not known, the id stands in for the name.
    public func profile(of id: UserID) -> UserProfile {
        member(id)?.profile ?? profiles[id] ?? UserProfile(id: id, name: id.rawValue)
    }

    /// How far this client has seen the room.
    var resumePoint: ResumePoint { ResumePoint(epoch: epoch, seq: seq, chat: chat) }
}

// How people, seats and names are changed, for the reducer.
extension RoomState {
    mutating func name(_ users: [UserProfile]) {
        for user in users { profiles[user.id] = user.brief }
        guard profiles.count > Self.profilesKept else { return }
        let wanted = Set(members.map(\.id) + messages.map(\.from.id) + [info.owner.id])
        profiles = profiles.filter { wanted.contains($0.key) }
    }

    mutating func set(_ member: Member) {
        if let index = members.firstIndex(where: { $0.id == member.id }) {
            members[index] = member
        } else {
            members.append(member)
        }
        if member.id == me.id { me = member }
    }

    mutating func change(_ id: UserID, _ change: (inout Member) -> Void) {
        guard var member = member(id) else { return }
        change(&member)
        set(member)
    }

    mutating func set(_ seat: Seat) {
        guard seats.indices.contains(seat.index) else { return }
        seats[seat.index] = seat
    }

    mutating func changeSeats(of user: UserID, _ change: (inout Seat) -> Void) {
        for index in seats.indices where seats[index].user == user { change(&seats[index]) }
    }

    /// Whoever sat there has another seat by now, perhaps.
    mutating func unseat(_ user: UserID, from index: Int) {
        guard member(user)?.seat == index else { return }
        change(user) {
            $0.seat = nil
            $0.micMuted = true
        }
    }
}
