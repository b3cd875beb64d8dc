internal import Wire

/// A payload that carries copies of earlier ones beside its own (RFC 2198), so that a lost packet is made up by the one after it.
///
/// In front stand four bytes for each copy: a bit that says "more follows", a payload type, how much earlier the copy's timestamp is
/// (14 bits), its length (10 bits); then one byte with the payload type of what is new. The data follows in the same order.
package struct RedundantPayload {
    /// A copy of an earlier packet's payload.
    package struct Copy: Hashable, Sendable {
        package var payloadType: PayloadType
        /// In ticks of the stream's clock; 1…16,383.
        package var timestampOffset: UInt32
        /// How many packets earlier it was sent: copies come oldest first, one for each packet.
        package var distance: Int
        /// Where it lies in the payload.
        package var range: Range<Int>
    }

    /// Browsers send one or two. Nobody waits for a packet that is older than this many.
    package static let maximumCopies = 4
    /// What the header's fields can say.
    package static let maximumOffset: UInt32 = 0x3fff
    package static let maximumCopyLength = 0x3ff
    /// Of all data together: with headers and tag it fits the smallest path that is used (1,280 bytes, RFC 8200 §5).
    package static let maximumLength = 1_150
    /// One copy's header, and what is new.
    package static let headerLength = 5

    package let copyCount: Int
    /// The payload type of what is new.
    package let payloadType: PayloadType
    /// Where what is new lies; not empty.
    package let primary: Range<Int>
    private let dataStart: Int

    /// nil if the payload is not formed like that, or carries more copies than anybody needs.
    package init?(_ payload: UnsafeRawBufferPointer) {
        var count = 0
        var position = 0
        var copied = 0
        var lastOffset = UInt32.max
        while position < payload.count, payload[position] & 0x80 != 0 {
            guard count < Self.maximumCopies, payload.count - position > 4 else { return nil }
            let (offset, length) = Self.fields(payload, at: position)
            // Newer and newer, none as new as the packet itself.
            guard offset > 0, offset < lastOffset else { return nil }
            lastOffset = offset
            copied += length
            count += 1
            position += 4
        }
        guard position < payload.count else { return nil }
        let primaryStart = position + 1 + copied
        guard primaryStart < payload.count else { return nil }
        payloadType = PayloadType(payload[position])
        copyCount = count
        dataStart = position + 1
        primary = primaryStart..<payload.count
    }

    /// The copies, oldest first: 0…`copyCount` − 1.
    package func copy(_ index: Int, in payload: UnsafeRawBufferPointer) -> Copy {
        var start = dataStart
        for earlier in 0..<index { start += Self.fields(payload, at: 4 * earlier).length }
        let (offset, length) = Self.fields(payload, at: 4 * index)
        return Copy(
            payloadType: PayloadType(payload[4 * index] & 0x7f), timestampOffset: offset, distance: copyCount - index,
            range: start..<start + length)
    }

    private static func fields(_ payload: UnsafeRawBufferPointer, at position: Int) -> (offset: UInt32, length: Int) {
        let word = payload.bigEndianUInt32(at: position)
        return (word >> 10 & maximumOffset, Int(word) & maximumCopyLength)
    }

    /// Whether a packet can carry a copy of one that is `offset` ticks older.
    package static func takesCopy(of length: Int, offset: UInt32, besides own: Int) -> Bool {
        (1...maximumOffset).contains(offset) && (1...maximumCopyLength).contains(length)
            && length + own <= maximumLength
    }

    /// What stands in front of one copy and what is new; the copy's data comes first. See `takesCopy`.
    package static func header(copyOf length: Int, offset: UInt32, payloadType: PayloadType) -> PayloadPatch {
        PayloadPatch { bytes in
            let word =
                0x8000_0000 | UInt32(payloadType.rawValue & 0x7f) << 24 | (offset & maximumOffset) << 10
                | UInt32(length & maximumCopyLength)
            bytes.storeBytes(of: word.bigEndian, as: UInt32.self)
            bytes[4] = payloadType.rawValue & 0x7f
            return headerLength
        }
    }
}
