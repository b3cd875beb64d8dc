import DequeModule
import RoomEvents
import RoomModel
import RoomRules

/// The newest numbered news of a room: what somebody who comes back has missed, and the last messages for whoever
/// enters.
struct RecentNews {
    /// Enough for a minute of a lively room.
    static let capacity = 1_024
    /// What they take on the wire. More than that is read anew faster than caught up with.
    static let maximumBytes = 1 << 20

    /// How many settled invitations are kept: more are not settled while a connection is being restored.
    static let settledKept = 64

    private struct Line {
        var event: RoomNewsEvent
        /// On the wire.
        var bytes: Int
    }

    /// The last invitations that were settled, oldest first. They have no numbers: whoever comes back knows by the own list which
    /// of them are news.
    private(set) var settled: [InvitationNews] = []
    /// Oldest first.
    private var lines: Deque<Line> = []
    private var bytes = 0
    /// What was last asked for, until there is another message.
    private var asked: (limit: Int, budget: Int, messages: [Message])?
    /// Changes and messages after these numbers are all kept.
    private(set) var floor: (seq: UInt64, chat: UInt64)
    private(set) var newest: (seq: UInt64, chat: UInt64)

    /// A room in which nothing after these numbers has happened yet.
    init(seq: UInt64 = 0, chat: UInt64 = 0) {
        floor = (seq, chat)
        newest = (seq, chat)
    }

    /// The message of that number, if it is still kept.
    func message(_ chat: UInt64) -> Message? {
        guard chat > floor.chat, chat <= newest.chat else { return nil }
        for line in lines.reversed() {
            if case .message(let message) = line.event, message.chat == chat { return message }
        }
        return nil
    }

    /// The last messages of one person, the newest first.
    func messages(of user: UserID, limit: Int) -> [Message] {
        var found: [Message] = []
        for line in lines.reversed() where found.count < limit {
            if case .message(let message) = line.event, message.from.id == user { found.append(message) }
        }
        return found
    }

    /// Whoever enters or comes back is not told its text any more.
    private mutating func withdraw(_ chat: UInt64) {
        for index in lines.indices.reversed() {
            guard case .message(let message) = lines[index].event, message.chat == chat else { continue }
            let event = RoomNewsEvent.message(message.withoutText)
            bytes += event.wireSize - lines[index].bytes
            lines[index] = Line(event: event, bytes: event.wireSize)
            return
        }
    }

    /// Whoever comes back is not told who that was: changes are forgotten, messages of others stay.
    mutating func erase(_ user: UserID) {
        settled.removeAll { $0.invitation.from == user || $0.invitation.to == user }
        floor.seq = newest.seq
        asked = nil
        lines = Deque(
            lines.compactMap { line in
                guard case .message(let message) = line.event else { return nil }
                let event = RoomNewsEvent.message(message.erasing(user))
                return Line(event: event, bytes: event.wireSize)
            })
        bytes = lines.reduce(0) { $0 + $1.bytes }
    }

    mutating func append(_ event: RoomNewsEvent) {
        switch event {
        case .change(let change):
            newest.seq = change.seq
            if case .messageDeleted(let deletion) = change.what { withdraw(deletion.chat) }
        case .message(let message): newest.chat = message.chat
        case .invitation(let news): return keep(news)
        case .passing, .challenge, .restriction: return
        }
        asked = nil
        let line = Line(event: event, bytes: event.wireSize)
        lines.append(line)
        bytes += line.bytes
        while lines.count > Self.capacity || bytes > Self.maximumBytes { dropOldest() }
    }

    private mutating func dropOldest() {
        let oldest = lines.removeFirst()
        switch oldest.event {
        case .change(let change): floor.seq = change.seq
        case .message(let message): floor.chat = message.chat
        case .passing, .invitation, .challenge, .restriction: break
        }
        bytes -= oldest.bytes
    }

    private mutating func keep(_ news: InvitationNews) {
        // Its id may have been used before.
        settled.removeAll { $0.invitation.id == news.invitation.id }
        guard news.invitation.state != .waiting else { return }
        settled.append(news)
        if settled.count > Self.settledKept { settled.removeFirst() }
    }

    /// What happened after that point, if all of it is still known and it takes no more than `budget` bytes on the wire.
    func gap(since point: ResumePoint, budget: Int = .max) -> [RoomNewsEvent]? {
        guard (floor.seq...newest.seq).contains(point.seq), (floor.chat...newest.chat).contains(point.chat) else {
            return nil
        }
        var left = budget
        var missed: [RoomNewsEvent] = []
        for line in lines where line.event.isAfter(seq: point.seq, chat: point.chat) {
            left -= line.bytes
            guard left >= 0 else { return nil }
            missed.append(line.event)
        }
        return missed
    }

    /// The last messages, oldest first, as far as they take no more than `budget` bytes on the wire.
    mutating func messages(_ limit: Int, budget: Int = .max) -> [Message] {
        if let asked, asked.limit == limit, asked.budget == budget { return asked.messages }
        var found: [Message] = []
        var left = budget
        for line in lines.reversed() where found.count < limit {
            guard case .message(let message) = line.event else { continue }
            left -= line.bytes
            guard left >= 0 else { break }
            found.append(message)
        }
        found.reverse()
        asked = (limit, budget, found)
        return found
    }
}

extension RoomNewsEvent {
    fileprivate func isAfter(seq: UInt64, chat: UInt64) -> Bool {
        switch self {
        case .change(let change): change.seq > seq
        case .message(let message): message.chat > chat
        case .passing, .invitation, .challenge, .restriction: false
        }
    }
}
