package import RoomModel
import RoomPorts
import Synchronization

/// The lobby: what the directory shows of every open room, without asking the rooms. Only what has been released is in
/// it.
package final class RoomIndex: Sendable {
    private struct Line: Sendable {
        var info: RoomInfo
        /// Name, tags and id in small letters.
        var name: String
        var tags: [String]
        var id: String

        init(_ info: RoomInfo) {
            self.info = info
            name = info.name.lowercased()
            tags = info.tags.map { $0.lowercased() }
            id =
                switch info.room {
                case .number(let number): String(number)
                case .string(let string): string.lowercased()
                }
        }

        /// Newest first; the id decides between rooms of the same millisecond.
        var place: Place { Place(createdAt: info.createdAt, id: info.room.description) }

        func matches(_ text: String) -> Bool {
            name.contains(text) || id == text || tags.contains { $0.hasPrefix(text) }
        }
    }

    /// Where a page ends.
    private struct Place: Comparable {
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

    private let lines = Mutex<[ApplicationID: [RoomID: Line]]>([:])

    package init() {}

    func set(_ info: RoomInfo, of key: RoomKey) {
        let line = Line(info)
        lines.withLock { $0[key.application, default: [:]][key.room] = line }
    }

    func remove(_ key: RoomKey) {
        lines.withLock { $0[key.application]?[key.room] = nil }
    }

    /// A06. A cursor that is none begins anew.
    package func list(_ query: RoomQuery, of application: ApplicationID) -> RoomPage {
        let text = query.text?.lowercased()
        let tag = query.tag?.lowercased()
        let start = query.cursor.flatMap(Place.init)
        let found = lines.withLock {
            $0[application, default: [:]].values.filter { line in
                (query.kind == nil || line.info.kind == query.kind)
                    && (text == nil || text == "" || text.map(line.matches) == true)
                    && (tag == nil || tag.map(line.tags.contains) == true)
                    && (start.map { $0 < line.place } ?? true)
            }
        }.sorted { $0.place < $1.place }
        let limit = max(1, query.limit)
        let page = found.prefix(limit)
        return RoomPage(rooms: page.map(\.info), cursor: found.count > limit ? page.last?.place.cursor : nil)
    }

    /// A05: in the order of the request, unknown ids dropped.
    package func infos(_ rooms: [RoomID], of application: ApplicationID) -> [RoomInfo] {
        lines.withLock { lines in rooms.compactMap { lines[application]?[$0]?.info } }
    }
}
