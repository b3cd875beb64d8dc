internal import COpenSSL

/// A key for authentication codes (HMAC, RFC 2104), by the system's OpenSSL. For messages that come now and then: each code costs some
/// allocations.
package struct HMACKey: Sendable {
    package enum Hash: Sendable {
        case sha1
        case sha256

        package var length: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            }
        }
    }

    private let hash: Hash
    private let key: [UInt8]

    /// - Parameter key: of any length; used as it is.
    package init(_ hash: Hash, key: [UInt8]) {
        self.hash = hash
        self.key = key
    }

    package func code(of message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: hash.length) { code, count in
            let algorithm =
                switch hash {
                case .sha1: EVP_sha1()
                case .sha256: EVP_sha256()
                }
            var written: UInt32 = 0
            // Fails for want of memory alone.
            let made = HMAC(
                algorithm, key, Int32(key.count), message, message.count, code.baseAddress, &written)
            precondition(made != nil && written == hash.length, "HMAC failed")
            count = hash.length
        }
    }

    /// Whether `value` is the message's code. Takes the same time wherever the first difference is.
    package func isCode(_ value: UnsafeRawBufferPointer, of message: [UInt8]) -> Bool {
        value.count == hash.length && CRYPTO_memcmp(code(of: message), value.baseAddress, hash.length) == 0
    }

    package func isCode(_ value: [UInt8], of message: [UInt8]) -> Bool {
        value.withUnsafeBytes { isCode($0, of: message) }
    }
}
