package import HTTP
package import NIOCore
package import NIOHTTP1
package import RoomPorts
import Synchronization
import Timing

/// Accepts WebSockets: decides which upgrades pass, and makes the connection of each.
package final class SocketAcceptor: Sendable {
    package static let path = "/v1/connect"
    package static let subprotocol = "ovation.v1"

    /// Why an upgrade is refused; the plain HTTP answer on the same path says so.
    package enum Admission: Equatable {
        case admitted
        case refused(Refusal)

        package enum Refusal: String { case notAWebSocket, path, subprotocol, origin, draining, full, tooFrequent }
    }

    package static let responseHeaders: HTTPHeaders = ["Sec-WebSocket-Protocol": subprotocol]

    private let origins: OriginRule
    private let proxies: TrustedProxies
    private let isSecure: Bool
    private let limits: AdmissionLimits
    private let rates: AddressRates
    private let clock: any TimeSource
    private let receivers: @Sendable (SocketConnection) -> any InputReceiver
    private let hubs = LoopHubs()
    private let state = Mutex((open: 0, draining: false))

    package init(
        origins: OriginRule, proxies: TrustedProxies, isSecure: Bool, limits: AdmissionLimits, clock: any TimeSource,
        receivers: @escaping @Sendable (SocketConnection) -> any InputReceiver
    ) {
        self.origins = origins
        self.proxies = proxies
        self.isSecure = isSecure
        self.limits = limits
        self.rates = AddressRates(limits.connectionsPerAddress)
        self.clock = clock
        self.receivers = receivers
    }

    /// The limit by its name, for whoever runs a school's or a balancer's address into it.
    package var tooManyFromOneAddress: String {
        let limit = limits.connectionsPerAddress
        return
            "too many connections from this address: \(Int(limit.burst)) at once and \(Int(limit.perSecond.rounded(.up))) a second after (limits.connections_per_address)"
    }

    /// Those that are open.
    package var connections: Int { state.withLock { $0.open } }

    /// No more connections are let in.
    package func drain() { state.withLock { $0.draining = true } }

    package var isDraining: Bool { state.withLock { $0.draining } }

    package func admission(_ head: HTTPRequestHead, from peer: SocketAddress?) -> Admission {
        guard head.uri.prefix(while: { $0 != "?" }) == Self.path else { return .refused(.path) }
        guard head.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            head.headers.first(name: "sec-websocket-version") == "13", head.headers.contains(name: "sec-websocket-key")
        else { return .refused(.notAWebSocket) }
        let offered = head.headers[canonicalForm: "sec-websocket-protocol"]
        guard offered.contains(where: { $0 == Self.subprotocol }) else { return .refused(.subprotocol) }
        return admission(
            origin: head.headers.first(name: "origin"), host: head.headers.first(name: "host"),
            address: address(head.headers, peer: peer))
    }

    private func admission(origin: String?, host: String?, address: ClientAddress) -> Admission {
        guard origins.allows(origin: origin, host: host) else { return .refused(.origin) }
        let (open, draining) = state.withLock { ($0.open, $0.draining) }
        guard !draining else { return .refused(.draining) }
        guard open < limits.connections else { return .refused(.full) }
        guard rates.take(address, now: clock.now) == nil else { return .refused(.tooFrequent) }
        return .admitted
    }

    package func address(_ headers: HTTPHeaders, peer: SocketAddress?) -> ClientAddress {
        let forwarded = headers[canonicalForm: "x-forwarded-for"].joined(separator: ",")
        return proxies.client(
            peer: peer, secure: isSecure, forwardedFor: forwarded.isEmpty ? nil : forwarded,
            forwardedProto: headers.first(name: "x-forwarded-proto"))
    }

    /// On the channel's event loop, after the upgrade.
    package func connection(_ head: HTTPRequestHead, on channel: any Channel) -> SocketConnection {
        state.withLock { $0.open += 1 }
        channel.closeFuture.whenComplete { [state = self] _ in state.closed() }
        return SocketConnection(
            address: address(head.headers, peer: channel.remoteAddress), loop: channel.eventLoop,
            hub: hubs.hub(of: channel.eventLoop),
            clock: clock,
            calls: limits.calls, receiver: receivers)
    }

    private func closed() { state.withLock { $0.open -= 1 } }
}
