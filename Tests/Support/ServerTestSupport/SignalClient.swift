import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A WebSocket client for tests: sends calls, remembers all it hears in order, and can misbehave on purpose.
package final class SignalClient: Sendable {
    /// What a client did not get in time, or at all.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// An error answer.
    package struct Refused: Error, Hashable, CustomStringConvertible {
        package var error: JSON
        package var name: String { error["data"]["name"].string ?? "" }
        package var code: Int { error["code"].int ?? 0 }
        package var description: String { error.text }
    }

    /// A wait that takes longer than this has failed; no test depends on how long it really takes.
    private static let patience = TimeAmount.seconds(120)

    /// What somebody waits for. Looks at each message once, so that hundreds of clients that hear thousands of messages stay cheap.
    private struct Waiter {
        var number: Int
        var check: @Sendable (JSON?, UInt16?) -> Bool
        var done: @Sendable (Bool) -> Void
    }

    private struct State {
        var heard: [JSON] = []
        var closeCode: UInt16?
        var nextID = 1
        var nextWaiter = 0
        var waiters: [Waiter] = []
    }

    private let channel: any Channel
    private let state = Mutex(State())

    private init(channel: any Channel) { self.channel = channel }

    /// - Parameter headers: of the upgrade request, beside those of every WebSocket; a `Sec-WebSocket-Protocol` here replaces ours.
    package static func connect(
        port: Int, path: String = "/v1/connect", headers: [(String, String)] = [], host: String = "127.0.0.1",
        tls: TLSTrust? = nil
    ) async throws -> SignalClient {
        let made = Mutex<SignalClient?>(nil)
        let upgraded = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(patience).connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try tls?.add(to: channel)
                    let upgrader = NIOTypedWebSocketClientUpgrader<SignalClient?>(
                        maxFrameSize: 8 << 20,
                        upgradePipelineHandler: { channel, _ in
                            channel.eventLoop.makeCompletedFuture {
                                let client = SignalClient(channel: channel)
                                made.withLock { $0 = client }
                                try channel.pipeline.syncOperations.addHandler(Listener(client))
                                return client
                            }
                        })
                    var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
                    head.headers.add(name: "Host", value: "\(host):\(port)")
                    head.headers.add(name: "Content-Length", value: "0")
                    for (name, value) in headers { head.headers.add(name: name, value: value) }
                    if !head.headers.contains(name: "Sec-WebSocket-Protocol") {
                        head.headers.add(name: "Sec-WebSocket-Protocol", value: "ovation.v1")
                    }
                    let configuration = NIOTypedHTTPClientUpgradeConfiguration<SignalClient?>(
                        upgradeRequestHead: head, upgraders: [upgrader],
                        notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(nil) })
                    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                        configuration: .init(upgradeConfiguration: configuration))
                }
            }
        guard let client = try await upgraded.get() else { throw Failure(description: "the upgrade was refused") }
        return client
    }

    // MARK: calls

    /// Sends a call and gives back its `result`; an error answer is thrown as `Refused`.
    @discardableResult
    package func call(_ method: String, _ params: JSON = [:]) async throws -> JSON {
        let id = send(method, params)
        return try await answer(to: id)
    }

    /// Sends a call and does not wait.
    package func send(_ method: String, _ params: JSON = [:]) -> Int {
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        send(
            text: JSON.object([
                "jsonrpc": "2.0", "id": .number(Double(id)), "method": .string(method), "params": params,
            ]).text)
        return id
    }

    package func answer(to id: Int) async throws -> JSON {
        let answer = try await first("answer to call \(id)") { $0["id"].int == id }
        if !answer["error"].isNull { throw Refused(error: answer["error"]) }
        return answer["result"]
    }

    /// The stable name of the error that a call must lead to.
    package func refusal(_ method: String, _ params: JSON = [:]) async throws -> String {
        do {
            let result = try await call(method, params)
            return "accepted: \(result.text)"
        } catch let refused as Refused {
            return refused.name
        }
    }

    // MARK: what was heard

    /// Everything so far, in order.
    package var heard: [JSON] { state.withLock { $0.heard } }

    /// The single events of all `room.events` so far, in order.
    package var events: [JSON] { Self.events(in: heard) }

    private static func events(in heard: [JSON]) -> [JSON] {
        heard.filter { $0["method"].string == "room.events" }.flatMap { $0["params"]["events"].array }
    }

    /// The first message that fits, heard already or to come.
    @discardableResult
    package func first(_ what: String, where fits: @escaping @Sendable (JSON) -> Bool) async throws -> JSON {
        try await wait(what) { message, _ in message.map(fits) ?? false }
        guard let message = heard.first(where: fits) else { throw Failure(description: what) }
        return message
    }

    /// The first event of that type that fits, heard already or to come.
    @discardableResult
    package func event(_ type: String, where fits: @escaping @Sendable (JSON) -> Bool = { _ in true }) async throws
        -> JSON
    {
        let fits: @Sendable (JSON) -> Bool = { $0["type"].string == type && fits($0) }
        let note = try await first("event \(type)") { Self.events(in: [$0]).contains(where: fits) }
        guard let event = Self.events(in: [note]).first(where: fits) else { throw Failure(description: type) }
        return event
    }

    /// Waits until so many events that fit have been heard.
    package func events(_ count: Int, where fits: @escaping @Sendable (JSON) -> Bool) async throws -> [JSON] {
        let left = Mutex(count)
        try await wait("\(count) events") { message, _ in
            let found = message.map { Self.events(in: [$0]).count(where: fits) } ?? 0
            return left.withLock {
                $0 -= found
                return $0 <= 0
            }
        }
        return events.filter(fits)
    }

    /// The first so many error answers.
    package func errors(_ count: Int) async throws -> [JSON] {
        let left = Mutex(count)
        try await wait("\(count) errors") { message, _ in
            left.withLock {
                if let message, !message["error"].isNull { $0 -= 1 }
                return $0 <= 0
            }
        }
        return Array(heard.filter { !$0["error"].isNull }.prefix(count))
    }

    /// The close code of the server; 1006 if there was none.
    package func closeCode() async throws -> UInt16 {
        try await wait("close") { _, code in code != nil }
        return state.withLock { $0.closeCode } ?? 1006
    }

    /// - Parameter check: is shown each message once, those heard already first, and the close code as soon as there is one.
    private func wait(_ what: String, until check: @escaping @Sendable (JSON?, UInt16?) -> Bool) async throws {
        let passed = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            let (number, settled) = state.withLock { state -> (Int, Bool?) in
                if state.heard.contains(where: { check($0, nil) }) || check(nil, state.closeCode) { return (0, true) }
                if state.closeCode != nil { return (0, false) }
                state.nextWaiter += 1
                state.waiters.append(
                    Waiter(number: state.nextWaiter, check: check) { continuation.resume(returning: $0) })
                return (state.nextWaiter, nil)
            }
            if let settled { return continuation.resume(returning: settled) }
            channel.eventLoop.scheduleTask(in: Self.patience) { self.giveUp(number) }
        }
        if !passed {
            throw Failure(
                description: "waited in vain for \(what); heard \(heard.suffix(8).map(\.text).joined(separator: "\n"))")
        }
    }

    private func giveUp(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.done(false)
    }

    // MARK: frames

    package func send(text: String) { send(frame: .text, Array(text.utf8)) }

    package func send(frame opcode: WebSocketOpcodeName, _ payload: [UInt8], final: Bool = true, masked: Bool = true) {
        let frame = WebSocketFrame(
            fin: final, opcode: opcode.opcode, maskKey: masked ? .random() : nil, data: ByteBuffer(bytes: payload))
        channel.writeAndFlush(frame, promise: nil)
    }

    package enum WebSocketOpcodeName: Sendable {
        case text, binary, continuation, ping, close, reserved

        var opcode: WebSocketOpcode {
            switch self {
            case .text: .text
            case .binary: .binary
            case .continuation: .continuation
            case .ping: .ping
            case .close: .connectionClose
            case .reserved: WebSocketOpcode(encodedWebSocketOpcode: 0x3) ?? .text
            }
        }
    }

    /// Drops the connection without a word, as a network does.
    package func drop() async { try? await channel.close() }

    /// Reads nothing more from the socket: a client that is too slow.
    package func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    package func close() async {
        send(frame: .close, [0x03, 0xe8])
        try? await channel.closeFuture.get()
    }

    // MARK: the handler's side

    fileprivate func hear(_ message: JSON) {
        let ready = state.withLock { state -> [Waiter] in
            state.heard.append(message)
            return Self.take(from: &state) { $0.check(message, nil) }
        }
        for waiter in ready { waiter.done(true) }
    }

    fileprivate func closed(_ code: UInt16) {
        let ready = state.withLock { state -> [Waiter] in
            guard state.closeCode == nil else { return [] }
            state.closeCode = code
            defer { state.waiters = [] }
            return state.waiters
        }
        // Nothing more will be heard: whoever waits for anything but the close has waited in vain.
        for waiter in ready { waiter.done(waiter.check(nil, code)) }
    }

    private static func take(from state: inout State, where isReady: (Waiter) -> Bool) -> [Waiter] {
        let ready = state.waiters.filter(isReady)
        if !ready.isEmpty { state.waiters.removeAll { waiter in ready.contains { $0.number == waiter.number } } }
        return ready
    }
}

private final class Listener: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let client: SignalClient

    init(_ client: SignalClient) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            if let message = try? JSON(parsing: frame.data.readableBytesView) { client.hear(message) }
        case .ping:
            context.writeAndFlush(
                wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data)),
                promise: nil)
        case .connectionClose:
            var data = frame.data
            client.closed(data.readInteger(as: UInt16.self) ?? 1005)
            context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) { client.closed(1006) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
