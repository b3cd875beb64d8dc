package import RoomModel
import RoomPorts
import Synchronization
package import Timing

/// The lobby: what the directory shows of every open room, without asking the rooms. Only what has been released is in
/// it.
package final class RoomIndex: Sendable {
    private struct Line: Sendable {
        var listing: RoomListing
        /// Name, tags and id as they are searched.
        var name: [UInt8]
        var tags: [[UInt8]]
        var id: [UInt8]

        var info: RoomInfo { listing.info }

        /// - Parameter former: of the same room. Counts change far more often than names.
        init(_ listing: RoomListing, former: Line?) {
            self.listing = listing
            let info = listing.info
            if let former, former.info.name == info.name, former.info.tags == info.tags {
                (name, tags, id) = (former.name, former.tags, former.id)
                return
            }
            name = info.name.searchable
            tags = info.tags.map(\.searchable)
            id =
                switch info.room {
                case .number(let number): Array(String(number).utf8)
                case .string(let string): string.searchable
                }
        }

        /// Newest first; the id decides between rooms of the same millisecond.
        var place: Place { Place(createdAt: info.createdAt, id: info.room.description) }

        func matches(_ text: [UInt8]) -> Bool {
            name.contains(text) || id == text || tags.contains { $0.contains(text) }
        }
    }

    /// The rooms of one application, in the order of the list. A value: whoever searches takes it out of the lock.
    private struct Shelf: Sendable {
        var lines: [RoomID: Line] = [:]
        var order: [Place] = []
        var ids: [RoomID] = []
        var rankings = RoomRankings()

        mutating func set(_ listing: RoomListing) {
            let former = lines[listing.info.room]
            let line = Line(listing, former: former)
            if let former, former.place != line.place { remove(line.info.room) }
            if lines.updateValue(line, forKey: line.info.room) == nil {
                let index = index(of: line.place)
                order.insert(line.place, at: index)
                ids.insert(line.info.room, at: index)
            }
        }

        mutating func remove(_ room: RoomID) {
            guard let line = lines.removeValue(forKey: room) else { return }
            let index = index(of: line.place)
            guard index < order.count, order[index] == line.place else { return }
            order.remove(at: index)
            ids.remove(at: index)
        }

        /// The first place that is not before `place`.
        func index(of place: Place) -> Int {
            var low = 0
            var high = order.count
            while low < high {
                let middle = (low + high) / 2
                if order[middle] < place { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// Where a page ends: the newest room comes first.
    struct Place: Comparable, PagePlace, Sendable {
        private let timed: TimedPlace

        init(createdAt: Int64, id: String) { timed = TimedPlace(time: createdAt, id: id) }

        init?(cursor: String) {
            guard let timed = TimedPlace(cursor: cursor) else { return nil }
            self.timed = timed
        }

        var cursor: String { timed.cursor }

        static func < (a: Place, b: Place) -> Bool {
            a.timed.time != b.timed.time ? a.timed.time > b.timed.time : a.timed.id < b.timed.id
        }
    }

    private let shelves = Mutex<[ApplicationID: Shelf]>([:])

    package init() {}

    func set(_ listing: RoomListing, of key: RoomKey) {
        shelves.withLock { $0[key.application, default: Shelf()].set(listing) }
    }

    func remove(_ key: RoomKey) {
        shelves.withLock { $0[key.application]?.remove(key.room) }
    }

    /// A06. Rooms that change meanwhile wait for nothing: the search goes through the list as it was.
    package func list(
        _ query: RoomQuery, of application: ApplicationID, at now: Instant
    ) throws(RoomError) -> RoomPage {
        let shelf = shelves.withLock { $0[application] } ?? Shelf()
        let search = Search(query)
        switch query.order {
        case .newest:
            var index = 0
            if let start = try Place.read(query.cursor) {
                index = shelf.index(of: start)
                if index < shelf.order.count, shelf.order[index] == start { index += 1 }
            }
            let found = search.page(of: shelf, shelf.ids, from: index)
            return RoomPage(rooms: found.rooms, cursor: found.next.map { shelf.order[$0 - 1].cursor })
        case .busiest:
            var index = 0
            let ranking: RoomRankings.Ranking
            if let place = try RoomRankings.Place.read(query.cursor) {
                guard let begun = shelf.rankings[place.ranking] else {
                    throw .invalid("cursor", "this page is too old: begin anew without a cursor")
                }
                (ranking, index) = (begun, place.index)
            } else {
                ranking = self.ranking(of: shelf, in: application, at: now)
            }
            // Who has just opened a room looks for it: until the next order is made, new rooms stand behind all others.
            let newcomers = ranking.newest.map { shelf.index(of: $0) } ?? shelf.ids.count
            let ids = newcomers == 0 ? ranking.ids : ranking.ids + shelf.ids.prefix(newcomers).reversed()
            let found = search.page(of: shelf, ids, from: index) { at, line in
                // An id whose room ended and was opened anew is one of the new ones.
                at >= ranking.ids.count || !(ranking.newest.map { line.place < $0 } ?? true)
            }
            return RoomPage(
                rooms: found.rooms,
                cursor: found.next.map { RoomRankings.Place(ranking: ranking.number, index: $0).cursor })
        }
    }

    private func ranking(of shelf: Shelf, in application: ApplicationID, at now: Instant) -> RoomRankings.Ranking {
        if let fresh = shelf.rankings.fresh(at: now) { return fresh }
        // Outside of the lock; `ids` are in the order that decides between rooms with as many people.
        let counts = shelf.ids.map { shelf.lines[$0]?.info.memberCount ?? 0 }
        let order = shelf.ids.indices.sorted { (counts[$0], $1) > (counts[$1], $0) }
        let ids = order.map { shelf.ids[$0] }
        return shelves.withLock {
            $0[application, default: Shelf()].rankings.keep(ids, newest: shelf.order.first, at: now)
        }
    }

    /// What a query looks for.
    private struct Search {
        var query: RoomQuery
        var text: [UInt8]
        var tag: [UInt8]?

        init(_ query: RoomQuery) {
            self.query = query
            text = query.text?.searchable ?? []
            tag = query.tag?.searchable
        }

        /// - Returns: the rooms, and the index where the next page begins, if there is one.
        /// - Parameter stands: whether a room is meant at that index of `ids`.
        func page(
            of shelf: Shelf, _ ids: [RoomID], from start: Int, where stands: (Int, Line) -> Bool = { _, _ in true }
        ) -> (rooms: [RoomInfo], next: Int?) {
            var rooms: [RoomInfo] = []
            var end = start
            for index in ids.indices.dropFirst(start) {
                // Who has ended meanwhile is no longer there.
                guard let line = shelf.lines[ids[index]], matches(line), stands(index, line) else { continue }
                guard rooms.count < max(1, query.limit) else { return (rooms, end) }
                rooms.append(line.info)
                end = index + 1
            }
            return (rooms, nil)
        }

        private func matches(_ line: Line) -> Bool {
            (query.kind == nil || line.info.kind == query.kind) && (text.isEmpty || line.matches(text))
                && (tag.map(line.tags.contains) ?? true)
        }
    }

    /// Its address does not name the application: the number alone tells which room of that id is meant.
    package func still(_ number: Int64, of room: RoomID) -> StillPicture? {
        shelves.withLock { shelves in
            shelves.values.lazy.compactMap { $0.lines[room]?.listing }
                .flatMap { [$0.still, $0.earlierStill].compactMap(\.self) }
                .first { $0.number == number }?.picture
        }
    }

    /// The rooms of one host, in any order.
    func rooms(of host: UserID, in application: ApplicationID) -> [RoomID] {
        guard let shelf = shelves.withLock({ $0[application] }) else { return [] }
        return shelf.lines.values.filter { $0.info.owner.id == host }.map(\.info.room)
    }

    /// A05: in the order of the request, unknown ids dropped.
    /// How many there are of each kind, and how many people are in them, in all applications.
    package var totals: [RoomKind: RoomTotals] {
        let shelves = shelves.withLock { $0 }
        var totals: [RoomKind: RoomTotals] = [:]
        for shelf in shelves.values {
            for line in shelf.lines.values {
                totals[line.info.kind, default: RoomTotals()].add(line.info)
            }
        }
        return totals
    }

    /// Whether that person runs the room: its owner, or an admin.
    func isRun(_ key: RoomKey, by user: UserID) -> Bool {
        shelves.withLock { $0[key.application]?.lines[key.room]?.listing.isRun(by: user) ?? false }
    }

    package func infos(_ rooms: [RoomID], of application: ApplicationID) -> [RoomInfo] {
        shelves.withLock { shelves in rooms.compactMap { shelves[application]?.lines[$0]?.info } }
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first, part.count <= count else { return part.isEmpty }
        return indices.prefix(count - part.count + 1).contains { start in
            self[start] == first && self[start..<start + part.count].elementsEqual(part)
        }
    }
}

/// Open rooms of a kind, and their people.
package struct RoomTotals: Hashable, Sendable {
    package var rooms = 0
    package var people = 0
    package var seated = 0

    package init() {}

    mutating func add(_ info: RoomInfo) {
        rooms += 1
        people += info.memberCount
        seated += info.seated
    }
}
