/// An IPv4 or IPv6 address as 16 bytes in network order; IPv4 is held as IPv4-mapped (RFC 4291 §2.5.5.2),
/// so that a dual-stack socket and a v4 socket name the same peer alike.
package struct IPAddress: Hashable, Sendable {
    /// Bytes 0…7 and 8…15, each as a big-endian number.
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(v4 a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) {
        let value = UInt64(a) << 24 | UInt64(b) << 16 | UInt64(c) << 8 | UInt64(d)
        self.init(high: 0, low: 0xffff_0000_0000 | value)
    }

    package var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }
}

/// Where a datagram comes from or goes to. `scope` is the interface index of a link-local IPv6 address, else 0.
package struct TransportAddress: Hashable, Sendable {
    package var ip: IPAddress
    package var port: UInt16
    package var scope: UInt32

    package init(ip: IPAddress, port: UInt16, scope: UInt32 = 0) {
        self.ip = ip
        self.port = port
        self.scope = scope
    }
}

/// Both ends of a datagram's way: a peer is found by it, and answers leave from the address they came to.
package struct NetworkPath: Hashable, Sendable {
    package var local: TransportAddress
    package var remote: TransportAddress
    /// 0: UDP. Else the TCP connection that carries the datagrams; no number comes twice soon.
    package var connection: UInt32

    package init(local: TransportAddress, remote: TransportAddress, connection: UInt32 = 0) {
        self.local = local
        self.remote = remote
        self.connection = connection
    }
}
