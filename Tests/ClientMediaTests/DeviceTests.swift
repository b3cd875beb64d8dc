import AudioGraph
import DeviceTestSupport
import Dispatch
import Foundation
import MediaCodecs
import MediaDevices
import Synchronization
import Testing
import Timing

@testable import ClientMedia

/// Devices that take their time, and devices that go away.
@Suite(.timeLimit(.minutes(10))) struct EngineDeviceTests {
    private static func engine(later: @escaping DeviceLine.Later = DeviceLine.later) throws -> AudioEngine {
        try AudioEngine(
            RoomAudioConfiguration(), open: { _ throws(CodecError) in TestSong(seconds: 1) }, later: later,
            onEvent: { _ in })
    }

    @Test("V11-K settings do not wait for a device that opens slowly, and hold when it is open")
    func slow() async throws {
        let engine = try Self.engine()
        let microphone = TestMicrophone(isSlow: true)
        try engine.setInput(microphone)
        engine.startMicrophone { _ in }
        for await _ in microphone.opening { break }
        engine.update {
            $0.captureVolume = 40
            $0.isMicrophoneMuted = true
            $0.slotVolumes[1] = 30
        }
        _ = (engine.levels(), engine.statistics())
        #expect(microphone.isOpening && !engine.isMicrophoneOn)
        microphone.open()
        engine.settleDevices()
        #expect(engine.isMicrophoneOn && engine.settings.captureVolume == 40 && engine.settings.isMicrophoneMuted)
        engine.stop()
    }

    @Test("V11-K stopping while a microphone opens does not wait for it; it is closed as soon as it is open")
    func stopped() async throws {
        let engine = try Self.engine()
        let microphone = TestMicrophone(isSlow: true)
        try engine.setInput(microphone)
        let isDone = Mutex<RoomAudioError??>(nil)
        engine.startMicrophone { error in isDone.withLock { $0 = .some(error) } }
        for await _ in microphone.opening { break }
        engine.stopMicrophone()
        engine.stop()
        #expect(microphone.isOpening)
        #expect(isDone.withLock { $0 } == .some(nil), "whoever asked hears that nothing went wrong")
        microphone.open()
        engine.settleDevices()
        #expect(!engine.isMicrophoneOn && microphone.isClosed)
    }

    @Test(
        "V11-K E05-K an unplugged microphone leaves published music as it is, is told of, and comes back when it is there again"
    )
    func unplugged() async throws {
        let server = try await MediaServer()
        let tries = Mutex<[@Sendable () -> Void]>([])
        func passTime() throws {
            let next = try #require(tries.withLock { $0.popLast() })
            next()
        }
        let anna = try Person(1, songs: ["song": { TestSong(seconds: 60) }]) { _, _, body in
            tries.withLock { $0.append(body) }
        }
        let ben = try Person(2)
        try await anna.join(server)
        try await ben.join(server)
        await server.assign(0, anna)
        let microphone = TestMicrophone()
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
        try passTime()
        anna.audio.settleDevices()
        microphone.plugIn()
        try passTime()
        anna.audio.settleDevices()
        #expect(anna.audio.isMicrophoneOn)
        // It has run for a while.
        try passTime()
        await anna.waitFor(.inputReturned)
        anna.audio.stopMusic(7)
        anna.audio.update { $0.isMicrophoneMuted = false }
        #expect(await ben.recording.hears(pitch: 660))
        anna.audio.stop()
        ben.audio.stop()
    }

    @Test(
        "V11-K whoever hears that a microphone is not wanted any more may ask the engine at once: it waits for nobody")
    func withdrawn() async throws {
        let engine = try Self.engine()
        let microphone = TestMicrophone(isSlow: true)
        try engine.setInput(microphone)
        let hasAnswered = Mutex<Bool?>(nil)
        engine.startMicrophone { _ in
            let answer = DispatchSemaphore(value: 0)
            DispatchQueue(label: "asking").async {
                _ = engine.settings
                answer.signal()
            }
            // Whoever waits in vain fails, and does not wait for ever.
            let isThere = answer.wait(timeout: .now() + 10) == .success
            hasAnswered.withLock { $0 = isThere }
        }
        for await _ in microphone.opening { break }
        engine.stopMicrophone()
        #expect(hasAnswered.withLock { $0 } == true)
        microphone.open()
        engine.settleDevices()
        engine.stop()
    }

    /// A microphone that delivers a loud block while it is being stopped.
    private final class Loud: AudioInputDevice {
        private let run = Mutex<(@Sendable () -> Void)?>(nil)
        private let onFailure = Mutex<(@Sendable (DeviceError) -> Void)?>(nil)
        let onStart = Mutex<(@Sendable () -> Void)?>(nil)

        func made(_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> Loud {
            self.onFailure.withLock { $0 = onFailure }
            return self
        }

        func start(
            channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
        ) throws(DeviceError) {
            run.withLock {
                $0 = {
                    let block = AudioBuffer(channels: channels, capacity: framesPerBlock)
                    block.frameCount = framesPerBlock
                    for channel in 0..<channels {
                        for index in 0..<framesPerBlock { block[channel][index] = index % 40 < 20 ? 0.5 : -0.5 }
                    }
                    deliver(block, RoomAudioConfiguration.systemClock())
                }
            }
            onStart.withLock { $0 }?()
        }

        func stop() { run.withLock { $0.take() }?() }

        func unplug() { onFailure.withLock { $0 }?(DeviceError(.lost, "unplugged")) }
    }

    @Test("V11-K nothing is sent of a microphone that opens in the moment of its stop")
    func stoppedAtOpening() async throws {
        // How a test comes to the queue on which devices are opened.
        let tries = Mutex<[(queue: DispatchQueue, body: @Sendable () -> Void)]>([])
        let engine = try Self.engine { _, queue, body in tries.withLock { $0.append((queue, body)) } }
        let microphone = Loud()
        try engine.setInput { microphone.made($0) }
        try engine.startMicrophone()
        let loudest = Mutex<Float>(0)
        engine.setCaptureTap { block, _ in
            for sample in block[0] { loudest.withLock { $0 = max($0, abs(sample)) } }
        }
        microphone.unplug()
        engine.settleDevices()
        #expect(loudest.withLock { $0 } > 0.1, "what comes before the stop is sent")
        loudest.withLock { $0 = 0 }
        // It is open, and the engine has heard so; what follows from that has yet to be done when the user stops it.
        let (held, holds) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let again = try #require(tries.withLock { $0.first })
        microphone.onStart.withLock {
            $0 = {
                again.queue.async {
                    holds.yield()
                    _ = gate.wait(timeout: .now() + 30)
                }
            }
        }
        again.body()
        for await _ in held { break }
        #expect(engine.isMicrophoneOn)
        engine.stopMicrophone()
        gate.signal()
        engine.settleDevices()
        #expect(loudest.withLock { $0 } == 0)
        engine.stop()
    }

    /// A loudspeaker that can be unplugged, and that takes its time.
    private final class Loudspeaker: AudioOutputDevice {
        private let device = NullOutput()
        private let opens: DispatchSemaphore?
        private let stays: DispatchSemaphore?
        private let onFailure = Mutex<(@Sendable (DeviceError) -> Void)?>(nil)
        let isStopped = Mutex(false)
        let stopping: AsyncStream<Void>
        private let entered: AsyncStream<Void>.Continuation

        /// - Parameter stays: closing takes until that is signalled, or a moment.
        init(opens: DispatchSemaphore? = nil, stays: DispatchSemaphore? = nil) {
            self.opens = opens
            self.stays = stays
            (stopping, entered) = AsyncStream.makeStream(of: Void.self)
        }

        func made(_ onFailure: @escaping @Sendable (DeviceError) -> Void) -> Loudspeaker {
            self.onFailure.withLock { $0 = onFailure }
            return self
        }

        func start(
            channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
        ) throws(DeviceError) {
            _ = opens?.wait(timeout: .now() + 30)
            try device.start(channels: channels, framesPerBlock: framesPerBlock, render: render)
        }

        func stop() {
            entered.yield()
            device.stop()
            _ = stays?.wait(timeout: .now() + 0.3)
            isStopped.withLock { $0 = true }
        }

        func unplug() {
            device.stop()
            onFailure.withLock { $0 }?(DeviceError(.lost, "unplugged"))
        }
    }

    @Test("V11-K a loudspeaker that is unplugged while it plays is told of, and the music goes on to its end")
    func unpluggedLoudspeaker() async throws {
        // Longer than this test may be kept waiting for a processor.
        let anna = try Person(1, songs: ["song": { TestSong(seconds: 120) }])
        let loudspeaker = Loudspeaker()
        try anna.audio.setOutput { loudspeaker.made($0) }
        anna.audio.playMusic(MusicTrack(id: 7, source: "song"))
        await anna.waitFor(.musicStarted(7, duration: .seconds(120)))
        // The track may be open before the loudspeaker is.
        anna.audio.settleDevices()
        loudspeaker.unplug()
        await anna.waitFor(.outputFailed("unplugged"))
        anna.audio.seekMusic(7, to: .seconds(119))
        await anna.waitFor(.musicCompleted(7, .finished))
        anna.audio.stop()
    }

    @Test(
        "V11-K what stops waits until a loudspeaker is closed, also if another one is about to be opened: a recording is whole"
    )
    func closedBeforeTheEnd() async throws {
        let engine = try Self.engine()
        let gate = DispatchSemaphore(value: 0)
        // Who did not wait for it would be back before it is closed.
        let isBack = DispatchSemaphore(value: 0)
        let (first, second) = (Loudspeaker(stays: isBack), Loudspeaker(opens: gate))
        engine.startMicrophone { _ in }
        try engine.setOutput(first)
        DispatchQueue(label: "choosing").async { try? engine.setOutput(second) }
        for await _ in first.stopping { break }
        engine.stop()
        #expect(first.isStopped.withLock { $0 })
        isBack.signal()
        gate.signal()
        engine.settleDevices()
    }
}
