import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

@testable import RoomService

/// What is on the disk of one life of a room, read again with each commit, and what everybody has been told of it so far.
struct Truth {
    let key: RoomKey
    /// Its row on the disk.
    let life: Int64
    private let format = JournalFormat()
    private(set) var state: DurableRoomState
    private var messages: [UInt64: Message] = [:]
    private var texts: Set<String> = []
    /// When each change was, by its number, as somebody was told.
    private var told: [UInt64: Int64] = [:]
    /// The number of the change that told of a gift.
    private var gifts: [Int64: UInt64] = [:]

    init(_ key: RoomKey, life: Int64) {
        self.key = key
        self.life = life
        state = DurableRoomState(room: key.room)
    }

    var newestMessage: UInt64? { messages.keys.max() }

    /// Follows the disk.
    /// - Returns: why that cannot be what is there.
    mutating func read(_ disk: SimulatedDisk) throws -> String? {
        let history = try disk.history(of: life, key, after: state.progress.position)
        if let snapshot = history.snapshot {
            // What stood before it may be gone: nothing but messages is kept then.
            for entry in history.entries where entry.position <= snapshot.position {
                if let fault = try take(format.command(entry.payload)) { return fault }
            }
            state = try format.state(snapshot.payload)
        }
        for entry in history.entries where entry.position > state.progress.position {
            let command = try format.command(entry.payload)
            if let fault = state.fault(with: command) ?? take(command) { return fault }
            try state.apply(command)
            if let fault = state.fault(at: command.time) { return "\(key.room) at \(entry.position): \(fault)" }
        }
        return nil
    }

    private mutating func take(_ command: AcceptedCommand) -> String? {
        for case .messageSent(let message) in command.events {
            guard case .text(let text) = message.body else { continue }
            if messages[message.chat] != nil { continue }
            if !texts.insert(text).inserted { return "\(text) is stored twice" }
            messages[message.chat] = message
        }
        return nil
    }

    func message(_ chat: UInt64) -> Message? { messages[chat] }
    func holds(_ text: String) -> Bool { texts.contains(text) }

    /// Somebody hears something.
    /// - Returns: why that cannot be.
    mutating func hear(_ event: RoomNewsEvent, after point: inout ResumePoint) -> String? {
        switch event {
        case .change(let change):
            defer { point.seq = change.seq }
            if change.seq != point.seq + 1 { return "change \(change.seq) after \(point.seq)" }
            if change.seq > state.progress.seq { return "change \(change.seq) is told and not stored" }
            if let time = told[change.seq], time != change.time { return "change \(change.seq) is told otherwise" }
            told[change.seq] = change.time
            if case .giftsSent(let sent) = change.what { return hear(sent.gifts, in: change.seq) }
        case .message(let message):
            defer { point.chat = message.chat }
            if message.chat != point.chat + 1 { return "message \(message.chat) after \(point.chat)" }
            // It may have been deleted since.
            if !message.deleted, messages[message.chat]?.body != message.body {
                return "message \(message.chat) is told and not stored"
            }
        case .passing, .invitation, .challenge, .restriction: break
        }
        return nil
    }

    private mutating func hear(_ sent: [SentGift], in change: UInt64) -> String? {
        for gift in sent {
            if let first = gifts[gift.number], first != change { return "gift \(gift.number) is told twice" }
            gifts[gift.number] = change
        }
        return nil
    }

    /// Once all is quiet. What was paid while a room ended is told nowhere.
    func check(against disk: SimulatedDisk) throws -> String? {
        let paid = try disk.gifts(to: RoomLife(key: key, createdIn: state.beginning.createdIn))
        let coins = paid.reduce(Int64(0)) { $0 + $1.transfer.coins }
        let told = state.figures.gifts.coins
        if state.progress.phase == .open ? coins != told : coins < told {
            return "\(key.room): \(coins) coins are paid, \(told) are told"
        }
        if state.progress.phase == .open, !state.links.mail.outbox.isEmpty {
            return "\(key.room) has letters that nobody reads: \(state.links.mail.outbox)"
        }
        return nil
    }
}
