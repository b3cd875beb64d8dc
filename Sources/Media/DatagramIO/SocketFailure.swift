internal import Glibc
package import Wire

/// A system call that failed when a socket, poller or thread was set up. Traffic never throws: it is dropped and counted.
package struct SocketFailure: Error, Hashable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case open = "open a UDP socket on"
        case listen = "listen for TCP connections on"
        case poll = "set up polling"
        case thread = "start a thread"
        case memory = "allocate datagram slots"
        case interfaces = "list network interfaces"
    }

    package var operation: Operation
    package var address: TransportAddress?
    /// The system's errno.
    package var code: Int32

    /// Somebody else has the port.
    package var isAddressInUse: Bool { code == EADDRINUSE }

    /// The system has no IPv6 (or no IPv4).
    package var isFamilyUnsupported: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }

    package init(_ operation: Operation, address: TransportAddress? = nil, code: Int32) {
        self.operation = operation
        self.address = address
        self.code = code
    }

    package var description: String {
        let target = address.map { " port \($0.port)" } ?? ""
        return "could not \(operation.rawValue)\(target): \(String(cString: strerror(code)))"
    }
}
