import Foundation
import NIOCore
import NIOPosix

/// What a host's name leads to.
enum HostAddresses {
    /// All addresses, as text, in the order in which the system would try them (RFC 6724); none if there is no such host.
    static func lookUp(_ host: String) async -> [String] {
        (try? await NIOThreadPool.singleton.runIfActive { askSystem(host) }) ?? []
    }

    private static func askSystem(_ host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var next = first
        while let info = next?.pointee {
            var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                info.ai_addr, info.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
            let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if status == 0, !addresses.contains(text) { addresses.append(text) }
            next = info.ai_next
        }
        return addresses
    }

    /// The first of several addresses that takes a connection. They are tried in turn, the next one a quarter of a second after the one
    /// before or when that has refused, both families by turns (RFC 8305).
    static func reachable(_ addresses: [String], of host: String, port: Int, within limit: TimeAmount) async throws
        -> String?
    {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let known = try addresses.map { try SocketAddress(ipAddress: $0, port: port) }
        let channel = try await ClientBootstrap(group: loop).resolver(KnownAddresses(known, loop: loop))
            .connectTimeout(limit).connect(host: host, port: port).get()
        defer { channel.close(promise: nil) }
        return channel.remoteAddress?.ipAddress
    }
}

/// A resolver of NIO's that was told before.
private struct KnownAddresses: Resolver, Sendable {
    let addresses: [SocketAddress]
    let loop: any EventLoop

    init(_ addresses: [SocketAddress], loop: any EventLoop) {
        self.addresses = addresses
        self.loop = loop
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
