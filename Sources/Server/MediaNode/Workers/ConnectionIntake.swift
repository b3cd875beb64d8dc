internal import DatagramIO
internal import Timing
internal import Wire

/// Lets those in who come by TCP, and sends on to the next worker who is not for this one.
final class ConnectionIntake: ConnectionOwner {
    private let connections: FramedConnections
    private let table: PeerTable
    private let datagrams: DatagramIntake
    private let time: WorkerTime
    private var readsUntil = Instant.distantPast
    /// Where those go who came to the shared port and are not for us, until so many workers have looked.
    private var next: (mailbox: Mailbox, workers: Int)?

    init(_ connections: FramedConnections, table: PeerTable, time: WorkerTime, datagrams: DatagramIntake) {
        self.connections = connections
        self.table = table
        self.time = time
        self.datagrams = datagrams
    }

    func setNext(_ mailbox: Mailbox, workers: Int) { next = (mailbox, workers) }

    func read(for readingTime: Interval) {
        readsUntil = time.now + readingTime
        connections.receive(at: time.now, for: self)
    }

    func adopt(_ connection: HandedConnection) { connections.adopt(connection, at: time.now, for: self) }

    // MARK: ConnectionOwner

    func isNamed(by datagram: UnsafeRawBufferPointer) -> Bool { Route.named(by: datagram, in: table) != nil }

    func receive(
        _ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant
    ) -> Bool { datagrams.receive(slot, length, path, now) }

    var readsOn: Bool { time.refresh() < readsUntil }

    func pass(_ connection: HandedConnection) {
        // Nobody knows it: it is closed with the last reference.
        guard let next, connection.hops < next.workers else { return }
        _ = next.mailbox.post(.adopt(connection))
    }
}
