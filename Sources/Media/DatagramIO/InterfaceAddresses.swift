internal import CNet
package import Wire

/// The addresses under which this host may be reached.
package enum InterfaceAddresses {
    /// More are not worth a browser's connectivity checks.
    package static let maximum = 16

    /// Addresses of all interfaces that are up: IPv4 first, then IPv6, loopback last. Link-local IPv6 is left out, since a
    /// candidate cannot name the interface it needs (RFC 8445 §5.1.1.1).
    package static func current() throws(SocketFailure) -> [IPAddress] {
        let capacity = 256
        let list = UnsafeMutablePointer<cnet_interface>.allocate(capacity: capacity)
        defer { list.deallocate() }
        let count = cnet_interfaces(list, Int32(capacity))
        guard count >= 0 else { throw SocketFailure(.interfaces, code: -count) }
        let found = UnsafeBufferPointer(start: list, count: Int(count)).map {
            (ip: IPAddress(high: $0.address.high, low: $0.address.low), loopback: $0.loopback)
        }
        return ordered(found)
    }

    static func ordered(_ found: [(ip: IPAddress, loopback: Bool)]) -> [IPAddress] {
        var seen: Set<IPAddress> = []
        let usable = found.filter { !$0.ip.isLinkLocal && !$0.ip.isUnspecified && seen.insert($0.ip).inserted }
        let reachable = usable.filter { !$0.loopback && !$0.ip.isLoopback }
        let loopback = usable.filter { $0.loopback || $0.ip.isLoopback }
        let byFamily = { (list: [(ip: IPAddress, loopback: Bool)]) in
            list.filter(\.ip.isIPv4).map(\.ip) + list.filter { !$0.ip.isIPv4 }.map(\.ip)
        }
        return Array((byFamily(reachable) + byFamily(loopback)).prefix(maximum))
    }
}
