internal import DatagramIO
internal import Foundation
internal import NIOPosix
package import Ovation
internal import SRTP
internal import Timing
package import UserSig
internal import Wire

/// A load of speakers and listeners in one room, and what becomes of what is said.
package struct MediaLoad: Sendable {
    /// Joining at once costs a server's handshakes; more of them do not come in any sooner on one core.
    private static let joiningAtOnce = 8

    private let room: any LoadedRoom
    private let engine: LoadEngine
    private let speakers: Int
    private let server: Int32?
    private var listeners = 0

    /// Whom the load goes to.
    package enum Server: Sendable {
        case ovation(ServerAddress, trustRoots: OvationClient.TrustRoots, TicketSigner)
        /// Its WebSocket transport.
        case janus(ServerAddress)
        /// The benchmark's floor at an address and port, with the master key and salt (28 bytes in hexadecimal) that it enciphers under.
        case floor(String, key: String)
    }

    /// Connects to a server.
    /// - Parameters:
    ///   - content: what the speakers send.
    ///   - addresses: the IPv4 address of the first participant.
    ///   - port: the UDP port of all of them; 0 takes any.
    ///   - serverProcess: the server's, if it runs on this machine: what it uses is measured.
    package static func connect(
        to server: Server, sending content: LoadContent, addresses: String, port: UInt16, serverProcess: Int32?
    ) async throws -> MediaLoad {
        guard let first = IPAddress(text: addresses), first.isIPv4 else {
            throw LoadFailure("\(addresses) is no IPv4 address")
        }
        if let serverProcess, ProcessUsage(of: serverProcess) == nil {
            throw LoadFailure("what process \(serverProcess) uses cannot be read")
        }
        let engine = try await LoadEngine.start(
            firstAddress: first, port: port, content: content)
        let group = MultiThreadedEventLoopGroup.singleton
        let room: any LoadedRoom
        switch server {
        case .ovation(let address, let trustRoots, let signer):
            room = OvationRoom(
                server: address, trustRoots: trustRoots, signer: signer, content: content, engine: engine,
                group: group)
        case .janus(let address):
            room = try await JanusRoom.create(
                server: address, content: content, engine: engine, on: group.next())
        case .floor(let address, let key):
            room = try FloorRoom(address: address, key: key, content: content)
        }
        return MediaLoad(room: room, engine: engine, speakers: content.speakers, server: serverProcess)
    }

    private init(room: any LoadedRoom, engine: LoadEngine, speakers: Int, server: Int32?) {
        self.room = room
        self.engine = engine
        self.speakers = speakers
        self.server = server
    }

    /// Lets the speakers in. They begin to speak at once.
    package func begin() async throws {
        for place in 0..<speakers { try await engine.open(room.join(place: place, speaks: true)) }
    }

    /// Lets listeners in until there are so many.
    package mutating func grow(to count: Int) async throws {
        let (room, engine) = (room, engine)
        let places = (speakers + listeners)..<(speakers + max(count, listeners))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, place) in places.enumerated() {
                if index >= Self.joiningAtOnce { try await tasks.next() }
                tasks.addTask { try await engine.open(room.join(place: place, speaks: false)) }
            }
            try await tasks.waitForAll()
        }
        listeners = max(count, listeners)
    }

    /// Waits until each listener has got something: a picture begins with a key frame.
    package func awaitEverybody() async throws {
        let end = ContinuousClock.now + .seconds(20)
        while await engine.served() < listeners {
            guard ContinuousClock.now < end else {
                throw LoadFailure("\(listeners - (await engine.served())) of \(listeners) listeners get nothing")
            }
            // The load's thread is asked, since it tells nothing by itself; the end above bounds the wait.
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Measures for so long.
    package func measure(_ duration: Duration) async throws -> MediaReport {
        let (before, host, dropped) = (server.flatMap(ProcessUsage.init(of:)), HostUsage(), droppedByReaders())
        let own = ProcessUsage(of: getpid())
        let start = ContinuousClock.now
        engine.beginCheck()
        // Nothing is waited for: this is the stretch that is measured.
        try await Task.sleep(for: duration)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let (after, cores) = (server.flatMap(ProcessUsage.init(of:)), HostUsage().since(host))
        let ownAfter = ProcessUsage(of: getpid())
        let check = await engine.endCheck()
        var report = MediaReport(
            speakers: speakers, listeners: listeners, seconds: seconds, expected: check.expected, lost: check.lost,
            late: check.late, overdue: check.overdue, samples: check.latencies.count, misnumbered: check.misnumbered,
            droppedByReader: droppedByReaders() - dropped, packetsPerSecond: Double(check.delivered) / seconds,
            latency: .init(check.latencies), lastCopy: .init(check.lastCopies), serverMicroseconds: nil,
            serverShare: nil, serverBytes: nil,
            readerShare: ((ownAfter?.cpuSeconds ?? 0) - (own?.cpuSeconds ?? 0)) / seconds,
            cores: cores.map {
                .init(busy: $0.busy / seconds, softInterrupts: $0.softInterrupts / seconds, stolen: $0.stolen / seconds)
            })
        if let before, let after {
            let used = after.cpuSeconds - before.cpuSeconds
            report.serverMicroseconds = used * 1e6 / Double(max(1, check.delivered))
            report.serverShare = used / seconds
            report.serverBytes = after.proportionalBytes
        }
        return report
    }
}
