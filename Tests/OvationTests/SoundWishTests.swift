import AudioGraph
import ClientMedia
import DeviceTestSupport
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

    @Test(
        "V11-K a microphone that did not start is tried again when somebody asks for it, and not at each news of the room"
    )
    func triedAgain() async throws {
        let device = TestMicrophone(isThere: false)
        let events = audio.events
        try audio.devices?.use(input: device, output: NullOutput())
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [false])
        #expect(await microphone(after: [{ $0.setVolume(50, of: "bob") }]) == [false])
        device.plugIn()
        #expect(await microphone(after: [{ $0.setVolume(60, of: "bob") }]) == [false])
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [true])
        audio.finish()
        var failures = 0
        for try await event in events { if case .microphoneFailed = event { failures += 1 } }
        #expect(failures == 1)
    }

    /// Bob, who hears this sound, on a seat or in the audience.
    private static func room(isSeated: Bool) -> RoomState {
        RoomState(RoomSnapshot.example(seats: [isSeated ? .used(0, "bob") : Seat(index: 0), Seat(index: 1)]))
    }

    @Test(
        "V11-K a microphone that did not start is tried again when the user sits down, and not at other news of seats")
    func sittingDown() async throws {
        let device = TestMicrophone(isThere: false)
        let events = audio.events
        try audio.devices?.use(input: device, output: NullOutput())
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [false])
        device.plugIn()
        #expect(await microphone(after: [{ $0.take(Self.room(isSeated: false)) }]) == [false])
        #expect(await microphone(after: [{ $0.take(Self.room(isSeated: true)) }]) == [true])
        // The device breaks while another one is chosen: that is told to whoever chose it.
        let other = TestMicrophone(isThere: false)
        #expect(throws: OvationError.self) { try audio.devices?.use(input: other, output: NullOutput()) }
        other.plugIn()
        #expect(await microphone(after: [{ $0.take(Self.room(isSeated: true)) }]) == [false])
        #expect(await microphone(after: [{ $0.take(Self.room(isSeated: false)) }]) == [false])
        #expect(await microphone(after: [{ $0.take(Self.room(isSeated: true)) }]) == [true])
        audio.finish()
        var failures = 0
        for try await event in events { if case .microphoneFailed = event { failures += 1 } }
        #expect(failures == 1)
    }

    @Test(
        "V04-C V11-K whoever sits down asks for the microphone once: one that does not start is tried once, told of once",
        arguments: [false, true], [false, true])
    func once(isStarted: Bool, isStopped: Bool) async throws {
        let device = TestMicrophone(isThere: false)
        let events = audio.events
        try audio.devices?.use(input: device, output: NullOutput())
        // What was said before one sat down does not hold.
        if isStarted { #expect(await microphone(after: [{ $0.startMicrophone() }]) == [false]) }
        if isStopped { #expect(await microphone(after: [{ $0.stopMicrophone() }]) == [false]) }
        let before = isStarted ? 1 : 0
        #expect(device.tries == before)
        // The room shows the seat, and its event comes: whoever follows that says so again.
        #expect(await microphone(after: [{ $0.take(Self.room(isSeated: true)) }]) == [false])
        #expect(await microphone(after: [{ $0.followSeat() }]) == [false])
        #expect(device.tries == before + 1)
        // To another seat.
        #expect(await microphone(after: [{ $0.followSeat() }]) == [false])
        #expect(device.tries == before + 1)
        audio.finish()
        var failures = 0
        for try await event in events { if case .microphoneFailed = event { failures += 1 } }
        #expect(failures == before + 1)
    }

    @Test("V11-K whoever plugs the microphone in again and asks for it is heard at once, and not only at the next try")
    func pluggedIn() async throws {
        let device = TestMicrophone()
        try audio.engine?.setInput { device.made($0) }
        #expect(await microphone(after: [{ $0.startMicrophone() }]) == [true])
        for _ in 0..<4 {
            device.unplug()
            // Still away.
            #expect(await microphone(after: [{ $0.startMicrophone() }]) == [false])
            device.plugIn()
            #expect(await microphone(after: [{ $0.startMicrophone() }]) == [true])
        }
        audio.finish()
    }

    @Test("V11-K volumes and mutes do not wait for a microphone that opens slowly, whichever thread they are said on")
    func slow() async throws {
        let device = TestMicrophone(isSlow: true)
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
        #expect(device.isOpening)
        #expect(heard.isMicrophoneMuted && heard.captureVolume == 40 && heard.playoutVolume == 30)
        device.open()
        #expect(await microphone(after: [{ $0.setVolume(50, of: "bob") }]) == [true])
        #expect(audio.captureVolume == 40)
    }

    @Test("V11-K a microphone that did not start is captured from once another device is chosen")
    func anotherDevice() async throws {
        try audio.devices?.use(input: TestMicrophone(isThere: false), output: NullOutput())
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
