import AudioGraph
import ClientMedia
import Dispatch
import MediaDevices
import Synchronization
import Testing
import Timing

@testable import Ovation

/// What the engine is told of a room's sound, in which order.
@Suite struct SoundWishTests {
    private let audio: RoomAudio

    init() throws { audio = RoomAudio(isOn: true, clock: RoomClock(), server: try ServerAddress("127.0.0.1:1")) }

    /// Whether the microphone was on after each of these, all said before the engine could do any of them.
    private func microphone(after calls: [@Sendable (RoomAudio) -> Void]) async -> [Bool] {
        let begin = DispatchSemaphore(value: 0)
        audio.work { _ in begin.wait() }
        let seen = Mutex<[Bool]>([])
        return await withCheckedContinuation { continuation in
            for (number, call) in calls.enumerated() {
                call(audio)
                audio.work { engine in
                    engine.settleDevices()
                    let all = seen.withLock { seen in
                        seen.append(engine.isMicrophoneOn)
                        return seen
                    }
                    if number == calls.count - 1 { continuation.resume(returning: all) }
                }
            }
            begin.signal()
        }
    }

    @Test("V04-K the last wish holds: a microphone that is stopped before it could start never starts")
    func lastWish() async {
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [true])
        #expect(await microphone(after: [{ $0.stopMicrophone() }]) == [false])
        #expect(await microphone(after: [{ $0.startMicrophone() }, { $0.stopMicrophone() }]) == [false, false])
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [true])
        #expect(await microphone(after: [{ $0.stopMicrophone() }, { $0.startMicrophone() }]) == [true, true])
    }

    /// A microphone that does not start until it is mended.
    private final class Broken: AudioInputDevice {
        let isMended = Mutex(false)
        private let device = ToneInput(frequency: 440, amplitude: 0.1)

        func start(
            channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
        ) throws(DeviceError) {
            guard isMended.withLock({ $0 }) else { throw DeviceError(.unavailable, "in use by another program") }
            try device.start(channels: channels, framesPerBlock: framesPerBlock, deliver: deliver)
        }

        func stop() { device.stop() }
    }

    @Test(
        "V11-K a microphone that did not start is tried again when somebody asks for it, and not at each news of the room"
    )
    func triedAgain() async throws {
        let device = Broken()
        let events = audio.events
        try audio.devices?.use(input: device, output: NullOutput())
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [false])
        #expect(await microphone(after: [{ $0.setVolume(50, of: "bob") }]) == [false])
        device.isMended.withLock { $0 = true }
        #expect(await microphone(after: [{ $0.setVolume(60, of: "bob") }]) == [false])
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [true])
        audio.finish()
        var failures = 0
        for try await event in events { if case .microphoneFailed = event { failures += 1 } }
        #expect(failures == 1)
    }

    /// A microphone that opens when it is told to.
    private final class Slow: AudioInputDevice {
        private let device = ToneInput()
        private let gate = DispatchSemaphore(value: 0)
        let isOpening = Mutex(false)
        let opening: AsyncStream<Void>
        private let entered: AsyncStream<Void>.Continuation

        init() { (opening, entered) = AsyncStream.makeStream(of: Void.self) }

        func start(
            channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
        ) throws(DeviceError) {
            isOpening.withLock { $0 = true }
            entered.yield()
            // Whoever waits for it in vain fails, and does not wait for ever.
            _ = gate.wait(timeout: .now() + 60)
            isOpening.withLock { $0 = false }
            try device.start(channels: channels, framesPerBlock: framesPerBlock, deliver: deliver)
        }

        func stop() { device.stop() }

        func open() { gate.signal() }
    }

    @Test("V11-K volumes and mutes do not wait for a microphone that opens slowly, whichever thread they are said on")
    func slow() async throws {
        let device = Slow()
        try audio.devices?.use(input: device, output: NullOutput())
        audio.startMicrophone()
        for await _ in device.opening { break }
        audio.captureVolume = 40
        audio.playbackVolume = 30
        audio.holdMuted(true)
        // What is done on the queue of the sound comes to its turn too.
        let heard = await withCheckedContinuation { continuation in
            audio.work { continuation.resume(returning: $0.settings) }
        }
        #expect(device.isOpening.withLock { $0 })
        #expect(heard.isMicrophoneMuted && heard.captureVolume == 40 && heard.playoutVolume == 30)
        device.open()
        #expect(await microphone(after: [{ $0.setVolume(50, of: "bob") }]) == [true])
        #expect(audio.captureVolume == 40)
    }

    @Test("V11-K a microphone that did not start is captured from once another device is chosen")
    func anotherDevice() async throws {
        try audio.devices?.use(input: Broken(), output: NullOutput())
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [false])
        try audio.useInput(.tone(frequency: 440, amplitude: 0.5))
        #expect(await microphone(after: [{ $0.setVolume(50, of: "bob") }]) == [true])
    }

    @Test("V11-C a microphone that is muted here stays so on every seat, whatever the room says, until it is no longer")
    func heldMuted() {
        var wishes = SoundWishes()
        var state = RoomState(RoomSnapshot.example())
        state.me.micMuted = false
        wishes.take(state)
        #expect(!wishes.plan.isMicrophoneMuted)
        wishes.isHeldMuted = true
        wishes.take(state)
        #expect(wishes.plan.isMicrophoneMuted)
        wishes.isHeldMuted = false
        #expect(!wishes.plan.isMicrophoneMuted)
        state.me.micMuted = true
        wishes.take(state)
        #expect(wishes.plan.isMicrophoneMuted)
    }

    @Test("V11-K what was said of others can be read again")
    func readAgain() {
        #expect(!audio.isMuted("bob") && audio.volume(of: "bob") == 100 && !audio.isAllMuted)
        audio.setMuted(true, of: "bob")
        audio.setVolume(40, of: "carol")
        audio.isAllMuted = true
        #expect(audio.isMuted("bob") && audio.volume(of: "carol") == 40 && audio.isAllMuted)
        audio.setMuted(false, of: "bob")
        audio.isAllMuted = false
        #expect(!audio.isMuted("bob") && audio.volume(of: "bob") == 100 && !audio.isAllMuted)
        audio.isEarMonitorOn = true
        audio.earMonitorVolume = 30
        #expect(audio.isEarMonitorOn && audio.earMonitorVolume == 30)
    }

    @Test("A12-K a room's end holds against a wish that was told before it: nothing starts to capture")
    func endOfTheRoom() async {
        #expect(await microphone(after: [{ $0.startMicrophone() }, { $0.finish() }]) == [false, false])
    }
}
