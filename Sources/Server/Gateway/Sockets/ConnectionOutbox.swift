import DequeModule
import NIOCore
package import RoomPorts
import SignalProtocol
import Synchronization

/// What waits to be written to one connection. Filled by rooms and sessions from any thread, drained by the connection's event loop.
///
/// Frames of a lane leave in order, and a chatter frame never overtakes a control frame that came before it: each frame gets
/// a ticket when it comes, and the lane whose first frame has the older ticket goes next.
final class ConnectionOutbox: Outbox {
    /// What a client may fall behind before it must reconnect and resume. A snapshot of a large room is some 50 KB,
    /// a seat event 300 bytes; whoever cannot take 2 MiB is not coming back on this socket.
    static let controlLimit = (frames: 2048, bytes: 2 << 20)
    /// Chatter beyond this is shed, oldest first: 512 frames are several seconds of the liveliest room.
    static let chatterLimit = (frames: 512, bytes: 512 << 10)

    private struct Waiting {
        var ticket: UInt64
        var frame: EncodedFrame
    }

    private struct State {
        var control = Deque<Waiting>()
        var chatter = Deque<Waiting>()
        var controlBytes = 0
        var chatterBytes = 0
        var nextTicket: UInt64 = 0
        /// A drain has been asked for and has not yet found the queue empty.
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
        // Only the gateway's encoder makes frames, so there is no other kind.
        guard let frame = frame as? EncodedFrame else { return }
        enqueue(frame, lane: lane)
    }

    func enqueue(_ frame: EncodedFrame, lane: NewsLane) {
        enum Consequence { case none, wake, overflow }
        let consequence = state.withLock { state -> Consequence in
            guard !state.closed else { return .none }
            let size = frame.bytes.readableBytes
            let waiting = Waiting(ticket: state.nextTicket, frame: frame)
            state.nextTicket += 1
            switch lane {
            case .control:
                guard state.control.count < Self.controlLimit.frames,
                    state.controlBytes + size <= Self.controlLimit.bytes
                else {
                    state = State()
                    state.closed = true
                    return .overflow
                }
                state.control.append(waiting)
                state.controlBytes += size
            case .chatter:
                state.chatter.append(waiting)
                state.chatterBytes += size
                while state.chatter.count > Self.chatterLimit.frames || state.chatterBytes > Self.chatterLimit.bytes,
                    let shed = state.chatter.popFirst()
                {
                    state.chatterBytes -= shed.frame.bytes.readableBytes
                    if let span = shed.frame.chat { Self.note(span, in: &state.holes) }
                }
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
        state.withLock { state in
            if let chatter = state.chatter.first, state.control.first.map({ chatter.ticket < $0.ticket }) ?? true {
                // What was shed was older than what is left, so its notice goes first.
                if let hole = state.holes.popLast() {
                    return EncodedFrame(
                        text: DroppedNotice.text(room: hole.room, epoch: hole.epoch, from: hole.from, to: hole.to)
                    ).bytes
                }
                state.chatter.removeFirst()
                state.chatterBytes -= chatter.frame.bytes.readableBytes
                return chatter.frame.bytes
            }
            if let control = state.control.popFirst() {
                state.controlBytes -= control.frame.bytes.readableBytes
                return control.frame.bytes
            }
            state.draining = false
            return nil
        }
    }

    /// Takes nothing more; what waits is forgotten.
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
