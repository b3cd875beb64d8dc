import NIOCore
import NIOPosix

/// A line to the server that takes its time: whatever is sent through it arrives later, by a random delay, and in order.
final class DelayingRelay: Sendable {
    /// One direction: evenly spread between `delay` − `jitter` and `delay` + `jitter`.
    struct Way: Sendable {
        /// Milliseconds.
        var delay: Double
        var jitter: Double

        func draw() -> TimeAmount {
            .nanoseconds(Int64(max(0, delay + Double.random(in: -jitter...jitter)) * 1e6))
        }
    }

    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    var port: Int { channel.localAddress?.port ?? 0 }

    /// From clients to `port` on this machine by `there`, from it by `back`.
    init(to port: Int, there: Way, back: Way) async throws {
        // Its own thread, so that nobody's work holds the line up.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.group = group
        channel = try await ServerBootstrap(group: group)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop)
                    .channelOption(.autoRead, value: false)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(DelayLine(there, to: server))
                        try server.pipeline.syncOperations.addHandler(DelayLine(back, to: client))
                        for end in [client, server] {
                            end.setOption(.autoRead, value: true).whenComplete { _ in }
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func stop() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }
}

/// Hands on to another connection what comes, later and in order.
private final class DelayLine: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let way: DelayingRelay.Way
    private let other: any Channel
    private var last = NIODeadline.uptimeNanoseconds(0)

    init(_ way: DelayingRelay.Way, to other: any Channel) {
        self.way = way
        self.other = other
    }

    private func next() -> NIODeadline {
        // One nanosecond apart: tasks at different times keep their order.
        last = max(last + .nanoseconds(1), .now() + way.draw())
        return last
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        let other = other
        context.eventLoop.assumeIsolated().scheduleTask(deadline: next()) {
            other.writeAndFlush(bytes, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        let other = other
        context.eventLoop.assumeIsolated().scheduleTask(deadline: next()) { other.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
