import Commerce
import Foundation
import RoomEvents
package import RoomModel
package import RoomPorts
package import RoomRules

/// How rooms stand in the journal: JSON that says its version. The events say theirs themselves
/// (RoomEvent.swift).
struct JournalFormat {
    private struct SnapshotHead: Codable { var v: Int }
    private struct Snapshot: Codable {
        var v = JournalFormat.snapshotVersion
        var state: DurableRoomState
    }
    private static let snapshotVersion = 1

    private let encoder: JSONEncoder
    private let decoder = JSONDecoder()

    init() {
        encoder = JSONEncoder()
        // The same state gives the same bytes, so that files can be compared.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A room that a newer server has written is left alone.
        decoder.userInfo[.readsNewerWords] = false
    }

    func encode(_ command: AcceptedCommand) throws -> [UInt8] { Array(try encoder.encode(command)) }
    func encode(_ state: DurableRoomState) throws -> [UInt8] { Array(try encoder.encode(Snapshot(state: state))) }

    func command(_ payload: [UInt8]) throws -> AcceptedCommand {
        try decoder.decode(AcceptedCommand.self, from: Data(payload))
    }

    func state(_ payload: [UInt8]) throws -> DurableRoomState {
        let data = Data(payload)
        let version = try decoder.decode(SnapshotHead.self, from: data).v
        guard version == Self.snapshotVersion else {
            throw InapplicableEvent(description: "a snapshot of version \(version) is from a newer server")
        }
        return try decoder.decode(Snapshot.self, from: data).state
    }
}

/// What stores keep of rooms as bytes, for whoever erases a person there.
package enum StoredRooms {
    /// - Throws: if it cannot be read.
    package static func command(
        _ payload: [UInt8], erasing user: UserID, isEnded: Bool
    ) throws -> [UInt8] {
        let format = JournalFormat()
        return try format.encode(try format.command(payload).erasing(user, isEnded: isEnded))
    }

    /// - Throws: if it cannot be read.
    package static func snapshot(
        _ payload: [UInt8], erasing user: UserID, isEnded: Bool
    ) throws -> [UInt8] {
        let format = JournalFormat()
        return try format.encode(try format.state(payload).erasing(user, isEnded: isEnded))
    }
}

/// A room as its journal gives it.
package struct RebuiltRoom: Sendable {
    package var epoch: UInt64
    package var state: DurableRoomState
    var recent: RecentNews
    /// What the entries after the snapshot say, in their order.
    private(set) var said: [Said] = []
    /// Paid and not told yet, in the order of their numbers.
    private(set) var gifts: [PostedTransfer] = []

    /// Opens a room's journal, and looks in the ledger for what was paid and not told.
    package static func read(
        _ key: RoomKey, from journal: any RoomJournal, _ ledger: any Ledger, chatLimit: Int
    ) async throws -> RebuiltRoom {
        var room = try RebuiltRoom(try await journal.open(key, chatLimit: chatLimit), room: key.room)
        guard room.state.progress.phase == .open else { return room }
        room.gifts = try await ledger.gifts(
            to: RoomLife(key: key, createdIn: room.state.beginning.createdIn), after: room.state.figures.gifts.upTo)
        return room
    }

    /// Replays a history. Throws when the journal is damaged or from a newer server: such a room is better left alone
    /// than half known.
    package init(_ history: RoomHistory, room: RoomID) throws {
        let format = JournalFormat()
        epoch = history.epoch
        state = try history.snapshot.map(format.state) ?? DurableRoomState(room: room)
        guard state.room == room, state.progress.position == history.snapshotPosition else {
            throw InapplicableEvent(description: "the snapshot is of another room or position")
        }
        let old = try history.recentChat.filter { $0.position <= history.snapshotPosition }.flatMap { entry in
            try format.command(entry.payload).events
        }
        let oldMessages = old.compactMap { event -> Message? in
            if case .messageSent(let message) = event { message } else { nil }
        }
        recent = RecentNews(seq: state.progress.seq, chat: oldMessages.first.map { $0.chat - 1 } ?? state.progress.chat)
        for message in oldMessages { recent.append(.message(message)) }
        for entry in history.entries {
            guard entry.position == state.progress.position + 1 else {
                throw InapplicableEvent(description: "entry \(entry.position) after \(state.progress.position)")
            }
            let command = try format.command(entry.payload)
            var said = Said(position: entry.position, host: state.owner.id)
            try state.apply(command) { event, before, after in
                if let announcement = after.announcement(of: event, before: before, NewsContext(command)) {
                    said.announcements.append(announcement)
                }
                // A beginning is told by nothing, so whoever saw the room's former life cannot be told the gap.
                if case .created = event { said.announcements.removeAll() }
            }
            if command.isBeginning { recent = RecentNews(seq: state.progress.seq, chat: state.progress.chat) }
            for announcement in said.announcements { recent.append(announcement.news) }
            self.said.append(said)
        }
    }

    /// What an entry says.
    struct Said: Sendable {
        var position: UInt64
        /// Whose room it was.
        var host: UserID
        var announcements: [Announcement] = []

        /// As when it had been stored at once.
        var effects: [Effect] {
            [.news(announcements)]
                + announcements.compactMap { announcement in
                    guard case .restriction(let news) = announcement.news, !news.lifted,
                        news.restriction.kind == .ban, news.restriction.everywhere
                    else { return nil }
                    return .out(.expelElsewhere(news.restriction, from: host))
                }
        }
    }
}

extension AcceptedCommand {
    var isBeginning: Bool {
        events.contains { if case .created = $0 { true } else { false } }
    }

    var kind: JournalEntry.Kind {
        let isChat = !events.isEmpty && events.allSatisfy { if case .messageSent = $0 { true } else { false } }
        return isChat ? .chat : .durable
    }
}
