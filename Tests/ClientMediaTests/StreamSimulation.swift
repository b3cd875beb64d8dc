import AudioGraph
import ClientMedia
import Foundation
import MediaCodecs
import NetworkSimulation
import Timing

/// A codec whose sound can be computed: a payload names the first frame and the length, the sound is a sine over all time,
/// or nothing where only the bookkeeping is tested.
final class ToneDecoder: FrameDecoder {
    let channels = 1
    /// Hertz; 0 for silence, which costs nothing.
    var frequency: Double
    private(set) var decoded: [Int64] = []
    private(set) var recovered = 0
    private(set) var invented = 0
    var keepsLog = true
    private var next: Int64 = 0

    init(frequency: Double = 0) { self.frequency = frequency }

    static func payload(start: Int64, frames: Int, hasCopy: Bool = false, length: Int = 40) -> [UInt8] {
        var bytes = withUnsafeBytes(of: start.littleEndian) { Array($0) }
        bytes += [UInt8(frames / 120), hasCopy ? 1 : 0]
        return bytes + [UInt8](repeating: 0xaa, count: max(0, length - bytes.count))
    }

    func decode(
        _ payload: UnsafeRawBufferPointer?, fec: Bool, into block: AudioBuffer
    ) throws(CodecError) -> Int {
        guard let payload else {
            invented += block.frameCount
            return fill(block, from: next, frames: block.frameCount)
        }
        guard payload.count >= 10 else { throw CodecError(.malformed, "no test packet") }
        let start = Int64(littleEndian: payload.loadUnaligned(as: Int64.self))
        if fec {
            guard payload[9] == 1 else { return try decode(nil, fec: false, into: block) }
            recovered += block.frameCount
            return fill(block, from: start - Int64(block.frameCount), frames: block.frameCount)
        }
        let frames = Int(payload[8]) * 120
        guard frames > 0, frames <= block.capacity else { throw CodecError(.malformed, "a bad length") }
        if keepsLog { decoded.append(start) }
        return fill(block, from: start, frames: frames)
    }

    func hasCopy(_ payload: UnsafeRawBufferPointer) -> Bool { payload.count > 9 && payload[9] == 1 }

    private func fill(_ block: AudioBuffer, from start: Int64, frames: Int) -> Int {
        block.frameCount = frames
        next = start + Int64(frames)
        guard frequency > 0 else { return frames }
        let step = 2 * Double.pi * frequency / 48_000
        let samples = block[0]
        for frame in 0..<frames { samples[frame] = Float(0.5 * sin(step * Double(start + Int64(frame)))) }
        return frames
    }

    func reset() {}
}

/// The cheapest of converters: leaves out or doubles a sample now and then. For tests that do not listen.
final class CountingConverter: RateConverter {
    private(set) var consumed: Int64 = 0
    private var rest = 0.0

    func framesNeeded(for frames: Int, rate: Double) -> Int { Int(rest + Double(frames) * rate) + 1 }

    func convert(from queue: SampleQueue, into block: AudioBuffer, rate: Double) {
        let exact = rest + Double(block.frameCount) * rate
        let used = Int(exact)
        rest = exact - Double(used)
        let frames = block.frameCount
        block.frameCount = min(used, frames)
        queue.take(into: block)
        block.frameCount = frames
        if used < frames { block[0][frames - 1] = used > 0 ? block[0][used - 1] : 0 }
        if used > frames { queue.drop(used - frames) }
        consumed += Int64(used)
    }

    func reset() { rest = 0 }
}

/// One stream from a sender with a clock of its own over a network to a jitter buffer, in virtual time.
final class StreamSimulation {
    struct Packet {
        var sequence: UInt64
        var timestamp: UInt32
        var payload: [UInt8]
        var arrival: Instant
        var marker = false
        /// The frame before, as far as the packet carries a copy of it.
        var copy: (timestamp: UInt32, payload: [UInt8])?
    }

    let buffer: JitterBuffer
    let block: AudioBuffer
    /// Everything that was played; the first channel.
    private(set) var sound: [Float] = []
    var keepsSound = true
    private(set) var now = Instant(nanoseconds: 5_000_000_000)
    /// What the sender's clock shows less than the truth, in parts per million.
    var senderPPM = 0.0
    var frameSize: Int
    /// Coarse copies inside the codec's packets.
    var hasCopies = false
    /// Whole copies of the packet before, beside each.
    var carriesCopies = false
    private var last: (timestamp: UInt32, payload: [UInt8])?
    private var received: Set<UInt64> = []
    var ssrc: UInt32 = 1
    /// Says what the network does with the packet of that number: nil is lost, else how long each copy takes.
    var network: (UInt64) -> [Interval] = { _ in [.milliseconds(30)] }
    /// Whether the sender is silent (DTX) for this frame.
    var isSilent: (UInt64) -> Bool = { _ in false }
    /// Whether a packet begins a stretch of speech.
    var isFirst: (UInt64) -> Bool = { _ in false }
    /// For how long the receiver's thread stands still at a moment: nothing is taken or played meanwhile, and the device goes on.
    var stall: (Instant) -> Interval = { _ in .zero }
    /// After each pull.
    var observe: () -> Void = {}

    private var flying: [Packet] = []
    private var nextSend: Instant
    private var sentFrames = 0.0
    private var start: Instant
    var sequence: UInt64 = 1_000
    private var frameNumber: UInt64 = 0
    var firstTimestamp: UInt32 = 0xffff_0000

    init(
        decoder: any FrameDecoder, converter: any RateConverter = CountingConverter(), frameSize: Int = 960,
        blockFrames: Int = 480, delay: PlayoutDelay = .adaptive
    ) {
        buffer = JitterBuffer(decoder: decoder, converter: converter, delay: delay)
        block = AudioBuffer(channels: 1, capacity: blockFrames)
        self.frameSize = frameSize
        start = now
        nextSend = now
    }

    /// Lets time pass.
    func run(_ seconds: Double) {
        let end = now + Interval(nanoseconds: Int64(seconds * 1e9))
        let step = Interval(nanoseconds: Int64(block.frameCount) * 1_000_000_000 / 48_000)
        while now < end {
            while nextSend <= now { send() }
            if !flying.isEmpty { deliver() }
            buffer.pull(into: block, at: now)
            if keepsSound { sound.append(contentsOf: block[0]) }
            observe()
            now = now + step
            let held = stall(now)
            guard held > .zero else { continue }
            let blocks = Int(held.nanoseconds / step.nanoseconds)
            if keepsSound { sound.append(contentsOf: repeatElement(0, count: blocks * block.frameCount)) }
            now = now + step * Int64(blocks)
        }
    }

    private func send() {
        let number = frameNumber
        frameNumber += 1
        let position = Int64(number) * Int64(frameSize)
        let sentAt = nextSend
        let elapsed = Double(number + 1) * Double(frameSize) / 48_000 / (1 + senderPPM / 1e6)
        nextSend = start + Interval(nanoseconds: Int64(elapsed * 1e9))
        guard !isSilent(number) else { return }
        let payload = ToneDecoder.payload(start: position, frames: frameSize, hasCopy: hasCopies)
        let packet = Packet(
            sequence: sequence, timestamp: firstTimestamp &+ UInt32(truncatingIfNeeded: position), payload: payload,
            arrival: sentAt, marker: isFirst(number), copy: carriesCopies ? last : nil)
        last = (packet.timestamp, payload)
        sequence += 1
        for delay in network(number) {
            var copy = packet
            copy.arrival = sentAt + delay
            let place = flying.firstIndex { $0.arrival > copy.arrival } ?? flying.count
            flying.insert(copy, at: place)
        }
    }

    private func deliver() {
        while let packet = flying.first, packet.arrival <= now {
            flying.removeFirst()
            received.insert(packet.sequence)
            if let copy = packet.copy, received.insert(packet.sequence - 1).inserted {
                copy.payload.withUnsafeBytes {
                    buffer.insert(
                        sequence: packet.sequence - 1, timestamp: copy.timestamp, ssrc: ssrc, payload: $0,
                        arrival: packet.arrival, isCopy: true)
                }
            }
            packet.payload.withUnsafeBytes {
                buffer.insert(
                    sequence: packet.sequence, timestamp: packet.timestamp, ssrc: ssrc, payload: $0,
                    arrival: packet.arrival, marker: packet.marker)
            }
        }
    }

    /// The sender begins anew: other numbers, and, with another source, nothing in common with before.
    func restartSender(ssrc: UInt32, sequence: UInt64, timestamp: UInt32) {
        self.ssrc = ssrc
        self.sequence = sequence
        firstTimestamp = timestamp
        flying.removeAll()
    }
}
