package import RoomModel

/// Those who run a room: its owner, and the admins whom the owner has appointed.
package struct RoomHosts: Equatable, Sendable {
    package private(set) var owner: UserProfile
    /// In the order of their appointment, which is the order of inheritance.
    package private(set) var admins: [UserID] = []

    init(owner: UserProfile = UserProfile(id: .nobody)) { self.owner = owner }

    func role(of user: UserID) -> Role {
        if user == owner.id { .owner } else if admins.contains(user) { .admin } else { .member }
    }

    /// Who would own the room if the owner did not come back: the first appointed admin who is connected.
    func heir(among people: [UserID: DecisionContext.Person]) -> UserProfile? {
        for admin in admins {
            if let person = people[admin], person.presence == .online { return person.profile }
        }
        return nil
    }

    // MARK: What events change

    /// - Parameter role: one that can be given, to somebody who is not the owner.
    mutating func give(_ role: Role, to user: UserID) {
        admins.removeAll { $0 == user }
        if role == .admin { admins.append(user) }
    }

    mutating func handOver(to heir: UserProfile) {
        owner = heir
        admins.removeAll { $0 == heir.id }
    }

    mutating func erase(_ user: UserID) { owner = owner.erasing(user) }
}

extension RoomHosts: Codable {
    private enum CodingKeys: String, CodingKey { case owner, admins }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        owner = try fields.decode(UserProfile.self, forKey: .owner)
        admins = try fields.decodeIfPresent([UserID].self, forKey: .admins) ?? []
    }
}

extension UserID {
    /// Stands for the owner of a room that nobody has created yet; nothing is asked of such a room.
    fileprivate static let nobody: UserID = {
        guard let id = UserID("_") else { preconditionFailure("a literal that UserID accepts") }
        return id
    }()
}
