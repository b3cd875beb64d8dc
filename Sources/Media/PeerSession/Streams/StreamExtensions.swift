internal import RTP
internal import Wire

/// The header extensions of a stream's packets, as they go on the wire: profile word, length, the transport-wide number, the mid, the
/// playout delay, padding.
struct StreamExtensions {
    /// A mid has at most 16 bytes.
    static let longest = 32

    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private(set) var length = 0
    /// Where the transport-wide number stands in the packet; 0 if there is none.
    private(set) var numberOffset = 0

    /// Nothing.
    init() {}

    /// - Parameter introduces: with what the other side is told until it has reported on the stream.
    init(_ terms: SendStreamTerms, introduces: Bool) {
        let numberID = terms.repeats == nil ? 0 : terms.transportNumberID
        let mid = introduces && terms.midID != 0 ? terms.mid : nil
        let playout = introduces && terms.playoutID != 0 ? terms.playout : nil
        guard mid != nil || playout != nil || numberID != 0 else { return }
        var whole: Int?
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeTemporaryAllocation(byteCount: RTPHeader.fixedLength + Self.longest, alignment: 8) { buffer in
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            var writer = RTPHeaderWriter(
                into: buffer, payloadType: terms.payloadType, sequenceNumber: SequenceNumber16(0),
                timestamp: RTPTimestamp(0), ssrc: terms.ssrc)
            if numberID != 0 { withUnsafeBytes(of: UInt16(0)) { writer.add(extension: $0, id: numberID) } }
            if let mid { writer.add(mid, id: terms.midID) }
            if let playout { withUnsafeBytes(of: playout.bytes) { writer.add(extension: $0, id: terms.playoutID) } }
            whole = writer.finish()
            let start = RTPHeader.fixedLength
            words.0 = buffer.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            words.1 = buffer.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
            words.2 = buffer.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)
            words.3 = buffer.loadUnaligned(fromByteOffset: start + 24, as: UInt64.self)
        }
        // An id that the one-byte form cannot say is left out.
        guard let whole else { return }
        self.words = words
        length = whole - RTPHeader.fixedLength
        // Behind the profile word, the length and the element's head.
        if numberID != 0 { numberOffset = RTPHeader.fixedLength + 5 }
    }

    /// `start` has room for the longest.
    @inline(__always)
    func write(to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: words.0, as: UInt64.self)
        start.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        start.storeBytes(of: words.2, toByteOffset: 16, as: UInt64.self)
        start.storeBytes(of: words.3, toByteOffset: 24, as: UInt64.self)
    }
}
