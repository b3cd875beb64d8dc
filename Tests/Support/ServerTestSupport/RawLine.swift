import NIOCore
import NIOPosix

/// One TCP connection to a server, to say what is on the wire piece by piece and to wait for what comes back.
package struct RawLine {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    /// What came and was not given back yet.
    private var received: [UInt8] = []

    package static func with<Result>(
        port: Int, _ body: (inout RawLine) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            var line = RawLine(inbound: inbound.makeAsyncIterator(), outbound: outbound)
            return try await body(&line)
        }
    }

    package mutating func send(_ text: String) async throws { try await outbound.write(ByteBuffer(string: text)) }

    /// All up to and with this text; all there is if the server closes before.
    package mutating func read(until end: String) async throws -> String {
        let end = Array(end.utf8)
        while true {
            if let start = received.indices.first(where: { received[$0...].starts(with: end) }) {
                defer { received.removeFirst(start + end.count) }
                return String(decoding: received[..<(start + end.count)], as: UTF8.self)
            }
            guard let more = try await inbound.next(isolation: #isolation) else {
                defer { received = [] }
                return String(decoding: received, as: UTF8.self)
            }
            received += more.readableBytesView
        }
    }

    /// All up to the server's end.
    package mutating func readToEnd() async throws -> String {
        while let more = try await inbound.next(isolation: #isolation) { received += more.readableBytesView }
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }
}
