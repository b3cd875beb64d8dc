package import Wire

/// Writes a STUN message straight into a buffer: attributes in the order of the calls, then MESSAGE-INTEGRITY, then
/// FINGERPRINT.
///
/// A view: it must not outlive the buffer. Everything that does not fit makes `finish` nil.
package struct STUNWriter {
    private var writer: ByteWriter
    private let transaction: STUNTransactionID

    package init(
        into buffer: UnsafeMutableRawBufferPointer, _ messageClass: STUNMessage.Class,
        method: UInt16 = STUNMessage.binding, transaction: STUNTransactionID
    ) {
        self.transaction = transaction
        writer = ByteWriter(buffer)
        let bits = UInt16(messageClass.rawValue)
        let methodBits = (method & 0x000f) | (method & 0x0070) << 1 | (method & 0x0f80) << 2
        writer.write(methodBits | (bits & 1) << 4 | (bits & 2) << 7)
        writer.write(UInt16(0))
        writer.write(STUNMessage.magicCookie)
        writer.write(transaction.high)
        writer.write(transaction.low)
    }

    package mutating func addUsername(_ name: String) {
        var name = name
        name.withUTF8 { add(.username, UnsafeRawBufferPointer($0)) }
    }

    package mutating func addPriority(_ priority: UInt32) {
        begin(.priority, length: 4)
        writer.write(priority)
    }

    package mutating func addUseCandidate() { begin(.useCandidate, length: 0) }

    package mutating func addControlling(tieBreaker: UInt64) {
        begin(.iceControlling, length: 8)
        writer.write(tieBreaker)
    }

    package mutating func addControlled(tieBreaker: UInt64) {
        begin(.iceControlled, length: 8)
        writer.write(tieBreaker)
    }

    /// RFC 8489 §14.2: masked, so that address-rewriting middleboxes leave it alone.
    package mutating func addMappedAddress(_ address: TransportAddress) {
        let isIPv4 = address.ip.isIPv4
        begin(.xorMappedAddress, length: isIPv4 ? 8 : 20)
        writer.write(UInt16(isIPv4 ? 1 : 2))
        writer.write(address.port ^ UInt16(STUNMessage.magicCookie >> 16))
        if isIPv4 {
            writer.write(UInt32(truncatingIfNeeded: address.ip.low) ^ STUNMessage.magicCookie)
        } else {
            writer.write(address.ip.high ^ (UInt64(STUNMessage.magicCookie) << 32 | UInt64(transaction.high)))
            writer.write(address.ip.low ^ transaction.low)
        }
    }

    /// Without a reason phrase: it is for people, and an answer must stay small. `code` is 300…699.
    package mutating func addErrorCode(_ code: Int) {
        begin(.errorCode, length: 4)
        writer.write(UInt16(0))
        writer.write(UInt8(truncatingIfNeeded: code / 100))
        writer.write(UInt8(truncatingIfNeeded: code % 100))
    }

    package mutating func addUnknownAttributes(_ types: [UInt16]) {
        begin(.unknownAttributes, length: types.count * 2)
        for type in types { writer.write(type) }
        writer.writeZeros((4 - types.count * 2 & 3) & 3)
    }

    /// Closes the message, with MESSAGE-INTEGRITY if there is a key. Returns its length, nil if it did not fit.
    package mutating func finish(key: STUNIntegrityKey?) -> Int? {
        if let key {
            let start = writer.count
            begin(.messageIntegrity, length: STUNIntegrityKey.codeLength)
            writer.writeZeros(STUNIntegrityKey.codeLength)
            guard !writer.overflowed else { return nil }
            let message = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(writer.bytes)[..<start])
            let code = UnsafeMutableRawBufferPointer(rebasing: writer.bytes[start + 4..<writer.count])
            key.writeCode(of: message, into: code)
        }
        let start = writer.count
        writer.overwrite(at: 2, with: UInt16(truncatingIfNeeded: start + 8 - STUNMessage.headerLength))
        guard !writer.overflowed else { return nil }
        let checksum = CRC32.checksum(UnsafeRawBufferPointer(writer.bytes)[..<start])
        begin(.fingerprint, length: 4)
        writer.write(checksum ^ STUNMessage.fingerprintMask)
        return writer.overflowed ? nil : writer.count
    }

    private mutating func begin(_ attribute: STUNMessage.Attribute, length: Int) {
        writer.write(attribute.rawValue)
        writer.write(UInt16(truncatingIfNeeded: length))
    }

    private mutating func add(_ attribute: STUNMessage.Attribute, _ value: UnsafeRawBufferPointer) {
        begin(attribute, length: value.count)
        writer.write(bytes: value)
        writer.writeZeros((4 - value.count & 3) & 3)
    }
}
