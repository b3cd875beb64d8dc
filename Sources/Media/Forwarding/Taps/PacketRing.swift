internal import Platform

/// Packets on their way from one thread to another: one thread pushes, one pops, nobody waits and nothing is allocated.
///
/// Sendable by this rule: only the pushing thread touches cells and bytes that are not yet counted in `written`, only
/// the popping thread those that are and are not yet counted in `read`; the counts are published with release and read
/// with acquire.
final class PacketRing<Head: Sendable>: @unchecked Sendable {
    private struct Cell {
        var head: Head
        /// Counts all bytes ever pushed; where the payload begins.
        var start: Int
        var length: Int
    }

    private let cells: UnsafeMutablePointer<Cell?>
    private let cellCount: Int
    private let bytes: UnsafeMutableRawPointer
    private let byteCount: Int
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    private let bytesRead = Atomic<Int>(0)
    /// The pushing thread's own.
    private var bytesWritten = 0

    /// Both are powers of two. Memory that is never reached is never touched.
    init(packets: Int, bytes byteCount: Int) {
        precondition(packets.nonzeroBitCount == 1 && byteCount.nonzeroBitCount == 1)
        cellCount = packets
        cells = .allocate(capacity: packets)
        cells.initialize(repeating: nil, count: packets)
        self.byteCount = byteCount
        bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit {
        cells.deinitialize(count: cellCount)
        cells.deallocate()
        bytes.deallocate()
    }

    /// False if there is no room: the packet is lost.
    func push(_ head: Head, _ payload: UnsafeRawBufferPointer) -> Bool {
        let count = written.load(ordering: .relaxed)
        guard count &- read.load(ordering: .acquiring) < cellCount, let base = payload.baseAddress else { return false }
        var start = bytesWritten
        // A payload is never split: what is left at the end of the ring is skipped.
        let room = byteCount &- (start & (byteCount &- 1))
        if payload.count > room { start &+= room }
        guard start &+ payload.count &- bytesRead.load(ordering: .acquiring) <= byteCount else { return false }
        (bytes + (start & (byteCount &- 1))).copyMemory(from: base, byteCount: payload.count)
        cells[count & (cellCount &- 1)] = Cell(head: head, start: start, length: payload.count)
        bytesWritten = start &+ payload.count
        // Sequentially consistent, since who pushes looks next whether the other side sleeps.
        written.store(count &+ 1, ordering: .sequentiallyConsistent)
        return true
    }

    /// Gives the oldest packet, whose payload is valid during the call; false if there is none.
    func pop(_ body: (Head, UnsafeRawBufferPointer) -> Void) -> Bool {
        let count = read.load(ordering: .relaxed)
        guard count < written.load(ordering: .acquiring), let cell = cells[count & (cellCount &- 1)] else {
            return false
        }
        body(cell.head, UnsafeRawBufferPointer(start: bytes + (cell.start & (byteCount &- 1)), count: cell.length))
        bytesRead.store(cell.start &+ cell.length, ordering: .releasing)
        read.store(count &+ 1, ordering: .releasing)
        return true
    }

    /// For the popping thread.
    var isEmpty: Bool { read.load(ordering: .relaxed) == written.load(ordering: .sequentiallyConsistent) }
}
