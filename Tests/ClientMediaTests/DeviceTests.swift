import AudioGraph
import Dispatch
import MediaCodecs
import MediaDevices
import SeededRandom
import Synchronization
import Testing
import Timing

@testable import ClientMedia

/// What becomes of the device of one direction, step by step.
@Suite struct DeviceMachineTests {
    private static func device(_ choice: Int) -> LineDevice {
        LineDevice(choice: choice) { (_, _) throws(RoomAudioError) in
        } stop: {
        }
    }

    private static func order(_ choice: Int?, frames: Int = 480, keepsTime: Bool = false) -> DeviceMachine.Order {
        DeviceMachine.Order(device: choice.map { device($0) }, framesPerBlock: frames, keepsTime: keepsTime)
    }

    private static let unplugged = RoomAudioError.device("unplugged")

    /// An input, with what it was told to do so far.
    private struct Told {
        var machine = DeviceMachine(returns: true, hasTimeAtOnce: true)
        var log: [String] = []

        @discardableResult
        mutating func take(_ input: DeviceMachine.Input) -> [String] {
            let said = machine.handle(input).map(DeviceMachineTests.word)
            log += said
            return said
        }
    }

    private static func word(_ action: DeviceMachine.Action) -> String {
        func name(_ run: DeviceMachine.Run) -> String { run.choice.map { "\($0)" } ?? "stand-in" }
        return switch action {
        case .open(let device, let run): "open \(device.choice) \(run.framesPerBlock)"
        case .openStandIn: "open stand-in"
        case .close(let run): "close \(name(run))"
        case .select(let run): "select \(run.map(name) ?? "none")"
        case .answer(let number, let outcome): "answer \(number) \(outcome)"
        case .tellLoss: "lost"
        case .tellReturn: "returned"
        case .tryAgain(_, let time): "again in \(time.seconds)"
        }
    }

    @Test("V11-K a microphone that nobody wants any more when it is open is closed, and nothing of it is heard")
    func withdrawn() {
        var told = Told()
        #expect(told.take(.order(Self.order(1), asked: 1)) == ["select none", "open 1 480"])
        #expect(told.take(.order(Self.order(nil), asked: nil)) == ["answer 1 withdrawn", "select none"])
        #expect(told.take(.opened) == ["close 1", "select none"])
        #expect(told.machine.phase == .idle(standIn: nil))
    }

    @Test("V11-K what is ordered while a device opens holds when it is open: other blocks, another device")
    func meanwhile() {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        #expect(told.take(.order(Self.order(1, frames: 240), asked: nil)).allSatisfy { $0 == "select none" })
        #expect(told.take(.opened) == ["select 1", "close 1", "select none", "select none", "open 1 240"])
        #expect(told.take(.order(Self.order(2, frames: 240), asked: 7)).allSatisfy { $0 == "select none" })
        #expect(told.take(.opened) == ["close 1", "select none", "open 2 240"])
        #expect(told.take(.opened) == ["select 2", "answer 7 done"])
    }

    @Test("V11-K an error reaches whoever asked; a device that was asked for is not tried again by itself")
    func asked() {
        var told = Told()
        told.take(.order(Self.order(1), asked: 3))
        #expect(told.take(.notOpened(Self.unplugged)).last == "answer 3 failed(unplugged)")
        #expect(!told.log.contains("lost") && !told.log.contains { $0.hasPrefix("again") })
        // Whoever asks once more has it tried once more.
        #expect(told.take(.order(Self.order(1), asked: 4)).last == "open 1 480")
        #expect(told.take(.opened) == ["select 1", "answer 4 done"])
    }

    @Test("V11-K a microphone that goes away is told of once, and tried again until it is there, ever less often")
    func lost() throws {
        var told = Told()
        told.take(.order(Self.order(1, keepsTime: true), asked: nil))
        told.take(.opened)
        #expect(
            told.take(.lost(choice: 1, Self.unplugged))
                == ["close 1", "lost", "open stand-in", "select stand-in", "again in 1.0"])
        for wait in [2.0, 4, 8, 16, 16] {
            guard case .failed(let outage, _) = told.machine.phase else { throw Self.unplugged }
            #expect(told.take(.again(outage.number)) == ["open 1 480"])
            #expect(told.take(.notOpened(Self.unplugged)) == ["again in \(wait)"])
        }
        guard case .failed(let outage, _) = told.machine.phase else { throw Self.unplugged }
        told.take(.again(outage.number))
        #expect(told.take(.opened) == ["select 1", "close stand-in", "returned"])
        #expect(told.log.count { $0 == "lost" } == 1)
    }

    @Test("V11-K another device ends the wait for the one that went away")
    func another() throws {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        told.take(.opened)
        told.take(.lost(choice: 1, Self.unplugged))
        guard case .failed(let outage, _) = told.machine.phase else { throw Self.unplugged }
        #expect(told.take(.order(Self.order(2), asked: nil)).last == "open 2 480")
        told.take(.opened)
        #expect(told.take(.again(outage.number)).isEmpty)
        #expect(told.take(.lost(choice: 1, Self.unplugged)).isEmpty)
        #expect(told.machine.isSettled)
    }

    @Test("V11-K a loudspeaker that went away gives way to none, and is not tried again")
    func output() {
        var machine = DeviceMachine(returns: false, hasTimeAtOnce: false)
        _ = machine.handle(.order(Self.order(1, keepsTime: true), asked: nil))
        _ = machine.handle(.opened)
        #expect(
            machine.handle(.lost(choice: 1, Self.unplugged)).map(Self.word)
                == ["close 1", "lost", "open stand-in", "select stand-in"])
    }

    @Test(
        "V11-K whatever is ordered and happens: in the end what was opened is closed, and every question is answered once"
    )
    func anyOrder() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            var told = Told()
            var questions = 0
            for _ in 0..<40 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0...1:
                    let isAsked = random.chance(0.5)
                    if isAsked { questions += 1 }
                    told.take(
                        .order(
                            Self.order(
                                random.chance(0.3) ? nil : Int.random(in: 1...3, using: &random),
                                frames: random.chance(0.5) ? 480 : 240, keepsTime: random.chance(0.5)),
                            asked: isAsked ? questions : nil))
                case 2...3 where told.machine.isOpening:
                    told.take(random.chance(0.6) ? .opened : .notOpened(Self.unplugged))
                case 4: told.take(.lost(choice: Int.random(in: 1...3, using: &random), Self.unplugged))
                case 5: if case .failed(let outage, _) = told.machine.phase { told.take(.again(outage.number)) }
                default: break
                }
            }
            told.take(.order(DeviceMachine.Order(), asked: nil))
            if told.machine.isOpening { told.take(.opened) }
            #expect(told.machine.phase == .idle(standIn: nil), "seed \(seed)")
            let answers = told.log.filter { $0.hasPrefix("answer") }.compactMap { Int($0.split(separator: " ")[1]) }
            #expect(answers.sorted() == Array(1..<(questions + 1)), "seed \(seed): \(told.log)")
            // Stand-ins open at once; a device's start may have failed.
            #expect(
                told.log.count { $0 == "open stand-in" } == told.log.count { $0 == "close stand-in" }, "seed \(seed)")
        }
    }
}

/// Devices that take their time, and devices that go away.
@Suite(.timeLimit(.minutes(1))) struct EngineDeviceTests {
    /// A microphone that opens when it is told to, and can be unplugged.
    final class Microphone: AudioInputDevice {
        private let tone = ToneInput(frequency: 660, amplitude: 0.25)
        private let gate = DispatchSemaphore(value: 0)
        private let isSlow: Bool
        let isThere = Mutex(true)
        let isOpening = Mutex(false)
        let opening: AsyncStream<Void>
        private let entered: AsyncStream<Void>.Continuation
        private let onFailure = Mutex<(@Sendable (DeviceError) -> Void)?>(nil)

        init(isSlow: Bool = false) {
            self.isSlow = isSlow
            (opening, entered) = AsyncStream.makeStream(of: Void.self)
        }

        func made(_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> Microphone {
            self.onFailure.withLock { $0 = onFailure }
            return self
        }

        func start(
            channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
        ) throws(DeviceError) {
            guard isThere.withLock({ $0 }) else { throw DeviceError(.notFound, "no microphone") }
            if isSlow {
                isOpening.withLock { $0 = true }
                entered.yield()
                // Whoever waits for it in vain fails, and does not wait for ever.
                _ = gate.wait(timeout: .now() + 30)
                isOpening.withLock { $0 = false }
            }
            try tone.start(channels: channels, framesPerBlock: framesPerBlock, deliver: deliver)
        }

        func stop() { tone.stop() }

        func open() { gate.signal() }

        func unplug() {
            isThere.withLock { $0 = false }
            tone.stop()
            onFailure.withLock { $0 }?(DeviceError(.lost, "unplugged"))
        }
    }

    private static func engine() throws -> AudioEngine {
        try AudioEngine(
            RoomAudioConfiguration(), open: { _ throws(CodecError) in TestSong(seconds: 1) }, onEvent: { _ in })
    }

    @Test("V11-K settings do not wait for a device that opens slowly, and hold when it is open")
    func slow() async throws {
        let engine = try Self.engine()
        let microphone = Microphone(isSlow: true)
        try engine.setInput(microphone)
        engine.startMicrophone { _ in }
        for await _ in microphone.opening { break }
        engine.update {
            $0.captureVolume = 40
            $0.isMicrophoneMuted = true
            $0.slotVolumes[1] = 30
        }
        _ = (engine.levels(), engine.statistics())
        #expect(microphone.isOpening.withLock { $0 } && !engine.isMicrophoneOn)
        microphone.open()
        engine.settleDevices()
        #expect(engine.isMicrophoneOn && engine.settings.captureVolume == 40 && engine.settings.isMicrophoneMuted)
        engine.stop()
    }

    @Test("V11-K stopping while a microphone opens does not wait for it; it is closed as soon as it is open")
    func stopped() async throws {
        let engine = try Self.engine()
        let microphone = Microphone(isSlow: true)
        try engine.setInput(microphone)
        let isDone = Mutex<RoomAudioError??>(nil)
        engine.startMicrophone { error in isDone.withLock { $0 = .some(error) } }
        for await _ in microphone.opening { break }
        engine.stopMicrophone()
        engine.stop()
        #expect(microphone.isOpening.withLock { $0 })
        #expect(isDone.withLock { $0 } == .some(nil), "whoever asked hears that nothing went wrong")
        microphone.open()
        engine.settleDevices()
        #expect(!engine.isMicrophoneOn && engine.levels().own == 0)
    }

    @Test(
        "V11-K E05-K an unplugged microphone leaves published music as it is, is told of, and comes back when it is there again"
    )
    func unplugged() async throws {
        let server = try await MediaServer()
        let tries = Mutex<[@Sendable () -> Void]>([])
        let anna = try Person(1, songs: ["song": { TestSong(seconds: 60) }]) { _, _, body in
            tries.withLock { $0.append(body) }
        }
        let ben = try Person(2)
        try await anna.join(server)
        try await ben.join(server)
        await server.assign(0, anna)
        let microphone = Microphone()
        try anna.audio.setInput { microphone.made($0) }
        try anna.audio.startMicrophone()
        var music = MusicTrack(id: 7, source: "song")
        music.controls.isPublished = true
        anna.audio.update { $0.isMicrophoneMuted = true }
        anna.audio.playMusic(music)
        #expect(await ben.recording.hears(pitch: 440))
        microphone.unplug()
        await anna.waitFor(.inputLost("unplugged"))
        anna.audio.settleDevices()
        #expect(!anna.audio.isMicrophoneOn)
        let sent = anna.audio.statistics().framesSent
        for _ in 0..<100 where anna.audio.statistics().framesSent < sent + 30 { _ = await ben.recording.next(0.05) }
        #expect(anna.audio.statistics().framesSent >= sent + 30)
        #expect(await ben.recording.hears(pitch: 440))
        // Still away; then it is there.
        tries.withLock { $0.removeLast() }()
        anna.audio.settleDevices()
        microphone.isThere.withLock { $0 = true }
        tries.withLock { $0.removeLast() }()
        await anna.waitFor(.inputReturned)
        #expect(anna.audio.isMicrophoneOn)
        anna.audio.stopMusic(7)
        anna.audio.update { $0.isMicrophoneMuted = false }
        #expect(await ben.recording.hears(pitch: 660))
        anna.audio.stop()
        ben.audio.stop()
    }
}
