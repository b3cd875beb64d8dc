/// A synchronisation source: names one stream of one RTP session (RFC 3550 §3).
package struct SSRC: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
}

/// 0…127; which codec a packet carries is agreed per session (RFC 3550 §5.1).
package struct PayloadType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt8
    /// Keeps the low seven bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue & 0x7f }
    package init(_ rawValue: UInt8) { self.init(rawValue: rawValue) }
    package var description: String { "\(rawValue)" }
}

/// The identification of a media section (RFC 8843), held inline: 1…16 bytes, as many as a one-byte header extension
/// can carry. Browsers use one or two digits.
package struct Mid: Hashable, Sendable {
    package static let maximumLength = 16

    /// The bytes, first byte lowest; unused bytes are zero, so that equal mids are equal values.
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var length: UInt8 = 0

    /// nil if empty or longer than 16 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            guard length < Mid.maximumLength else { return nil }
            if length < 8 {
                low |= UInt64(byte) << (8 * UInt64(length))
            } else {
                high |= UInt64(byte) << (8 * UInt64(length - 8))
            }
            length += 1
        }
        guard length > 0 else { return nil }
    }

    /// nil if empty or longer than 16 bytes of UTF-8.
    package init?(_ text: String) { self.init(text.utf8) }

    package var count: Int { Int(length) }

    /// The caller keeps `index` within 0..<count.
    package subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: index < 8 ? low >> (8 * UInt64(index)) : high >> (8 * UInt64(index - 8)))
    }
}

extension Mid: CustomStringConvertible {
    package var description: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
}
