/// Where a page of a list ends: a text that its reader gives back for the next page, and that only the list itself reads.
package protocol PagePlace {
    /// `nil` for what the list never gave.
    init?(cursor: String)
    var cursor: String { get }
}

extension PagePlace {
    /// - Parameter cursor: what a reader gave back; without one the list begins.
    /// - Returns: `nil` without a cursor.
    /// - Throws: `invalid_params` of `cursor`: who gives another text would read the same page for ever if it began anew.
    package static func read(_ cursor: String?) throws(RoomError) -> Self? {
        guard let cursor else { return nil }
        // Numbers have other spellings; we write one of them.
        guard cursor.utf8.count <= 100, let place = Self(cursor: cursor), place.cursor.utf8.elementsEqual(cursor.utf8)
        else { throw .invalid("cursor", "this is no cursor of a former page") }
        return place
    }
}

/// A place in a list whose lines are numbered.
package struct NumberedPlace: PagePlace, Sendable {
    package var number: Int64

    package init(_ number: Int64) { self.number = number }

    package init?(cursor: String) {
        guard let number = Int64(cursor), number >= 0 else { return nil }
        self.number = number
    }

    package var cursor: String { String(number) }
}

/// A place in a list by time, whose lines of the same time stand by their ids: `1700000000000.abc`.
package struct TimedPlace: PagePlace, Comparable, Sendable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// ASCII.
    package var id: String

    package init(time: Int64, id: String) {
        self.time = time
        self.id = id
    }

    package init?(cursor: String) {
        guard cursor.utf8.allSatisfy({ (0x20...0x7e).contains($0) }), let dot = cursor.firstIndex(of: "."),
            let time = Int64(cursor[..<dot])
        else { return nil }
        self.init(time: time, id: String(cursor[cursor.index(after: dot)...]))
    }

    package var cursor: String { "\(time).\(id)" }

    package static func < (a: TimedPlace, b: TimedPlace) -> Bool { (a.time, a.id) < (b.time, b.id) }
}
