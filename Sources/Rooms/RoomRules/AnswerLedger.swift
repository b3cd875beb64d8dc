package import RoomEvents
package import RoomModel

/// The answers that belong to idempotency keys, per user: the newest 64, for ten minutes (in a room that is written to
/// very fast, the newest 4,096 of all). Part of the room's state, so that a repeat after a crash gets the first answer
/// too.
package struct AnswerLedger: Sendable {
    /// Long enough for any client's retries.
    package static let lifetimeMs: Int64 = 10 * 60 * 1_000
    package static let answersPerUser = 64
    /// Bounds the snapshot of a room in which many talk under keys; retries come within seconds.
    package static let answersPerRoom = 4_096

    private struct Line: Hashable, Sendable, Codable {
        var answer: KeyedAnswer
        var time: Int64

        private enum CodingKeys: String, CodingKey { case answer, time }

        init(answer: KeyedAnswer, time: Int64) {
            self.answer = answer
            self.time = time
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            answer = try fields.decode(KeyedAnswer.self, forKey: .answer)
            time = try fields.decode(Int64.self, forKey: .time)
        }
    }
    /// Oldest first.
    private var lines: [UserID: [Line]] = [:]
    private var count = 0
    /// Which line was written when, oldest first, from `head` on, also lines that are gone by now: so that expiry costs
    /// nothing per line that stays.
    private var order: [(user: UserID, key: String, time: Int64)] = []
    private var head = 0

    package init() {}

    package func answer(to key: IdempotencyKey, of user: UserID, now: Int64) -> KeyedAnswer? {
        guard let line = lines[user]?.last(where: { $0.answer.key == key.rawValue }), now - line.time < Self.lifetimeMs
        else { return nil }
        return line.answer
    }

    package func answer(to key: IdempotencyKey, of caller: Caller, now: Int64) -> KeyedAnswer? {
        if let own = answer(to: key, of: caller.keeper, now: now) { return own }
        guard let former = caller.formerKeeper, let shared = answer(to: key, of: former, now: now), shared.isShared
        else { return nil }
        return shared
    }

    package mutating func record(_ answer: KeyedAnswer, at time: Int64) {
        remove(answer.key, of: answer.user)
        if let mine = lines[answer.user], mine.count >= Self.answersPerUser {
            remove(mine[0].answer.key, of: answer.user)
        }
        lines[answer.user, default: []].append(Line(answer: answer, time: time))
        order.append((answer.user, answer.key, time))
        count += 1
        while head < order.count, time - order[head].time >= Self.lifetimeMs || count > Self.answersPerRoom {
            let oldest = order[head]
            head += 1
            if let first = lines[oldest.user]?.first, first.answer.key == oldest.key, first.time == oldest.time {
                remove(oldest.key, of: oldest.user)
            }
        }
        // What is left in it of lines that are gone: somebody who changes things all the time has 64 lines and, within ten minutes, tens
        // of thousands of places.
        guard order.count > 2 * count + Self.slack else { return }
        order = order[head...].filter { place in
            lines[place.user]?.contains { $0.answer.key == place.key && $0.time == place.time } ?? false
        }
        head = 0
    }

    /// Places beyond those of the lines, before they are swept.
    private static let slack = 1_024
    /// For tests: what is kept in all.
    package var places: Int { order.count }

    /// Whatever they asked under keys of their own.
    mutating func forget(_ user: UserID) {
        for line in lines[user] ?? [] { remove(line.answer.key, of: user) }
        order = order[head...].filter { $0.user != user }
        head = 0
    }

    private mutating func remove(_ key: String, of user: UserID) {
        guard let index = lines[user]?.firstIndex(where: { $0.answer.key == key }) else { return }
        lines[user]?.remove(at: index)
        if lines[user]?.isEmpty == true { lines[user] = nil }
        count -= 1
    }
}

extension KeyedAnswer {
    /// Whether that caller asked under this key.
    package func belongs(to caller: Caller) -> Bool {
        user == caller.keeper || isShared && user == caller.formerKeeper
    }
}

extension AnswerLedger: Equatable {
    package static func == (a: AnswerLedger, b: AnswerLedger) -> Bool { a.lines == b.lines }
}

// A dictionary with ids as keys would be written as alternating keys and values: write the lines, the users are in
// them.
extension AnswerLedger: Codable {
    package init(from decoder: any Decoder) throws {
        for line in try decoder.singleValueContainer().decode([Line].self) {
            lines[line.answer.user, default: []].append(line)
            order.append((line.answer.user, line.answer.key, line.time))
            count += 1
        }
        order.sort { $0.time < $1.time }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(lines.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { lines[$0] ?? [] })
    }
}
