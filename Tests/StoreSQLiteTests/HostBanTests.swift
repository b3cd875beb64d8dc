import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import StoreSQLite

/// G06: bans from all rooms of a host, on the disk.
@Suite struct HostBanTests {
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
        store.hostBans.set(ban(bob), from: host, in: app)
        #expect(store.hostBans.ban(of: bob, from: host, in: app) == ban(bob))
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(store.hostBans.ban(of: bob, from: host, in: app) == ban(bob))
        #expect(store.hostBans.ban(of: bob, from: bob, in: app) == nil)
        #expect(store.hostBans.ban(of: bob, from: host, in: ApplicationID(2)) == nil)
        store.hostBans.lift(bob, from: host, in: app)
        #expect(store.hostBans.ban(of: bob, from: host, in: app) == nil)
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(store.hostBans.ban(of: bob, from: host, in: app) == nil)
        await store.shutDown()
    }

    @Test("G06-S bans whose time is over are forgotten with the next one, and are not read again")
    func over() async throws {
        let scratch = try Scratch()
        let now = fixedNow().millisecondsSince1970
        var store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        store.hostBans.set(ban(bob, until: now - 1), from: host, in: app)
        #expect(store.hostBans.count(of: host, in: app, at: now) == 0)
        store.hostBans.set(ban(UserID(literal: "eve"), until: now + 1), from: host, in: app)
        #expect(store.hostBans.ban(of: bob, from: host, in: app) == nil)
        #expect(store.hostBans.count(of: host, in: app, at: now) == 1)
        await store.shutDown()
        store = try SQLiteStore(directory: scratch.path) { WallTime(millisecondsSince1970: now + 1) }
        #expect(store.hostBans.count(of: host, in: app, at: now) == 0)
        await store.shutDown()
    }

    @Test("G06-S what the disk refuses holds no more")
    func refused() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        await store.shutDown()
        store.hostBans.set(ban(bob), from: host, in: app)
        // The refusal comes from the writer's own thread, which is done when it is asked to end once more.
        await store.shutDown()
        #expect(store.hostBans.ban(of: bob, from: host, in: app) == nil)
    }
}
