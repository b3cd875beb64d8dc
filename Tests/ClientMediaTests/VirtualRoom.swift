import AudioGraph
import Foundation
import MediaCodecs
import Synchronization
import Timing

@testable import ClientMedia

/// Music whose sound can be computed: a tone that steps up by a semitone every tenth of a second, so that each place of the
/// song has a pitch of its own; or one steady tone.
final class TestSong: MusicSource {
    let duration: Double?
    private let frequency: (Int) -> Double
    private let frames: Int
    private let amplitude: Double
    private let isLeftOnly: Bool
    private var next = 0
    private var phases: [Double] = []

    /// `steps`: the pitch of each tenth of a second.
    init(
        seconds: Double, amplitude: Double = 0.5, isLeftOnly: Bool = false,
        frequency: @escaping (Int) -> Double = { _ in 440 }
    ) {
        duration = seconds
        frames = Int(seconds * 48_000)
        self.amplitude = amplitude
        self.isLeftOnly = isLeftOnly
        self.frequency = frequency
        var phase = 0.0
        for step in 0...(frames / 4_800 + 1) {
            phases.append(phase)
            phase += 2 * .pi * frequency(step) * 4_800 / 48_000
        }
    }

    func fill(_ block: AudioBuffer) throws(CodecError) -> Int {
        let count = min(block.capacity, frames - next)
        block.frameCount = max(0, count)
        for index in 0..<max(0, count) {
            let step = (next + index) / 4_800
            let phase = phases[step] + 2 * .pi * frequency(step) * Double((next + index) % 4_800) / 48_000
            let value = Float(amplitude * sin(phase))
            for channel in 0..<block.channels { block[channel][index] = isLeftOnly && channel > 0 ? 0 : value }
        }
        next += max(0, count)
        return max(0, count)
    }

    func seek(toSeconds seconds: Double) throws(CodecError) { next = min(frames, Int((seconds * 48_000).rounded())) }
}

/// What engines and tracks told, in order.
final class EventLog: Sendable {
    private let events = Mutex<[RoomAudioEvent]>([])

    func append(_ event: RoomAudioEvent) { events.withLock { $0.append(event) } }
    var all: [RoomAudioEvent] { events.withLock { $0 } }
}

/// Two people without sockets and devices, in virtual time: what one's capturing side sends reaches the other's playing
/// side after 30 ms.
final class VirtualRoom {
    /// Frames that the devices work on at once.
    let block: Int
    /// From one to the other.
    let way: Interval

    let log = EventLog()
    let music: MusicPlayer
    let ear = EarMonitorQueue()
    let capture: CaptureSide
    /// What the sender hears itself.
    let own: PlayoutSide
    let other: PlayoutSide
    var settings = RoomAudioSettings() {
        didSet {
            if !settings.encodesLike(oldValue), let encoder = try? settings.makeEncoder() {
                capture.sender.setEncoder(encoder)
            }
            capture.apply(settings)
            own.apply(settings)
        }
    }
    /// What the microphone picks up: frequency in hertz, 0 for silence; or a recorded sound.
    var sung: [Float]?
    private var sungFrames = 0
    var voice = 440.0
    var voiceAmplitude: Float = 0.5
    private(set) var heardByOther: [Float] = []
    private(set) var heardOnTheRight: [Float] = []
    private(set) var heardBySelf: [Float] = []
    private(set) var frames: [(frame: OutgoingFrame, bytes: Int)] = []
    /// Whether a block waits for the decoding threads, as a device's thread never does.
    var waitsForMusic = true

    private let inbox = PacketInbox()
    private let tone = ToneSource(frequency: 440)
    private let microphone: AudioBuffer
    private let speaker: AudioBuffer
    private var sequence: UInt64 = 100
    private var flying: [(arrival: Instant, packet: IncomingPacket, payload: [UInt8])] = []

    init(
        songs: [String: @Sendable () -> TestSong] = [:], block: Int = 480, way: Interval = .milliseconds(30),
        delay: PlayoutDelay = .adaptive
    ) throws {
        self.block = block
        self.way = way
        microphone = AudioBuffer(channels: 2, capacity: block)
        speaker = AudioBuffer(channels: 2, capacity: block)
        let log = log
        let shared = Clock()
        self.shared = shared
        music = MusicPlayer(
            open: { name throws(CodecError) in
                guard let song = songs[name] else { throw CodecError(.cannotOpen, "no song \(name)") }
                return song()
            }, clock: { shared.now }, tell: { log.append($0) })
        capture = try CaptureSide(settings: settings, ear: ear, music: music)
        capture.setMicrophone(true)
        own = PlayoutSide(ear: ear, music: music)
        other = PlayoutSide(
            ear: EarMonitorQueue(),
            music: MusicPlayer(
                open: { _ throws(CodecError) in throw CodecError(.cannotOpen, "") }, clock: { shared.now },
                tell: { _ in }))
        other.begin(receivers: [try SlotReceiver(delay: delay)], inbox: inbox, settings: settings)
        capture.emit = { [unowned self] frame, payload in
            frames.append((frame, payload.count))
            let packet = IncomingPacket(
                slot: 0, sequence: sequence, timestamp: frame.timestamp, ssrc: 1,
                arrival: shared.now + way)
            sequence += 1
            flying.append((packet.arrival, packet, Array(payload)))
        }
    }

    final class Clock: Sendable {
        private let nanoseconds = Atomic<Int64>(3_000_000_000)
        var now: Instant { Instant(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
        func advance(_ interval: Interval) { nanoseconds.add(interval.nanoseconds, ordering: .relaxed) }
    }

    let shared: Clock

    /// Lets time pass and returns what the other one and we ourselves heard of it.
    @discardableResult
    func run(_ seconds: Double) -> (other: [Float], own: [Float]) {
        let first = (heardByOther.count, heardBySelf.count)
        for _ in 0..<Int((seconds * 48_000 / Double(block)).rounded()) {
            turn()
        }
        return (Array(heardByOther[first.0...]), Array(heardBySelf[first.1...]))
    }

    private func turn() {
        let step = MusicStream.interval(block)
        if waitsForMusic { waitForMusic() }
        let now = shared.now
        microphone.frameCount = block
        if let sung {
            for index in 0..<block {
                for channel in 0..<2 { microphone[channel][index] = sung[(sungFrames + index) % sung.count] }
            }
            sungFrames += block
        } else if voice > 0 {
            tone.frequency = voice
            tone.amplitude = voiceAmplitude
            tone.render(into: microphone)
        } else {
            microphone.clear()
        }
        // Heard a little later than it is made, captured a little before it is delivered.
        own.render(speaker, heard: now + .milliseconds(15), now: now)
        heardBySelf.append(contentsOf: speaker[0])
        capture.process(microphone, captured: now + Interval(nanoseconds: -step.nanoseconds))
        while let next = flying.first, next.arrival <= now {
            flying.removeFirst()
            next.payload.withUnsafeBytes { inbox.push(next.packet, $0) }
        }
        other.render(speaker, heard: now, now: now)
        heardByOther.append(contentsOf: speaker[0])
        heardOnTheRight.append(contentsOf: speaker[1])
        shared.advance(step)
    }

    /// Until each track that plays has decoded ahead.
    private func waitForMusic() {
        for id in Int32(0)..<4 {
            while music.read(
                id,
                { track in
                    !track.isOver && track.finish == nil
                        && (track.seekRequest != nil || track.ring.end - track.cursor < 9_600)
                }) == true
            {
                music.change(id) { _ in }
                sched_yield()
            }
        }
    }
}
