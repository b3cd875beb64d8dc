import RoomModel

/// Where an invitation stands in the list: by its time, the id decides between those of the same millisecond.
struct InvitationPlace: Comparable {
    var createdAt: Int64
    var id: String

    init(_ invitation: Invitation) {
        createdAt = invitation.createdAt
        id = invitation.id
    }

    /// `nil` if it is no cursor of ours.
    init?(_ cursor: String) {
        guard let dot = cursor.firstIndex(of: "."), let createdAt = Int64(cursor[..<dot]) else { return nil }
        self.createdAt = createdAt
        id = String(cursor[cursor.index(after: dot)...])
    }

    var cursor: String { "\(createdAt).\(id)" }

    static func < (a: InvitationPlace, b: InvitationPlace) -> Bool { (a.createdAt, a.id) < (b.createdAt, b.id) }
}
