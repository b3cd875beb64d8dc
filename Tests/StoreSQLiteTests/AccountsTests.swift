import JournalContract
import RoomModel
import RoomPorts
import Testing

@testable import StoreSQLite

@Suite("Applications and profiles")
struct AccountsTests {
    @Test("an application comes back as it was saved, also after a restart; saving again replaces it")
    func applications() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let plain = Application(id: ApplicationID(1_400_000_001), name: "Salon", keys: ["first"])
        var other = Application(
            id: ApplicationID(.max), name: "名字 \"quoted\", comma", keys: ["new\u{1F511}", "old,\"key\"", ""],
            settings: .init(consent: .advisory, secondSession: .allowed))
        try await store.accounts.save(other)
        try await store.accounts.save(plain)
        #expect(try await store.accounts.applications() == [plain, other])
        #expect(try await store.accounts.application(other.id) == other)
        #expect(try await store.accounts.application(ApplicationID(2)) == nil)
        other.keys = []
        other.name = ""
        try await store.accounts.save(other)
        await store.shutDown()
        let next = try SQLiteStore(directory: scratch.path, now: fixedNow)
        #expect(try await next.accounts.applications() == [plain, other])
        await next.shutDown()
    }

    @Test("profiles are kept per application and come in the order asked for, without those that nobody saved")
    func profiles() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let (one, two) = (ApplicationID(1), ApplicationID(2))
        let users = try (0..<150).map { try #require(UserID("user-\($0)")) }
        for (index, user) in users.enumerated() where !index.isMultiple(of: 7) {
            try await store.accounts.save(UserProfile(id: user, name: "N\(index)", avatar: "/a/\(index)"), of: one)
        }
        try await store.accounts.save(UserProfile(id: users[1], name: "elsewhere"), of: two)
        try await store.accounts.save(UserProfile(id: users[2], name: "renamed"), of: one)

        let found = try await store.accounts.profiles(users.reversed(), of: one)
        let expected = users.indices.reversed().filter { !$0.isMultiple(of: 7) }.map { index in
            index == 2
                ? UserProfile(id: users[2], name: "renamed")
                : UserProfile(id: users[index], name: "N\(index)", avatar: "/a/\(index)")
        }
        #expect(found == expected)
        #expect(try await store.accounts.profiles(users, of: two) == [UserProfile(id: users[1], name: "elsewhere")])
        #expect(try await store.accounts.profiles([], of: one) == [])
        await store.shutDown()
    }

    @Test("what was saved reaches the disk before save returns")
    func saveIsDurable() async throws {
        let scratch = try Scratch()
        let disk = try FaultDisk(scratch)
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let user = try #require(UserID("a"))
        let before = disk.syncs
        try await store.accounts.save(UserProfile(id: user, name: "A"), of: ApplicationID(1))
        #expect(disk.syncs == before + 1)
        disk.limitGrowth(0)
        await #expect(throws: JournalFailure.full) {
            try await store.accounts.save(UserProfile(id: user, name: "B"), of: ApplicationID(1))
        }
        disk.limitGrowth(nil)
        #expect(try await store.accounts.profiles([user], of: ApplicationID(1)).map(\.name) == ["A"])
        await store.shutDown()
    }
}
