internal import Wire

/// The connections of one thread, by a number each: the poller reports it, and a path names it. A number is used again, and the path says
/// whose it was.
struct ConnectionTable {
    private var entries: ContiguousArray<FramedConnection?> = []
    private var free: [Int] = []
    private var generation: UInt16 = 0

    var count: Int { entries.count - free.count }
    var all: [FramedConnection] { entries.compactMap { $0 } }

    /// The connection with that number, if it still is there.
    subscript(number: Int) -> FramedConnection? { entries[number] }

    func number(of path: NetworkPath) -> Int? {
        let number = Int(path.connection & 0xffff) - 1
        return entries.indices.contains(number) ? number : nil
    }

    /// The connection that a path leads by, if it still is there.
    func find(_ path: NetworkPath) -> FramedConnection? {
        guard let number = number(of: path), let connection = entries[number], connection.path == path else {
            return nil
        }
        return connection
    }

    /// The number that the next connection gets.
    var nextNumber: Int { free.last ?? entries.count }

    /// Takes in a connection under `nextNumber`.
    /// - Parameter make: makes it, given what its path calls it.
    mutating func insert(_ make: (_ name: UInt32) -> FramedConnection) -> FramedConnection {
        generation &+= 1
        let connection = make(UInt32(generation) << 16 | UInt32(nextNumber + 1))
        if free.isEmpty { entries.append(connection) } else { entries[free.removeLast()] = connection }
        return connection
    }

    mutating func remove(_ path: NetworkPath) {
        guard let number = number(of: path) else { return }
        entries[number] = nil
        free.append(number)
    }
}
