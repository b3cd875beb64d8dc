/// Chooses how the singers sing.
package struct SetDuetMode: CommandPayload {
    package static let name = RoomCommand.Name.setDuetMode
    package var asCommand: RoomCommand { .setDuetMode(self) }

    package var mode: DuetMode.Name
    /// `nil`: whoever sits foremost leads, where one does.
    package var leader: UserID?

    package init(_ mode: DuetMode.Name, leader: UserID?) {
        self.mode = mode
        self.leader = leader
    }
}

/// How the singers of a chorus room sing.
@nonexhaustive public enum DuetMode: Hashable, Sendable {
    /// Together, each hearing the others. For delays up to `SingersApart.tightLimitMs`.
    case together
    /// One after the other, for any way: the leader hears the song and none of the other singers; these hear the leader, and
    /// the song so much later that they sing to what they hear. The mix puts all voices in their places.
    case leadFollow(leader: UserID)

    /// The leader, or `nil`.
    public var leader: UserID? { if case .leadFollow(let leader) = self { leader } else { nil } }

    /// The mode without who leads, as it is asked for.
    package enum Name: String, Codable, Hashable, Sendable, CaseIterable { case together, leadFollow }
}

extension DuetMode: Codable {
    private enum CodingKeys: String, CodingKey { case mode, leader }

    /// `{mode, leader?}`
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        switch try fields.decode(Name.self, forKey: .mode) {
        case .together: self = .together
        case .leadFollow: self = .leadFollow(leader: try fields.decode(UserID.self, forKey: .leader))
        }
    }

    /// `{mode, leader?}`
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(leader == nil ? Name.together : .leadFollow, forKey: .mode)
        try fields.encodeIfPresent(leader, forKey: .leader)
    }
}

/// A chorus room has changed between singing together and leading.
public struct DuetChanged: StoredPayload, Codable, Hashable, Sendable {
    /// How they sing from now on.
    public var duet: DuetMode
    /// Who chose it, or freed the leader's seat.
    public var by: UserID?

    /// Another mode.
    public init(_ duet: DuetMode, by: UserID? = nil) {
        self.duet = duet
        self.by = by
    }

    package var type: EventType { .duetChanged }
}
