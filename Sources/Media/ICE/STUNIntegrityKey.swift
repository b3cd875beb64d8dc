internal import Crypto

/// The key of MESSAGE-INTEGRITY: a password, used as it is (RFC 8489 §9.1.1, short-term credentials).
package struct STUNIntegrityKey: Sendable {
    /// HMAC-SHA1.
    package static let codeLength = 20

    private let key: SymmetricKey

    package init(password: String) { key = SymmetricKey(data: Array(password.utf8)) }

    /// The code over everything before the attribute at `offset`, with the length field as if the message ended
    /// behind that attribute (RFC 8489 §14.5).
    private func code(
        of message: UnsafeRawBufferPointer, before offset: Int
    ) -> HashedAuthenticationCode<Insecure.SHA1> {
        var hmac = HMAC<Insecure.SHA1>(key: key)
        let length = UInt16(truncatingIfNeeded: offset + 4 + STUNIntegrityKey.codeLength - STUNMessage.headerLength)
        let head = [message[0], message[1], UInt8(length >> 8), UInt8(length & 0xff)]
        hmac.update(data: head)
        hmac.update(data: Array(message[4..<offset]))
        return hmac.finalize()
    }

    func isCode(_ value: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, before offset: Int) -> Bool {
        guard value.count == STUNIntegrityKey.codeLength, offset >= STUNMessage.headerLength else { return false }
        // Every byte is looked at, wherever the first difference is.
        return zip(code(of: message, before: offset), value).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Writes the code of the message so far to `destination`, which has `codeLength` bytes.
    func writeCode(of message: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) {
        code(of: message, before: message.count).withUnsafeBytes { destination.copyMemory(from: $0) }
    }
}
