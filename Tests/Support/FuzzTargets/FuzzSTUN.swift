import ICE
import Wire

/// STUN messages: every range that parsing gives must lie inside the datagram.
package func fuzzSTUN(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let datagram = UnsafeRawBufferPointer(start: start, count: count)
    guard let message = STUNMessage.parse(datagram) else { return 0 }
    precondition(message.username.map { $0.lowerBound >= STUNMessage.headerLength && $0.upperBound <= count } ?? true)
    precondition(message.integrityOffset.map { $0 >= STUNMessage.headerLength && $0 <= count } ?? true)
    precondition(message.unknown.count <= STUNMessage.maximumUnknown)
    _ = message.destinationUfrag(in: datagram)?.count
    _ = message.isAuthentic(in: datagram, key: key)
    return 0
}

private let key = STUNIntegrityKey(password: "VOkJxbRl1RmTxUk/WvJxBt")
