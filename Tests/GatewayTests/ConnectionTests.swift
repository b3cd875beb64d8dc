import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomModel
import RoomTestSupport
import Synchronization
import Testing

@testable import Gateway

/// A connection in virtual time.
@Suite struct ConnectionTests {
    private final class Record: InputReceiver {
        let inputs = Mutex<[String]>([])
        let (ended, end) = AsyncStream.makeStream(of: Void.self)

        func receive(_ input: SocketConnection.Input) async {
            inputs.withLock { $0.append("\(input)") }
            if case .ended = input { end.finish() }
        }
    }

    private func connect(_ record: Record = Record()) async throws -> (NIOAsyncTestingChannel, SocketConnection) {
        let channel = NIOAsyncTestingChannel()
        let connection = try await channel.testingEventLoop.executeInContext {
            let connection = SocketConnection(
                address: ClientAddress(text: "192.0.2.1"), loop: channel.eventLoop, clock: VirtualRoomClock(),
                receiver: { _ in record })
            try channel.pipeline.syncOperations.addHandler(WebSocketFrameEncoder())
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection))
            return connection
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
        return (channel, connection)
    }

    private func sent(_ channel: NIOAsyncTestingChannel) async throws -> [Frames.Frame] {
        var frames: [Frames.Frame] = []
        while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { frames += Frames.parse(bytes) }
        return frames
    }

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: [0, 0, 0, 0], data: ByteBuffer(bytes: payload))
    }

    @Test("V19-S a ping goes out every 5 s, and a path that is silent for 10 s is closed")
    func silence() async throws {
        let record = Record()
        let (channel, _) = try await connect(record)
        await channel.testingEventLoop.advanceTime(by: .seconds(5))
        #expect(try await sent(channel).map(\.opcode) == [0x9])
        await channel.testingEventLoop.advanceTime(by: .milliseconds(4_999))
        #expect(channel.isActive)
        await channel.testingEventLoop.advanceTime(by: .milliseconds(1))
        // Not waited for: a path that is not closed would be waited for without end.
        try #require(!channel.isActive)
        for await _ in record.ended {}
        #expect(record.inputs.withLock { $0 } == ["ended"])
    }

    @Test("V19-S whoever answers pings stays")
    func answering() async throws {
        let (channel, _) = try await connect()
        for _ in 0..<20 {
            await channel.testingEventLoop.advanceTime(by: .seconds(5))
            #expect(try await sent(channel).map(\.opcode) == [0x9])
            try await channel.writeInbound(frame(.pong))
        }
        #expect(channel.isActive)
        // The client's own pings are answered with their payload.
        try await channel.writeInbound(frame(.ping, [7, 8]))
        let pong = try await sent(channel)
        #expect(pong.map(\.opcode) == [0xa] && pong[0].payload == [0x7, 0x8])
    }

    @Test(
        "of pings that come while the socket takes nothing only the newest is answered, once it takes something again")
    func pingsWithoutReading() async throws {
        let (channel, _) = try await connect()
        channel.isWritable = false
        for number in 0..<20 { try await channel.writeInbound(frame(.ping, [UInt8(number)])) }
        #expect(try await sent(channel).isEmpty)
        channel.isWritable = true
        try await channel.testingEventLoop.executeInContext { channel.pipeline.fireChannelWritabilityChanged() }
        #expect(try await sent(channel).map(\.payload) == [[19]])
    }

    @Test("R05-S a connection is closed once, for the first reason")
    func closedOnce() async throws {
        let (channel, connection) = try await connect()
        connection.close(.replaced)
        connection.close(.flood)
        await channel.testingEventLoop.run()
        let closes = try await sent(channel).filter { $0.opcode == 0x8 }
        #expect(closes.map(\.payload) == [[UInt8(4001 >> 8), UInt8(4001 & 0xff)]])
    }

    @Test("more pings than anybody needs end the connection")
    func pingFlood() async throws {
        let (channel, _) = try await connect()
        for number in 0..<40 where channel.isActive {
            _ = try? await channel.writeInbound(frame(.ping, [UInt8(number)]))
        }
        let frames = try await sent(channel)
        #expect(frames.count { $0.opcode == 0xa } == 30)
        #expect(frames.last?.opcode == 0x8 && frames.last?.payload == [0x0f, 0xa4], "4004")
    }

    @Test("V19-S a half-closed connection is over at once")
    func halfClose() async throws {
        let record = Record()
        let (channel, _) = try await connect(record)
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        try await channel.closeFuture.get()
        for await _ in record.ended {}
    }

    @Test("what waited goes out before the notice and the close frame, and later frames do not")
    func closing() async throws {
        let (channel, connection) = try await connect()
        connection.send(Array("{\"id\":1}".utf8))
        connection.close(.replaced)
        await channel.testingEventLoop.run()
        connection.send(Array("late".utf8))
        await channel.testingEventLoop.run()
        let frames = try await sent(channel)
        #expect(frames.map(\.opcode) == [0x1, 0x1, 0x8])
        #expect(String(decoding: frames[0].payload, as: UTF8.self) == "{\"id\":1}")
        #expect(String(decoding: frames[1].payload, as: UTF8.self).contains("session_replaced"))
        #expect(frames[2].payload == [UInt8(4001 >> 8), UInt8(4001 & 0xff)])
        #expect(channel.isActive)
        await channel.testingEventLoop.advanceTime(by: .seconds(1))
        try await channel.closeFuture.get()
    }

    @Test("R05-S a client that does not take its news is closed with 4005 and hears why")
    func tooSlow() async throws {
        let (channel, connection) = try await connect()
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
        }
        for index in 0...ConnectionOutbox.controlLimit.frames { connection.send(Array("\(index)".utf8)) }
        await channel.testingEventLoop.run()
        let frames = try await sent(channel)
        #expect(frames.map(\.opcode) == [0x1, 0x8])
        #expect(String(decoding: frames[0].payload, as: UTF8.self).contains("too_slow"))
        #expect(frames[1].payload == [UInt8(4005 >> 8), UInt8(4005 & 0xff)])
    }

    @Test("news waits while the socket is full and goes on, in order, when it is not")
    func backpressure() async throws {
        let (channel, connection) = try await connect()
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
        }
        for index in 0..<200 { connection.send(Array("\(index)".utf8)) }
        await channel.testingEventLoop.run()
        #expect(try await sent(channel).isEmpty)
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        await channel.testingEventLoop.run()
        #expect(
            try await sent(channel).map { String(decoding: $0.payload, as: UTF8.self) } == (0..<200).map(String.init))
    }

    @Test("the server's shutdown says 1001")
    func quiescing() async throws {
        let (channel, _) = try await connect()
        try await channel.testingEventLoop.executeInContext {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        let frames = try await sent(channel)
        #expect(frames.map(\.opcode) == [0x8] && frames[0].payload == [UInt8(1001 >> 8), UInt8(1001 & 0xff)])
        // The client's echo ends it without waiting.
        try await channel.writeInbound(frame(.connectionClose, [3, 0xe9]))
        try await channel.closeFuture.get()
    }
}
