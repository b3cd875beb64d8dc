import GRDB
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import StoreSQLite

/// G06: bans from all rooms of a host, on the disk.
@Suite struct StandingRestrictionTests {
    private let app = ApplicationID(1_400_000_001)
    private let host = UserID(literal: "host")
    private let bob = UserID(literal: "bob")

    private func ban(_ user: UserID, until: Int64? = nil) -> Restriction {
        Restriction(.ban, user: user, name: user.rawValue, until: until, everywhere: true, by: host, reason: "why")
    }

    @Test("G06-S a ban holds at once and after a restart, of that host and application alone, until it is lifted")
    func restart() async throws {
        let scratch = try Scratch()
        var store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        try await store.restrictions.set(ban(bob), from: .host(host), in: app)
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == ban(bob))
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == ban(bob))
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(bob), in: app) == nil)
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: ApplicationID(2)) == nil)
        try await store.restrictions.change(StandingChange(ending: .ban, of: bob, from: .host(host), in: app))
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == nil)
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == nil)
        await store.shutDown()
    }

    @Test("G06-S restrictions whose time is over make room when a host has as many as hold, and are not read again")
    func over() async throws {
        let scratch = try Scratch()
        let now = fixedNow().millisecondsSince1970
        var store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        try await store.restrictions.set(ban(bob, until: now - 1), from: .host(host), in: app)
        #expect(store.restrictions.count(from: .host(host), in: app, at: now) == 0)
        for number in 1..<1_000 {
            try await store.restrictions.set(
                ban(UserID(literal: "u\(number)"), until: now + 1), from: .host(host), in: app)
        }
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) != nil)
        try await store.restrictions.set(ban(UserID(literal: "eve"), until: now + 1), from: .host(host), in: app)
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == nil)
        #expect(store.restrictions.count(from: .host(host), in: app, at: now) == 1_000)
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(
            try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM standing_restriction") }
                == 1_000)
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path) { WallTime(millisecondsSince1970: now + 1) }
        #expect(store.restrictions.count(from: .host(host), in: app, at: now) == 0)
        await store.shutDown()
    }

    @Test(
        "G06-S the operator's restrictions are of their kind, hold after a restart, and keep no words of an erased person"
    )
    func ofApplication() async throws {
        let scratch = try Scratch()
        let now = fixedNow().millisecondsSince1970
        var store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let mute = Restriction(
            .chatMute, user: bob, name: "Bob", until: now + 9, everywhere: true, by: host, reason: "why")
        try await store.restrictions.set(mute, from: .application, in: app)
        try await store.restrictions.set(ban(bob), from: .host(host), in: app)
        #expect(store.restrictions.holding(.chatMute, of: bob, in: app, at: now) == mute)
        #expect(store.restrictions.holding(.chatMute, of: bob, in: app, at: now + 9) == nil)
        #expect(store.restrictions.holding(.ban, of: bob, in: app, at: now) == nil)
        _ = try await store.personalData.erase(bob, of: app)
        store.restrictions.forgetWords(of: bob, in: app)
        let silent = Restriction(.chatMute, user: bob, name: "", until: now + 9, everywhere: true, by: host)
        for _ in 0..<2 {
            #expect(store.restrictions.holding(.chatMute, of: bob, in: app, at: now) == silent)
            #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app)?.reason == nil)
            let listed = try await store.records.restrictions(of: app, nil, at: now, before: nil, limit: 9)
            #expect(listed.map(\.restriction) == [silent])
            #expect(try await store.records.restrictions(of: app, .ban, at: now, before: nil, limit: 9).isEmpty)
            #expect(try await store.records.restrictions(of: app, nil, at: now + 9, before: nil, limit: 9).isEmpty)
            await store.shutDown()
            store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        }
        await store.shutDown()
    }

    @Test("G06-S what the disk refuses does not hold")
    func refused() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        await store.shutDown()
        await #expect(throws: JournalFailure.closed) {
            try await store.restrictions.set(ban(bob), from: .host(host), in: app)
        }
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == nil)
    }

    @Test("G06-S what a disk stored and reported as failed holds once a room is opened, and what it lost does not")
    func inDoubt() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let (stored, lost) = (ban(bob), ban(UserID(literal: "eve")))
        let changes = [stored, lost].map { StandingChange(beginning: $0, from: .host(host), in: app) }
        try await store.pool.write { try store.restrictions.write(changes[0], in: $0) }
        for change in changes { store.restrictions.note(change, .failure(.failed("told so"))) }
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == nil)
        _ = try await store.journal.open(RoomKey(application: app, room: .number(48_213)), chatLimit: 0)
        #expect(store.restrictions.restriction(.ban, of: bob, from: .host(host), in: app) == stored)
        #expect(store.restrictions.restriction(.ban, of: lost.user, from: .host(host), in: app) == nil)
        // What is known is not read again.
        let lift = StandingChange(ending: .ban, of: bob, from: .host(host), in: app)
        try await store.restrictions.change(lift)
        #expect(try await store.pool.read { try store.restrictions.doubted(in: $0) }.isEmpty)
        await store.shutDown()
    }
}
