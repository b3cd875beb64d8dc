internal import AudioGraph
internal import CConfine
internal import Glibc
internal import MediaCodecs
internal import RoomPorts

/// What `ovation inspect` does: reads a stranger's sound or picture in a process that can do nothing else (row R11). The file is
/// descriptor 0, what is found goes to descriptor 1. Nothing of the file is touched before the process is confined.
package enum Inspection {
    /// How it ends, as the process's status. What is not here (a signal, another number) is a file that broke its reader.
    package enum Ending: Int32, Sendable {
        case done = 0
        /// The arguments make no sense.
        case usage = 64
        /// The file holds no sound, or no picture, that may be read.
        case unreadable = 65
        /// The picture has more pixels than are read.
        case tooLarge = 66
        /// FFmpeg is not installed; what is missing goes to descriptor 1, as text.
        case noLibrary = 69
        /// This system does not let the process be confined.
        case unconfined = 71
    }

    /// Private data: what the largest honest file takes, several times over. A cover of some megabytes is read as a whole.
    private static let memory: UInt64 = 256 << 20
    /// To find out what a file is, from the start of the process on. An hour of a song takes some 10 seconds.
    private static let lookSeconds: UInt64 = 40
    /// An hour of a song, brought to 48 kHz, takes some 30 seconds.
    private static let decodeSeconds: UInt64 = 180
    /// A second more than the longest song; what is longer is not decoded to its end.
    private static let longestSeconds = 3_601.0
    private static let blockFrames = 4_800
    private static let mostSizes = 8

    /// - Parameter arguments: those after `inspect`.
    package static func run(_ arguments: [String]) -> Ending {
        do throws(CodecError) { try AudioFileReader.prepare() } catch {
            _ = Array(error.description.utf8).withUnsafeBytes(send)
            return .noLibrary
        }
        switch arguments.first {
        case "check" where arguments.count == 1: return confined(seconds: lookSeconds) {}
        case "picture":
            guard let order = PictureOrder(arguments.dropFirst()), order.sizes.count <= mostSizes else { return .usage }
            let limits = order.kind.limits
            return confined(memory: limits.memory, seconds: limits.processorSeconds) { () throws(CodecError) in
                try rewrite(to: order)
            }
        case "look" where arguments.count == 1: return confined(seconds: lookSeconds, look)
        case "decode":
            guard arguments.count == 2, let position = Int(arguments[1]), position >= 0 else { return .usage }
            return confined(seconds: decodeSeconds) { () throws(CodecError) in try decode(from: position) }
        default: return .usage
        }
    }

    private static func confined(
        memory: UInt64 = memory, seconds: UInt64, _ work: () throws(CodecError) -> Void
    ) -> Ending {
        guard confine_process(memory, seconds) == 0 else { return .unconfined }
        do throws(CodecError) { try work() } catch { return error.kind == .tooLarge ? .tooLarge : .unreadable }
        return .done
    }

    /// The file's length in milliseconds, decoded and counted, 8 bytes, little-endian; what is longer than any song is somewhat longer.
    private static func look() throws(CodecError) {
        let seconds = try AudioFileReader.measure(descriptor: 0, limit: longestSeconds)
        let milliseconds = max(1, Int64((seconds * 1000).rounded()))
        withUnsafeBytes(of: milliseconds.littleEndian) { _ = send($0) }
    }

    /// The position of the first frame in 8 bytes, little-endian; then frames of 48 kHz stereo, two floats each, up to the end.
    private static func decode(from position: Int) throws(CodecError) {
        let reader = try AudioFileReader(descriptor: 0)
        if position > 0 { try reader.seek(toSeconds: Double(position) / Double(AudioRate.standard)) }
        let first = Int64((reader.position * Double(AudioRate.standard)).rounded())
        guard withUnsafeBytes(of: first.littleEndian, send) else { return }
        let block = AudioBuffer(channels: 2, capacity: blockFrames)
        var frames = [Float](repeating: 0, count: 2 * blockFrames)
        while try reader.read(into: block) > 0 {
            for frame in 0..<block.frameCount {
                frames[2 * frame] = block[0][frame]
                frames[2 * frame + 1] = block[1][frame]
            }
            let isSent = frames.withUnsafeBytes {
                send(UnsafeRawBufferPointer(rebasing: $0[..<(8 * block.frameCount)]))
            }
            guard isSent else { return }
        }
    }

    /// One JPEG for each size that is wanted, each behind its length in 4 bytes, little-endian.
    private static func rewrite(to order: PictureOrder) throws(CodecError) {
        let picture = try picture(of: order, try readAll(atMost: order.kind.limits.bytes))
        var made: [UInt8] = []
        for size in order.sizes {
            let picture = order.isMadeSmaller ? picture.scaled(within: size.side) : picture
            guard picture.width <= size.side, picture.height <= size.side else {
                throw CodecError(.malformed, "this picture is not made smaller")
            }
            let jpeg = try picture.encoded(within: size.bytes)
            made += withUnsafeBytes(of: UInt32(jpeg.count).littleEndian, Array.init) + jpeg
        }
        _ = made.withUnsafeBytes(send)
    }

    private static func picture(of order: PictureOrder, _ bytes: [UInt8]) throws(CodecError) -> JPEGRewriter {
        let largest = order.sizes.map(\.side).max() ?? 0
        switch order.crop {
        case .none: return try JPEGRewriter(bytes, side: largest)
        case .card:
            return try JPEGRewriter(bytes, side: largest)
                .framed(width: PictureOrder.cardWidth, height: PictureOrder.cardHeight)
        case .part(let part):
            return try JPEGRewriter(
                bytes, PicturePart(part), side: largest, leastSide: PictureOrder.photographLeastSide,
                mostPixels: PictureOrder.photographPixels)
        }
    }

    private static func readAll(atMost limit: Int) throws(CodecError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = piece.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw CodecError(.inputOutput, "the file cannot be read") }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else { throw CodecError(.tooLarge, "the file is too large") }
        }
    }

    /// False if nobody reads any more.
    private static func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var sent = 0
        while sent < bytes.count {
            guard let base = bytes.baseAddress else { return true }
            let count = write(1, base + sent, bytes.count - sent)
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
