internal import Foundation
internal import RoomModel

/// Who is in a room, as far as one of its members knows: the people, their names, and who is waited for.
struct RoomRoster: Sendable, Hashable {
    /// Names and faces of people who left are kept up to so many.
    static let profilesKept = 4_096

    var me: Member
    private(set) var members: [Member]
    var count: Int
    var ownerAbsentUntil: Date?
    var heir: UserID?
    var presenceUntil: [UserID: Date] = [:]
    /// Whoever was named, also those who left.
    private(set) var profiles: [UserID: UserProfile] = [:]

    init(_ snapshot: RoomSnapshot) {
        me = snapshot.me
        members = snapshot.members
        count = snapshot.memberCount
        ownerAbsentUntil = snapshot.ownerAbsentUntil.map(Date.init(milliseconds:))
        heir = snapshot.heir
        set(snapshot.me)
        name(snapshot.members.map(\.profile))
    }

    func member(_ id: UserID) -> Member? { members.first { $0.id == id } }

    /// If it is not known, the id stands in for the name.
    func profile(of id: UserID) -> UserProfile {
        member(id)?.profile ?? profiles[id] ?? UserProfile(id: id, name: id.rawValue)
    }

    // MARK: - Names

    mutating func name(_ users: [UserProfile]) {
        for user in users { profiles[user.id] = user.brief }
    }

    /// What was known before and is not known better now.
    mutating func name(as before: RoomRoster) { profiles.merge(before.profiles) { new, _ in new } }

    /// Of too many names those of the members and of these people are kept.
    mutating func forgetNames(but wanted: () -> [UserID]) {
        guard profiles.count > Self.profilesKept else { return }
        let wanted = Set(members.map(\.id) + wanted())
        profiles = profiles.filter { wanted.contains($0.key) }
    }

    // MARK: - Members

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

    mutating func sit(_ user: UserProfile, on seat: Seat, isOwner: Bool) {
        let known = member(user.id)
        set(
            Member(
                profile: user, role: known?.role ?? (isOwner ? .owner : .member), seat: seat.index,
                micMuted: seat.micMuted ?? known?.micMuted ?? false,
                presence: seat.presence ?? known?.presence ?? .online))
    }

    /// Whoever sat there has another seat by now, perhaps.
    mutating func unseat(_ user: UserID, from index: Int) {
        guard member(user)?.seat == index else { return }
        change(user) {
            $0.seat = nil
            $0.micMuted = true
        }
    }

    mutating func inherit(_ heir: UserID, from former: UserID) {
        // That who loses the room stays its admin is told by an event of its own.
        change(former) { $0.role = .member }
        change(heir) { $0.role = .owner }
        ownerAbsentUntil = nil
        self.heir = nil
    }

    // MARK: - Coming and going

    mutating func enter(_ member: Member) -> [RoomSession.Event] {
        let isNew = self.member(member.id) == nil
        set(member)
        guard isNew else { return [] }
        count &+= 1
        return [.memberEntered(member)]
    }

    mutating func leave(_ user: UserID, _ reason: AudienceLeaveReason) -> [RoomSession.Event] {
        guard user != me.id else { return [] }
        let profile = profile(of: user)
        members.removeAll { $0.id == user }
        count = max(1, count &- 1)
        return [.memberLeft(profile, reason: reason)]
    }

    /// Takes up a fresh page of the people.
    /// - Parameter isWhole: nobody but these is here.
    mutating func take(_ page: MembersPage, isWhole: Bool) -> [RoomSession.Event] {
        let old = self
        if isWhole { members = [] }
        for member in page.members { set(member) }
        if member(me.id) == nil { set(me) }
        name(page.members.map(\.profile))
        count = page.count
        return whoCameAndWent(since: old, isWhole: isWhole)
    }

    // MARK: - The owner's absence

    mutating func miss(until: Int64, heir: UserID?) -> [RoomSession.Event] {
        let until = Date(milliseconds: until)
        ownerAbsentUntil = until
        self.heir = heir
        return [.ownerAbsent(until: until, heir: heir)]
    }

    mutating func ownerIsBack() -> [RoomSession.Event] {
        ownerAbsentUntil = nil
        heir = nil
        return [.ownerReturned]
    }

    /// What is told of it where nothing but the absence itself is known.
    mutating func absence(until: Int64?, heir: UserID?) -> [RoomSession.Event] {
        guard ownerAbsentUntil != until.map(Date.init(milliseconds:)) || self.heir != heir else { return [] }
        return until.map { miss(until: $0, heir: heir) } ?? ownerIsBack()
    }

    // MARK: - What differs

    func changedRoles(since old: RoomRoster) -> [RoomSession.Event] {
        members.filter { $0.role != .owner }.compactMap { member in
            guard let before = old.member(member.id), before.role != member.role, before.role != .owner else {
                return nil
            }
            return .roleChanged(RoleChanged(member.id, member.role))
        }
    }

    /// - Parameter isWhole: these are all people of the room.
    func whoCameAndWent(since old: RoomRoster, isWhole: Bool) -> [RoomSession.Event] {
        guard isWhole else { return [] }
        let before = Set(old.members.map(\.id))
        let now = Set(members.map(\.id))
        return old.members.filter { !now.contains($0.id) }.map { .memberLeft(profile(of: $0.id), reason: .left) }
            + members.filter { !before.contains($0.id) }.map { .memberEntered($0) }
    }

    func changedAbsence(since old: RoomRoster) -> [RoomSession.Event] {
        guard ownerAbsentUntil != old.ownerAbsentUntil || heir != old.heir else { return [] }
        return [ownerAbsentUntil.map { .ownerAbsent(until: $0, heir: heir) } ?? .ownerReturned]
    }
}
