public import RoomModel

/// A room as one of its people sees it: a value that never changes behind one's back.
public struct RoomState: Sendable, Hashable {
    /// How many messages are kept; older ones fall off.
    public static let messagesKept = 300
    /// Names and faces of people who left are kept up to so many.
    static let profilesKept = 4_096

    /// Whether one is in the room.
    public enum Phase: Sendable, Hashable {
        /// In the room. While the connection is lost too: `OvationClient.state` tells of that.
        case present
        /// Left by one's own will.
        case left
        /// The room has ended, with its summary.
        case ended(RoomEndReason, RoomSummary)
        /// The room could not be entered again after a lost connection, or the session ended.
        case gone(OvationError)
    }

    /// The room's id.
    public internal(set) var room: RoomID
    /// Grows when the room was read anew from the disk.
    public internal(set) var epoch: UInt64
    /// Number of the last durable change that this state shows.
    public internal(set) var seq: UInt64
    /// Number of the last message that this state shows, or knows to be missed.
    public internal(set) var chat: UInt64
    /// Name, cover, tags, owner and rule of the room. Its counts are of the moment of the last update; `memberCount` and `seats`
    /// are exact.
    public internal(set) var info: RoomInfo
    /// By index.
    public internal(set) var seats: [Seat]
    /// Oneself.
    public internal(set) var me: Member
    /// Those known, oneself among them, in the order in which they became known; in big rooms not everyone.
    public internal(set) var members: [Member]
    /// How many people are in the room.
    public internal(set) var memberCount: Int
    /// Milliseconds since 1970; set while the owner is away.
    public internal(set) var ownerAbsentUntil: Int64?
    /// Who would inherit the room now, while the owner is away.
    public internal(set) var heir: UserID?
    /// When the seats of those who are reconnecting will be freed, in milliseconds since 1970.
    public internal(set) var presenceUntil: [UserID: Int64]
    /// Waiting ones that concern me, oldest first, those that I sent among them.
    public internal(set) var invitations: [Invitation]
    /// The last ones, oldest first.
    public internal(set) var messages: [Message]
    /// Of the room's whole life.
    public internal(set) var likes: UInt64
    /// What a chorus room sings; nil while nothing is.
    public internal(set) var play: SongPlay?
    /// Whether one leads in a chorus room, or all sing at once.
    public internal(set) var duet: DuetMode
    /// How the ways of those who sing in a chorus room do, and whether they are too far apart; empty before it was told.
    public internal(set) var network: NetworkReport
    /// Whether one is in the room.
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
        ownerAbsentUntil = snapshot.ownerAbsentUntil
        heir = snapshot.heir
        presenceUntil = [:]
        invitations = snapshot.invitations.filter { $0.state == .waiting }
        messages = snapshot.messages.suffix(Self.messagesKept)
        likes = snapshot.likes
        play = snapshot.play
        duet = snapshot.duet ?? .together
        network = NetworkReport()
        phase = .present
        mediaEpoch = snapshot.mediaEpoch
        profiles = [:]
        set(snapshot.me)
        name([snapshot.info.owner] + snapshot.members.map(\.profile) + snapshot.messages.map(\.from))
    }

    /// The index of my seat, if I have one.
    public var mySeat: Int? { me.seat }

    /// Whether one is in the room.
    public var isPresent: Bool { phase == .present }

    /// The person of that id among `members`.
    public func member(_ id: UserID) -> Member? { members.first { $0.id == id } }

    /// Name and face of somebody, as far as known; else the id stands for the name.
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
