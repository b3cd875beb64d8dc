import RoomModel

/// Whose way on the stage of a live room is poor: crowds are told of nobody else, and not of every change.
struct PoorWays {
    /// A way counts as its worst of so many looks: a mark that comes and goes every two seconds says nothing.
    static let looks = 3

    private var recent: [UserID: [SingerNetwork]] = [:]
    private var poor: [UserID: SingerNetwork] = [:]

    /// - Parameter ways: of all on stage, as the media plane has just seen them.
    /// - Returns: those to tell of; their numbers stay as long as their quality does.
    mutating func hear(_ ways: [UserID: SingerNetwork]) -> [UserID: SingerNetwork] {
        recent = Dictionary(
            uniqueKeysWithValues: ways.map { user, way in (user, (recent[user] ?? []).suffix(Self.looks - 1) + [way]) })
        let worst = recent.compactMapValues { looks in looks.max { $0.quality < $1.quality } }
        poor = Dictionary(
            uniqueKeysWithValues: worst.filter { $0.value.quality >= .poor }.map { user, way in
                (user, poor[user].flatMap { $0.quality == way.quality ? $0 : nil } ?? way)
            })
        return poor
    }
}
