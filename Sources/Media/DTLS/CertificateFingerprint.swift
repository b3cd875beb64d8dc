/// The hash of a certificate that a session description carries (RFC 8122 §5): whom the media path is really with.
package struct CertificateFingerprint: Hashable, Sendable {
    /// The hashes that we verify. RFC 8122 §5 wants SHA-256; browsers send that one.
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        package var length: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]

    /// nil if the number of bytes does not fit the algorithm.
    package init?(algorithm: Algorithm, bytes: [UInt8]) {
        guard bytes.count == algorithm.length else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// Reads the value of an `a=fingerprint` line, "sha-256 AB:CD:…"; nil for anything else. Letters may be of either
    /// case.
    package init?(sdpValue: String) {
        let parts = sdpValue.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else { return nil }
        let pairs = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        let bytes = pairs.compactMap { pair in
            pair.utf8.count == 2 && pair.allSatisfy(\.isHexDigit) ? UInt8(pair, radix: 16) : nil
        }
        guard bytes.count == pairs.count else { return nil }
        self.init(algorithm: algorithm, bytes: bytes)
    }

    /// "sha-256 AB:CD:…"
    package var sdpValue: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 3)
        for (index, byte) in bytes.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ":")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0x0f)])
        }
        return "\(algorithm.rawValue) \(String(decoding: text, as: UTF8.self))"
    }
}
