import RoomModel
import RoomPorts
import Synchronization

/// What entries change and note beside the rooms: with them, or not at all.
let moderationPromises: [JournalPromise] = [
    JournalPromise("what an entry changes and notes beside the rooms is there when it is answered, and after a restart")
    {
        subject in
        let scene = Scene(epoch: try await subject.journal.open(.numbered(1), chatLimit: 0).epoch)
        let seen = Mutex<Restriction?>(nil)
        let (journal, restrictions) = (await subject.journal, await subject.restrictions)
        let failure = await withCheckedContinuation { continuation in
            journal.submit(scene.banning(at: 1)) { result in
                seen.withLock { $0 = scene.held(by: restrictions) }
                continuation.resume(returning: result.failure)
            }
        }
        try require(failure, is: nil)
        try require(seen.withLock { $0 }, is: scene.ban)
        try require(
            restrictions.restriction(.ban, of: scene.host, from: .host(scene.host), in: scene.application), is: nil)
        try await subject.restart()
        try require(scene.held(by: await subject.restrictions), is: scene.ban)
        try require(try await subject.audited(scene.application), is: [scene.line])

        let next = Scene(epoch: try await subject.journal.open(.numbered(1), chatLimit: 0).epoch)
        try await subject.journal.accept([next.lifting(at: 2)])
        try require(scene.held(by: await subject.restrictions), is: nil)
        try await subject.restart()
        try require(scene.held(by: await subject.restrictions), is: nil)
    },
    JournalPromise("a refused entry changes nothing beside the rooms") { subject in
        let scene = Scene(epoch: try await subject.journal.open(.numbered(1), chatLimit: 0).epoch)
        let outcomes = await subject.journal.append([
            scene.banning(at: 2), .sample(.numbered(1), 1, epoch: scene.epoch),
        ])
        try require(outcomes.map(\.failure), is: [.outOfOrder, nil])
        try require(scene.held(by: await subject.restrictions), is: nil)
        try await subject.restart()
        try require(scene.held(by: await subject.restrictions), is: nil)
        try require(try await subject.audited(scene.application), is: [])
    },
    JournalPromise("what could not be stored holds neither in memory nor on the disk, and what held before goes on") {
        subject in
        let scene = Scene(epoch: try await subject.journal.open(.numbered(1), chatLimit: 0).epoch)
        try await subject.journal.accept([scene.banning(at: 1)])
        guard await subject.failCommits(true) else { return }
        try require(await subject.journal.append(scene.lifting(at: 2)), is: .full)
        try require(scene.held(by: await subject.restrictions), is: scene.ban)
        _ = await subject.failCommits(false)
        let history = try await subject.journal.open(.numbered(1), chatLimit: 0)
        try require(history.entries.count, is: 1)
        for _ in 0..<2 {
            try require(scene.held(by: await subject.restrictions), is: scene.ban)
            try require(try await subject.audited(scene.application).count, is: 1)
            try await subject.restart()
        }
    },
]

private struct Scene: Sendable {
    let key = RoomKey.numbered(1)
    let host = UserID.named("host")
    let user = UserID.named("bob")
    let epoch: UInt64

    var application: ApplicationID { key.application }
    var ban: Restriction {
        Restriction(.ban, user: user, name: "Bob", until: nil, everywhere: true, by: host, reason: "why")
    }
    var line: AuditLine {
        AuditLine(
            application: application, room: key.room, actor: host, role: .owner, way: .session,
            action: "setRestriction", target: user, reason: "why", time: 1_767_323_045_000)
    }

    func held(by restrictions: any StandingRestrictions) -> Restriction? {
        restrictions.restriction(.ban, of: user, from: .host(host), in: application)
    }

    func banning(at position: UInt64) -> JournalEntry {
        var entry = JournalEntry.sample(key, position, epoch: epoch)
        entry.standing = StandingChange(beginning: ban, from: .host(host), in: application)
        entry.line = line
        return entry
    }

    func lifting(at position: UInt64) -> JournalEntry {
        var entry = JournalEntry.sample(key, position, epoch: epoch)
        entry.standing = StandingChange(ending: .ban, of: user, from: .host(host), in: application)
        return entry
    }
}

extension UserID {
    fileprivate static func named(_ name: String) -> UserID {
        guard let user = UserID(name) else { preconditionFailure(name) }
        return user
    }
}

extension Result where Failure == JournalFailure {
    fileprivate var failure: JournalFailure? { if case .failure(let failure) = self { failure } else { nil } }
}
