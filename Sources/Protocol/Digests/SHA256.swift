internal import COpenSSL
internal import COpenSSLSetup

/// SHA-256 (FIPS 180-4), by the system's OpenSSL.
package enum SHA256 {
    package static let length = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { digest, count in
            COpenSSL.SHA256(bytes, bytes.count, digest.baseAddress)
            count = length
        }
    }
}
