internal import Glibc
package import Wire

/// A client's TCP connection that carries datagrams, two bytes of length before each (RFC 4571), written apart from the server's side.
package final class TCPLine {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    package private(set) var isClosed = false

    /// IPv4 only; connects at once, since the other side is this host.
    package init?(to remote: TransportAddress, from local: IPAddress = IPAddress(v4: 127, 0, 0, 1)) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let isBound = Self.call(bind, descriptor, TransportAddress(ip: local, port: 0))
        guard isBound, Self.call(connect, descriptor, remote) else {
            close(descriptor)
            return nil
        }
        // What a slow reader leaves stays with the sender.
        var size: Int32 = 8 << 10
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
        _ address: TransportAddress
    ) -> Bool {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = address.port.bigEndian
        name.sin_addr.s_addr = UInt32(truncatingIfNeeded: address.ip.low).bigEndian
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
    }

    deinit { if !isClosed { close(descriptor) } }

    package func end() {
        if !isClosed { close(descriptor) }
        isClosed = true
    }

    package func send(_ datagram: some Collection<UInt8>) {
        sendRaw([UInt8(datagram.count >> 8), UInt8(datagram.count & 0xff)] + datagram)
    }

    package func sendRaw(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// The datagrams that have come; nil once the other side has closed.
    package func receive() -> [[UInt8]]? {
        guard !isClosed else { return nil }
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno == ECONNRESET {
                end()
                break
            }
            guard count > 0 else { break }
            buffer += chunk[..<count]
        }
        var datagrams: [[UInt8]] = []
        var start = 0
        while buffer.count - start >= 2 {
            let end = start + 2 + (Int(buffer[start]) << 8 | Int(buffer[start + 1]))
            guard buffer.count >= end else { break }
            datagrams.append(Array(buffer[(start + 2)..<end]))
            start = end
        }
        buffer.removeSubrange(..<start)
        return isClosed && datagrams.isEmpty ? nil : datagrams
    }
}
