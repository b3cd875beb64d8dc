internal import AudioGraph
package import Forwarding
package import MediaCodecs
package import RoomPorts
package import Timing

/// What a mix has done so far. Only ever grows.
package struct MixStats: Sendable, Hashable {
    package var vocalPackets: UInt64 = 0
    /// Came when their place had been mixed.
    package var latePackets: UInt64 = 0
    /// Not an Opus packet.
    package var brokenPackets: UInt64 = 0
    /// Frames of voices that were invented.
    package var concealedFrames: UInt64 = 0
    /// A voice was moved at once, since it did not belong where it was.
    package var jumps: UInt64 = 0
    /// Frames of the song that were not read in time.
    package var songFramesMissing: UInt64 = 0
    /// Packets of the mix.
    package var mixPackets: UInt64 = 0
    /// Blocks that were left out, since the thread came too late for them.
    package var blocksSkipped: UInt64 = 0

    package init() {}

    package static func += (a: inout MixStats, b: MixStats) {
        a.vocalPackets &+= b.vocalPackets
        a.latePackets &+= b.latePackets
        a.brokenPackets &+= b.brokenPackets
        a.concealedFrames &+= b.concealedFrames
        a.jumps &+= b.jumps
        a.songFramesMissing &+= b.songFramesMissing
        a.mixPackets &+= b.mixPackets
        a.blocksSkipped &+= b.blocksSkipped
    }
}

/// The mix of one chorus for its audience: every voice and the song at their place on the room's time, put together some
/// time behind the present, and encoded. Without clocks, threads or sockets; belongs to one thread.
package final class DuetMix {
    /// How far behind the present the mix is made. A voice must have come by then: 80 ms of way and 20 ms of jitter, 20 ms
    /// for a packet to be filled, 150 ms between what wireless headphones are told to play and what is sung to it, and
    /// 20 ms for a block of the mix.
    package static let delay = Interval.milliseconds(300)
    /// Frames per packet of the mix.
    package static let blockFrames = 960
    /// The voices stand before the song: −3 dB.
    static let songGain: Float = 0.7
    /// After the last sound so many blocks of silence are sent, for decoders to end on: 200 ms.
    static let tail = 10
    /// What is softer than this in all samples counts as silence: −90 dB.
    static let silence: Float = 3e-5
    /// A thread that was held up makes good for so many blocks; what lies further back is left out.
    static let catchUp = 10
    /// Far more than people who sit at once; paths come and go.
    private static let latenciesKept = 256
    /// One for each slot that a stage can have.
    private static let maximumVoices = AudioStage.maximumSlots

    private let line: RoomLine
    private let openTrack: (_ file: String, _ position: Int) -> (any SongSound)?
    private var song = SongLine()
    private var voices: [Voice?]
    /// Packets with lower numbers may still be on their way when their slot is cut.
    private var cutBefore = [UInt64](repeating: 0, count: DuetMix.maximumVoices)
    private var latencies: [MemberID: Interval] = [:]
    private let limiter = Limiter(channels: 2)
    private let encoder: OpusEncoding
    private let block = AudioBuffer(channels: 2, capacity: DuetMix.blockFrames)
    private let work = AudioBuffer(channels: 2, capacity: DuetMix.blockFrames)
    private let packet: UnsafeMutableRawBufferPointer
    /// The place that is mixed next; nil while there is nothing to mix.
    private var next: Int?
    private var sequence: UInt64 = 0
    /// Blocks of silence in a row.
    private var quiet = DuetMix.tail
    private var counted = MixStats()

    /// `openTrack` gives the sound of a song's file from a position on, in frames; nil if there is none.
    package init(
        at now: Instant, openTrack: @escaping (_ file: String, _ position: Int) -> (any SongSound)?
    ) throws(CodecError) {
        line = RoomLine(origin: now)
        self.openTrack = openTrack
        voices = Array(repeating: nil, count: Self.maximumVoices)
        encoder = try OpusEncoding(use: .music, frameSize: Self.blockFrames)
        packet = .allocate(byteCount: OpusEncoding.maximumPacketBytes, alignment: 8)
    }

    deinit { packet.deallocate() }

    package var stats: MixStats {
        var stats = counted
        stats.songFramesMissing = song.missing
        for case let voice? in voices {
            stats.latePackets &+= voice.latePackets
            stats.brokenPackets &+= voice.brokenPackets
            stats.concealedFrames &+= voice.concealedFrames
            stats.jumps &+= voice.jumps
        }
        return stats
    }

    /// When `advance` has something to do; `distantFuture` while there is nothing to mix.
    package var nextDeadline: Instant { next.map { line.instant($0) + Self.delay } ?? .distantFuture }

    // MARK: What comes

    package func receive(_ vocal: TappedPacket, _ payload: UnsafeRawBufferPointer) {
        counted.vocalPackets &+= 1
        guard voices.indices.contains(vocal.slot), vocal.sequence >= cutBefore[vocal.slot], let voice = voice(vocal)
        else { return }
        let arrival = line.place(vocal.arrival)
        let places = vocal.songPosition.map { song.places(of: Double($0)) } ?? []
        if vocal.startsSource { voice.latency = latencies[vocal.producer] ?? .zero }
        voice.receive(vocal, payload, arrival: arrival, places: places)
        if next == nil { begin(at: vocal.arrival) }
    }

    private func voice(_ vocal: TappedPacket) -> Voice? {
        if let voice = voices[vocal.slot] { return voice }
        guard let voice = try? Voice(singer: vocal.producer) else { return nil }
        voice.latency = latencies[vocal.producer] ?? .zero
        voices[vocal.slot] = voice
        return voice
    }

    /// What is sung from now on; nil: nothing.
    package func set(_ newSong: StageSong?, at now: Instant) {
        let isMoved = song.set(
            newSong, startAt: newSong?.startAt.map(line.place), now: line.place(now), open: openTrack)
        if isMoved { for case let voice? in voices { voice.forgetStatedPositions() } }
        if next == nil { begin(at: now) }
    }

    package func set(latency: Interval, of singer: MemberID) {
        let bounded = max(Interval.zero, min(latency, .seconds(1)))
        if latencies.count >= Self.latenciesKept, latencies[singer] == nil {
            let singing = Set(voices.compactMap { $0?.singer })
            latencies = latencies.filter { singing.contains($0.key) }
        }
        latencies[singer] = bounded
        for case let voice? in voices where voice.singer == singer { voice.latency = bounded }
    }

    package func close() { song.close() }

    private func begin(at now: Instant) {
        let behind = line.place(now) - RoomLine.frames(Self.delay)
        next = Int((behind / Double(Self.blockFrames)).rounded(.up)) * Self.blockFrames
    }

    /// What came on the slot with lower numbers than that is not heard any more: the voice fades out at the beginning of the next block,
    /// and what waited of it is gone.
    package func cut(slot: Int, before sequence: UInt64) {
        guard voices.indices.contains(slot) else { return }
        cutBefore[slot] = max(cutBefore[slot], sequence)
        voices[slot]?.cut(before: sequence)
    }

    /// Blocks that have been mixed so far, silent ones among them.
    package private(set) var blocksMixed: UInt64 = 0

    // MARK: The mix

    /// Makes the blocks that are due, and gives each as a packet whose payload is valid during the call.
    package func advance(to now: Instant, post: (MixPacket, UnsafeRawBufferPointer) -> Void) {
        let due = Int((line.place(now) - RoomLine.frames(Self.delay)).rounded(.down))
        while let place = next, place <= due {
            let late = (due - place) / Self.blockFrames
            guard late <= Self.catchUp else {
                counted.blocksSkipped &+= UInt64(late)
                next = place + late * Self.blockFrames
                continue
            }
            mix(at: place)
            next = place + Self.blockFrames
            send(place, post)
            if quiet >= Self.tail, !song.hasSong, !voices.contains(where: { $0?.hasSound ?? false }) { next = nil }
        }
    }

    private func mix(at place: Int) {
        block.frameCount = Self.blockFrames
        block.clear()
        for case let voice? in voices { voice.mix(into: block, at: place, using: work) }
        song.mix(into: block, at: place, gain: Self.songGain, using: work)
        limiter.process(block)
        blocksMixed &+= 1
    }

    private func send(_ place: Int, _ post: (MixPacket, UnsafeRawBufferPointer) -> Void) {
        let wasSilent = quiet >= Self.tail
        quiet = isSilent ? quiet + 1 : 0
        if wasSilent {
            guard quiet == 0 else { return }
            // What was before has nothing to do with this.
            encoder.reset()
        }
        guard let length = try? encoder.encode(block, into: packet) else { return }
        sequence += 1
        counted.mixPackets &+= 1
        post(
            MixPacket(sequence: sequence, timestamp: UInt32(truncatingIfNeeded: place), marker: wasSilent),
            UnsafeRawBufferPointer(rebasing: packet[..<length]))
    }

    private var isSilent: Bool {
        for channel in 0..<2 {
            for sample in block[channel] where sample.magnitude > Self.silence { return false }
        }
        return true
    }
}
