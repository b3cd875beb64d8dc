import RoomEvents
import RoomModel
import RoomRules

/// What somebody who enters, or comes back, is told of the room: the gap if it can be told exactly, else a snapshot. Its parts have
/// budgets, so that no content can make a room that nobody can enter.
struct EntryComposer {
    static let members = 50
    // What the answer may take on the wire, part by part: together well below what a connection's outbox takes.
    static let messageBytes = 256 << 10
    static let invitationBytes = 64 << 10
    static let settledBytes = 64 << 10
    /// A longer gap is told as a snapshot.
    static let gapBytes = 512 << 10

    let room: RoomID
    let epoch: UInt64
    let mediaEpoch: UInt64
    let info: RoomInfo
    let state: DurableRoomState
    let recent: RecentNews
    let attendance: Attendance
    let ownerAbsence: OwnerAbsence?
    /// The last ones, for a snapshot.
    let messages: [Message]
    /// What keeps the reader from writing.
    let chatMute: Restriction?

    func entry(for user: UserID, since point: ResumePoint?) -> RoomEntry {
        if let point, (state.beginning.createdIn...epoch).contains(point.epoch),
            let events = recent.gap(since: point, budget: Self.gapBytes)
        {
            return .resumed(resumption(for: user, events))
        }
        return .snapshot(snapshot(for: user))
    }

    private func resumption(for user: UserID, _ events: [RoomNewsEvent]) -> RoomResumption {
        let invitations = state.invitations.page(of: user, in: state, budget: Self.invitationBytes)
        let presence = state.seats.compactMap { seat -> RoomResumption.SeatedPresence? in
            guard let seated = seat.occupant?.profile.id else { return nil }
            let presence = attendance.people[seated]?.presence ?? .reconnecting
            return RoomResumption.SeatedPresence(user: seated, presence: presence)
        }
        return RoomResumption(
            epoch: epoch, seq: state.progress.seq, chat: state.progress.chat, events: events,
            state: RoomResumption.PassingState(
                memberCount: attendance.count, presence: presence, invitations: invitations.page,
                moreInvitations: invitations.end?.cursor, settled: settled(for: user), likes: state.figures.likes,
                ownerAbsentUntil: ownerAbsence?.until, heir: ownerAbsence?.heir,
                points: state.links.pk.match.map { PKPoints(ours: $0.ours, theirs: $0.theirs) },
                challenge: challenge(for: user), chatMute: chatMute),
            mediaEpoch: mediaEpoch)
    }

    private func snapshot(for user: UserID) -> RoomSnapshot {
        let invitations = state.invitations.page(of: user, in: state, budget: Self.invitationBytes)
        let person =
            attendance.people[user]
            ?? DecisionContext.Person(profile: UserProfile(id: user), presence: .online)
        return RoomSnapshot(
            room: room, epoch: epoch, seq: state.progress.seq, chat: state.progress.chat, info: info,
            seats: state.seats.indices.map { state.seatView($0, attendance.people) }, me: state.member(person),
            members: leadingMembers, memberCount: attendance.count, ownerAbsentUntil: ownerAbsence?.until,
            heir: ownerAbsence?.heir, invitations: invitations.page, moreInvitations: invitations.end?.cursor,
            messages: messages, likes: state.figures.likes,
            play: state.chorus.play, duet: state.chorus.leader == nil ? nil : state.chorus.duet,
            screen: state.stage.screen,
            stage: state.stage.layout.isUsual ? nil : state.stage.layout,
            pk: state.links.pk.isEmpty ? nil : state.links.pk, challenge: challenge(for: user),
            chatMute: chatMute, gifts: state.figures.gifts.standing,
            attributes: state.details.attributes.isEmpty ? nil : state.details.attributes, mediaEpoch: mediaEpoch)
    }

    private func challenge(for user: UserID) -> PKChallenge? { user == state.owner.id ? state.links.challenge : nil }

    /// The last invitations that were settled, as far as they fit: who misses one finds it gone from the waiting ones all the same.
    private func settled(for user: UserID) -> [InvitationNews] {
        var left = Self.settledBytes
        let fitting = recent.settled.reversed().lazy.filter { [state] in state.concerns($0.invitation, user) }.prefix {
            left -= WireSize.object + $0.invitation.wireSize
            return left >= 0
        }
        return fitting.reversed()
    }

    /// First those whom everybody needs to know by name: owner, admins, the seated.
    private var leadingMembers: [Member] {
        let leading = [state.owner.id] + state.hosts.admins + state.seats.compactMap { $0.occupant?.profile.id }
        var seen: Set<UserID> = []
        let order = leading + attendance.page(after: 0, limit: Self.members).users
        return order.filter { attendance.people[$0] != nil && seen.insert($0).inserted }
            .prefix(max(Self.members, leading.count))
            .compactMap { attendance.people[$0].map(state.member) }
    }
}

/// The owner is away, and the room waits (V19).
struct OwnerAbsence: Equatable {
    /// Milliseconds since 1970.
    var until: Int64
    var heir: UserID?
}
