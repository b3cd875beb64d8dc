package import AudioGraph
package import MediaCodecs
package import Timing

/// A microphone before which someone plays a file along with something that has a time of its own: what is captured at an instant is
/// the file's sound at the place that it has then.
///
/// Within a few milliseconds the place is kept by reading a little faster or slower; further off, the file is sought. It is read on
/// the device's thread; a seek that takes long costs blocks (`skippedBlocks`).
package final class PlacedFileInput: AudioInputDevice {
    /// The file belongs to the device's thread while there is one; see `FileInput`. Hence `Sendable` although Swift cannot see it.
    private final class Player: @unchecked Sendable {
        let reader: AudioFileReader
        /// The frame that is read next.
        var next: Int64 = 0
        /// The next frame follows what was captured last.
        var isPlaced = false
        /// The frame after the last one, once it was met.
        var end: Int64?
        var hasFailed = false

        init(_ reader: AudioFileReader) { self.reader = reader }
    }

    /// A quarter of a millisecond is a clock's unrest.
    private static let tolerance: Int64 = 12
    /// 20 ms off is another place.
    private static let farOff: Int64 = 960
    /// Of a block, to come nearer: 1 %, which nobody hears.
    private static let mostOfBlock = 100
    /// Sound that begins in the middle of the file fades in over this.
    private static let fadeFrames = 240

    private let device: PacedDevice
    private let player: Player
    private let place: @Sendable (Instant) -> Interval?
    private let onFailure: @Sendable (CodecError) -> Void

    /// - Parameters:
    ///   - place: what of the file is captured at that instant; `nil`: silence. Called on the device's thread for each block.
    ///   - onFailure: called once on the device's thread when the file cannot be read on; silence follows.
    package init(
        _ location: String, ratePPM: Double = 0, clock: any DeviceClock = SystemDeviceClock(),
        certificates: String? = nil,
        onFailure: @escaping @Sendable (CodecError) -> Void = { _ in },
        place: @escaping @Sendable (Instant) -> Interval?
    ) throws(CodecError) {
        player = Player(try AudioFileReader(location, certificates: certificates))
        self.place = place
        self.onFailure = onFailure
        device = PacedDevice(name: "file-in", edge: .end, ratePPM: ratePPM, clock: clock)
    }

    /// How long the file is, in seconds, as far as it tells.
    package var duration: Double? { player.reader.duration }

    /// Blocks that never were because the thread did not get to run in time.
    package var skippedBlocks: Int { device.skippedBlocks }

    package func start(
        channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError) {
        try device.start(channels: channels, framesPerBlock: framesPerBlock) {
            let piece = AudioBuffer(
                channels: channels, capacity: framesPerBlock + framesPerBlock / Self.mostOfBlock + 2)
            return { block, begin in
                self.fill(block, begin, through: piece)
                deliver(block, begin)
            }
        }
    }

    package func stop() { device.stop() }

    package var hasExactTimes: Bool { true }

    private func fill(_ block: AudioBuffer, _ begin: Instant, through piece: AudioBuffer) {
        guard !player.hasFailed, let wanted = place(begin) else { return player.isPlaced = false }
        let target = wanted.nanoseconds / 1_000 * 48 / 1_000
        guard target >= 0, player.end.map({ target < $0 }) ?? true else { return player.isPlaced = false }
        do {
            var count = block.frameCount
            let ahead = target - player.next
            let begins = !player.isPlaced || abs(ahead) > Self.farOff
            if begins {
                if player.next != target { try player.reader.seek(toSeconds: Double(target) / 48_000) }
                player.next = target
                player.isPlaced = true
            } else if abs(ahead) > Self.tolerance {
                let most = min(Int(abs(ahead)), block.frameCount / Self.mostOfBlock + 1)
                count += ahead > 0 ? most : -most
            }
            try read(count, into: block, through: piece)
            if begins, target > 0 { fadeIn(block) }
        } catch {
            player.hasFailed = true
            onFailure(error)
        }
    }

    /// Fills the block from so many frames, which may be a few more or less.
    private func read(_ count: Int, into block: AudioBuffer, through piece: AudioBuffer) throws(CodecError) {
        let got = try player.reader.read(into: piece, atMost: count)
        player.next += Int64(got)
        if got < count { player.end = player.next }
        guard got > 0 else { return }
        let frames = block.frameCount
        let step = frames > 1 ? Double(count - 1) / Double(frames - 1) : 1
        for channel in 0..<block.channels {
            let (source, target) = (piece[channel], block[channel])
            for frame in 0..<frames {
                let exact = Double(frame) * step
                let index = Int(exact)
                guard index < got else { break }
                let part = Float(exact - Double(index))
                target[frame] = index + 1 < got ? source[index] * (1 - part) + source[index + 1] * part : source[index]
            }
        }
    }

    private func fadeIn(_ block: AudioBuffer) {
        let length = min(Self.fadeFrames, block.frameCount)
        for channel in 0..<block.channels {
            let samples = block[channel]
            for frame in 0..<length { samples[frame] *= (Float(frame) + 0.5) / Float(length) }
        }
    }
}
