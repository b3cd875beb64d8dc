import CSoundFiles
import Foundation

/// A real sound file, written with the system's encoders and gone with its object.
final class SoundFile {
    let url: URL
    var path: String { url.path }

    struct EncodingFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// Encodes planes of samples at their own rate; `name` ends in the container's letters.
    init(_ name: String, encoder: String, rate: Int = 48_000, bitrate: Int = 128_000, planes: [[Float]]) throws {
        url = try Self.place(name)
        var interleaved = [Float](repeating: 0, count: planes.count * planes[0].count)
        for (channel, plane) in planes.enumerated() {
            for (frame, sample) in plane.enumerated() { interleaved[frame * planes.count + channel] = sample }
        }
        var message = [CChar](repeating: 0, count: 128)
        let status = csoundfiles_write(
            url.path, encoder, Int32(rate), Int32(planes.count), Int32(bitrate), interleaved, Int32(planes[0].count),
            &message, Int32(message.count))
        guard status == 0 else {
            let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw EncodingFailure(description: "\(encoder): \(text)")
        }
    }

    /// Any bytes under a name.
    init(_ name: String, bytes: Data) throws {
        url = try Self.place(name)
        try bytes.write(to: url)
    }

    private static func place(_ name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-sound-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: name)
    }

    var bytes: Data { get throws { try Data(contentsOf: url) } }

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
}
