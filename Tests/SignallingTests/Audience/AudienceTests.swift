import Foundation
import HTTP
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOWebSocket
import RoomModel
import RoomPorts
import RoomTestSupport
import SeededRandom
import Synchronization
import Testing

@testable import Signalling

/// A room's news on their way to the connections of event loops.
@Suite(.timeLimit(.minutes(10))) struct AudienceTests {
    /// Something that other threads change.
    private final class Kept<Value: Sendable>: Sendable {
        private let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
        var current: Value { value.withLock { $0 } }
        func update(_ change: (inout Value) -> Void) { value.withLock { change(&$0) } }
    }

    private final class Deaf: InputReceiver {
        func receive(_ input: SocketConnection.Input) async {}
    }

    /// A connection in virtual time, and what was written to it.
    private struct Listener {
        let session: SessionToken
        let channel: NIOAsyncTestingChannel
        let connection: SocketConnection

        func texts() async throws -> [String] {
            var texts: [String] = []
            while let bytes = try await channel.readOutbound(as: ByteBuffer.self) {
                texts += Frames.parse(bytes).map { String(decoding: $0.payload, as: UTF8.self) }
            }
            return texts
        }
    }

    private func listeners(_ count: Int, loops: Int) async throws -> ([NIOAsyncTestingEventLoop], [Listener]) {
        let loops = (0..<loops).map { _ in NIOAsyncTestingEventLoop() }
        let hubs = loops.map { LoopHub($0) }
        var listeners: [Listener] = []
        for number in 0..<count {
            let (loop, hub) = (loops[number % loops.count], hubs[number % loops.count])
            let channel = NIOAsyncTestingChannel(loop: loop)
            let connection = try await loop.executeInContext {
                let connection = SocketConnection(
                    address: ClientAddress(text: "192.0.2.1"), loop: loop, hub: hub, clock: VirtualRoomClock(),
                    receiver: { _ in Deaf() })
                try channel.pipeline.syncOperations.addHandler(WebSocketFrameEncoder())
                try channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection))
                return connection
            }
            try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
            listeners.append(
                Listener(session: SessionToken(rawValue: UInt64(number)), channel: channel, connection: connection))
        }
        return (loops, listeners)
    }

    private func news(_ number: Int, _ lane: NewsLane) -> LaneNews {
        let event: RoomNewsEvent =
            lane == .control
            ? .passing(.ownerBack(OwnerBack()))
            : .passing(.likes(LikesNews(total: UInt64(number), added: 1, users: [])))
        return LaneNews(RoomNews(room: .number(1), epoch: UInt64(number), events: [event]), lane: lane)
    }

    /// The number of news, as their text has it.
    private func number(_ text: String) -> Int? {
        guard let start = text.range(of: #""epoch":"#)?.upperBound else { return Int(text) }
        return Int(text[start...].prefix(while: \.isNumber))
    }

    @Test(
        "who has joined gets what is published from then on, in order in each lane, once, and nothing after leaving; a room that waits is told",
        arguments: [1, 3])
    func random(loops count: Int) async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        let (loops, listeners) = try await listeners(9, loops: count)
        let isReady = Kept(0)
        let audience = RoomAudience { isReady.update { $0 += 1 } }
        var joined: Set<SessionToken> = []
        var expected: [SessionToken: [NewsLane: [Int]]] = [:]
        var (waits, owed) = (0, 0)
        for number in 1...400 {
            let listener = try #require(listeners.randomElement(using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                audience.join(listener.session, by: listener.connection)
                joined.insert(listener.session)
            case 2:
                audience.leave(listener.session)
                joined.remove(listener.session)
            case 3:
                listener.connection.send(Array("\(number)".utf8))
                expected[listener.session, default: [:]][.control, default: []].append(number)
            case 4:
                for loop in loops { await loop.run() }
                if owed > 1, waits > 0 { #expect(isReady.current > 0, "seed \(seed)") }
                #expect(!audience.isBehind, "seed \(seed)")
                (waits, owed) = (0, 0)
                isReady.update { $0 = 0 }
            case 5:
                let some = Set(listeners.shuffled(using: &random).prefix(3).map(\.session))
                audience.publish([news(number, .control)], to: .only(some))
                for session in some.intersection(joined) {
                    expected[session, default: [:]][.control, default: []].append(number)
                }
            default:
                let except = Bool.random(using: &random) ? [] : Set([listener.session])
                let lanes: [NewsLane] = try #require(
                    [[.control], [.chatter], [.control, .chatter]].randomElement(using: &random))
                audience.publish(lanes.map { news(number, $0) }, to: .everybody(except: except))
                for session in joined.subtracting(except) {
                    for lane in lanes { expected[session, default: [:]][lane, default: []].append(number) }
                }
                if !joined.isEmpty { owed += 1 }
                if audience.isBehind { waits += 1 }
            }
        }
        for loop in loops { await loop.run() }
        for listener in listeners {
            var heard: [NewsLane: [Int]] = [:]
            for text in try await listener.texts() {
                let lane: NewsLane = text.contains("likes") ? .chatter : .control
                heard[lane, default: []].append(try #require(number(text)))
            }
            #expect(heard == expected[listener.session] ?? [:], "seed \(seed)")
        }
    }

    @Test("a crowd's news do not keep a loop from what it has been asked meanwhile, and reach everybody")
    func slices() async throws {
        let (loops, listeners) = try await listeners(LoopHub.writtenAtOnce + 10, loops: 1)
        let audience = RoomAudience {}
        for listener in listeners { audience.join(listener.session, by: listener.connection) }
        await loops[0].run()
        // What the loop is asked for now comes up between two slices, while the first news have not reached the last listeners.
        let wasBehind = Kept<[Bool]>([])
        try await loops[0].executeInContext {
            for number in 1...2 { audience.publish([news(number, .chatter)], to: .everybody(except: [])) }
            wasBehind.update { $0.append(audience.isBehind) }
            loops[0].execute { wasBehind.update { $0.append(audience.isBehind) } }
        }
        await loops[0].run()
        for listener in listeners { #expect(try await listener.texts().count == 2) }
        #expect(wasBehind.current == [true, true] && !audience.isBehind)
    }

    @Test(
        "R05-S what a socket does not take goes on in order when it does, whatever comes meanwhile: no byte is missing, doubled or overtaken"
    )
    func fullSocket() async throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let made = AsyncStream.makeStream(of: SocketConnection.self)
        let server = try await ServerBootstrap(group: group)
            .childChannelOption(.socketOption(.so_sndbuf), value: 8_192)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = SocketConnection(
                        address: ClientAddress(text: "127.0.0.1"), loop: channel.eventLoop, clock: VirtualRoomClock(),
                        receiver: { _ in Deaf() })
                    try channel.pipeline.syncOperations.addHandler(WebSocketFrameEncoder())
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection))
                    made.continuation.yield(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var small: Int32 = 4_096
        setsockopt(client, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: try #require(server.localAddress?.port))
        let isConnected = address.withSockAddr { connect(client, $0, socklen_t($1)) == 0 }
        #expect(isConnected)
        var connections = made.stream.makeAsyncIterator()
        let connection = try #require(await connections.next())
        let audience = RoomAudience {}
        audience.join(SessionToken(rawValue: 1), by: connection)
        var expected: [Int] = []
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        for number in 1...600 {
            if Bool.random(using: &random) {
                let filler = String(repeating: "0", count: Int.random(in: 0...3_000, using: &random))
                connection.send(Array("\(filler)\(number)".utf8))
            } else {
                audience.publish([news(number, .control)], to: .everybody(except: []))
            }
            expected.append(number)
            if Int.random(in: 0..<20, using: &random) == 0 {
                let count = read(client, &buffer, buffer.count)
                received += buffer[..<max(0, count)]
            }
        }
        while Self.wholeFrames(received).count < expected.count {
            let count = read(client, &buffer, buffer.count)
            try #require(count > 0, "seed \(seed): \(Self.wholeFrames(received).count) of \(expected.count)")
            received += buffer[..<count]
        }
        let texts = Frames.parse(ByteBuffer(bytes: received)).map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts.compactMap(number) == expected, "seed \(seed)")
        try await server.close().get()
        try await group.shutdownGracefully()
    }

    /// Frames that have come whole.
    private static func wholeFrames(_ bytes: [UInt8]) -> Range<Int> {
        var (place, count) = (0, 0)
        while place + 2 <= bytes.count {
            var (length, head) = (Int(bytes[place + 1] & 0x7f), 2)
            if length == 126 {
                guard place + 4 <= bytes.count else { break }
                (length, head) = (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]), 4)
            }
            guard place + head + length <= bytes.count else { break }
            place += head + length
            count += 1
        }
        return 0..<count
    }
}
