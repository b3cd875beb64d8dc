import RTP
import Wire

/// RTP headers and their extensions, and payloads with copies: every range that parsing gives must lie inside the packet.
package func fuzzRTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let packet = UnsafeRawBufferPointer(start: start, count: count)
    if let redundant = RedundantPayload(packet) {
        precondition(!redundant.primary.isEmpty && redundant.primary.upperBound == count)
        for index in 0..<redundant.copyCount {
            let copy = redundant.copy(index, in: packet)
            precondition(copy.range.upperBound <= redundant.primary.lowerBound && copy.range.lowerBound > 0)
        }
    }
    var map = HeaderExtensionMap()
    map.set(.audioLevel, id: 1)
    map.set(.mid, id: 4)
    for isEncrypted in [false, true] {
        guard let header = RTPHeader.parse(packet, isEncrypted: isEncrypted) else { continue }
        precondition(header.headerLength >= RTPHeader.fixedLength)
        precondition(header.payload.upperBound + header.paddingLength == count)
        for index in 0..<header.csrcCount { _ = header.csrc(index, in: packet) }
        for element in HeaderExtensions(of: header, in: packet) {
            precondition(element.range.lowerBound >= header.extensionOffset)
            precondition(element.range.upperBound <= header.headerLength)
        }
        _ = header.audioLevel(in: packet, map)
        _ = header.mid(in: packet, map)
    }
    return 0
}
