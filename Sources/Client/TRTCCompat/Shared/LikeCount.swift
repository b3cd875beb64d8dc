internal import Ovation

/// How many likes of others have come. Apps send likes as custom messages; the server gathers them and counts them as it counts
/// everybody's.
struct LikeCount: Sendable {
    /// The command word of the documents.
    static let command = "CMD_LIKE"
    /// More in one message are none.
    private static let range = 1...100

    /// The room's likes when it was entered.
    private let before: UInt64
    /// One's own since then.
    private(set) var own: UInt64 = 0
    /// Those that an app was told of.
    private var told: UInt64 = 0

    init(before: UInt64 = 0) { self.before = before }

    /// What a message stands for: an empty one for one like, a number for so many; `nil`: it is no like, or says more.
    static func count(in body: MessageBody) -> Int? {
        guard case .custom(let word, let message) = body, word == command else { return nil }
        return message.isEmpty ? 1 : Int(message).flatMap { range.contains($0) ? $0 : nil }
    }

    /// The server has counted likes of one's own.
    mutating func add(own count: Int) { own += UInt64(count) }

    /// How many likes are new, by the room's total.
    mutating func take(total: UInt64, withOwn: Bool) -> UInt64 {
        let all = total &- before
        let wanted = withOwn ? all : all - min(own, all)
        guard wanted > told else { return 0 }
        defer { told = wanted }
        return wanted - told
    }
}
