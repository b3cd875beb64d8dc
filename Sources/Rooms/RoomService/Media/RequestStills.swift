import RoomModel

/// What came with the requests that wait in a room. It lives in memory alone: after a restart a request stands without its still.
struct RequestStills {
    /// Of one room: 0.8 MiB. Who asks when there are as many asks without.
    static let limit = 100

    private struct Kept {
        let user: UserID
        let picture: StillPicture
    }

    private var kept: [String: Kept] = [:]

    /// By the invitation's id.
    subscript(id: String) -> StillPicture? { kept[id]?.picture }

    var count: Int { kept.count }

    /// One of each person: the newest request shows what they look like now.
    mutating func keep(_ picture: StillPicture, with id: String, of user: UserID) {
        kept = kept.filter { $0.value.user != user }
        if kept.count < Self.limit { kept[id] = Kept(user: user, picture: picture) }
    }

    mutating func drop(_ id: String) { kept[id] = nil }

    /// Those of these requests alone.
    mutating func keep(of ids: Set<String>) { kept = kept.filter { ids.contains($0.key) } }
}
