package import Wire

/// 96 random bits that tie a response to its request (RFC 8489 §5).
package struct STUNTransactionID: Hashable, Sendable {
    package var high: UInt32
    package var low: UInt64

    package init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A STUN message (RFC 8489) with the attributes that ICE connectivity checks use (RFC 8445 §7).
///
/// Ranges and offsets point into the datagram that was parsed. Being parsed says nothing about being authentic:
/// ask `isAuthentic(in:key:)`.
package struct STUNMessage: Hashable, Sendable {
    package enum Class: UInt8, Sendable {
        case request
        case indication
        case success
        case error
    }

    package static let headerLength = 20
    /// RFC 8489 §5.
    package static let magicCookie: UInt32 = 0x2112_a442
    /// The only method of ICE.
    package static let binding: UInt16 = 0x001
    /// More than any ICE agent sends; keeps the work per datagram small.
    package static let maximumAttributes = 24
    /// How many attributes that we do not understand are named in an answer.
    package static let maximumUnknown = 4

    package var messageClass: Class
    package var method: UInt16
    package var transaction: STUNTransactionID

    package var username: Range<Int>?
    /// Where the MESSAGE-INTEGRITY attribute begins.
    package var integrityOffset: Int?
    /// A fingerprint is there, and it is right.
    package var hasFingerprint = false
    package var priority: UInt32?
    package var usesCandidate = false
    /// The tie-breaker of a sender that takes itself for the controlling agent, or for the controlled one.
    package var controlling: UInt64?
    package var controlled: UInt64?
    /// XOR-MAPPED-ADDRESS: the sender of the request as the other side saw it.
    package var mappedAddress: TransportAddress?
    /// 300…699.
    package var errorCode: Int?
    /// Comprehension-required attributes that we do not know; at most `maximumUnknown` are kept.
    package var unknown: [UInt16] = []

    /// nil for anything that is not a well-formed STUN message, wrong fingerprints included.
    package static func parse(_ datagram: UnsafeRawBufferPointer) -> STUNMessage? {
        var reader = ByteReader(datagram)
        guard let type = reader.readUInt16(), type & 0xc000 == 0,
            let length = reader.readUInt16(), length & 3 == 0, Int(length) == datagram.count - headerLength,
            reader.readUInt32() == magicCookie,
            let high = reader.readUInt32(), let low = reader.readUInt64(),
            // The class lies in bits 4 and 8 of the type, the method in the rest (RFC 8489 §5, figure 3).
            let messageClass = Class(rawValue: UInt8((type >> 4 & 1) | (type >> 7 & 2)))
        else { return nil }
        var message = STUNMessage(
            messageClass: messageClass,
            method: (type & 0x000f) | (type >> 1 & 0x0070) | (type >> 2 & 0x0f80),
            transaction: STUNTransactionID(high: high, low: low))

        var attributes = 0
        while reader.remaining > 0 {
            attributes += 1
            let start = reader.position
            guard attributes <= maximumAttributes, !message.hasFingerprint,
                let type = reader.readUInt16(), let length = reader.readUInt16(),
                let value = reader.readBytes(Int(length)), reader.skip((4 - Int(length) & 3) & 3)
            else { return nil }
            // RFC 8489 §14.5: what follows MESSAGE-INTEGRITY is not protected and is ignored, but for FINGERPRINT.
            if message.integrityOffset != nil, type != Attribute.fingerprint.rawValue { continue }
            guard message.take(type: type, value: value, at: start, in: datagram) else { return nil }
        }
        return message
    }

    /// False if the attribute is known but not well-formed.
    private mutating func take(
        type: UInt16, value: UnsafeRawBufferPointer, at start: Int, in datagram: UnsafeRawBufferPointer
    ) -> Bool {
        let valueStart = start + 4
        guard let attribute = Attribute(rawValue: type) else {
            // RFC 8489 §14: 0x0000…0x7FFF must be understood, the rest may be ignored.
            if type < 0x8000, unknown.count < STUNMessage.maximumUnknown { unknown.append(type) }
            return true
        }
        switch attribute {
        case .username:
            // RFC 8489 §14.3: fewer than 509 bytes.
            guard username == nil, value.count < 509 else { return false }
            username = valueStart..<valueStart + value.count
        case .messageIntegrity:
            guard value.count == STUNIntegrityKey.codeLength else { return false }
            integrityOffset = start
        case .errorCode:
            guard value.count >= 4 else { return false }
            let code = Int(value[2] & 7) * 100 + Int(value[3])
            guard (300...699).contains(code), value[3] < 100 else { return false }
            errorCode = code
        case .xorMappedAddress:
            guard let address = STUNMessage.unmask(value, transaction: transaction) else { return false }
            mappedAddress = address
        case .priority:
            guard value.count == 4 else { return false }
            priority = value.bigEndianUInt32(at: 0)
        case .useCandidate:
            guard value.isEmpty else { return false }
            usesCandidate = true
        case .iceControlled, .iceControlling:
            guard value.count == 8 else { return false }
            let tieBreaker = value.bigEndianUInt64(at: 0)
            if attribute == .iceControlled { controlled = tieBreaker } else { controlling = tieBreaker }
        case .fingerprint:
            guard value.count == 4,
                CRC32.checksum(datagram[..<start]) ^ STUNMessage.fingerprintMask == value.bigEndianUInt32(at: 0)
            else { return false }
            hasFingerprint = true
        case .mappedAddress, .unknownAttributes, .realm, .nonce, .messageIntegritySHA256:
            break
        }
        return true
    }

    /// RFC 8489 §14.7.
    static let fingerprintMask: UInt32 = 0x5354_554e

    /// The attributes that are understood; all others of the mandatory range are answered with error 420.
    enum Attribute: UInt16 {
        case mappedAddress = 0x0001
        case username = 0x0006
        case messageIntegrity = 0x0008
        case errorCode = 0x0009
        case unknownAttributes = 0x000a
        case realm = 0x0014
        case nonce = 0x0015
        case messageIntegritySHA256 = 0x001c
        case xorMappedAddress = 0x0020
        case priority = 0x0024
        case useCandidate = 0x0025
        case fingerprint = 0x8028
        case iceControlled = 0x8029
        case iceControlling = 0x802a
    }

    /// Undoes the exclusive-or of RFC 8489 §14.2.
    private static func unmask(
        _ value: UnsafeRawBufferPointer, transaction: STUNTransactionID
    ) -> TransportAddress? {
        guard value.count >= 8 else { return nil }
        let port = value.bigEndianUInt16(at: 2) ^ UInt16(magicCookie >> 16)
        switch (value[1], value.count) {
        case (1, 8):
            let v4 = value.bigEndianUInt32(at: 4) ^ magicCookie
            return TransportAddress(ip: IPAddress(high: 0, low: 0xffff_0000_0000 | UInt64(v4)), port: port)
        case (2, 20):
            let high = value.bigEndianUInt64(at: 4) ^ (UInt64(magicCookie) << 32 | UInt64(transaction.high))
            let low = value.bigEndianUInt64(at: 12) ^ transaction.low
            return TransportAddress(ip: IPAddress(high: high, low: low), port: port)
        default:
            return nil
        }
    }

    /// The part of USERNAME before the colon: the ufrag of whom the request is for, by which a peer is found.
    package func destinationUfrag(in datagram: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer>? {
        guard let username, username.upperBound <= datagram.count else { return nil }
        let bytes = datagram[username]
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return bytes[..<colon]
    }

    /// Checks MESSAGE-INTEGRITY, in constant time. `datagram` is the one that was parsed.
    package func isAuthentic(in datagram: UnsafeRawBufferPointer, key: STUNIntegrityKey) -> Bool {
        guard let integrityOffset, integrityOffset + 4 + STUNIntegrityKey.codeLength <= datagram.count else {
            return false
        }
        let value = UnsafeRawBufferPointer(
            rebasing: datagram[integrityOffset + 4..<integrityOffset + 4 + STUNIntegrityKey.codeLength])
        return key.isCode(value, of: datagram, before: integrityOffset)
    }
}
