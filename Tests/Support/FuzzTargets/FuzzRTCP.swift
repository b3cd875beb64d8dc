import RTP
import Timing
import Wire

/// RTCP compounds, reduced-size ones included: every list is walked to its end.
package func fuzzRTCP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var compound = RTCPCompound(UnsafeRawBufferPointer(start: start, count: count))
    var sum = 0
    while let packet = compound.next() {
        switch packet {
        case .senderReport(_, let blocks), .receiverReport(_, let blocks):
            for block in blocks { sum &+= Int(block.roundTrip(arrivingAt: 1 << 40)?.nanoseconds ?? 0) }
        case .sourceDescription(let descriptions):
            for chunk in descriptions { sum &+= chunk.cname.reduce(0) { $0 &+ Int($1) } }
        case .goodbye(let sources):
            for source in sources { sum &+= Int(source.rawValue) }
        case .nack(_, _, let entries):
            for entry in entries { entry.forEach { sum &+= Int($0.rawValue) } }
        case .fullIntraRequest(_, let requests):
            for request in requests { sum &+= Int(request.commandNumber) }
        case .estimatedMaximumBitrate(_, let rate):
            sum &+= Int(truncatingIfNeeded: rate)
        case .transportFeedback(_, _, let feedback):
            for status in feedback { sum &+= Int(truncatingIfNeeded: status.arrival ?? 0) }
        case .pictureLossIndication, .unknown: break
        }
    }
    return sum == .min ? -1 : 0
}
