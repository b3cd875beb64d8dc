/// Why a session description was not understood or not accepted. The message is for a log and for the developer of a
/// client; it never repeats what the other side sent at length.
package struct SDPError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        /// More or longer than `SDPLimits` allows.
        case tooLarge
        /// Not a session description.
        case malformed
        /// A session description, but not one that we can serve.
        case unacceptable
    }

    package var code: Code
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

/// How much of a session description we take in. Browsers with 17 audio lines send about 30 KB.
package enum SDPLimits {
    /// As `media.offer` in the wire protocol.
    package static let bytes = 256 * 1024
    /// Longest line: a fingerprint has under 200 bytes, parameter sets of video codecs under 1,000.
    package static let lineBytes = 4096
    /// 1 microphone, 16 slots, and as much again for lines that are no longer used or carry video.
    package static let sections = 64
    /// Payload types are 0…127.
    package static let codecs = 128
    package static let feedbackPerCodec = 16
    /// Ids of the two-byte form are 1…255; browsers offer about 15.
    package static let extensions = 64
    package static let sources = 64
    package static let repeatGroups = 32
    /// A browser names three.
    package static let layers = 16
    package static let candidates = 128
    package static let fingerprints = 8
    package static let groups = 8
}
