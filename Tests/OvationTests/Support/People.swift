public import RoomModel

@testable import Ovation

/// Names for tests: a misspelt one fails where it stands.
extension UserID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let id = UserID(text) else { preconditionFailure("\(text) is no user id") }
        self = id
    }
}

enum People {
    static let alice = UserProfile(id: "alice", name: "Alice")
    static let bob = UserProfile(id: "bob", name: "Bob")
    static let carol = UserProfile(id: "carol", name: "캐롤")

    static func member(_ profile: UserProfile, role: Role = .member, seat: Int? = nil) -> Member {
        Member(profile: profile, role: role, seat: seat, micMuted: seat == nil, presence: .online)
    }
}

extension Seat {
    static func used(_ index: Int, _ user: UserID, muted: Bool = false, by: UserID? = nil) -> Seat {
        Seat(index: index, state: .used, user: user, muted: muted, micMuted: false, presence: .online, by: by)
    }
}

extension RoomSnapshot {
    /// Alice's room of four seats, as Bob sees it, or whoever `me` is.
    static func example(
        room: RoomID = .number(48_213), epoch: UInt64 = 1, seq: UInt64 = 1, chat: UInt64 = 0, seats: [Seat]? = nil,
        me: Member = People.member(People.bob), members: [Member]? = nil, memberCount: Int? = nil,
        invitations: [Invitation] = [], messages: [Message] = [], mediaEpoch: UInt64 = 1
    ) -> RoomSnapshot {
        let members = members ?? [People.member(People.alice, role: .owner), People.member(People.bob)]
        let seats = seats ?? (0..<4).map { Seat(index: $0) }
        return RoomSnapshot(
            room: room, epoch: epoch, seq: seq, chat: chat,
            info: RoomInfo(
                room: room, kind: .voice, settings: RoomSettings(name: "Salon"), owner: People.alice,
                seats: seats.count,
                seated: seats.count { $0.user != nil }, memberCount: members.count, createdAt: 1, speaking: false),
            seats: seats, me: me, members: members, memberCount: memberCount ?? members.count, ownerAbsentUntil: nil,
            heir: nil, invitations: invitations, messages: messages, likes: 0, mediaEpoch: mediaEpoch)
    }
}

extension RoomNewsEvent {
    static func change(_ seq: UInt64, _ what: RoomChange.What) -> RoomNewsEvent {
        .change(RoomChange(seq: seq, time: Int64(clamping: seq), what: what))
    }

    static func taken(_ seq: UInt64, _ seat: Int, _ user: UserProfile) -> RoomNewsEvent {
        .change(seq, .seatTaken(SeatTaken(.used(seat, user.id), user: user, by: user.id)))
    }

    static func left(_ seq: UInt64, _ seat: Int, _ user: UserProfile, _ reason: SeatLeaveReason) -> RoomNewsEvent {
        .change(seq, .seatLeft(SeatLeft(Seat(index: seat), user: user, reason: reason, by: user.id)))
    }

    static func dropped(_ from: UInt64, _ to: UInt64) -> RoomNewsEvent {
        .passing(.dropped(MessagesDropped(from: from, to: to)))
    }

    static func said(_ chat: UInt64, _ from: UserProfile, _ text: String) -> RoomNewsEvent {
        .message(Message(chat: chat, from: from, body: .text(text), time: Int64(clamping: chat)))
    }
}
