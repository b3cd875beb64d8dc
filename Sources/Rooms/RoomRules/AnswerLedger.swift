package import RoomModel

/// The answers that belong to idempotency keys, per user: the newest 64, for ten minutes. Part of the room's state, so that a repeat
/// after a crash gets the first answer too.
package struct AnswerLedger: Sendable {
    /// Long enough for any client's retries.
    package static let lifetimeMs: Int64 = 10 * 60 * 1_000
    package static let answersPerUser = 64

    private struct Line: Hashable, Sendable, Codable {
        var answer: KeyedAnswer
        var time: Int64
    }
    /// Oldest first.
    private var lines: [UserID: [Line]] = [:]
    /// Whose line was written when, oldest first, from `head` on: so that expiry costs nothing per line that stays.
    private var order: [(user: UserID, time: Int64)] = []
    private var head = 0

    package init() {}

    package func answer(to key: IdempotencyKey, of user: UserID, now: Int64) -> KeyedAnswer? {
        guard let line = lines[user]?.last(where: { $0.answer.key == key.rawValue }), now - line.time < Self.lifetimeMs
        else { return nil }
        return line.answer
    }

    package mutating func record(_ answer: KeyedAnswer, at time: Int64) {
        while head < order.count, time - order[head].time >= Self.lifetimeMs {
            let user = order[head].user
            lines[user]?.removeAll { time - $0.time >= Self.lifetimeMs }
            if lines[user]?.isEmpty == true { lines[user] = nil }
            head += 1
        }
        if head > 1_024, head > order.count / 2 {
            order.removeFirst(head)
            head = 0
        }
        lines[answer.user, default: []].removeAll { $0.answer.key == answer.key }
        lines[answer.user, default: []].append(Line(answer: answer, time: time))
        let excess = lines[answer.user, default: []].count - Self.answersPerUser
        if excess > 0 { lines[answer.user]?.removeFirst(excess) }
        order.append((answer.user, time))
    }
}

extension AnswerLedger: Equatable {
    package static func == (a: AnswerLedger, b: AnswerLedger) -> Bool { a.lines == b.lines }
}

// A dictionary with ids as keys would be written as alternating keys and values: write the lines, the users are in them.
extension AnswerLedger: Codable {
    package init(from decoder: any Decoder) throws {
        for line in try decoder.singleValueContainer().decode([Line].self) {
            lines[line.answer.user, default: []].append(line)
            order.append((line.answer.user, line.time))
        }
        order.sort { $0.time < $1.time }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(lines.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { lines[$0] ?? [] })
    }
}
