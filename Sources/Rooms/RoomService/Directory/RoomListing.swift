package import RoomModel

/// What the directory shows of a room.
package struct RoomListing: Hashable, Sendable {
    package var info: RoomInfo
    /// What the room looks like now; `info` states its number.
    package let still: RoomStill?
    /// The one before: who has read the list a moment ago asks for it.
    package let earlierStill: RoomStill?
    /// Who runs the room beside its owner.
    let admins: [UserID]

    package init(
        _ info: RoomInfo, still: RoomStill? = nil, earlierStill: RoomStill? = nil, admins: [UserID] = []
    ) {
        self.info = info
        self.admins = admins
        self.info.still = still?.number
        self.still = still
        self.earlierStill = earlierStill
    }

    func isRun(by user: UserID) -> Bool { info.owner.id == user || admins.contains(user) }
}

/// A still under its number.
package struct RoomStill: Hashable, Sendable {
    /// Drawn at random, so that who has not read the list cannot guess it. Below 2⁵³: exact as a JSON number.
    package let number: Int64
    package let picture: StillPicture

    init(_ picture: StillPicture) {
        number = .random(in: 1..<(1 << 53))
        self.picture = picture
    }

    // A number stands for one picture.
    package static func == (a: RoomStill, b: RoomStill) -> Bool { a.number == b.number }
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
