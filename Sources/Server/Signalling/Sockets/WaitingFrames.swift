import DequeModule
import NIOCore
import RoomModel
import RoomPorts
import SignalProtocol

/// What waits to be written to one connection, on its event loop.
///
/// Frames of a lane leave in order. Control leaves before chatter, always: a seat event is not held up by what a flood of chat has
/// left lying.
struct WaitingFrames {
    /// What a client may fall behind before it must reconnect and resume. A snapshot of a large room is some 50 KB,
    /// a seat event 300 bytes; whoever cannot take 2 MiB is not coming back on this socket.
    static let controlLimit = (frames: 2048, bytes: 2 << 20)
    /// Chatter beyond this is shed, oldest first: 512 frames are several seconds of the liveliest room.
    static let chatterLimit = (frames: 512, bytes: 512 << 10)

    /// Something of the control lane.
    enum Control: Sendable {
        case frame(ByteBuffer)
        /// An answer whose text is made when it leaves, by the connection's own thread: a room must not stand still while a whole
        /// snapshot of it is encoded. `size` is that of the text, and never less.
        case answer(size: Int, text: @Sendable () -> [UInt8])

        var size: Int {
            switch self {
            case .frame(let bytes): bytes.readableBytes
            case .answer(let size, _): size
            }
        }
    }

    private var control = Deque<Control>()
    private var chatter = Deque<EncodedFrame>()
    private var controlBytes = 0
    private var chatterBytes = 0
    private var holes: [ChatSpan] = []

    var isEmpty: Bool { control.isEmpty && chatter.isEmpty && holes.isEmpty }

    /// Returns false if there is no room: the client can take no more, and nothing of it is worth keeping.
    mutating func append(_ waiting: Control) -> Bool {
        guard control.count < Self.controlLimit.frames, controlBytes + waiting.size <= Self.controlLimit.bytes else {
            return false
        }
        control.append(waiting)
        controlBytes += waiting.size
        return true
    }

    mutating func append(chatter frame: EncodedFrame) {
        chatter.append(frame)
        chatterBytes += frame.bytes.readableBytes
        while chatter.count > Self.chatterLimit.frames || chatterBytes > Self.chatterLimit.bytes,
            let shed = chatter.popFirst()
        {
            chatterBytes -= shed.bytes.readableBytes
            if let span = shed.chat { note(span) }
        }
    }

    /// The next bytes to write, or `nil` if nothing waits.
    mutating func next() -> ByteBuffer? {
        if let waiting = control.popFirst() {
            controlBytes -= waiting.size
            switch waiting {
            case .frame(let bytes): return bytes
            case .answer(_, let text): return EncodedFrame(text: text()).bytes
            }
        }
        // What was shed was older than what is left, so its notice goes first.
        if let hole = holes.popLast() { return hole.notice }
        guard let frame = chatter.popFirst() else { return nil }
        chatterBytes -= frame.bytes.readableBytes
        return frame.bytes
    }

    /// Drops the chatter of a room that waits: the client is about to be told the whole room anew.
    mutating func forgetChatter(of room: RoomID) {
        chatter.removeAll { $0.room == room }
        chatterBytes = chatter.reduce(0) { $0 + $1.bytes.readableBytes }
        holes.removeAll { $0.room == room }
    }

    /// Takes out the chatter of a room that waits, and says what of it was shed.
    mutating func takeChatter(of room: RoomID) -> [ByteBuffer] {
        let dropped = holes.filter { $0.room == room }.map(\.notice)
        let frames = chatter.filter { $0.room == room }.map(\.bytes)
        forgetChatter(of: room)
        return dropped + frames
    }

    private mutating func note(_ span: ChatSpan) {
        if let index = holes.firstIndex(where: {
            $0.room == span.room && $0.epoch == span.epoch && $0.to &+ 1 == span.from
        }) {
            holes[index].to = span.to
        } else {
            holes.append(span)
        }
    }
}

extension ChatSpan {
    /// Says that these messages were shed.
    fileprivate var notice: ByteBuffer {
        EncodedFrame(text: DroppedNotice.text(room: room, epoch: epoch, from: from, to: to)).bytes
    }
}
