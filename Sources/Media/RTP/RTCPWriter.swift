package import Wire

/// Writes an RTCP compound packet by packet. A packet that does not fit is left out as a whole, and the call says false.
///
/// A view: it must not outlive the buffer. Leave room behind it for what SRTCP adds.
package struct RTCPWriter {
    /// The count field has five bits.
    package static let maximumReportBlocks = 31
    /// RFC 3550 §6.5: an item's length has one byte.
    package static let maximumCNAMELength = 255

    private var writer: ByteWriter

    package init(into buffer: UnsafeMutableRawBufferPointer) { writer = ByteWriter(buffer) }

    /// Bytes written so far: the compound is the buffer's first `count` bytes.
    package var count: Int { writer.count }

    /// At most 31 blocks are written; the others are left out.
    @discardableResult
    package mutating func writeSenderReport(
        _ info: SenderInfo, _ blocks: some Collection<ReportBlock> = EmptyCollection()
    ) -> Bool {
        let blockCount = min(blocks.count, RTCPWriter.maximumReportBlocks)
        let length = 24 + blockCount * ReportBlock.length
        guard begin(RTCPType.senderReport, count: blockCount, bodyLength: length) else { return false }
        writer.write(info.ssrc.rawValue)
        writer.write(info.ntp)
        writer.write(info.timestamp.rawValue)
        writer.write(info.packetCount)
        writer.write(info.octetCount)
        for block in blocks.prefix(blockCount) { block.write(into: &writer) }
        return true
    }

    /// At most 31 blocks are written; the others are left out.
    @discardableResult
    package mutating func writeReceiverReport(
        sender: SSRC, _ blocks: some Collection<ReportBlock> = EmptyCollection()
    ) -> Bool {
        let blockCount = min(blocks.count, RTCPWriter.maximumReportBlocks)
        let length = 4 + blockCount * ReportBlock.length
        guard begin(RTCPType.receiverReport, count: blockCount, bodyLength: length) else { return false }
        writer.write(sender.rawValue)
        for block in blocks.prefix(blockCount) { block.write(into: &writer) }
        return true
    }

    /// One chunk with a CNAME; false also if that is longer than 255 bytes.
    @discardableResult
    package mutating func writeSourceDescription(_ ssrc: SSRC, cname: String) -> Bool {
        let cnameLength = cname.utf8.count
        guard cnameLength <= RTCPWriter.maximumCNAMELength else { return false }
        let unpadded = 4 + 2 + cnameLength
        // One to four zeros end the items.
        let zeros = 4 - unpadded % 4
        guard begin(RTCPType.sourceDescription, count: 1, bodyLength: unpadded + zeros) else { return false }
        writer.write(ssrc.rawValue)
        writer.write(UInt8(1))
        writer.write(UInt8(cnameLength))
        for byte in cname.utf8 { writer.write(byte) }
        writer.writeZeros(zeros)
        return true
    }

    @discardableResult
    package mutating func writeGoodbye(_ ssrc: SSRC) -> Bool {
        guard begin(RTCPType.goodbye, count: 1, bodyLength: 4) else { return false }
        writer.write(ssrc.rawValue)
        return true
    }

    @discardableResult
    package mutating func writePictureLossIndication(sender: SSRC, media: SSRC) -> Bool {
        let format = Int(RTCPType.pictureLossIndication)
        guard begin(RTCPType.payloadFeedback, count: format, bodyLength: 8) else { return false }
        writer.write(sender.rawValue)
        writer.write(media.rawValue)
        return true
    }

    /// Asks for a key frame where the other side knows no PLI (RFC 5104 §4.3.1).
    /// - Parameter command: one more than in the request before, of that source.
    @discardableResult
    package mutating func writeFullIntraRequest(sender: SSRC, media: SSRC, command: UInt8) -> Bool {
        let format = Int(RTCPType.fullIntraRequest)
        guard begin(RTCPType.payloadFeedback, count: format, bodyLength: 16) else { return false }
        writer.write(sender.rawValue)
        // The source stands in the entry.
        writer.write(UInt32(0))
        writer.write(media.rawValue)
        writer.write(UInt32(command) << 24)
        return true
    }

    /// Asks for `missing`, oldest first, packed into entries of up to 17 numbers. Writes as many entries as fit, and says
    /// how many numbers those ask for.
    @discardableResult
    package mutating func writeNACK(sender: SSRC, media: SSRC, missing: some Sequence<SequenceNumber16>) -> Int {
        let start = writer.count
        guard begin(RTCPType.transportFeedback, count: Int(RTCPType.nack), bodyLength: 8 + 4) else { return 0 }
        writer.write(sender.rawValue)
        writer.write(media.rawValue)
        var entry: MissingSequences.Entry?
        var written = 0
        var pending = 0
        for number in missing {
            if let current = entry {
                let offset = number.distance(from: current.first)
                if (1...16).contains(offset) {
                    entry?.following |= 1 << UInt16(offset - 1)
                    pending += 1
                    continue
                }
                guard writer.remaining >= 2 * MissingSequences.Entry.length else { break }
                write(current)
                written += pending
            }
            entry = MissingSequences.Entry(first: number, following: 0)
            pending = 1
        }
        guard let entry else {
            writer.truncate(to: start)
            return 0
        }
        write(entry)
        writer.overwrite(at: start + 2, with: UInt16((writer.count - start) / 4 - 1))
        return written + pending
    }

    /// `symbols`: 0 = has not come, 1 = came, with a delta of one byte, 2 = with one of two; `deltas` of those that came.
    mutating func writeTransportFeedback(
        sender: SSRC, media: SSRC, base: SequenceNumber16, reference: Int32, number: UInt8, symbols: [UInt8],
        deltas: [Int16]
    ) -> Bool {
        let start = writer.count
        let deltaBytes = symbols.reduce(0) { $0 + Int($1) }
        var chunks: [UInt16] = []
        var index = 0
        while index < symbols.count {
            let run = symbols[index...].prefix { $0 == symbols[index] }.count
            if run >= 7 {
                chunks.append(UInt16(symbols[index]) << 13 | UInt16(min(run, 0x1fff)))
                index += min(run, 0x1fff)
            } else {
                // Seven symbols of two bits; what is missing at the end is not counted.
                var chunk: UInt16 = 0xc000
                for place in 0..<7 where index + place < symbols.count {
                    chunk |= UInt16(symbols[index + place]) << UInt16(2 * (6 - place))
                }
                chunks.append(chunk)
                index += 7
            }
        }
        let unpadded = 8 + TransportFeedback.fixedLength + 2 * chunks.count + deltaBytes
        let padding = (4 - unpadded % 4) % 4
        guard begin(RTCPType.transportFeedback, count: Int(RTCPType.transportWide), bodyLength: unpadded + padding)
        else { return false }
        writer.write(sender.rawValue)
        writer.write(media.rawValue)
        writer.write(base.rawValue)
        writer.write(UInt16(symbols.count))
        writer.write(UInt32(bitPattern: reference) << 8 | UInt32(number))
        for chunk in chunks { writer.write(chunk) }
        var next = 0
        for symbol in symbols where symbol > 0 {
            if symbol == 1 {
                writer.write(UInt8(truncatingIfNeeded: deltas[next]))
            } else {
                writer.write(UInt16(bitPattern: deltas[next]))
            }
            next += 1
        }
        if padding > 0 {
            // RFC 3550 §6.4.1: the last byte counts them.
            writer.writeZeros(padding - 1)
            writer.write(UInt8(padding))
            writer.overwrite(
                at: start, with: UInt16(0xa0 | UInt16(RTCPType.transportWide)) << 8 | UInt16(RTCPType.transportFeedback)
            )
        }
        return true
    }

    private mutating func write(_ entry: MissingSequences.Entry) {
        writer.write(entry.first.rawValue)
        writer.write(entry.following)
    }

    /// Writes a packet's head, if head and body fit. The length counts words, less one (RFC 3550 §6.4.1).
    private mutating func begin(_ type: UInt8, count: Int, bodyLength: Int) -> Bool {
        guard writer.remaining >= RTCPType.headerLength + bodyLength else { return false }
        writer.write(UInt8(0x80 | count))
        writer.write(type)
        writer.write(UInt16(bodyLength / 4))
        return true
    }
}
