import NIOCore
import RoomModel
import SignalProtocol

/// A whole WebSocket text frame (RFC 6455 §5.2) as a server sends it: one final fragment, unmasked. Made once, written to many.
final class EncodedFrame: Sendable {
    let bytes: ByteBuffer
    /// The chat messages inside, if any, so that a connection that sheds the frame can say which are missing.
    let chat: ChatSpan?
    /// The room whose news these are.
    let room: RoomID?
    /// Whether it ends with the end of the room.
    let isEnd: Bool

    init(text: [UInt8], room: RoomID? = nil, chat: ChatSpan? = nil, isEnd: Bool = false) {
        self.room = room ?? chat?.room
        self.isEnd = isEnd
        self.bytes = Self.frame(opcode: 0x1, payload: text)
        self.chat = chat
    }

    /// A room's news, for all its connections.
    convenience init(_ news: RoomNews) {
        var chat: ChatSpan?
        for case .message(let message) in news.events {
            if chat == nil { chat = ChatSpan(room: news.room, epoch: news.epoch, from: message.chat, to: message.chat) }
            chat?.to = message.chat
        }
        self.init(text: news.text, room: news.room, chat: chat, isEnd: news.events.last?.isEnd ?? false)
    }

    /// A frame of another kind: ping (9) or close (8), whose payload is at most 125 bytes.
    static func control(opcode: UInt8, payload: [UInt8]) -> ByteBuffer {
        frame(opcode: opcode, payload: Array(payload.prefix(125)))
    }

    private static func frame(opcode: UInt8, payload: [UInt8]) -> ByteBuffer {
        let final: UInt8 = 0x80
        var buffer = ByteBuffer()
        buffer.reserveCapacity(payload.count + 10)
        buffer.writeInteger(final | opcode)
        switch payload.count {
        case ...125:
            buffer.writeInteger(UInt8(payload.count))
        case ...0xffff:
            buffer.writeInteger(UInt8(126))
            buffer.writeInteger(UInt16(payload.count))
        default:
            buffer.writeInteger(UInt8(127))
            buffer.writeInteger(UInt64(payload.count))
        }
        buffer.writeBytes(payload)
        return buffer
    }
}

/// Consecutive chat messages of one room.
struct ChatSpan: Hashable, Sendable {
    var room: RoomID
    var epoch: UInt64
    var from: UInt64
    var to: UInt64
}
