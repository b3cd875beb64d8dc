package import RoomModel
package import RoomPorts
import SignalProtocol

/// Makes one frame of a room's news for all its connections.
package struct SignalNewsEncoder: NewsEncoder {
    package init() {}

    package func frame(_ news: RoomNews) -> any NewsFrame {
        var chat: ChatSpan?
        for case .message(let message) in news.events {
            if chat == nil { chat = ChatSpan(room: news.room, epoch: news.epoch, from: message.chat, to: message.chat) }
            chat?.to = message.chat
        }
        return EncodedFrame(text: news.text, room: news.room, chat: chat)
    }
}
