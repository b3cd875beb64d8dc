/// How a kind of server lets people into its room, and how it is told what somebody says. Lines have numbers: members from 0 on, and
/// behind them those that only publish, if publishing wants lines of its own.
protocol LoadedChat: AnyObject {
    /// Whether the members themselves publish.
    var membersPublish: Bool { get }
    /// The request that begins a line's WebSocket.
    func upgrade(_ line: Int) -> String
    /// What a line asks next when `step` calls of its entry have been answered; nil when it is in the room.
    func request(_ step: Int, of line: Int) throws -> [UInt8]?
    /// Whether a text without anything that was said answers the entry's call.
    func isAnswer(_ text: UnsafeRawBufferPointer) -> Bool
    /// The answer to `request(step, of: line)`. Gives back whether what was said before stands in it for those who have not heard it.
    func take(_ answer: UnsafeRawBufferPointer, _ step: Int, of line: Int) throws -> Bool
    /// What a line sends in order to say a text.
    func message(_ text: [UInt8], number: UInt32) -> [UInt8]
    /// The answer to a message.
    func receipt(_ text: UnsafeRawBufferPointer) -> ChatReceipt?
    /// What line 0 sends in order to change a seat, and how members' news tell each change; nil where there are no seats.
    func seatChange(_ number: Int) -> [UInt8]?
    var seatMark: [UInt8] { get }
    /// Whether lines come back to a room where they have been; then it is told all news.
    var comesBack: Bool { get }
    func note(_ news: UnsafeRawBufferPointer, of line: Int)
}

enum ChatReceipt {
    case taken(number: UInt32)
    case refused
}

extension LoadedChat {
    var membersPublish: Bool { false }
    var comesBack: Bool { false }
    var seatMark: [UInt8] { [] }
    func seatChange(_ number: Int) -> [UInt8]? { nil }
    func request(_ step: Int, of line: Int) throws -> [UInt8]? { nil }
    func isAnswer(_ text: UnsafeRawBufferPointer) -> Bool { false }
    func take(_ answer: UnsafeRawBufferPointer, _ step: Int, of line: Int) throws -> Bool { false }
    func message(_ text: [UInt8], number: UInt32) -> [UInt8] { text }
    func receipt(_ text: UnsafeRawBufferPointer) -> ChatReceipt? { nil }
    func note(_ news: UnsafeRawBufferPointer, of line: Int) {}
}

/// A server whose lines are an address each for reading and for writing: nginx with nchan, and the benchmark's floor.
final class ChannelChat: LoadedChat {
    private let host: String
    private let members: Int
    /// nchan repeats what a channel said before: each run has a new one.
    private let channel = String(UInt32.random(in: 0...(.max)), radix: 36)

    init(host: String, members: Int) {
        self.host = host
        self.members = members
    }

    func upgrade(_ line: Int) -> String {
        ChatUpgrade.request(path: "/\(line < members ? "sub" : "pub")?id=\(channel)", host: host)
    }
}

enum ChatUpgrade {
    /// RFC 6455 §4.1. The key need not be new for each: its answer is not checked.
    static func request(path: String, host: String, subprotocol: String? = nil) -> String {
        """
        GET \(path) HTTP/1.1\r
        Host: \(host)\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
        Sec-WebSocket-Version: 13\r
        \(subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? "")\r

        """
    }
}
