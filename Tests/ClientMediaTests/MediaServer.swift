import AudioGraph
import DatagramIO
import MediaCodecs
import MediaDevices
import MediaNode
import RoomPorts
import Synchronization
import Testing
import Timing
import Wire

@testable import ClientMedia

/// A server's media plane on this host's loopback, and people with real sockets, threads and devices without hardware.
final class MediaServer {
    let node: MediaPlane
    let stage = StageID(rawValue: 5)
    static let loopback = IPAddress(v4: 127, 0, 0, 1)

    init(slots: Int = 4, takesTCP: Bool = true) async throws {
        var configuration = MediaNodeConfiguration()
        configuration.takesTCP = takesTCP
        configuration.port = 0
        configuration.bindAddresses = [Self.loopback]
        node = try await MediaPlane.start(configuration)
        node.openStage(stage, slots: slots)
    }

    deinit { node.stop() }

    func assign(_ slot: Int, _ person: Person?) async {
        await withCheckedContinuation { continuation in
            node.assign(slot: slot, to: person?.id, muted: false, dark: false, on: stage) { continuation.resume() }
        }
    }
}

/// One engine, what it tells, and what it plays.
final class Person: Sendable {
    let id: PeerID
    let audio: AudioEngine
    let recording = Recording()
    private let offers = Atomic<UInt32>(0)
    private let slots: Int
    let events: AsyncStream<RoomAudioEvent>

    init(
        _ id: UInt64, slots: Int = 4, songs: [String: @Sendable () -> TestSong] = [:], leap: Leap? = nil,
        usesTCP: Bool = false, later: @escaping DeviceLine.Later = DeviceLine.later
    ) throws {
        self.id = PeerID(rawValue: id)
        self.slots = slots
        let (events, continuation) = AsyncStream.makeStream(of: RoomAudioEvent.self)
        self.events = events
        var configuration = RoomAudioConfiguration()
        configuration.localAddresses = [MediaServer.loopback]
        configuration.usesTCP = usesTCP
        if let leap { configuration.clock = { leap.now } }
        audio = try AudioEngine(
            configuration,
            open: { name throws(CodecError) in
                guard let song = songs[name] else { throw CodecError(.cannotOpen, "no song \(name)") }
                return song()
            }, later: later, onEvent: { continuation.yield($0) })
        let recording = recording
        try audio.setOutput(NullOutput { block, _ in recording.append(block) })
    }

    func join(_ server: MediaServer) async throws {
        try await negotiate(try audio.openPath(slots: slots), server)
        await waitFor(.path(.connected))
    }

    func negotiate(_ offer: String, _ server: MediaServer) async throws {
        try audio.accept(answer: try await answer(offer, server))
    }

    func answer(_ offer: String, _ server: MediaServer) async throws -> String {
        let number = offers.add(1, ordering: .relaxed).newValue
        server.node.admit(id, on: server.stage)
        return try await server.node.answer(
            MediaOffer(stage: server.stage, peer: id, number: number, sdp: offer)
        ).sdp
    }

    func waitFor(_ wanted: RoomAudioEvent) async {
        for await event in events where event == wanted { return }
    }
}

/// A clock that is ahead of this host's by as much as a test wants.
final class Leap: Sendable {
    private let nanoseconds = Atomic<Int64>(0)
    var now: Instant { SystemClock.now() + Interval(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
    func leap(_ interval: Interval) { nanoseconds.add(interval.nanoseconds, ordering: .relaxed) }
}
