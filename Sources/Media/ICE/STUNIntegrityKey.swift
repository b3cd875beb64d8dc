internal import Digests

/// The key of MESSAGE-INTEGRITY: a password, used as it is (RFC 8489 §9.1.1, short-term credentials).
package struct STUNIntegrityKey: Sendable {
    /// HMAC-SHA1.
    package static let codeLength = 20

    private let key: HMACKey

    package init(password: String) { key = HMACKey(.sha1, key: Array(password.utf8)) }

    /// What the code covers: everything before the attribute at `offset`, with the length field as if the message ended
    /// behind that attribute (RFC 8489 §14.5).
    private func covered(of message: UnsafeRawBufferPointer, before offset: Int) -> [UInt8] {
        var covered = Array(message[..<offset])
        let length = UInt16(truncatingIfNeeded: offset + 4 + STUNIntegrityKey.codeLength - STUNMessage.headerLength)
        covered[2] = UInt8(length >> 8)
        covered[3] = UInt8(length & 0xff)
        return covered
    }

    func isCode(_ value: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, before offset: Int) -> Bool {
        guard value.count == STUNIntegrityKey.codeLength, offset >= STUNMessage.headerLength else { return false }
        return key.isCode(value, of: covered(of: message, before: offset))
    }

    /// Writes the code of the message so far to `destination`, which has `codeLength` bytes.
    func writeCode(of message: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) {
        destination.copyBytes(from: key.code(of: covered(of: message, before: message.count)))
    }
}
