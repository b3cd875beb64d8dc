import GRDB
import RoomModel
import RoomPorts
import RoomTestSupport
import Testing
import Timing

@testable import StoreSQLite

/// G06: the audit trail and people's reports, on the disk.
@Suite struct ModerationRecordTests {
    private let app = ApplicationID(1_400_000_001)
    private let bob = UserID(literal: "bob")

    private func line(_ action: String, at time: Int64, outcome: String = "done") -> AuditLine {
        AuditLine(
            application: app, room: .number(7), actor: UserID(literal: "host"), role: .owner, way: .session,
            action: action, target: bob, outcome: outcome, time: time)
    }

    private func report(_ words: String, at time: Int64) -> Report {
        Report(
            application: app, room: .number(7), reporter: UserID(literal: "ada"), user: bob, cause: .spam, words: words,
            evidence: "{}", time: time)
    }

    private func settlement(_ words: String, _ time: Int64) -> NotedReport.Settlement {
        NotedReport.Settlement(by: "op", time: time, words: words)
    }

    @Test(
        "G06-S lines of the trail are read page by page, the newest first, while the server runs, of one application alone"
    )
    func trail() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let now = fixedNow().millisecondsSince1970
        for number in 0..<5 { store.audit.note(line("action-\(number)", at: now + Int64(number))) }
        var other = line("elsewhere", at: now)
        other.application = ApplicationID(2)
        store.audit.note(other)
        // A write of one who waits stands behind them.
        try await store.accounts.save(UserProfile(id: bob), of: app)
        let records = try StoreRecords(directory: scratch.path)
        let first = try records.audit(of: app, AuditQuery(limit: 3))
        #expect(first.map(\.line.action) == ["action-4", "action-3", "action-2"])
        let rest = try records.audit(of: app, AuditQuery(before: first.last?.id, limit: 3))
        #expect(rest.map(\.line.action) == ["action-1", "action-0"])
        await store.shutDown()
    }

    @Test(
        "G06-S the trail of one person has what they did and what was done to them; that of a room what happened there")
    func trailOf() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let now = fixedNow().millisecondsSince1970
        func note(
            _ action: String, by actor: String, to target: UserID?, in room: RoomID?, of application: ApplicationID
        ) {
            var line = line(action, at: now)
            (line.actor, line.target, line.room, line.application) = (UserID(literal: actor), target, room, application)
            store.audit.note(line)
        }
        note("other-app", by: "host", to: bob, in: .number(7), of: ApplicationID(2))
        note("to-bob", by: "host", to: bob, in: .number(7), of: app)
        note("by-bob", by: "bob", to: UserID(literal: "ada"), in: .number(8), of: app)
        note("by-and-to-bob", by: "bob", to: bob, in: .number(8), of: app)
        note("nobody", by: "host", to: nil, in: nil, of: app)
        note("named", by: "host", to: nil, in: RoomID(string: "8"), of: app)
        try await store.accounts.save(UserProfile(id: bob), of: app)
        let records = try StoreRecords(directory: scratch.path)
        func actions(_ query: AuditQuery) throws -> [String] { try records.audit(of: app, query).map(\.line.action) }
        #expect(try actions(AuditQuery(user: bob, limit: 9)) == ["by-and-to-bob", "by-bob", "to-bob"])
        #expect(try actions(AuditQuery(user: bob, limit: 2)) == ["by-and-to-bob", "by-bob"])
        let second = try #require(try records.audit(of: app, AuditQuery(user: bob, limit: 2)).last)
        #expect(try actions(AuditQuery(user: bob, before: second.id, limit: 2)) == ["to-bob"])
        #expect(try actions(AuditQuery(room: .number(8), limit: 9)) == ["by-and-to-bob", "by-bob"])
        #expect(try actions(AuditQuery(room: RoomID(string: "8"), limit: 9)) == ["named"])
        #expect(try actions(AuditQuery(room: .number(8), user: UserID(literal: "ada"), limit: 9)) == ["by-bob"])
        #expect(try actions(AuditQuery(limit: 9)).count == 5)
        await store.shutDown()
    }

    @Test("G06-S a report waits until it is settled, once, and says by whom")
    func settled() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let now = fixedNow().millisecondsSince1970
        for words in ["first", "second"] {
            let result = await withCheckedContinuation { done in
                store.reports.post(report(words, at: now)) { done.resume(returning: $0) }
            }
            #expect(throws: Never.self) { try result.get() }
        }
        let records = try StoreRecords(directory: scratch.path)
        let waiting = try records.reports(of: app, limit: 10)
        #expect(waiting.map(\.report.words) == ["first", "second"])
        let id = try #require(waiting.first?.id)
        #expect(try await !store.records.settle(id, of: ApplicationID(2), settlement("", now)))
        #expect(try await store.records.settle(id, of: app, settlement("warned", now + 5)))
        #expect(try await !store.records.settle(id, of: app, settlement("again", now + 6)))
        #expect(try records.reports(of: app, limit: 10).map(\.report.words) == ["second"])
        let all = try records.reports(of: app, all: true, limit: 10)
        #expect(all.first?.settled == settlement("warned", now + 5))
        await store.shutDown()
    }

    @Test("R09-S what was said of how a report was settled goes with whom it was about, and with who had reported")
    func settledAndErased() async throws {
        let ada = UserID(literal: "ada")
        for erased in [bob, ada] {
            let scratch = try Scratch()
            let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
            let now = fixedNow().millisecondsSince1970
            // Theirs, and one of two others.
            for reporter in ["ada", "cleo"] {
                var report = report("words of \(reporter)", at: now)
                report.reporter = UserID(literal: reporter)
                if reporter == "cleo" { report.user = UserID(literal: "dan") }
                report.evidence = #"{"by":"\#(reporter)"}"#
                let posted = await withCheckedContinuation { done in
                    store.reports.post(report) { done.resume(returning: $0) }
                }
                #expect(throws: Never.self) { try posted.get() }
            }
            let records = try StoreRecords(directory: scratch.path)
            for noted in try records.reports(of: app, limit: 10) {
                #expect(try await store.records.settle(noted.id, of: app, settlement("said about \(noted.id)", now)))
                var line = line("settleReport", at: now)
                (line.target, line.detail, line.reason) = (nil, #"{"report":"\#(noted.id)"}"#, "said about \(noted.id)")
                store.audit.note(line)
            }
            _ = try await store.personalData.erase(erased, of: app)
            let reports = try records.reports(of: app, all: true, limit: 10).sorted { $0.id < $1.id }
            #expect(reports.map { $0.report.words ?? "" } == ["", "words of cleo"])
            #expect(reports.map { $0.settled?.words ?? "none" } == ["", "said about \(reports[1].id)"])
            // What somebody reported may have been said by others, who are still here.
            #expect(reports.map(\.report.evidence) == [erased == bob ? "{}" : #"{"by":"ada"}"#, #"{"by":"cleo"}"#])
            let reasons = try records.audit(of: app, AuditQuery(limit: 9)).map { $0.line.reason ?? "" }
            #expect(reasons.sorted() == ["", "said about \(reports[1].id)"])
            await store.shutDown()
        }
    }

    @Test("G06-S what is older than the retention goes with what comes, two for one")
    func retention() async throws {
        let scratch = try Scratch()
        let day = Int64(86_400_000)
        let store = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(retention: .seconds(86_400)), now: fixedNow)
        for number in 0..<4 { store.audit.note(line("old-\(number)", at: Int64(number))) }
        for number in 0..<2 { store.audit.note(line("new-\(number)", at: 2 * day)) }
        store.reports.post(report("old", at: 0)) { _ in }
        store.reports.post(report("new", at: 2 * day)) { _ in }
        try await store.accounts.save(UserProfile(id: bob), of: app)
        let records = try StoreRecords(directory: scratch.path)
        #expect(try records.audit(of: app, AuditQuery(limit: 10)).map(\.line.action) == ["new-1", "new-0"])
        #expect(try records.reports(of: app, all: true, limit: 10).map(\.report.words) == ["new"])
        await store.shutDown()
    }

    @Test(
        "R09-S what is old goes when it is looked for, in several steps, without anything new; restrictions that are over go too"
    )
    func forgetsOld() async throws {
        let scratch = try Scratch()
        let now = fixedNow().millisecondsSince1970
        let old = now - 2 * 86_400_000
        let store = try SQLiteStore(
            directory: scratch.path, settings: StoreSettings(retention: .seconds(86_400)), now: fixedNow)
        // Twice as many as those with them delete.
        for number in 0..<3 { store.audit.note(line("new-\(number)", at: now)) }
        try await store.pool.write { db in
            for id in 10..<2_510 {
                try db.execute(
                    sql:
                        "INSERT INTO audit SELECT ?, application, room, actor, role, way, action, target, detail, reason, outcome, ? FROM audit LIMIT 1",
                    arguments: [id, old])
            }
        }
        store.reports.post(report("old", at: old)) { _ in }
        let over = Restriction(.ban, user: bob, name: "", until: now - 1, everywhere: true, by: bob)
        try await store.restrictions.set(over, from: .application, in: app)
        store.forgetOld()
        // Each step queues the next one behind what is there.
        for _ in 0..<4 { try await store.accounts.save(UserProfile(id: bob), of: app) }
        let left = try await store.pool.read { db in
            try ["audit", "report", "standing_restriction"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")
            }
        }
        #expect(left == [3, 0, 0])
        await store.shutDown()
    }

    @Test(
        "G06-S who fills the audit trail shortens that of their own application, and nobody has more than a share of it",
        arguments: [false, true])
    func auditShares(restarted: Bool) async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let now = fixedNow().millisecondsSince1970
        func open() throws -> SQLiteAudit {
            try SQLiteAudit(
                pool: store.pool, commit: store.commit, retention: .seconds(86_400), most: 300, ofPerson: 50)
        }
        func note(_ audit: SQLiteAudit, _ count: Int, by actor: String, of application: ApplicationID) async throws {
            for _ in 0..<count {
                var line = line("setAttributes", at: now)
                (line.actor, line.application, line.target) = (UserID(literal: actor), application, nil)
                audit.note(line)
                // As they come, not in one commit.
                try await store.accounts.save(UserProfile(id: bob), of: app)
            }
        }
        func count(_ where: String) async throws -> Int {
            try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM audit WHERE \(`where`)") ?? 0 }
        }
        var audit = try open()
        try await note(audit, 20, by: "host", of: ApplicationID(2))
        try await note(audit, 130, by: "mia", of: app)
        #expect(try await count("actor = 'mia'") <= 100)
        if restarted { audit = try open() }
        for guest in 0..<40 { try await note(audit, 20, by: "guest-\(guest)", of: app) }
        #expect(try await count("application = 2") == 20)
        #expect((250...301).contains(try await count("1")))
        #expect(try await count("actor = 'guest-39'") == 20, "the newest stay")
        await store.shutDown()
    }

    @Test(
        "G06-S nobody fills the box of reports: one person has a share of it, and a full one loses what is settled, where most is"
    )
    func reportShares() async throws {
        let scratch = try Scratch()
        let store = try SQLiteStore(directory: scratch.path, now: fixedNow)
        let now = fixedNow().millisecondsSince1970
        let box = try SQLiteReports(
            pool: store.pool, commit: store.commit, retention: .seconds(86_400), most: 30, ofPerson: 5)
        func post(by reporter: String, of application: ApplicationID) async -> Bool {
            var report = report("look", at: now)
            (report.reporter, report.application) = (UserID(literal: reporter), application)
            return await withCheckedContinuation { continuation in
                box.post(report) { result in
                    continuation.resume(returning: (try? result.get()) != nil)
                }
            }
        }
        #expect(await post(by: "ada", of: ApplicationID(2)))
        for number in 0..<20 { #expect(await post(by: "mia", of: app) == (number < 5)) }
        for guest in 0..<60 { #expect(await post(by: "guest-\(guest)", of: app)) }
        #expect(await post(by: "ada", of: ApplicationID(2)))
        let records = try StoreRecords(directory: scratch.path)
        #expect(try records.reports(of: ApplicationID(2), all: true, limit: 99).count == 2)
        #expect((28...30).contains(try records.reports(of: app, all: true, limit: 99).count))
        // What is settled goes before what waits.
        let waiting = try records.reports(of: app, limit: 99)
        let settled = try #require(waiting.last)
        #expect(try await store.records.settle(settled.id, of: app, settlement("seen", now)))
        #expect(await post(by: "late", of: app))
        let left = try records.reports(of: app, all: true, limit: 99).map(\.id)
        #expect(!left.contains(settled.id) && left.contains(waiting[0].id))
        await store.shutDown()
    }

    @Test("a folder without a file, and one of an older server, are said to be so")
    func missing() throws {
        let scratch = try Scratch()
        #expect(throws: StoreFailure.self) { try StoreRecords(directory: scratch.path) }
    }
}
