internal import Foundation
internal import NIOCore
internal import Ovation
internal import Synchronization

/// Calls over a WebSocket: each has a key, and the answer repeats it. What answers to no call is not kept.
final class CallSocket: Sendable {
    /// Reads the key of an answer; nil for texts that answer nothing. Runs for each text on the event loop, so it should tell news from
    /// answers by a look at the first bytes.
    typealias KeyReader = @Sendable (_ text: ByteBufferView) -> Int?

    private struct State {
        var waiting: [Int: CheckedContinuation<[UInt8], any Error>] = [:]
        var next = 1
        /// Why no call is answered any more.
        var end: LoadFailure?
    }

    private let loop: any EventLoop
    private let readKey: KeyReader
    private let state = Mutex(State())
    private let socket: NIOLoopBoundBox<(any SignalSocket)?>

    private init(on loop: any EventLoop, readKey: @escaping KeyReader) {
        self.loop = loop
        self.readKey = readKey
        socket = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: loop)
    }

    /// Connects to the server.
    static func open(
        _ opener: WebSocketOpener, on loop: any EventLoop, readKey: @escaping KeyReader
    ) async throws -> CallSocket {
        let calls = CallSocket(on: loop, readKey: readKey)
        let opened = loop.makePromise(of: Void.self)
        loop.execute {
            opener.open(on: loop) { calls.take($0, opened) }
        }
        try await opened.futureResult.get()
        return calls
    }

    /// Sends the text that `write` makes for a new key, and gives back its answer.
    func call(_ write: (_ key: Int) -> [UInt8]) async throws -> [UInt8] {
        let key = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        let text = write(key)
        return try await withCheckedThrowingContinuation { continuation in
            let end = state.withLock { state -> LoadFailure? in
                if state.end == nil { state.waiting[key] = continuation }
                return state.end
            }
            if let end { return continuation.resume(throwing: end) }
            loop.execute { self.socket.value?.send(text) }
        }
    }

    private func take(_ event: SocketEvent, _ opened: EventLoopPromise<Void>) {
        switch event {
        case .opened(let socket):
            self.socket.value = socket
            opened.succeed()
        case .text(let text):
            guard let key = readKey(text.readableBytesView),
                let waiting = state.withLock({ $0.waiting.removeValue(forKey: key) })
            else { return }
            waiting.resume(returning: Array(text.readableBytesView))
        case .heard, .writable: break
        case .closed(let code): end(LoadFailure("the server closed the connection (\(code ?? 1006))"))
        case .failed(let error):
            let failure = LoadFailure(error.message)
            opened.fail(failure)
            end(failure)
        }
    }

    private func end(_ failure: LoadFailure) {
        let waiting = state.withLock { state in
            state.end = failure
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: failure) }
    }
}

extension ByteBufferView {
    /// The number behind the first `"name":` among the first bytes; nil if there is none.
    func number(behind name: StaticString, within length: Int) -> Int? {
        let head = prefix(length)
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard let found = head.firstRange(of: wanted) else { return nil }
        var number: Int?
        for byte in self[found.upperBound...].prefix(20) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "\""):
                if number != nil { return number }
            default: return number
            }
        }
        return number
    }
}
