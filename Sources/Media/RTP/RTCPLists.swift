package import Wire

/// The sources of a BYE packet (RFC 3550 §6.6). A view: it must not outlive the packet.
package struct GoodbyeSources: RandomAccessCollection {
    private let bytes: UnsafeRawBufferPointer
    package let startIndex = 0
    package let endIndex: Int

    /// nil if `count` sources do not fit into the bytes. The reason that may follow is skipped.
    init?(_ bytes: UnsafeRawBufferPointer, count: Int) {
        guard bytes.count >= 4 * count else { return nil }
        self.bytes = bytes
        endIndex = count
    }

    package subscript(position: Int) -> SSRC {
        precondition(indices.contains(position))
        return SSRC(bytes.bigEndianUInt32(at: 4 * position))
    }
}

/// What a generic NACK asks for (RFC 4585 §6.2.1), entry by entry. A view: it must not outlive the packet.
package struct MissingSequences: RandomAccessCollection {
    /// `first` is missing, and each `first` + 1 + n whose bit n is set in `following`.
    package struct Entry: Hashable, Sendable {
        static let length = 4

        package var first: SequenceNumber16
        package var following: UInt16

        package init(first: SequenceNumber16, following: UInt16) {
            self.first = first
            self.following = following
        }

        /// Calls `body` for each missing number, in ascending order.
        package func forEach(_ body: (SequenceNumber16) -> Void) {
            body(first)
            var bits = following
            while bits != 0 {
                body(first.advanced(by: bits.trailingZeroBitCount + 1))
                bits &= bits - 1
            }
        }
    }

    private let bytes: UnsafeRawBufferPointer
    package let startIndex = 0
    package var endIndex: Int { bytes.count / Entry.length }

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package subscript(position: Int) -> Entry {
        precondition(indices.contains(position))
        return Entry(
            first: SequenceNumber16(bytes.bigEndianUInt16(at: 4 * position)),
            following: bytes.bigEndianUInt16(at: 4 * position + 2))
    }
}

/// The sources of which a FIR wants a key frame (RFC 5104 §4.3.1). A view: it must not outlive the packet.
package struct FullIntraRequests: RandomAccessCollection {
    package struct Entry: Hashable, Sendable {
        static let length = 8

        package var ssrc: SSRC
        /// A repeat of a request has the same number.
        package var commandNumber: UInt8
    }

    private let bytes: UnsafeRawBufferPointer
    package let startIndex = 0
    package var endIndex: Int { bytes.count / Entry.length }

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package subscript(position: Int) -> Entry {
        precondition(indices.contains(position))
        return Entry(
            ssrc: SSRC(bytes.bigEndianUInt32(at: 8 * position)), commandNumber: bytes[8 * position + 4])
    }
}

/// The chunks of an SDES packet (RFC 3550 §6.5) that have a CNAME. Anything that is not well-formed ends the walk.
///
/// A view: it must not outlive the packet.
package struct SourceDescriptions: Sequence, IteratorProtocol {
    private static let cname: UInt8 = 1

    package struct Chunk {
        package var ssrc: SSRC
        /// UTF-8, at most 255 bytes.
        package var cname: UnsafeRawBufferPointer
    }

    private var reader: ByteReader
    private var chunksLeft: Int

    init(_ bytes: UnsafeRawBufferPointer, count: Int) {
        reader = ByteReader(bytes)
        chunksLeft = count
    }

    package mutating func next() -> Chunk? {
        while chunksLeft > 0, let ssrc = reader.readUInt32() {
            chunksLeft -= 1
            guard let cname = readItems() else { break }
            if let found = cname { return Chunk(ssrc: SSRC(ssrc), cname: found) }
        }
        chunksLeft = 0
        return nil
    }

    /// Reads a chunk's items up to its end; the outer nil = not well-formed, the inner = there is no CNAME.
    private mutating func readItems() -> UnsafeRawBufferPointer?? {
        var cname: UnsafeRawBufferPointer?
        while let type = reader.readUInt8() {
            if type == 0 {
                // One to four zeros end the list at a word boundary; chunks begin on one too.
                return reader.skip((4 - reader.position % 4) % 4) ? .some(cname) : nil
            }
            guard let length = reader.readUInt8(), let value = reader.readBytes(Int(length)) else { return nil }
            if type == SourceDescriptions.cname, cname == nil { cname = value }
        }
        return nil
    }
}
