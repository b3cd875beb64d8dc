internal import AudioGraph
internal import Forwarding
internal import MediaCodecs
internal import NetworkSimulation
internal import SoundAnalysis
internal import Timing
internal import Wire

@testable internal import Playback

/// Noise without its treble, so that it may be read between its samples; different for each seed.
struct Noise {
    let samples: [Float]

    init(seed: UInt64, seconds: Double, amplitude: Float = 0.5) {
        let white = TestSounds.noise(amplitude: 1, seconds: seconds, seed: seed)
        // A mean over a raised cosine of 12 samples: nothing above 8 kHz.
        let weights: [Float] = [0.03, 0.12, 0.25, 0.37, 0.45, 0.5, 0.45, 0.37, 0.25, 0.12, 0.03]
        var smooth = [Float](repeating: 0, count: white.count)
        for index in weights.count..<white.count {
            var sum: Float = 0
            var tap = 0
            while tap < weights.count {
                sum += weights[tap] * white[index - tap]
                tap += 1
            }
            smooth[index] = sum * amplitude * 0.6
        }
        samples = smooth
    }

    /// Silence outside.
    func value(at position: Double) -> Float {
        guard position >= 0, position < Double(samples.count - 1) else { return 0 }
        let index = Int(position)
        let fraction = Float(position - Double(index))
        return samples[index] + (samples[index + 1] - samples[index]) * fraction
    }
}

/// A track in memory.
final class TestTrack: SongSound {
    let samples: [Float]
    private(set) var isClosed = false
    init(_ samples: [Float]) { self.samples = samples }

    func isReady(at position: Int) -> Bool { true }
    func read(_ block: AudioBuffer, at position: Int) -> Int {
        for channel in 0..<block.channels {
            for frame in 0..<block.frameCount {
                let place = position + frame
                block[channel][frame] = samples.indices.contains(place) ? samples[place] : 0
            }
        }
        return 0
    }
    func close() { isClosed = true }
}

/// Someone who sings to what they hear of the song, with a clock of their own, over a network.
final class Singer: SimulatedEndpoint {
    struct Equipment {
        /// Parts per million by which the clock is fast.
        var ppm = 0.0
        /// From what is told to be played until what is sung to it is captured.
        var latency = Interval.milliseconds(20)
        var use = OpusUse.duet
        /// Tells the position with each packet.
        var statesPosition = true
        /// How well they know the room's time.
        var clockError = Interval.zero
        var firstTimestamp: UInt32 = 0xffff_0000
    }

    let slot: Int
    let address: TransportAddress
    let mixer: TransportAddress
    let equipment: Equipment
    private let voice: Noise
    private let encoder: OpusEncoding
    private let start: Instant
    /// When what they sing to begins; nil: they sing by the room's time.
    var songStart: Instant?
    /// From then on they are silent.
    var leaves = Instant.distantFuture
    var joins: Instant
    private var captured = 0
    private var sequence: UInt64 = 0
    /// Of the packet that it sends next.
    var nextSequence: UInt64 { sequence }
    private var outgoing: [[UInt8]] = []
    private let block: AudioBuffer

    init(slot: Int, voice: Noise, equipment: Equipment, start: Instant, songStart: Instant?) throws {
        self.slot = slot
        self.voice = voice
        self.equipment = equipment
        self.start = start
        self.songStart = songStart
        joins = start
        address = TransportAddress(ip: IPAddress(v4: 10, 0, 0, UInt8(slot + 1)), port: 5_000)
        mixer = TransportAddress(ip: IPAddress(v4: 192, 0, 2, UInt8(slot + 1)), port: 7_882)
        encoder = try OpusEncoding(use: equipment.use)
        block = AudioBuffer(channels: 1, capacity: encoder.frameSize)
    }

    private var rate: Double { 48_000 * (1 + equipment.ppm * 1e-6) }
    private func time(of sample: Int) -> Instant {
        start + Interval(nanoseconds: Int64((Double(sample) / rate * 1e9).rounded()))
    }

    /// In frames of the song, or of the room's time.
    private func sung(at time: Instant) -> Double {
        ((time - (songStart ?? start)).seconds - equipment.latency.seconds) * 48_000
    }

    var nextDeadline: Instant { time(of: captured + encoder.frameSize) }

    func advance(to now: Instant) {
        while nextDeadline <= now {
            let first = time(of: captured)
            let position = sung(at: first)
            let step = 48_000 / rate
            for frame in 0..<block.frameCount { block[0][frame] = voice.value(at: position + Double(frame) * step) }
            var packet = [UInt8](repeating: 0, count: 1_400)
            let length = packet.withUnsafeMutableBytes { bytes in
                (try? encoder.encode(block, into: UnsafeMutableRawBufferPointer(rebasing: bytes[17...]))) ?? 0
            }
            let stated = position + equipment.clockError.seconds * 48_000
            packet.withUnsafeMutableBytes { bytes in
                bytes.storeBytes(of: sequence, toByteOffset: 0, as: UInt64.self)
                let timestamp = equipment.firstTimestamp &+ UInt32(truncatingIfNeeded: captured)
                bytes.storeBytes(of: timestamp, toByteOffset: 8, as: UInt32.self)
                bytes.storeBytes(of: stated > 0 ? UInt32(stated) : 0, toByteOffset: 12, as: UInt32.self)
                bytes[16] = equipment.statesPosition && songStart != nil && stated > 0 ? 1 : 0
            }
            if first >= joins, first < leaves { outgoing.append(Array(packet.prefix(17 + length))) }
            captured += block.frameCount
            sequence += 1
        }
    }

    func nextDatagram(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> (length: Int, path: NetworkPath)?
    {
        guard !outgoing.isEmpty else { return nil }
        let packet = outgoing.removeFirst()
        buffer.copyBytes(from: packet)
        return (packet.count, NetworkPath(local: address, remote: mixer))
    }

    func receive(_ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {}
}

/// The mix on the network, and what its audience hears, decoded.
final class Desk: SimulatedEndpoint {
    let mix: DuetMix
    let origin: Instant
    /// What the network takes to each singer and back, as reports would tell.
    var roundTrips: [Int: Interval] = [:]
    /// Frames from `origin` on, of the left channel.
    private(set) var heard: [Float] = []
    private(set) var packets: [MixPacket] = []
    private(set) var opened: [(file: String, position: Int)] = []
    private let decoder: OpusDecoding
    private let block = AudioBuffer(channels: 2, capacity: OpusDecoding.maximumFrames)
    private let log: Log
    private var started: Set<Int> = []

    private final class Log { var opened: [(file: String, position: Int)] = [] }

    init(at now: Instant, tracks: [String: [Float]] = [:]) throws {
        origin = now
        let log = Log()
        self.log = log
        mix = try DuetMix(at: now) { file, position in
            log.opened.append((file, position))
            return tracks[file].map { TestTrack($0) }
        }
        decoder = try OpusDecoding(channels: 2)
    }

    var openings: [(file: String, position: Int)] { log.opened }

    /// By how many frames what is heard lags behind what was mixed: the limiter and the mix's encoder.
    static let lag = Limiter.standardLookAhead + 312

    func receive(_ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant) {
        let slot = Int(path.remote.ip.low & 0xff) - 1
        let bytes = UnsafeRawBufferPointer(rebasing: datagram[..<length])
        guard bytes.count > 17 else { return }
        let packet = TappedPacket(
            slot: slot, producer: MemberID(rawValue: UInt64(slot + 1)), sequence: bytes.loadUnaligned(as: UInt64.self),
            timestamp: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
            startsSource: started.insert(slot).inserted, arrival: now, roundTrip: roundTrips[slot],
            songPosition: bytes[16] == 1 ? bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self) : nil)
        mix.receive(packet, UnsafeRawBufferPointer(rebasing: bytes[17...]))
    }

    var nextDeadline: Instant { mix.nextDeadline }

    func advance(to now: Instant) {
        mix.advance(to: now) { packet, payload in
            packets.append(packet)
            guard let frames = try? decoder.decode(payload, into: block) else { return }
            // The mix counts its timestamps from where it began, modulo 2³².
            let place = Int(Int32(bitPattern: packet.timestamp))
            guard place >= 0 else { return }
            if heard.count < place + frames {
                heard.append(contentsOf: [Float](repeating: 0, count: place + frames - heard.count))
            }
            for frame in 0..<frames { heard[place + frame] = block[0][frame] }
        }
    }

    func nextDatagram(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> (length: Int, path: NetworkPath)?
    {
        nil
    }

    // MARK: What the audience hears

    /// The frame of what is heard that belongs to that moment.
    func frame(at time: Instant) -> Int { Int(((time - origin).seconds * 48_000).rounded()) + Self.lag }

    /// How many frames later than it should be a sound is heard around a moment, and how clearly; `position` is the frame of
    /// `sound` that belongs to the moment.
    func delay(of sound: [Float], position: Int, at time: Instant, frames: Int = 8_192) -> Double? {
        let start = frame(at: time)
        guard start >= 0, start + frames <= heard.count, position >= 0, position + frames <= sound.count else {
            return nil
        }
        let found = Array(heard[start..<start + frames]).delay(
            after: Array(sound[position..<position + frames]), maximum: 1_920)
        return found.frames
    }

    func level(from time: Instant, seconds: Double) -> Double {
        let start = frame(at: time)
        guard start >= 0, start + Int(seconds * 48_000) <= heard.count else { return -200 }
        return Array(heard[start..<start + Int(seconds * 48_000)]).level
    }
}

extension [Double] {
    /// The value below which that share of all lies.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : sorted()[Swift.min(count - 1, Int(Double(count) * share))]
    }
}
