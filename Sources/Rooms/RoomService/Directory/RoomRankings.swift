import RoomModel
import Timing

/// The rooms of an application by how many people are in them. Counts change all the time, and a list that is read page by page must have
/// each room once: so the order is made now and then, and those who are reading go on with the one that they began.
struct RoomRankings: Sendable {
    /// An order is so old at most when somebody begins to read.
    static let freshness = Interval.seconds(5)
    /// For so long can somebody go on reading.
    static let memory = Interval.seconds(60)

    struct Ranking: Sendable {
        var number: UInt64
        var made: Instant
        var ids: [RoomID]
        /// Where the newest of them stands in the list by age; `nil`: there was none.
        var newest: RoomIndex.Place?
    }

    /// A place in one of them: `b7.30`.
    struct Place: PagePlace {
        var ranking: UInt64
        var index: Int

        init(ranking: UInt64, index: Int) {
            self.ranking = ranking
            self.index = index
        }

        init?(cursor: String) {
            guard cursor.first == "b", let dot = cursor.firstIndex(of: "."),
                let ranking = UInt64(cursor[cursor.index(after: cursor.startIndex)..<dot]),
                let index = Int(cursor[cursor.index(after: dot)...]), index >= 0
            else { return nil }
            self.init(ranking: ranking, index: index)
        }

        var cursor: String { "b\(ranking).\(index)" }
    }

    /// The oldest first.
    private(set) var kept: [Ranking] = []
    private var last: UInt64 = 0

    func fresh(at now: Instant) -> Ranking? {
        kept.last.flatMap { now - $0.made < Self.freshness ? $0 : nil }
    }

    subscript(number: UInt64) -> Ranking? { kept.last { $0.number == number } }

    mutating func keep(_ ids: [RoomID], newest: RoomIndex.Place?, at now: Instant) -> Ranking {
        kept.removeAll { now - $0.made >= Self.memory }
        last += 1
        let ranking = Ranking(number: last, made: now, ids: ids, newest: newest)
        kept.append(ranking)
        return ranking
    }
}
