import DequeModule
import NIOCore
import RoomModel
import RoomPorts
import SignalProtocol
import Synchronization

/// What waits to be written to one connection. Filled by rooms and sessions from any thread, drained by the connection's event loop.
///
/// Frames of a lane leave in order. Control leaves before chatter, always: a seat event is not held up by what a flood of chat has
/// left lying.
final class ConnectionOutbox: Outbox {
    /// What a client may fall behind before it must reconnect and resume. A snapshot of a large room is some 50 KB,
    /// a seat event 300 bytes; whoever cannot take 2 MiB is not coming back on this socket.
    static let controlLimit = (frames: 2048, bytes: 2 << 20)
    /// Chatter beyond this is shed, oldest first: 512 frames are several seconds of the liveliest room.
    static let chatterLimit = (frames: 512, bytes: 512 << 10)

    private enum Waiting: Sendable {
        case frame(ByteBuffer)
        case answer(size: Int, text: @Sendable () -> [UInt8])

        var size: Int {
            switch self {
            case .frame(let bytes): bytes.readableBytes
            case .answer(let size, _): size
            }
        }
    }

    private struct State {
        var control = Deque<Waiting>()
        var chatter = Deque<EncodedFrame>()
        var controlBytes = 0
        var chatterBytes = 0
        /// Whether a drain has been requested that has not yet emptied the queue.
        var draining = false
        var holes: [ChatSpan] = []
        var closed = false
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void
    private let overflow: @Sendable () -> Void

    /// - Parameters:
    ///   - wake: asks the event loop to drain; called under no lock, at most once until `next` has returned `nil`.
    ///   - overflow: the control lane is full; called once, everything that waited is gone and nothing more will be taken.
    init(wake: @escaping @Sendable () -> Void, overflow: @escaping @Sendable () -> Void) {
        self.wake = wake
        self.overflow = overflow
    }

    package func enqueue(_ frame: any NewsFrame, lane: NewsLane) {
        // Only the gateway's encoder makes frames. Should there ever be another kind, the connection ends, as if it could take no more:
        // its client comes back and is told what it missed, where a frame that is dropped would be missed for good.
        guard let frame = frame as? EncodedFrame else { return append { _ in false } }
        enqueue(frame, lane: lane)
    }

    func enqueue(_ frame: EncodedFrame, lane: NewsLane) {
        switch lane {
        case .control: enqueue(.frame(frame.bytes))
        case .chatter:
            append { state in
                state.chatter.append(frame)
                state.chatterBytes += frame.bytes.readableBytes
                while state.chatter.count > Self.chatterLimit.frames || state.chatterBytes > Self.chatterLimit.bytes,
                    let shed = state.chatter.popFirst()
                {
                    state.chatterBytes -= shed.bytes.readableBytes
                    if let span = shed.chat { Self.note(span, in: &state.holes) }
                }
                return true
            }
        }
    }

    /// An answer in the control lane whose text is made when it leaves, by the connection's own thread: a room must not stand still
    /// while a whole snapshot of it is encoded.
    /// - Parameter size: of the text, and never less.
    func enqueue(size: Int, text: @escaping @Sendable () -> [UInt8]) { enqueue(.answer(size: size, text: text)) }

    private func enqueue(_ waiting: Waiting) {
        append { state in
            guard state.control.count < Self.controlLimit.frames,
                state.controlBytes + waiting.size <= Self.controlLimit.bytes
            else { return false }
            state.control.append(waiting)
            state.controlBytes += waiting.size
            return true
        }
    }

    /// - Parameter put: returns false if there is no more room; the outbox then overflows.
    private func append(_ put: (inout State) -> Bool) {
        enum Consequence { case none, wake, overflow }
        let consequence = state.withLock { state -> Consequence in
            guard !state.closed else { return .none }
            guard put(&state) else {
                state = State()
                state.closed = true
                return .overflow
            }
            guard !state.draining else { return .none }
            state.draining = true
            return .wake
        }
        switch consequence {
        case .none: break
        case .wake: wake()
        case .overflow: overflow()
        }
    }

    /// The next bytes to write, or `nil` if nothing waits; the next `enqueue` then wakes the event loop again.
    func next() -> ByteBuffer? {
        switch takeNext() {
        case .frame(let bytes): bytes
        case .answer(_, let text): EncodedFrame(text: text()).bytes
        case nil: nil
        }
    }

    private func takeNext() -> Waiting? {
        state.withLock { state in
            if let control = state.control.popFirst() {
                state.controlBytes -= control.size
                return control
            }
            // What was shed was older than what is left, so its notice goes first.
            if let hole = state.holes.popLast() {
                return .frame(
                    EncodedFrame(
                        text: DroppedNotice.text(room: hole.room, epoch: hole.epoch, from: hole.from, to: hole.to)
                    ).bytes)
            }
            if let chatter = state.chatter.popFirst() {
                state.chatterBytes -= chatter.bytes.readableBytes
                return .frame(chatter.bytes)
            }
            state.draining = false
            return nil
        }
    }

    /// Drops the chatter of a room that waits: the client is about to be told the whole room anew.
    func forgetChatter(of room: RoomID) {
        state.withLock { state in
            state.chatter.removeAll { $0.room == room }
            state.chatterBytes = state.chatter.reduce(0) { $0 + $1.bytes.readableBytes }
            state.holes.removeAll { $0.room == room }
        }
    }

    /// Drops what waits, and takes nothing more.
    func close() {
        state.withLock { state in
            state = State()
            state.closed = true
        }
    }

    private static func note(_ span: ChatSpan, in holes: inout [ChatSpan]) {
        if let index = holes.firstIndex(where: {
            $0.room == span.room && $0.epoch == span.epoch && $0.to &+ 1 == span.from
        }) {
            holes[index].to = span.to
        } else {
            holes.append(span)
        }
    }
}
