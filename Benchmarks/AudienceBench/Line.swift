import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A line between one client and the server: everything comes later by `delay` and up to `jitter`, and of the packets of sound a
/// share gets lost, each way.
///
/// What is signalled goes through a TCP port of its own. In it the server's answer names the server's media port; here that becomes
/// the line's own UDP port, so that the sound comes this way too.
final class Line {
    struct Conditions: Sendable {
        var delay: TimeAmount
        var jitter: TimeAmount
        var loss: Double

        fileprivate var held: TimeAmount {
            delay + .nanoseconds(jitter.nanoseconds > 0 ? Int64.random(in: 0...jitter.nanoseconds) : 0)
        }
    }

    /// What went through.
    struct Count: Sendable {
        var passed = 0
        var lost = 0
    }

    let port: Int
    private let channels: [any Channel]
    private let counter: Counter

    fileprivate final class Counter: Sendable {
        private let value = Mutex(Count())
        var count: Count { value.withLock { $0 } }
        func add(lost: Bool) { value.withLock { if lost { $0.lost += 1 } else { $0.passed += 1 } } }
    }

    var count: Count { counter.count }

    init(to server: Int, media: Int, conditions: Conditions, loop: any EventLoop) async throws {
        let counter = Counter()
        self.counter = counter
        let destination = try SocketAddress(ipAddress: "127.0.0.1", port: media)
        let sound = try await Self.soundPort(digits: String(media).count) { port in
            try await DatagramBootstrap(group: loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        SoundFromClient(to: destination, conditions: conditions, counter: counter))
                }
            }.bind(host: "0.0.0.0", port: port).get()
        }
        let own = sound.localAddress?.port ?? 0
        let signals = try await ServerBootstrap(group: loop).childChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture {
                    try client.pipeline.syncOperations.addHandler(
                        Door(to: server, conditions, from: " \(media) typ", to: " \(own) typ"))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = signals.localAddress?.port ?? 0
        channels = [sound, signals]
    }

    /// A port whose number is as long as the server's: what is replaced in the middle of a WebSocket frame must not change its length.
    private static func soundPort(
        digits: Int, _ bind: (Int) async throws -> any Channel
    ) async throws -> any Channel {
        for _ in 0..<64 {
            let channel = try await bind(0)
            if String(channel.localAddress?.port ?? 0).count == digits { return channel }
            try await channel.close()
        }
        throw BenchFailure("no UDP port with \(digits) digits is free")
    }

    func close() async {
        for channel in channels { try? await channel.close() }
    }
}

struct BenchFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Connects to the server for a client that has come, and steps aside.
private final class Door: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let server: Int
    private let conditions: Line.Conditions
    private let replacement: (from: String, to: String)

    init(to server: Int, _ conditions: Line.Conditions, from: String, to: String) {
        self.server = server
        self.conditions = conditions
        replacement = (from, to)
    }

    func channelActive(context: ChannelHandlerContext) {
        let (client, conditions, replacement) = (context.channel, conditions, replacement)
        ClientBootstrap(group: context.eventLoop).channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { upstream in
                upstream.eventLoop.makeCompletedFuture {
                    try upstream.pipeline.syncOperations.addHandler(
                        SignalsBetween(client, conditions, from: replacement.from, to: replacement.to))
                }
            }
            .connect(host: "127.0.0.1", port: server).assumeIsolated().whenComplete { result in
                do {
                    try client.pipeline.syncOperations.addHandler(SignalsBetween(try result.get(), conditions))
                    try client.syncOptions?.setOption(.autoRead, value: true)
                } catch {
                    client.close(promise: nil)
                }
            }
    }
}

/// One direction of a connection, in order.
private final class SignalsBetween: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let conditions: Line.Conditions
    private let replacement: (from: [UInt8], to: [UInt8])?
    private var release = NIODeadline.distantPast

    init(_ other: any Channel, _ conditions: Line.Conditions, from: String? = nil, to: String = "") {
        self.other = other
        self.conditions = conditions
        replacement = from.map { (Array($0.utf8), Array(to.utf8)) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if let replacement { replace(replacement.from, by: replacement.to, in: &bytes) }
        let (other, passed) = (other, bytes)
        later(context) { other.writeAndFlush(passed, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let other = other
        // Only when everything has gone out: a client reads a song's file as slowly as it plays it.
        later(context) {
            other.writeAndFlush(ByteBuffer()).whenComplete { _ in other.close(promise: nil) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func later(_ context: ChannelHandlerContext, _ body: @escaping @Sendable () -> Void) {
        release = max(release, .now() + conditions.held)
        context.eventLoop.assumeIsolated().scheduleTask(deadline: release, body)
    }

    private func replace(_ from: [UInt8], by to: [UInt8], in bytes: inout ByteBuffer) {
        // Files are long; what is looked for stands in a message of some thousand bytes.
        guard bytes.readableBytes < 65_536 else { return }
        bytes.withUnsafeMutableReadableBytes { bytes in
            var place = 0
            while place + from.count <= bytes.count {
                if bytes[place] == from[0], bytes[place..<place + from.count].elementsEqual(from) {
                    for (index, byte) in to.enumerated() { bytes[place + index] = byte }
                    place += from.count
                } else {
                    place += 1
                }
            }
        }
    }
}

/// Packets that a client sends; each of its addresses gets a port towards the server.
private final class SoundFromClient: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let server: SocketAddress
    private let conditions: Line.Conditions
    private let counter: Line.Counter
    private var ways: [SocketAddress: any Channel] = [:]
    private var opening: Set<SocketAddress> = []

    init(to server: SocketAddress, conditions: Line.Conditions, counter: Line.Counter) {
        self.server = server
        self.conditions = conditions
        self.counter = counter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let packet = unwrapInboundIn(data)
        guard let way = ways[packet.remoteAddress] else { return open(context, for: packet.remoteAddress) }
        let isLost = Double.random(in: 0..<1) < conditions.loss
        counter.add(lost: isLost)
        if isLost { return }
        let envelope = AddressedEnvelope(remoteAddress: server, data: packet.data)
        context.eventLoop.scheduleTask(in: conditions.held) { way.writeAndFlush(envelope, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) { for way in ways.values { way.close(promise: nil) } }

    /// What comes before it is open is lost, as it may be.
    private func open(_ context: ChannelHandlerContext, for client: SocketAddress) {
        guard opening.insert(client).inserted else { return }
        let (down, conditions, counter) = (context.channel, conditions, counter)
        let bound = DatagramBootstrap(group: context.eventLoop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    SoundFromServer(to: client, by: down, conditions: conditions, counter: counter))
            }
        }.bind(host: "127.0.0.1", port: 0)
        bound.assumeIsolated().whenSuccess { [weak self] way in self?.ways[client] = way }
    }
}

private final class SoundFromServer: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let client: SocketAddress
    private let down: any Channel
    private let conditions: Line.Conditions
    private let counter: Line.Counter

    init(to client: SocketAddress, by down: any Channel, conditions: Line.Conditions, counter: Line.Counter) {
        self.client = client
        self.down = down
        self.conditions = conditions
        self.counter = counter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isLost = Double.random(in: 0..<1) < conditions.loss
        counter.add(lost: isLost)
        if isLost { return }
        let envelope = AddressedEnvelope(remoteAddress: client, data: unwrapInboundIn(data).data)
        let down = down
        context.eventLoop.scheduleTask(in: conditions.held) { down.writeAndFlush(envelope, promise: nil) }
    }
}
