/// An address where a side can be reached (RFC 8839 §5.1).
package struct ICECandidate: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case host
        case srflx
        case prflx
        case relay
    }

    /// 1…32 characters; candidates of one origin share it.
    package var foundation: String
    /// 1 = RTP, and RTCP where multiplexed.
    package var component: UInt16
    /// "udp" or "tcp", in lower case.
    package var transport: String
    package var priority: UInt32
    /// An IPv4 or IPv6 address, or a name ending in ".local".
    package var address: String
    package var port: UInt16
    package var kind: Kind
    /// Only with TCP: "active", "passive" or "so".
    package var tcpKind: String?

    package init(
        foundation: String, component: UInt16 = 1, transport: String = "udp", priority: UInt32, address: String,
        port: UInt16, kind: Kind, tcpKind: String? = nil
    ) {
        self.foundation = foundation
        self.component = component
        self.transport = transport
        self.priority = priority
        self.address = address
        self.port = port
        self.kind = kind
        self.tcpKind = tcpKind
    }

    /// Our own address over UDP. `rank` is its place in our order of preference, 0 first, and names its foundation:
    /// each address is one of its own.
    package static func host(address: String, port: UInt16, rank: UInt16) -> ICECandidate {
        // RFC 8445 §5.1.2.1: type preference 126 for host candidates, then the local preference, then 256 − component.
        let priority = UInt32(126) << 24 | UInt32(UInt16.max - rank) << 8 | 255
        return ICECandidate(
            foundation: "\(UInt32(rank) + 1)", priority: priority, address: address, port: port, kind: .host)
    }

    /// Our own address where TCP connections are taken (RFC 6544). What is heard by UDP is preferred to any of them.
    package static func passive(address: String, port: UInt16, rank: UInt16) -> ICECandidate {
        // RFC 6544 §4.2: a lower type preference than for UDP, and in the local preference 4 for the passive side of a host candidate
        // before 13 bits of our own. 90 is what browsers give their own host candidates for TCP.
        let preference = UInt32(4) << 13 | UInt32(0x1fff - min(rank, 0x1fff))
        return ICECandidate(
            foundation: "t\(UInt32(rank) + 1)", transport: "tcp", priority: 90 << 24 | preference << 8 | 255,
            address: address, port: port, kind: .host, tcpKind: "passive")
    }

    /// Reads the value of an `a=candidate` line; nil if it is none. Unknown further attributes are skipped.
    package init?(sdpValue: String) {
        let fields = sdpValue.split(separator: " ").map { String($0) }
        guard fields.count >= 8, fields[6] == "typ", (1...32).contains(fields[0].utf8.count),
            let component = UInt16(fields[1]), (1...256).contains(component),
            let priority = UInt32(fields[3]), let port = UInt16(fields[5]), let kind = Kind(rawValue: fields[7])
        else { return nil }
        self.init(
            foundation: fields[0], component: component, transport: fields[2].lowercased(), priority: priority,
            address: fields[4], port: port, kind: kind)
        for index in stride(from: 8, to: fields.count - 1, by: 2) where fields[index] == "tcptype" {
            tcpKind = fields[index + 1]
        }
    }

    package var sdpValue: String {
        let text = "\(foundation) \(component) \(transport) \(priority) \(address) \(port) typ \(kind.rawValue)"
        guard let tcpKind else { return text }
        return "\(text) tcptype \(tcpKind)"
    }
}
