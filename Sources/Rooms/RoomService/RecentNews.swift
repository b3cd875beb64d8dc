import RoomModel

/// The newest numbered news of a room: what somebody who comes back has missed, and the last messages for whoever
/// enters.
struct RecentNews {
    /// Enough for a minute of a lively room.
    static let capacity = 1_024

    /// More invitations are not settled while somebody's connection is being mended.
    static let settledKept = 64

    /// The last invitations that were settled, oldest first. They have no numbers: whoever comes back knows by the own list which
    /// of them are news.
    private(set) var settled: [InvitationNews] = []
    private var ring: [RoomNewsEvent] = []
    private var head = 0
    /// Changes and messages after these numbers are all in the ring.
    private(set) var floor: (seq: UInt64, chat: UInt64)
    private(set) var newest: (seq: UInt64, chat: UInt64)

    /// A room in which nothing after these numbers has happened yet.
    init(seq: UInt64 = 0, chat: UInt64 = 0) {
        floor = (seq, chat)
        newest = (seq, chat)
    }

    private var events: [RoomNewsEvent] { Array(ring[head...] + ring[..<head]) }

    mutating func append(_ event: RoomNewsEvent) {
        switch event {
        case .change(let change): newest.seq = change.seq
        case .message(let message): newest.chat = message.chat
        case .invitation(let news): return keep(news)
        case .passing: return
        }
        guard ring.count == Self.capacity else { return ring.append(event) }
        switch ring[head] {
        case .change(let change): floor.seq = change.seq
        case .message(let message): floor.chat = message.chat
        case .passing, .invitation: break
        }
        ring[head] = event
        head = (head + 1) % Self.capacity
    }

    private mutating func keep(_ news: InvitationNews) {
        // Its id may have been used before.
        settled.removeAll { $0.invitation.id == news.invitation.id }
        guard news.invitation.state != .waiting else { return }
        settled.append(news)
        if settled.count > Self.settledKept { settled.removeFirst() }
    }

    /// What happened after that point, if all of it is still known.
    func gap(since point: ResumePoint) -> [RoomNewsEvent]? {
        guard (floor.seq...newest.seq).contains(point.seq), (floor.chat...newest.chat).contains(point.chat) else {
            return nil
        }
        return after(seq: point.seq, chat: point.chat)
    }

    func after(seq: UInt64, chat: UInt64) -> [RoomNewsEvent] {
        events.filter {
            switch $0 {
            case .change(let change): change.seq > seq
            case .message(let message): message.chat > chat
            case .passing, .invitation: false
            }
        }
    }

    /// The last messages, oldest first.
    func messages(_ limit: Int) -> [Message] {
        var found: [Message] = []
        for event in events.reversed() {
            guard case .message(let message) = event else { continue }
            found.append(message)
            if found.count == limit { break }
        }
        return found.reversed()
    }
}
