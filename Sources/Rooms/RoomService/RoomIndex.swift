package import RoomModel
import RoomPorts
import Synchronization

/// The lobby: what the directory shows of every open room, without asking the rooms. Only what has been released is in
/// it.
package final class RoomIndex: Sendable {
    private struct Line: Sendable {
        var listing: RoomListing
        /// Name, tags and id in small letters.
        var name: [UInt8]
        var tags: [[UInt8]]
        var id: [UInt8]

        var info: RoomInfo { listing.info }

        init(_ listing: RoomListing) {
            self.listing = listing
            let info = listing.info
            name = Array(info.name.lowercased().utf8)
            tags = info.tags.map { Array($0.lowercased().utf8) }
            id =
                switch info.room {
                case .number(let number): Array(String(number).utf8)
                case .string(let string): Array(string.lowercased().utf8)
                }
        }

        /// Newest first; the id decides between rooms of the same millisecond.
        var place: Place { Place(createdAt: info.createdAt, id: info.room.description) }

        func matches(_ text: [UInt8]) -> Bool {
            name.contains(text) || id == text || tags.contains { $0.starts(with: text) }
        }
    }

    /// The rooms of one application, in the order of the list. A value: whoever searches takes it out of the lock.
    private struct Shelf: Sendable {
        var lines: [RoomID: Line] = [:]
        var order: [Place] = []
        var ids: [RoomID] = []

        mutating func set(_ line: Line) {
            if let former = lines[line.info.room] {
                if former.place != line.place { remove(line.info.room) }
            }
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

    /// Where a page ends.
    private struct Place: Comparable, Sendable {
        var createdAt: Int64
        var id: String

        static func < (a: Place, b: Place) -> Bool {
            a.createdAt != b.createdAt ? a.createdAt > b.createdAt : a.id < b.id
        }

        init(createdAt: Int64, id: String) {
            self.createdAt = createdAt
            self.id = id
        }

        init?(_ cursor: String) {
            guard let dot = cursor.firstIndex(of: "."), let createdAt = Int64(cursor[..<dot]) else { return nil }
            self.init(createdAt: createdAt, id: String(cursor[cursor.index(after: dot)...]))
        }

        var cursor: String { "\(createdAt).\(id)" }
    }

    private let shelves = Mutex<[ApplicationID: Shelf]>([:])

    package init() {}

    func set(_ listing: RoomListing, of key: RoomKey) {
        let line = Line(listing)
        shelves.withLock { $0[key.application, default: Shelf()].set(line) }
    }

    func remove(_ key: RoomKey) {
        shelves.withLock { $0[key.application]?.remove(key.room) }
    }

    /// A06. A cursor that is none begins anew. Rooms that change meanwhile wait for nothing: the search goes through the list as it
    /// was.
    package func list(_ query: RoomQuery, of application: ApplicationID) -> RoomPage {
        let text = query.text.map { Array($0.lowercased().utf8) } ?? []
        let tag = query.tag.map { Array($0.lowercased().utf8) }
        let limit = max(1, query.limit)
        guard let shelf = shelves.withLock({ $0[application] }) else { return RoomPage(rooms: []) }
        var page: [Line] = []
        var index = 0
        if let start = query.cursor.flatMap(Place.init) {
            index = shelf.index(of: start)
            if index < shelf.order.count, shelf.order[index] == start { index += 1 }
        }
        while index < shelf.ids.count, page.count <= limit {
            defer { index += 1 }
            guard let line = shelf.lines[shelf.ids[index]], query.kind == nil || line.info.kind == query.kind,
                text.isEmpty || line.matches(text), tag.map(line.tags.contains) ?? true
            else { continue }
            page.append(line)
        }
        guard page.count > limit else { return RoomPage(rooms: page.map(\.info)) }
        page.removeLast()
        return RoomPage(rooms: page.map(\.info), cursor: page.last?.place.cursor)
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
