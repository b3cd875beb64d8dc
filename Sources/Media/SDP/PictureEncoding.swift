/// The format of all pictures of a session: which offered codec serves it.
package enum PictureEncoding: Hashable, Sendable, CaseIterable {
    case vp8
    /// Constrained baseline in packets of any size (packetization-mode 1), which every decoder of H.264 shows.
    case h264
    /// Profile 0: 8 bits, with halved colours, which every decoder of VP9 shows.
    case vp9
    /// The main profile, which every decoder of AV1 shows.
    case av1

    /// What those get who cannot show this one, where the sender has it: every browser shows VP8 (RFC 7742 §5).
    var spare: PictureEncoding? { self == .vp8 ? nil : .vp8 }

    /// As our own clients offer it.
    var name: String {
        switch self {
        case .vp8: "VP8"
        case .h264: "H264"
        case .vp9: "VP9"
        case .av1: "AV1"
        }
    }

    var parameters: String? {
        switch self {
        case .vp8: nil
        case .vp9: "profile-id=0"
        // 720p at 30 frames a second: level 3.1.
        case .av1: "profile=0;level-idx=5;tier=0"
        // Up to 1280 × 720 at 30 frames a second, or more where the other side shows more.
        case .h264: "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"
        }
    }

    /// The codec for pictures that the client sends: in this format without doubt.
    func sent(among codecs: [Codec]) -> Codec? {
        switch self {
        case .vp8: codecs.first(where: \.isVP8)
        case .h264: codecs.first { $0.h264Profile?.isConstrainedBaseline ?? false }
        // RFC 9628 §7 and "RTP Payload Format For AV1", §7.2.1: what is not said is 0.
        case .vp9: codecs.first { $0.isPicture(name) && ($0.parameter("profile-id") ?? "0") == "0" }
        case .av1: codecs.first { $0.isPicture(name) && ($0.parameter("profile") ?? "0") == "0" }
        }
    }

    /// The codec for pictures that it receives: one whose decoder shows this format.
    func shown(among codecs: [Codec]) -> Codec? {
        switch self {
        case .vp8, .vp9, .av1: sent(among: codecs)
        case .h264: sent(among: codecs) ?? codecs.first { $0.h264Profile?.showsConstrainedBaseline ?? false }
        }
    }
}

/// `profile-level-id` (RFC 6184 §8.1): the profile and its constraints.
struct H264Profile: Hashable {
    private static let baseline: UInt8 = 0x42
    private static let main: UInt8 = 0x4d
    private static let extended: UInt8 = 0x58
    private static let high: UInt8 = 0x64
    /// Also a stream of the main profile: what baseline has beyond it, no decoder has to know.
    private static let constrained: UInt8 = 0x40
    /// Also a stream of the baseline profile.
    private static let asBaseline: UInt8 = 0x80

    private let profile: UInt8
    private let constraints: UInt8

    /// nil for what is not six hexadecimal digits.
    init?(_ text: String) {
        guard text.utf8.count == 6, !text.hasPrefix("+"), !text.hasPrefix("-"), let value = UInt32(text, radix: 16)
        else { return nil }
        profile = UInt8(value >> 16)
        constraints = UInt8(value >> 8 & 0xff)
    }

    /// RFC 6184 §8.1, table 5: three ways to say it.
    var isConstrainedBaseline: Bool {
        switch profile {
        case Self.baseline: constraints & Self.constrained != 0
        case Self.main: constraints & Self.asBaseline != 0
        case Self.extended: constraints & (Self.asBaseline | Self.constrained) == Self.asBaseline | Self.constrained
        default: false
        }
    }

    /// Decoders of these profiles know all of constrained baseline (H.264 A.2).
    var showsConstrainedBaseline: Bool { [Self.baseline, Self.main, Self.high].contains(profile) }
}

extension Codec {
    /// Of any format that pictures come in.
    var isPicture: Bool { PictureEncoding.allCases.contains { $0.shown(among: [self]) != nil } }

    fileprivate func isPicture(_ name: String) -> Bool { self.name.uppercased() == name && clockRate == 90_000 }

    /// nil for what is not H.264 in packets of any size. Without a profile the baseline is meant, at a level that shows nothing.
    var h264Profile: H264Profile? {
        guard name.uppercased() == "H264", clockRate == 90_000, parameter("packetization-mode") == "1" else {
            return nil
        }
        return parameter("profile-level-id").flatMap { H264Profile($0) }
    }
}
