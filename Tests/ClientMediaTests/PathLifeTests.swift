import AudioGraph
import Dispatch
import MediaCodecs
import MediaDevices
import Synchronization
import Testing
import Timing

@testable import ClientMedia

/// Paths that take their time to open.
@Suite(.timeLimit(.minutes(10))) struct PathLifeTests {
    /// Opens paths of this host, the first of them when it is told to. It holds them, so that none ends but by being closed.
    private final class Opener: Sendable {
        /// As long as the thread of a path, which holds it.
        private final class Life: Sendable {
            private let number: Int
            private let ended: AsyncStream<Int>.Continuation

            init(_ number: Int, _ ended: AsyncStream<Int>.Continuation) {
                self.number = number
                self.ended = ended
            }

            deinit { ended.yield(number) }
        }

        private let gate = DispatchSemaphore(value: 0)
        private let made = Mutex<[MediaTransport]>([])
        private let isPossible: Bool
        private let ends: AsyncStream<Int>
        private let ended: AsyncStream<Int>.Continuation
        let isOpening = Mutex(false)
        let opening: AsyncStream<Void>
        private let entered: AsyncStream<Void>.Continuation

        /// - Parameter isPossible: whether the first one comes to be.
        init(isPossible: Bool = true) {
            self.isPossible = isPossible
            (opening, entered) = AsyncStream.makeStream(of: Void.self)
            (ends, ended) = AsyncStream.makeStream(of: Int.self)
        }

        func open() { gate.signal() }

        /// Waits until the thread of a path has ended.
        /// - Returns: which it is, from 0.
        func end() async -> Int? {
            for await number in ends { return number }
            return nil
        }

        func engine() throws -> AudioEngine {
            var configuration = RoomAudioConfiguration()
            configuration.localAddresses = [MediaServer.loopback]
            return try AudioEngine(
                configuration, open: { _ throws(CodecError) in TestSong(seconds: 1) },
                openPath: { [self] configuration, onPacket, onEvent throws(MediaTransportError) in
                    let number = made.withLock { $0.count }
                    let life = Life(number, ended)
                    let transport = try MediaTransport(
                        configuration,
                        onPacket: { packet, payload in
                            _ = life
                            onPacket(packet, payload)
                        }, onEvent: onEvent)
                    made.withLock { $0.append(transport) }
                    guard number == 0 else { return transport }
                    isOpening.withLock { $0 = true }
                    entered.yield()
                    // Whoever waits for it in vain fails, and does not wait for ever.
                    _ = gate.wait(timeout: .now() + 300)
                    isOpening.withLock { $0 = false }
                    guard isPossible else { throw .system("no sockets") }
                    return transport
                }, onEvent: { _ in })
        }
    }

    /// Begins to open the first path, and says what came of it.
    private static func open(_ engine: AudioEngine, _ opener: Opener) async -> Task<
        Result<String, RoomAudioError>, Never
    > {
        let (answers, answered) = AsyncStream<Result<String, RoomAudioError>>.makeStream()
        // It waits, and must not take a thread from the tests.
        DispatchQueue(label: "opening").async {
            do throws(RoomAudioError) {
                answered.yield(.success(try engine.openPath(slots: 2)))
            } catch {
                answered.yield(.failure(error))
            }
        }
        for await _ in opener.opening { break }
        return Task {
            for await answer in answers { return answer }
            return .failure(.path(.closed))
        }
    }

    @Test("V11-K settings and readings do not wait for a path that opens slowly, and hold when it is open")
    func slow() async throws {
        let opener = Opener()
        let engine = try opener.engine()
        let opened = await Self.open(engine, opener)
        engine.update { $0.slotVolumes[1] = 30 }
        _ = (engine.levels(), engine.statistics())
        #expect(opener.isOpening.withLock { $0 } && engine.settings.slotVolumes[1] == 30)
        opener.open()
        _ = try await opened.value.get()
        #expect(engine.statistics().slots.count == 2)
        engine.stop()
        #expect(await opener.end() == 0)
    }

    @Test("A12-K V11-K a path that is open when nobody wants it any more is closed", arguments: [false, true])
    func unwanted(isOver: Bool) async throws {
        let opener = Opener()
        let engine = try opener.engine()
        let opened = await Self.open(engine, opener)
        if isOver { engine.stop() } else { engine.closePath() }
        opener.open()
        #expect(await opened.value == .failure(.path(.closed)))
        #expect(await opener.end() == 0)
        #expect(engine.offer(restartsICE: false) == nil)
        engine.stop()
    }

    @Test("V11-K of two paths the later one counts, although the earlier one is open after it")
    func overtaken() async throws {
        let opener = Opener()
        let engine = try opener.engine()
        let opened = await Self.open(engine, opener)
        _ = try engine.openPath(slots: 3)
        opener.open()
        #expect(await opened.value == .failure(.path(.closed)))
        #expect(await opener.end() == 0)
        #expect(engine.offer(restartsICE: false) != nil)
        #expect(engine.statistics().slots.count == 3)
        engine.stop()
        #expect(await opener.end() == 1)
    }

    @Test("V11-K a path that could not be opened ends no later one that is open by then")
    func overtakenInVain() async throws {
        let opener = Opener(isPossible: false)
        let engine = try opener.engine()
        let opened = await Self.open(engine, opener)
        _ = try engine.openPath(slots: 3)
        opener.open()
        #expect(await opened.value == .failure(.path(.system("no sockets"))))
        #expect(engine.offer(restartsICE: false) != nil)
        #expect(engine.statistics().slots.count == 3)
        engine.stop()
    }

    @Test("V11-K music that still waits for its file when everything has ended opens no loudspeaker any more")
    func waitingMusic() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (opening, entered) = AsyncStream<Void>.makeStream()
        let engine = try AudioEngine(
            RoomAudioConfiguration(),
            open: { _ throws(CodecError) in
                entered.yield()
                _ = gate.wait(timeout: .now() + 300)
                return TestSong(seconds: 1)
            }, openPath: EnginePath.opener, onEvent: { _ in })
        engine.playMusic(MusicTrack(id: 1, source: "slow"))
        for await _ in opening { break }
        engine.stop()
        let loudspeaker = Loudspeaker()
        try engine.setOutput(loudspeaker)
        #expect(!loudspeaker.isRunning.withLock { $0 })
        gate.signal()
        engine.stop()
    }

    @Test(
        "V11-K a path that could not be opened leaves no device running that nothing else needs",
        arguments: [false, true])
    func impossible(isWanted: Bool) async throws {
        let opener = Opener(isPossible: false)
        let engine = try opener.engine()
        let opened = await Self.open(engine, opener)
        // It runs at once, since there is to be a path.
        let loudspeaker = Loudspeaker()
        try engine.setOutput(loudspeaker)
        #expect(loudspeaker.isRunning.withLock { $0 })
        if isWanted { try engine.startMicrophone() }
        opener.open()
        #expect(await opened.value == .failure(.path(.system("no sockets"))))
        engine.settleDevices()
        #expect(loudspeaker.isRunning.withLock { $0 } == isWanted)
        engine.stop()
        #expect(!loudspeaker.isRunning.withLock { $0 })
    }

    private final class Loudspeaker: AudioOutputDevice {
        private let device = NullOutput()
        let isRunning = Mutex(false)

        func start(
            channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
        ) throws(DeviceError) {
            try device.start(channels: channels, framesPerBlock: framesPerBlock, render: render)
            isRunning.withLock { $0 = true }
        }

        func stop() {
            device.stop()
            isRunning.withLock { $0 = false }
        }
    }
}
