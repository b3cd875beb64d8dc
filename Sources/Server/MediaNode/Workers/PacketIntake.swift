internal import DatagramIO
internal import Forwarding
internal import PeerSession
internal import RoomPorts
internal import Timing
internal import Wire

/// What comes in to a worker, as datagrams or by connections: read in batches, handed to the peer whose it is, and forwarded. What singers
/// say leaves before anything else of a batch is worked on.
final class PacketIntake {
    /// Batches that are read from one socket before others get their turn; the poller reports what is left at once.
    private static let maximumBatches = 8
    /// A turn reads no longer than this, whatever waits: commands and what is due come in between.
    private static let readingTime = Interval.milliseconds(5)

    private let sockets: DatagramSockets
    private let table: PeerTable
    private let stages: StageTable
    private let egress: Egress
    private let time: WorkerTime
    private let forwarder: PacketForwarder
    private let datagrams: DatagramIntake
    private let connections: ConnectionIntake?

    init(
        _ configuration: MediaNodeConfiguration, sockets: DatagramSockets, table: PeerTable, peers: PeerLifecycle,
        stages: StageTable, egress: Egress, time: WorkerTime, load: WorkerLoad
    ) {
        self.sockets = sockets
        self.table = table
        self.stages = stages
        self.egress = egress
        self.time = time
        forwarder = PacketForwarder(configuration, peers: peers, stages: stages, egress: egress, time: time, load: load)
        datagrams = DatagramIntake(table: table, peers: peers, forwarder: forwarder, time: time)
        if let framed = sockets.connections {
            connections = ConnectionIntake(framed, table: table, time: time, datagrams: datagrams)
        } else {
            connections = nil
        }
    }

    /// When `refuseFloods` has something to look at.
    var nextDeadline: Instant { datagrams.nextDeadline }
    var counters: MediaCounters { datagrams.counters + forwarder.counters }

    // MARK: Reading

    func read(_ socket: DatagramSocket) {
        let start = time.now
        for _ in 0..<Self.maximumBatches {
            let count = socket.receive(
                at: time.now, hasFirst: stages.hasDuets, isFirst: { isSinger($0) }, then: { egress.flush() }
            ) { slot, length, path, arrival in
                datagrams.receive(slot, length, path, arrival)
            }
            forwarder.deliverPictures()
            guard count == DatagramSocket.receiveSlots else { return }
            guard time.refresh() - start < Self.readingTime else { return }
        }
    }

    private func isSinger(_ path: NetworkPath) -> Bool {
        table.peer(at: path).map { $0.stage.isSinger($0.member) } ?? false
    }

    func readConnections() {
        connections?.read(for: Self.readingTime)
        forwarder.deliverPictures()
    }

    // MARK: Who comes and goes

    /// Somebody who came to another worker. What came with them is delivered before the next command: that may be a cut.
    func adopt(_ connection: HandedConnection) {
        connections?.adopt(connection)
        forwarder.deliverPictures()
    }

    /// Where those go who are not for this worker.
    func setNext(_ mailbox: Mailbox, workers: Int) { connections?.setNext(mailbox, workers: workers) }

    /// A way is nobody's any more.
    func forget(_ path: NetworkPath) {
        if path.connection == 0 {
            datagrams.forget(path.remote)
        } else {
            sockets.connections?.close(path, at: time.now)
        }
    }

    /// Lets the kernel refuse what comes in floods.
    func refuseFloods() {
        if let remotes = datagrams.takeRefused() { sockets.refuseMedia(from: remotes) }
    }
}
