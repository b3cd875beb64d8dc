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
    /// Paid and not told yet, in the order of their numbers.
    private(set) var gifts: [PostedTransfer] = []

    /// Opens a room's journal, and looks in the ledger for what was paid and not told.
    package static func read(
        _ key: RoomKey, from journal: any RoomJournal, _ ledger: any Ledger, chatLimit: Int
    ) async throws -> RebuiltRoom {
        var room = try RebuiltRoom(try await journal.open(key, chatLimit: chatLimit), room: key.room)
        guard room.state.phase == .open else { return room }
        room.gifts = try await ledger.gifts(
            to: RoomLife(key: key, createdIn: room.state.createdIn), after: room.state.gifts.upTo)
        return room
    }

    /// Replays a history. Throws when the journal is damaged or from a newer server: such a room is better left alone
    /// than half known.
    package init(_ history: RoomHistory, room: RoomID) throws {
        let format = JournalFormat()
        epoch = history.epoch
        state = try history.snapshot.map(format.state) ?? DurableRoomState(room: room)
        guard state.room == room, state.position == history.snapshotPosition else {
            throw InapplicableEvent(description: "the snapshot is of another room or position")
        }
        let old = try history.recentChat.filter { $0.position <= history.snapshotPosition }.flatMap { entry in
            try format.command(entry.payload).events
        }
        let oldMessages = old.compactMap { event -> Message? in
            if case .messageSent(let message) = event { message } else { nil }
        }
        recent = RecentNews(seq: state.seq, chat: oldMessages.first.map { $0.chat - 1 } ?? state.chat)
        for message in oldMessages { recent.append(.message(message)) }
        for entry in history.entries {
            guard entry.position == state.position + 1 else {
                throw InapplicableEvent(description: "entry \(entry.position) after \(state.position)")
            }
            let command = try format.command(entry.payload)
            var said: [RoomNewsEvent] = []
            try state.apply(command) { event, before, after in
                if let announcement = after.announcement(of: event, before: before, NewsContext(command)) {
                    said.append(announcement.news)
                }
                // A beginning is told by nothing, so whoever saw the room's former life cannot be told the gap.
                if case .created = event { said.removeAll() }
            }
            if command.isBeginning { recent = RecentNews(seq: state.seq, chat: state.chat) }
            for news in said { recent.append(news) }
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
