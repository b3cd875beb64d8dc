import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

extension Result<CommandResult, RoomError> {
    fileprivate var code: RoomError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}

@Suite(.timeLimit(.minutes(1))) struct DirectoryTests {
    private static let app = ApplicationID(1_400_000_001)
    private static let otherApp = ApplicationID(1_400_000_002)

    private struct House {
        let clock = VirtualRoomClock()
        let media = RecordingMedia()
        let journal: MemoryJournal
        let reports = Shared<[RoomReport]>([])
        let directory: RoomDirectory

        init(_ journal: MemoryJournal = MemoryJournal(), policy: RoomPolicy = RoomPolicy()) async throws {
            self.journal = journal
            directory = RoomDirectory(
                journal: journal, media: media, clock: clock, encoder: PlainEncoder(), policy: { _ in policy },
                report: { [reports] report in reports.update { $0.append(report) } })
            try await directory.start()
        }

        /// Creates, and waits for the answer.
        func create(
            _ id: RoomID? = nil, _ name: String = "Salon", tags: [String] = [], by client: Client,
            in app: ApplicationID = DirectoryTests.app, key: String? = nil
        ) async -> Result<(room: Room, entry: RoomEntry), RoomError> {
            let creation = RoomCreation(room: id, settings: RoomSettings(name: name, tags: tags))
            return await withCheckedContinuation { answered in
                Task {
                    await directory.create(
                        creation, in: app, by: .named(client.user), key: key.flatMap { IdempotencyKey($0) },
                        as: { _ in client.attendee }
                    ) { answered.resume(returning: $0) }
                }
            }
        }

        func code(_ result: Result<(room: Room, entry: RoomEntry), RoomError>) -> RoomError.Code? {
            if case .failure(let error) = result { error.code } else { nil }
        }
    }

    private func ask(_ room: Room, _ command: RoomCommand, by client: Client) async -> Result<CommandResult, RoomError>
    {
        await withCheckedContinuation { answered in
            Task {
                await room.submit(command, from: client.session, key: nil) {
                    answered.resume(returning: $0.map(\.result))
                }
            }
        }
    }

    @Test("V01-S a creation that the disk refuses counts as nobody's room, and one that has ended counts no more")
    func roomsPerOwner() async throws {
        var policy = RoomPolicy()
        policy.maxRoomsPerOwner = 2
        let house = try await House(policy: policy)
        let owner = UserID(literal: "olga")
        house.journal.fail()
        for number in 0..<5 {
            #expect(house.code(await house.create(by: Client(owner, UInt64(number)))) == .unavailable)
        }
        house.journal.heal()
        let first = Client(owner, 11)
        let (room, _) = try await house.create(by: first).get()
        _ = try await house.create(by: Client(owner, 12)).get()
        #expect(house.code(await house.create(by: Client(owner, 13))) == .roomsLimited)
        _ = try await house.create(by: Client(.member, 14)).get()
        _ = try await ask(room, .destroyRoom, by: first).get()
        // The room's end reaches the directory in a turn of its own.
        while house.code(await house.create(by: Client(owner, 15))) == .roomsLimited { await Task.yield() }
    }

    @Test("a room that has ended is forgotten: nothing of it stays in memory")
    func forgotten() async throws {
        let house = try await House()
        weak var ended: Room?
        do {
            let owner = Client(.owner, 1)
            let (room, _) = try await house.create(by: owner).get()
            ended = room
            _ = try await ask(room, .destroyRoom, by: owner).get()
        }
        // The room's end reaches the directory in a turn of its own.
        while ended != nil { await Task.yield() }
    }

    @Test("V07-S whoever shuts the rooms down waits until what was accepted is stored and answered")
    func shutdownWaits() async throws {
        let house = try await House()
        let olga = Client(.owner, 1)
        let (room, _) = try await house.create(by: olga).get()
        house.journal.setMode(.manual)
        let answer = Shared<Result<CommandResult, RoomError>?>(nil)
        await room.submit(.takeSeat(1), from: olga.session, key: nil) { answer.set($0.map(\.result)) }
        let isDown = Shared(false)
        async let disk: Void = {
            // Commits only once the room takes nothing more: only a shutdown that reaches the room gets that far.
            while !isDown.current {
                do throws(RoomError) {
                    _ = try await room.openMedia(for: SessionToken(rawValue: 99))
                } catch {
                    if error.code == .unavailable { house.journal.commit() }
                }
                await Task.yield()
            }
        }()
        await house.directory.shutdown()
        let answered = answer.current
        isDown.set(true)
        await disk
        #expect(throws: Never.self) { try #require(answered).get() }
    }

    @Test("V01-S A09-S the server picks a number of five to seven digits; the creator is in the room and owns it")
    func picksAnID() async throws {
        let house = try await House()
        var ids: Set<RoomID> = []
        for number in 0..<50 {
            let client = Client(UserID(literal: "user-\(number)"), UInt64(number))
            let (room, entry) = try await house.create(by: client).get()
            guard case .snapshot(let snapshot) = entry, case .number(let id) = room.key.room else {
                Issue.record("\(entry)")
                continue
            }
            #expect((10_000...9_999_999).contains(id))
            #expect(snapshot.me.role == .owner)
            ids.insert(room.key.room)
        }
        #expect(ids.count == 50)
    }

    @Test(
        "V01-S an owner's own room is created again, another's id is refused, and so is a creation that breaks a rule")
    func sameID() async throws {
        let house = try await House()
        let (owner, member) = (Client(.owner, 1), Client(.member, 2))
        let first = try await house.create(.number(77_777), by: owner).get()
        let again = try await house.create(.number(77_777), "Renamed", by: owner).get()
        #expect(first.room === again.room)
        #expect(house.directory.infos([.number(77_777)], of: Self.app).map(\.name) == ["Renamed"])
        #expect(house.code(await house.create(.number(77_777), by: member)) == .roomIDTaken)
        #expect(house.code(await house.create(.number(88_888), " ", by: member)) == .invalidParams)
        #expect(house.code(await house.create(.number(77_777), by: member)) == .roomIDTaken)
        #expect(try await !house.journal.exists(RoomKey(application: Self.app, room: .number(88_888))))
    }

    @Test("of many who create the same id at once one owns it") func creationRace() async throws {
        let house = try await House()
        let outcomes = await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let client = Client(UserID(literal: "user-\(number)"), UInt64(number))
                    return house.code(await house.create(.string("the room"), by: client))
                }
            }
            return await group.reduce(into: [RoomError.Code?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .roomIDTaken } == 39)
    }

    @Test("A07-S A01-S 123 and \"123\" are different rooms, and so are those of different applications")
    func isolation() async throws {
        let house = try await House()
        let client = Client(.owner, 1)
        _ = try await house.create(.number(123), "number", by: client).get()
        _ = try await house.create(.string("123"), "string", by: client).get()
        _ = try await house.create(.number(123), "other", by: client, in: Self.otherApp).get()
        let both: [RoomID] = [.string("123"), .number(9), .number(123)]
        #expect(house.directory.infos(both, of: Self.app).map(\.name) == ["string", "number"])
        #expect(house.directory.infos(both, of: Self.otherApp).map(\.name) == ["other"])
        #expect(house.directory.list(RoomQuery(), of: Self.otherApp).rooms.map(\.name) == ["other"])
        #expect(house.directory.list(RoomQuery(), of: ApplicationID(1)).rooms.isEmpty)
    }

    @Test(
        "V02-S a destroyed room is gone for everybody: its id says closed, an unknown one says not found, and it can be created anew"
    )
    func destroyed() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let member = Client(.member, 2)
        let room = try await house.create(.number(55_555), by: owner).get().room
        await room.attach(member.attendee, since: nil) { _ in }
        let path = try await room.openMedia(for: member.session)
        #expect(
            await ask(room, .sendMessage(MessageDraft(.text("secret"))), by: owner)
                == .success(.sent(chat: 1, time: house.clock.wallTime.millisecondsSince1970)))
        #expect(await ask(room, .destroyRoom, by: owner) == .success(.done))
        // The answer leaves in the middle of the room's turn; the room says this when the turn is over.
        #expect(await room.isOver)
        #expect(member.outbox.changes.last.map { if case .destroyed = $0.what { true } else { false } } == true)
        #expect(member.departures.current == [.ended])
        #expect(house.media.orders.suffix(2) == [.closePeer(path.peer, room.stage), .close(room.stage)])
        #expect(try await house.journal.openRooms() == [])
        await #expect(throws: RoomError(.roomClosed)) { try await house.directory.room(room.key) }
        let unknown = RoomKey(application: Self.app, room: .number(1))
        await #expect(throws: RoomError(.roomNotFound)) { try await house.directory.room(unknown) }
        #expect(house.directory.list(RoomQuery(), of: Self.app).rooms.isEmpty)

        let (anew, entry) = try await house.create(.number(55_555), by: member).get()
        guard case .snapshot(let snapshot) = entry else { return }
        #expect(snapshot.me.role == .owner)
        #expect(snapshot.messages.isEmpty && snapshot.seq == 1)
        let late = Client(.owner, 3)
        await anew.attach(late.attendee, since: ResumePoint(epoch: 1, seq: 1, chat: 0)) {
            [entries = late.entries] result in
            entries.update { $0.append(result) }
        }
        #expect(late.snapshot != nil, "the former room's numbers mean nothing here")
    }

    @Test("a restart brings the open rooms back and leaves the ended ones") func restart() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let kept = try await house.create(.string("kept"), tags: ["Jazz"], by: owner, key: "k1").get().room
        #expect(await ask(kept, .takeSeat(3), by: owner) == .success(.done))
        let other = try await house.create(.string("over"), by: owner).get().room
        #expect(await ask(other, .destroyRoom, by: owner) == .success(.done))

        house.journal.crash()
        let next = try await House(house.journal)
        #expect(next.directory.list(RoomQuery(), of: Self.app).rooms.map(\.room) == [.string("kept")])
        let room = try await next.directory.room(kept.key)
        let back = Client(.owner, 2)
        await room.attach(back.attendee, since: nil) { [entries = back.entries] result in
            entries.update { $0.append(result) }
        }
        #expect(back.snapshot?.seats[3].user == .owner)
        // A retried creation whose answer was lost finds its room.
        let again = try await next.create(.string("kept"), tags: ["Jazz"], by: back, key: "k1").get()
        #expect(again.room === room)
    }

    @Test("a retried creation gets the first room, also when the server picked the id; another body is an error")
    func retriedCreation() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let first = try await house.create(by: owner, key: "k").get().room
        #expect(try await house.create(by: owner, key: "k").get().room === first)
        #expect(house.code(await house.create(nil, "Other", by: owner, key: "k")) == .keyReused)
        #expect(try await house.create(by: Client(.member, 2), key: "k").get().room !== first)
        #expect(house.directory.list(RoomQuery(), of: Self.app).rooms.count == 2)
    }

    @Test("a creation that cannot be stored leaves nothing behind") func failedCreation() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        house.journal.fail(.full)
        #expect(house.code(await house.create(.number(44_444), by: owner)) == .unavailable)
        house.journal.heal()
        #expect(house.directory.list(RoomQuery(), of: Self.app).rooms.isEmpty)
        #expect(house.code(await house.create(.number(44_444), by: Client(.member, 2))) == nil)
    }

    @Test("a creation whose commit failed can be tried again under its key, and gets a room") func retriedAfterFailure()
        async throws
    {
        let house = try await House()
        let owner = Client(.owner, 1)
        // The opening is stored, the creation is not.
        house.journal.setMode(.manual)
        async let first = house.create(by: owner, key: "k")
        while house.journal.pending == 0 { await Task.yield() }
        house.journal.fail(.full, times: 1)
        house.journal.commit()
        #expect(house.code(await first) == .unavailable)
        house.journal.heal()
        house.journal.setMode(.automatic)
        while house.code(await house.create(by: owner, key: "k")) != nil { await Task.yield() }
        #expect(house.directory.list(RoomQuery(), of: Self.app).rooms.count == 1)
    }

    @Test("a server does not start on a journal that fails") func failingStart() async throws {
        let house = try await House()
        _ = try await house.create(by: Client(.owner, 1)).get()
        house.journal.fail(.full)
        await #expect(throws: JournalFailure.full) { _ = try await House(house.journal) }
    }

    @Test("a journal that cannot be read keeps its room closed and untouched, and the others open") func damaged()
        async throws
    {
        let house = try await House()
        let good = try await house.create(.number(11_111), by: Client(.owner, 1)).get().room
        let key = RoomKey(application: Self.app, room: .number(22_222))
        let epoch = try await house.journal.open(key, chatLimit: 0).epoch
        house.journal.submit(
            JournalEntry(key: key, kind: .durable, position: 1, epoch: epoch, payload: Array("{}".utf8))
        ) { _ in }
        let next = try await House(house.journal)
        #expect(next.directory.list(RoomQuery(), of: Self.app).rooms.map(\.room) == [good.key.room])
        #expect(next.reports.current.count == 1)
        await #expect(throws: RoomError.self) { try await next.directory.room(key) }
        #expect(next.code(await next.create(.number(22_222), by: Client(.member, 2))) == .roomIDTaken)
    }

    @Test("a journal that fails again while it is read anew is reported and tried again, and then the room goes on")
    func reloadedAtLast() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        house.journal.fail(.full)
        #expect(await ask(room, .takeSeat(0), by: owner).code == .unavailable)
        // The first report is the room's, the second that of reading it anew.
        while house.reports.current.count < 2 { await Task.yield() }
        #expect(house.reports.current == [.journalFailed(room.key, .full), .journalFailed(room.key, .full)])
        house.journal.heal()
        while await ask(room, .takeSeat(0), by: owner).code == .unavailable {
            house.clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
        #expect(house.reports.current.count == 2)
    }

    @Test("a journal that is found damaged when it is read anew is reported, and its room closed for everybody")
    func damagedLater() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(.number(22_222), by: owner).get().room
        // Written by something else: the room's own next entry is refused, since its place is taken.
        house.journal.submit(
            JournalEntry(key: room.key, kind: .durable, position: 2, epoch: 1, payload: Array("{}".utf8))
        ) { _ in }
        #expect(await ask(room, .takeSeat(0), by: owner).code == .unavailable)
        while owner.departures.current.isEmpty { await Task.yield() }
        #expect(owner.departures.current == [.ended])
        await #expect(throws: RoomError.self) { try await house.directory.room(room.key) }
        #expect(house.code(await house.create(.number(22_222), by: Client(.member, 2))) == .roomIDTaken)
        #expect(
            house.reports.current.contains { report in
                if case .damaged(room.key, _) = report { true } else { false }
            }, "\(house.reports.current)")
    }

    @Test(
        "a room whose end is stored, but not that its journal is closed, is over after a restart and can be created anew"
    )
    func endedAndNotClosed() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(.number(33_333), by: owner).get().room
        house.journal.setMode(.manual)
        let answer = Shared<RoomError.Code?>(nil)
        await room.submit(.destroyRoom, from: owner.session, key: nil) { answer.set($0.map(\.result).code) }
        // The end, and not the closing that follows it.
        house.journal.commit(1)
        while owner.departures.current.isEmpty { await Task.yield() }
        house.journal.crash()
        house.journal.setMode(.automatic)
        let next = try await House(house.journal)
        #expect(next.directory.list(RoomQuery(), of: Self.app).rooms.isEmpty)
        #expect(try await house.journal.openRooms().isEmpty, "it would be read at every start")
        #expect(next.code(await next.create(.number(33_333), by: Client(.member, 2))) == nil)
    }

    @Test("A06-S rooms are found by name, tag and id, newest first, page by page") func search() async throws {
        let house = try await House()
        let rooms = [
            ("Jazz after midnight", ["music", "Jazz"]), ("재즈 카페", ["jazz"]), ("Study hall", ["quiet"]),
            ("ÉCOLE de jazz", []),
        ]
        for (number, (name, tags)) in rooms.enumerated() {
            let client = Client(UserID(literal: "user-\(number)"), UInt64(number))
            _ = try await house.create(.number(UInt32(60_001 + number)), name, tags: tags, by: client).get()
            house.clock.advance(by: .seconds(1))
        }
        func names(_ query: RoomQuery) -> [String] { house.directory.list(query, of: Self.app).rooms.map(\.name) }
        #expect(names(RoomQuery()) == ["ÉCOLE de jazz", "Study hall", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "JAZZ")) == ["ÉCOLE de jazz", "재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(text: "école")) == ["ÉCOLE de jazz"])
        #expect(names(RoomQuery(text: "카페")) == ["재즈 카페"])
        #expect(names(RoomQuery(text: "60003")) == ["Study hall"])
        #expect(names(RoomQuery(text: "6000")) == [])
        #expect(names(RoomQuery(tag: "jazz")) == ["재즈 카페", "Jazz after midnight"])
        #expect(names(RoomQuery(tag: "jaz")) == [])
        #expect(names(RoomQuery(text: "midnight", tag: "quiet")) == [])
        var cursor: String?
        var seen: [String] = []
        repeat {
            let page = house.directory.list(RoomQuery(limit: 3, cursor: cursor), of: Self.app)
            seen += page.rooms.map(\.name)
            #expect(page.rooms.count == (seen.count <= 3 ? 3 : 1))
            cursor = page.cursor
        } while cursor != nil && seen.count < 10
        #expect(seen == names(RoomQuery()))
        #expect(names(RoomQuery(cursor: "nonsense")).count == 4)
    }

    @Test("A05-S room details come in the order of the request, unknown ids dropped, with live counts") func infos()
        async throws
    {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(.number(30_001), by: owner).get().room
        _ = try await house.create(.number(30_002), by: Client(.other, 2)).get()
        let member = Client(.member, 3)
        await room.attach(member.attendee, since: nil) { _ in }
        #expect(await ask(room, .takeSeat(0), by: owner) == .success(.done))
        let found = house.directory.infos([.number(30_002), .number(4), .number(30_001)], of: Self.app)
        #expect(found.map(\.room) == [.number(30_002), .number(30_001)])
        let turned = house.directory.infos([.number(30_001), .number(30_002)], of: Self.app)
        #expect(turned == found.reversed())
        #expect(found.last?.memberCount == 2)
        #expect(found.last?.seated == 1)
        await room.detach(member.session, why: .left)
        #expect(house.directory.infos([.number(30_001)], of: Self.app).first?.memberCount == 1)
    }

    @Test("A05-S A06-S whoever has an answer finds in the directory what it says, and an ended room no more")
    func answersAndLists() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let id = RoomID.number(30_003)
        // What the directory shows at the moment of each answer, which the client may use at once.
        let shown = Shared<[String]>([])
        let note: @Sendable () -> Void = { [directory = house.directory] in
            let line = directory.infos([id], of: Self.app).first.map { "\($0.name) \($0.memberCount) \($0.seated)" }
            shown.update { $0.append(line ?? "nothing") }
        }
        let room = await withCheckedContinuation { answered in
            Task {
                await house.directory.create(
                    RoomCreation(room: id, settings: RoomSettings(name: "Salon")), in: Self.app, by: .named(.owner),
                    key: nil, as: { _ in owner.attendee }
                ) { result in
                    note()
                    answered.resume(returning: try? result.get().room)
                }
            }
        }
        let member = Client(.member, 2)
        await room?.attach(member.attendee, since: nil) { _ in note() }
        for command in [RoomCommand.takeSeat(0), .updateRoom(RoomUpdate(name: "Renamed")), .destroyRoom] {
            await withCheckedContinuation { answered in
                Task {
                    await room?.submit(command, from: owner.session, key: nil) { _ in
                        note()
                        answered.resume()
                    }
                }
            }
        }
        #expect(shown.current == ["Salon 1 0", "Salon 2 0", "Salon 2 1", "Renamed 2 1", "nothing"])
    }

    @Test("facts of the media plane reach the room they are about") func facts() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        let place = try await room.openMedia(for: owner.session)
        #expect(await ask(room, .takeSeat(0), by: owner) == .success(.done))
        house.media.tell(.lost(place.stage, place.peer))
        // Facts travel on their own; the room's next turn after it has been told shows it.
        while true {
            let client = Client(.member, 2)
            await room.attach(client.attendee, since: nil) { [entries = client.entries] result in
                entries.update { $0.append(result) }
            }
            if client.snapshot?.seats[0].presence == .reconnecting { break }
            await Task.yield()
        }
    }

    @Test("a shutdown waits for what is being stored, answers it, and takes nothing more") func shutdown() async throws
    {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        house.journal.setMode(.manual)
        let answer = Shared<Result<CommandResult, RoomError>?>(nil)
        await room.submit(.takeSeat(0), from: owner.session, key: nil) { answer.set($0.map(\.result)) }
        async let down: Void = house.directory.shutdown()
        while house.journal.pending > 0 {
            house.journal.commit()
            await Task.yield()
        }
        await down
        #expect(answer.current == .success(.done))
        #expect(house.code(await house.create(by: Client(.member, 2))) == .unavailable)
    }

    @Test("the operator can dismiss a room") func dismissed() async throws {
        let house = try await House()
        let owner = Client(.owner, 1)
        let room = try await house.create(by: owner).get().room
        try await house.directory.dismiss(room.key)
        guard case .destroyed(.operator, _) = owner.outbox.changes.last?.what else {
            Issue.record("\(owner.outbox.changes)")
            return
        }
    }
}
