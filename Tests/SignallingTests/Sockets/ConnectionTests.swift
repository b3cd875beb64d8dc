import HTTP
import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomModel
import RoomTestSupport
import Synchronization
import Testing

@testable import Signalling

/// A connection in virtual time.
@Suite(.timeLimit(.minutes(10))) struct ConnectionTests {
    private final class Record: InputReceiver {
        let inputs = Mutex<[String]>([])
        let (ended, end) = AsyncStream.makeStream(of: Void.self)

        /// Inputs stand at the gate: how many, and how many may still pass; nil while it is open.
        let waiting = Mutex(0)
        private let gate = Mutex<Int?>(nil)

        func hold() { gate.withLock { $0 = 0 } }
        func letOneGo() { gate.withLock { $0 = ($0 ?? 0) + 1 } }

        private func passes() -> Bool {
            gate.withLock { gate in
                guard let left = gate else { return true }
                guard left > 0 else { return false }
                gate = left - 1
                return true
            }
        }

        func receive(_ input: SocketConnection.Input) async {
            waiting.withLock { $0 += 1 }
            while !passes() { await Task.yield() }
            waiting.withLock { $0 -= 1 }
            inputs.withLock { $0.append("\(input)") }
            if case .ended = input { end.finish() }
        }
    }

    /// - Parameter after: how long the server has run by then.
    private func connect(
        _ record: Record = Record(), after time: TimeAmount = .zero
    ) async throws -> (NIOAsyncTestingChannel, SocketConnection) {
        let channel = NIOAsyncTestingChannel()
        await channel.testingEventLoop.advanceTime(by: time)
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

    /// What the socket was told last; it reads until it is told not to.
    private func isReading(_ channel: NIOAsyncTestingChannel) -> Bool {
        channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool ?? true
    }

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: [0, 0, 0, 0], data: ByteBuffer(bytes: payload))
    }

    @Test("a client that closes gets its own code back, once; its echo of our close is not answered")
    func closeHandshake() async throws {
        let record = Record()
        let (channel, _) = try await connect(record)
        try await channel.writeInbound(frame(.connectionClose, [3, 0xe8, 0x62, 0x79, 0x65]))
        #expect(try await sent(channel).map(\.payload) == [[3, 0xe8]], "the code alone (RFC 6455 §5.5.1)")
        try await channel.closeFuture.get()
        for await _ in record.ended {}

        let (other, connection) = try await connect()
        connection.close(.replaced)
        await other.testingEventLoop.run()
        try await other.writeInbound(frame(.connectionClose, [0x0f, 0xa1]))
        #expect(try await sent(other).count { $0.opcode == 0x8 } == 1)
        try await other.closeFuture.get()
    }

    @Test("texts that wait for earlier ones stop the reading of the socket until the last of them is done with")
    func inboxIsFull() async throws {
        let record = Record()
        let (channel, connection) = try await connect(record)
        connection.signedIn()
        await channel.testingEventLoop.run()
        let isReading = { self.isReading(channel) }
        record.hold()
        // 256 KiB may wait: 16 of 16 KiB, and the next is too much.
        let text = [UInt8](repeating: 0x20, count: 16 << 10)
        for _ in 0..<16 { try await channel.writeInbound(frame(.text, text)) }
        #expect(isReading())
        try await channel.writeInbound(frame(.text, text))
        await channel.testingEventLoop.run()
        #expect(!isReading())
        for left in stride(from: 16, through: 0, by: -1) {
            record.letOneGo()
            while record.inputs.withLock({ $0.count }) < 17 - left { await Task.yield() }
            // The next is handed over only after what this one means for the reading has been said.
            if left > 0 { while record.waiting.withLock({ $0 }) < 1 { await Task.yield() } }
            await channel.testingEventLoop.run()
            if left > 0 { #expect(!isReading(), "\(left) wait") }
        }
        for _ in 0..<100_000 where !isReading() {
            await Task.yield()
            await channel.testingEventLoop.run()
        }
        #expect(isReading())
        // Nothing is left counted: as much may wait again.
        record.hold()
        for _ in 0..<16 { try await channel.writeInbound(frame(.text, text)) }
        await channel.testingEventLoop.run()
        #expect(isReading())
        try await channel.writeInbound(frame(.text, text))
        await channel.testingEventLoop.run()
        #expect(!isReading())
        for _ in 0..<17 { record.letOneGo() }
    }

    @Test("a text may come in 64 pieces, each text anew, and not in more")
    func fragments() async throws {
        let record = Record()
        let (channel, _) = try await connect(record)
        func send(_ count: Int) async throws {
            for number in 1...count {
                try await channel.writeInbound(
                    WebSocketFrame(
                        fin: number == count, opcode: number == 1 ? .text : .continuation, maskKey: [0, 0, 0, 0],
                        data: ByteBuffer(string: "a")))
            }
        }
        for _ in 0..<3 { try await send(64) }
        while record.inputs.withLock({ $0.count }) < 3 { await Task.yield() }
        #expect(try await sent(channel).isEmpty)
        try await send(65)
        #expect(try await sent(channel).last?.payload == [UInt8(1009 >> 8), UInt8(1009 & 0xff)])
    }

    @Test("an alarm that is set anew, rings or is cancelled leaves nothing behind")
    func alarms() async throws {
        let record = Record()
        let (channel, connection) = try await connect(record)
        let loop = channel.testingEventLoop
        let count: () async throws -> Int = { try await loop.executeInContext { connection.alarmCount } }
        for number in 0..<3 {
            connection.schedule(.ticket(number: number, remaining: .zero), in: .seconds(2))
            connection.schedule(.ticket(number: number, remaining: .zero), in: .seconds(3))
        }
        await loop.run()
        #expect(try await count() == 3)
        await loop.advanceTime(by: .seconds(3))
        while record.inputs.withLock({ $0.count }) < 3 { await Task.yield() }
        #expect(try await count() == 0 && record.inputs.withLock { $0.allSatisfy { $0.hasPrefix("alarm") } })
        connection.schedule(.signInDeadline, in: .seconds(1))
        connection.cancelAlarms()
        await loop.run()
        #expect(try await count() == 0)
        await loop.advanceTime(by: .seconds(1))
        connection.schedule(.signInDeadline, in: .seconds(1))
        await loop.run()
        try await channel.close()
        for await _ in record.ended {}
        #expect(try await count() == 0)
        connection.schedule(.signInDeadline, in: .seconds(1))
        await loop.run()
        #expect(try await count() == 0, "a connection that is over takes none")
        #expect(record.inputs.withLock { $0.count } == 4 && record.inputs.withLock { $0.last } == "ended")
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

    @Test("V19-S whoever answers pings stays", arguments: [0, 3_600])
    func answering(after seconds: Int64) async throws {
        let (channel, _) = try await connect(after: .seconds(seconds))
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
        try await channel.testingEventLoop.executeInContext { channel.pipeline.fireChannelWritabilityChanged() }
        #expect(try await sent(channel).isEmpty, "it was answered")
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

    @Test("nothing stays in memory of a connection that is over, whatever it still had to do")
    func forgotten() async throws {
        weak var gone: SocketConnection?
        do {
            let record = Record()
            let (channel, connection) = try await connect(record)
            gone = connection
            connection.schedule(.signInDeadline, in: .seconds(3_600))
            try await channel.writeInbound(frame(.text, Array("one".utf8)))
            try await channel.close()
            for await _ in record.ended {}
            await channel.testingEventLoop.run()
        }
        while gone != nil { await Task.yield() }
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
        for index in 0...WaitingFrames.controlLimit.frames { connection.send(Array("\(index)".utf8)) }
        await channel.testingEventLoop.run()
        let frames = try await sent(channel)
        #expect(frames.map(\.opcode) == [0x1, 0x8])
        #expect(String(decoding: frames[0].payload, as: UTF8.self).contains("too_slow"))
        #expect(frames[1].payload == [UInt8(4005 >> 8), UInt8(4005 & 0xff)])
    }

    @Test("what waited for a full socket goes out before the notice and the close frame")
    func closingWhileFull() async throws {
        let (channel, connection) = try await connect()
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
        }
        for index in 0..<3 { connection.send(Array("\(index)".utf8)) }
        await channel.testingEventLoop.run()
        #expect(try await sent(channel).isEmpty)
        connection.close(.replaced)
        await channel.testingEventLoop.run()
        let frames = try await sent(channel)
        #expect(frames.map(\.opcode) == [0x1, 0x1, 0x1, 0x1, 0x8])
        #expect(frames.prefix(3).map { String(decoding: $0.payload, as: UTF8.self) } == ["0", "1", "2"])
    }

    @Test(
        "frames that break the protocol are answered with 1002, too large ones with 1009, a broken socket with nothing")
    func errors() async throws {
        for (error, code) in [
            (NIOWebSocketError.multiByteControlFrameLength as any Error, 1002),
            (NIOWebSocketError.invalidFrameLength, 1009), (IOError(errnoCode: 104, reason: "read"), nil),
        ] as [(any Error, Int?)] {
            let (channel, _) = try await connect()
            try await channel.testingEventLoop.executeInContext { channel.pipeline.fireErrorCaught(error) }
            await channel.testingEventLoop.run()
            let closes = try await sent(channel).filter { $0.opcode == 0x8 }
            #expect(closes.map(\.payload) == [code].compactMap(\.self).map { [UInt8($0 >> 8), UInt8($0 & 0xff)] })
            #expect(channel.isActive == (code != nil))
        }
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
        #expect(!isReading(channel), "who does not read is not read either")
        try await channel.testingEventLoop.executeInContext {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }
        await channel.testingEventLoop.run()
        #expect(isReading(channel))
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
