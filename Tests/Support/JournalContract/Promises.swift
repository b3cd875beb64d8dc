import RoomModel
import RoomPorts

/// Everything that `RoomJournal` promises, for every implementation. Each promise gets a fresh subject.
package let journalPromises: [JournalPromise] =
    historyPromises + fencePromises + snapshotPromises + closingPromises + failurePromises
    + moderationPromises

private let historyPromises: [JournalPromise] = [
    JournalPromise("a new room has an empty history in a first epoch") { subject in
        let history = try await subject.journal.open(.numbered(1), chatLimit: 50)
        try require(history.epoch >= 1, "epoch \(history.epoch)")
        try require(
            history,
            is: RoomHistory(
                epoch: history.epoch, snapshot: nil, snapshotPosition: 0, entries: [], recentChat: []))
    },
    JournalPromise("entries of both kinds come back whole and in order, in a new epoch") { subject in
        let journal = await subject.journal
        let first = try await journal.open(.numbered(1), chatLimit: 50)
        let entries = (1...20).map {
            JournalEntry.sample(.numbered(1), UInt64($0), epoch: first.epoch, $0 % 3 == 0 ? .chat : .durable)
        }
        try await journal.accept(entries)
        let second = try await journal.open(.numbered(1), chatLimit: 4)
        try require(second.epoch == first.epoch + 1, "epoch \(second.epoch) after \(first.epoch)")
        try require(second.entries, is: entries)
        try require(second.recentChat, is: Array(entries.filter { $0.kind == .chat }.suffix(4)))
    },
    JournalPromise("empty, binary and large payloads come back as they went in") { subject in
        let journal = await subject.journal
        let epoch = try await journal.open(.numbered(1), chatLimit: 0).epoch
        let payloads: [[UInt8]] = [[], Array(0...255), [UInt8](repeating: 0x5a, count: 1 << 20), [0]]
        let entries = payloads.enumerated().map { index, payload in
            JournalEntry(
                key: .numbered(1), kind: .durable, position: UInt64(index + 1), epoch: epoch, payload: payload)
        }
        try await journal.accept(entries)
        let history = try await journal.open(.numbered(1), chatLimit: 0)
        try require(history.entries.map(\.payload) == payloads, "a payload has changed")
        try require(history.recentChat, is: [])
    },
    JournalPromise("done comes once for each entry, in the order of submit, over all rooms") { subject in
        let journal = await subject.journal
        let keys = (1...7).map { RoomKey.numbered($0) } + [.named("salon")]
        var epochs: [RoomKey: UInt64] = [:]
        for key in keys { epochs[key] = try await journal.open(key, chatLimit: 0).epoch }
        var positions: [RoomKey: UInt64] = [:]
        let entries = (0..<600).map { step in
            let key = keys[(step * step + step / 5) % keys.count]
            positions[key, default: 0] += 1
            return JournalEntry.sample(key, positions[key, default: 0], epoch: epochs[key, default: 0])
        }
        try await journal.accept(entries)
    },
    JournalPromise("rooms of different applications, and a number and the same digits as a name, are different rooms") {
        subject in
        let journal = await subject.journal
        let keys: [RoomKey] = [
            .numbered(123), .named("123"), .numbered(123, of: 1_400_000_002), .named("123", of: 1_400_000_002),
            .numbered(4_294_967_294, of: .max), .named("a ~|b", of: .max),
        ]
        for (index, key) in keys.enumerated() {
            try require(try await !journal.exists(key), "\(key) is there before it was opened")
            let epoch = try await journal.open(key, chatLimit: 5).epoch
            try await journal.accept((0...index).map { .sample(key, UInt64($0) + 1, epoch: epoch, .chat) })
            try require(try await journal.exists(key), "\(key) is not there")
        }
        for (index, key) in keys.enumerated() {
            let history = try await journal.open(key, chatLimit: 50)
            try require(history.entries.map(\.key), is: Array(repeating: key, count: index + 1))
            try require(history.recentChat, is: history.entries)
        }
        try require(Set(try await journal.openRooms()), is: Set(keys))
    },
    JournalPromise("a restart keeps rooms, entries, snapshots, epochs and ends") { subject in
        let journal = await subject.journal
        let epoch = try await journal.open(.numbered(1), chatLimit: 0).epoch
        let entries = (1...9).map {
            JournalEntry.sample(.numbered(1), UInt64($0), epoch: epoch, $0.isMultiple(of: 2) ? .chat : .durable)
        }
        try await journal.accept(Array(entries[..<6]))
        journal.saveSnapshot([1, 2, 3], of: .numbered(1), at: 5)
        try await journal.accept(Array(entries[6...]))
        _ = try await journal.open(.named("over"), chatLimit: 0)
        journal.close(.named("over"))
        _ = try await journal.openRooms()

        try await subject.restart()
        let next = await subject.journal
        try require(try await next.openRooms(), is: [.numbered(1)])
        try require(try await next.exists(.named("over")), "the ended room is forgotten")
        let history = try await next.open(.numbered(1), chatLimit: 3)
        try require(
            history,
            is: RoomHistory(
                epoch: epoch + 1, snapshot: [1, 2, 3], snapshotPosition: 5, entries: Array(entries[5...]),
                recentChat: [entries[3], entries[5], entries[7]]))
        try await next.accept([.sample(.numbered(1), 10, epoch: history.epoch)])
    },
]

private let fencePromises: [JournalPromise] = [
    JournalPromise("a gap, a repeat and a first position other than 1 are refused, and harm nobody else") { subject in
        let journal = await subject.journal
        let (one, other) = (RoomKey.numbered(1), RoomKey.numbered(2))
        let epoch = try await journal.open(one, chatLimit: 0).epoch
        let otherEpoch = try await journal.open(other, chatLimit: 0).epoch
        let attempts: [(position: UInt64, accepted: Bool)] = [
            (0, false), (2, false), (.max, false), (1, true), (1, false), (3, false), (0, false), (2, true),
            (.max, false), (UInt64(Int64.max), false), (3, true), (2, false),
        ]
        var entries: [JournalEntry] = []
        for (index, attempt) in attempts.enumerated() {
            entries.append(.sample(one, attempt.position, epoch: epoch, salt: "\(index)"))
            entries.append(.sample(other, UInt64(index) + 1, epoch: otherEpoch))
        }
        let outcomes = await journal.append(entries)
        let failures = outcomes.map(\.failure)
        let expected = attempts.flatMap { [$0.accepted ? nil : JournalFailure.outOfOrder, nil] }
        try require(failures, is: expected)
        let history = try await journal.open(one, chatLimit: 0)
        try require(history.entries, is: [entries[6], entries[14], entries[20]])
        try require(try await journal.open(other, chatLimit: 0).entries.count, is: attempts.count)
    },
    JournalPromise("an instance of an earlier epoch is fenced off by the next open") { subject in
        let journal = await subject.journal
        let key = RoomKey.numbered(1)
        let old = try await journal.open(key, chatLimit: 0).epoch
        try await journal.accept([.sample(key, 1, epoch: old)])
        let new = try await journal.open(key, chatLimit: 0).epoch
        try require(await journal.append(.sample(key, 2, epoch: old)), is: .outOfOrder)
        try require(await journal.append(.sample(key, 2, epoch: new + 1)), is: .outOfOrder)
        try await journal.accept([.sample(key, 2, epoch: new)])
        try require(await journal.append(.sample(key, 3, epoch: old)), is: .outOfOrder)
        try require(try await journal.open(key, chatLimit: 0).entries.map(\.epoch), is: [old, new])
    },
    JournalPromise("a room that was not opened in this process takes no entries") { subject in
        let journal = await subject.journal
        try require(await journal.append(.sample(.numbered(9), 1, epoch: 1)), is: .outOfOrder)
        let epoch = try await journal.open(.numbered(1), chatLimit: 0).epoch
        try await journal.accept([.sample(.numbered(1), 1, epoch: epoch)])
        try await subject.restart()
        try require(await subject.journal.append(.sample(.numbered(1), 2, epoch: epoch)), is: .outOfOrder)
        try require(try await !subject.journal.exists(.numbered(9)), "a refused entry has made a room")
    },
]

private let snapshotPromises: [JournalPromise] = [
    JournalPromise("the history is the newest snapshot and what came after it; chat from before it stays") { subject in
        let journal = await subject.journal
        let key = RoomKey.numbered(1)
        let epoch = try await journal.open(key, chatLimit: 0).epoch
        let entries = (1...12).map {
            JournalEntry.sample(key, UInt64($0), epoch: epoch, $0.isMultiple(of: 3) ? .chat : .durable)
        }
        try await journal.accept(Array(entries[..<8]))
        journal.saveSnapshot([4], of: key, at: 4)
        journal.saveSnapshot([8], of: key, at: 8)
        try await journal.accept(Array(entries[8...]))
        let history = try await journal.open(key, chatLimit: 3)
        try require(
            history,
            is: RoomHistory(
                epoch: epoch + 1, snapshot: [8], snapshotPosition: 8, entries: Array(entries[8...]),
                recentChat: [entries[5], entries[8], entries[11]]))
    },
    JournalPromise("a snapshot at the head leaves no entries, and positions go on") { subject in
        let journal = await subject.journal
        let key = RoomKey.numbered(1)
        let epoch = try await journal.open(key, chatLimit: 0).epoch
        try await journal.accept([.sample(key, 1, epoch: epoch), .sample(key, 2, epoch: epoch)])
        journal.saveSnapshot([], of: key, at: 2)
        let history = try await journal.open(key, chatLimit: 0)
        try require(history.snapshot, is: [])
        try require(history.snapshotPosition, is: 2)
        try require(history.entries, is: [])
        try require(await journal.append(.sample(key, 1, epoch: history.epoch)), is: .outOfOrder)
        try await journal.accept([.sample(key, 3, epoch: history.epoch)])
    },
    JournalPromise("a snapshot of what the journal does not have, or older than the last, is ignored") { subject in
        let journal = await subject.journal
        let key = RoomKey.numbered(1)
        let epoch = try await journal.open(key, chatLimit: 0).epoch
        let entries = (1...6).map { JournalEntry.sample(key, UInt64($0), epoch: epoch) }
        try await journal.accept(entries)
        journal.saveSnapshot([9], of: key, at: 7)
        journal.saveSnapshot([9], of: key, at: .max)
        journal.saveSnapshot([9], of: key, at: 0)
        journal.saveSnapshot([9], of: .numbered(2), at: 1)
        var history = try await journal.open(key, chatLimit: 0)
        try require(history.snapshot, is: nil)
        try require(history.entries, is: entries)
        journal.saveSnapshot([5], of: key, at: 5)
        journal.saveSnapshot([3], of: key, at: 3)
        journal.saveSnapshot([55], of: key, at: 5)
        history = try await journal.open(key, chatLimit: 0)
        try require(history.snapshot, is: [5])
        try require(history.entries, is: [entries[5]])
        try require(try await !journal.exists(.numbered(2)), "a snapshot has made a room")
    },
]

private let closingPromises: [JournalPromise] = [
    JournalPromise("an ended room exists, is not open, and takes no entries") { subject in
        let journal = await subject.journal
        let key = RoomKey.numbered(1)
        let epoch = try await journal.open(key, chatLimit: 0).epoch
        _ = try await journal.open(.numbered(2), chatLimit: 0)
        let outcomes = Outcomes()
        let (before, after) = (JournalEntry.sample(key, 1, epoch: epoch), JournalEntry.sample(key, 2, epoch: epoch))
        journal.submit(before) { outcomes.note(before, $0) }
        journal.close(key)
        journal.submit(after) { outcomes.note(after, $0) }
        try require(await outcomes.first(2).map(\.failure), is: [nil, .outOfOrder])
        try require(try await journal.openRooms(), is: [.numbered(2)])
        try require(try await journal.exists(key), "the ended room is forgotten")
    },
    JournalPromise("an ended room is opened as a new one, above its old epochs") { subject in
        let journal = await subject.journal
        let key = RoomKey.named("again")
        _ = try await journal.open(key, chatLimit: 0)
        let old = try await journal.open(key, chatLimit: 0).epoch
        try await journal.accept((1...4).map { .sample(key, $0, epoch: old, $0 > 2 ? .chat : .durable) })
        journal.saveSnapshot([1], of: key, at: 2)
        journal.close(key)
        let history = try await journal.open(key, chatLimit: 50)
        try require(history.epoch > old, "epoch \(history.epoch) after \(old)")
        try require(
            history,
            is: RoomHistory(
                epoch: history.epoch, snapshot: nil, snapshotPosition: 0, entries: [], recentChat: []))
        try require(await journal.append(.sample(key, 1, epoch: old)), is: .outOfOrder)
        try await journal.accept([.sample(key, 1, epoch: history.epoch)])
        try require(try await journal.openRooms(), is: [key])
        try await subject.restart()
        let later = try await subject.journal.open(key, chatLimit: 50)
        try require(later.epoch, is: history.epoch + 1)
        try require(later.entries, is: [.sample(key, 1, epoch: history.epoch)])
    },
    JournalPromise("closing twice, or a room that nobody knows, does nothing") { subject in
        let journal = await subject.journal
        _ = try await journal.open(.numbered(1), chatLimit: 0)
        journal.close(.numbered(7))
        journal.close(.numbered(1))
        journal.close(.numbered(1))
        try require(try await journal.openRooms(), is: [])
        try require(try await !journal.exists(.numbered(7)), "a close has made a room")
    },
    JournalPromise("a room that has not been opened since the restart can be closed") { subject in
        _ = try await subject.journal.open(.numbered(1), chatLimit: 0)
        try await subject.restart()
        await subject.journal.close(.numbered(1))
        try require(try await subject.journal.openRooms(), is: [])
    },
]

private let failurePromises: [JournalPromise] = [
    JournalPromise("a failed commit fails all that is in it, takes nothing, and the room goes on in a new epoch") {
        subject in
        let journal = await subject.journal
        let key = RoomKey.numbered(1)
        let epoch = try await journal.open(key, chatLimit: 50).epoch
        let first = JournalEntry.sample(key, 1, epoch: epoch)
        try await journal.accept([first])
        guard await subject.failCommits(true) else { return }
        try require(await journal.append(.sample(key, 2, epoch: epoch, salt: "lost")), is: .full)
        do {
            _ = try await journal.open(.numbered(2), chatLimit: 0)
            throw BrokenPromise(description: "a room was opened while nothing could be written")
        } catch let failure as JournalFailure {
            try require(failure, is: .full)
        }
        _ = await subject.failCommits(false)
        try require(await journal.append(.sample(key, 3, epoch: epoch)), is: .outOfOrder)
        let history = try await journal.open(key, chatLimit: 50)
        try require(history.entries, is: [first])
        try await journal.accept([.sample(key, 2, epoch: history.epoch)])
        try require(try await !journal.exists(.numbered(2)), "a failed open has made a room")
        try await subject.restart()
        try require(
            try await subject.journal.open(key, chatLimit: 0).entries,
            is: [first, .sample(key, 2, epoch: history.epoch)])
    }
]
