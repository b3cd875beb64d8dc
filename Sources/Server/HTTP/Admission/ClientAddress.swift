import Foundation
package import NIOCore
import NIOHTTP1

/// Where a request comes from, as far as we can know.
package struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv4 or IPv6 address in its usual text form, or `unknown`.
    package var text: String
    /// Whether the client spoke TLS, to us or to a trusted proxy.
    package var isSecure: Bool

    package init(text: String, isSecure: Bool = false) {
        self.text = text
        self.isSecure = isSecure
    }

    package var description: String { text }

    /// One IPv6 customer has a /64 at least, so the whole of it counts as one.
    package var ratedAs: String {
        guard let network = AddressRange(text + "/64"), network.isIPv6 else { return text }
        return network.description
    }

    /// Whether it is this machine.
    package var isLoopback: Bool {
        AddressRange.loopback.contains { $0.contains(text) }
    }
}

/// Addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` we believe. Anybody else's are ignored:
/// they would let a client choose its own address.
package struct TrustedProxies: Sendable, Hashable {
    private let ranges: [AddressRange]

    /// - Parameter ranges: addresses or networks (`10.0.0.0/8`).
    package init(_ ranges: [AddressRange]) { self.ranges = ranges }

    package func contains(_ address: String) -> Bool { ranges.contains { $0.contains(address) } }

    /// - Parameters:
    ///   - peer: the address at the other end of the TCP connection.
    ///   - secure: whether that connection is TLS.
    ///   - forwardedFor: all `X-Forwarded-For` values, joined in order.
    package func client(peer: SocketAddress?, secure: Bool, forwardedFor: String?, forwardedProto: String?)
        -> ClientAddress
    {
        let direct = peer?.ipAddress.map(Self.plain) ?? "unknown"
        guard contains(direct) else { return ClientAddress(text: direct, isSecure: secure) }
        // Each proxy appends who spoke to it. From the right, the first that is not one of ours is the client;
        // what stands left of it is the client's own claim.
        var client = direct
        // By bytes: a proxy writes its comma behind whatever the client sent, and a letter that joins with what follows would swallow it.
        for hop in (forwardedFor ?? "").utf8.split(separator: UInt8(ascii: ",")).reversed() {
            guard let address = AddressRange.bareAddress(Substring(hop)) else { break }
            client = address
            if !contains(address) { break }
        }
        let proto = forwardedProto?.utf8.split(separator: UInt8(ascii: ",")).last.map {
            Substring($0).filter { $0 != " " }.lowercased()
        }
        return ClientAddress(text: client, isSecure: proto.map { $0 == "https" || $0 == "wss" } ?? secure)
    }

    /// An IPv4 address that came in on an IPv6 socket is written as IPv4.
    package static func plain(_ address: String) -> String {
        address.lowercased().hasPrefix("::ffff:") && address.contains(".") ? String(address.dropFirst(7)) : address
    }
}

/// A network: an address and how many of its leading bits count.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]
    private let prefix: Int

    package static let loopback: [AddressRange] = ["127.0.0.0/8", "::1"].compactMap(AddressRange.init)

    /// `nil` if the text is neither an address nor a network.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first, let bytes = Self.bytes(of: String(address)) else { return nil }
        var prefix = bytes.count * 8
        if parts.count == 2 {
            guard let length = Int(parts[1]), (0...bytes.count * 8).contains(length) else { return nil }
            prefix = length
        }
        self.prefix = prefix
        self.bytes = bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, prefix - index * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xff >> kept)
        }
    }

    var isIPv6: Bool { bytes.count == 16 }

    package func contains(_ address: String) -> Bool {
        guard let other = AddressRange("\(address)/\(prefix)") else { return false }
        return other.bytes == bytes
    }

    package var description: String {
        guard let address = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0).ipAddress else {
            return "?"
        }
        return prefix == bytes.count * 8 ? address : "\(address)/\(prefix)"
    }

    /// An entry of `X-Forwarded-For`: an address, perhaps with a port, an IPv6 one perhaps in brackets.
    static func bareAddress(_ text: Substring) -> String? {
        var entry = text.filter { $0 != " " && $0 != "\t" }
        if entry.hasPrefix("["), let end = entry.firstIndex(of: "]") {
            entry = String(entry[entry.index(after: entry.startIndex)..<end])
        } else if entry.filter({ $0 == ":" }).count == 1, let colon = entry.firstIndex(of: ":") {
            entry = String(entry[..<colon])
        }
        let address = TrustedProxies.plain(entry)
        return bytes(of: address) == nil ? nil : address
    }

    private static func bytes(of address: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &bytes) == 1 { return Array(bytes.prefix(4)) }
        return inet_pton(AF_INET6, address, &bytes) == 1 ? bytes : nil
    }
}
