import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// Two live rooms at work, and the bus between them.
private final class Salons {
    let bus = RecordingBus()
    let clock = VirtualRoomClock()
    let left: Salon
    let right: Salon
    let olga: Client
    let leo: Client
    /// Whether what is sent gets through.
    var isCarrying = true
    /// Whether letters do: a room that is being read hears none.
    var isCarryingLetters = true

    static let leo = UserID(literal: "leo")

    init() async throws {
        left = try await Salon(room: .number(1), bus: bus, clock: clock)
        right = try await Salon(room: .number(2), bus: bus, clock: clock)
        // Likes are points where nothing can be given.
        for salon in [left, right] { salon.catalogue.set(GiftCatalogue()) }
        olga = left.create(.owner, kind: .live, seats: 4)
        leo = right.create(Self.leo, kind: .live, seats: 4)
        left.submit(.takeSeat(TakeSeat(0)), by: olga)
        right.submit(.takeSeat(TakeSeat(0)), by: leo)
        show()
    }

    /// The directory shows each room to the other.
    private func show() {
        for (salon, other) in [(left, right), (right, left)] {
            guard let info = other.infos.current.last else { continue }
            salon.others.set([info.room: info])
        }
    }

    /// Until nothing is on its way any more, and the news have left.
    func carry() {
        deliver()
        advance(.milliseconds(10))
    }

    private func deliver() {
        while true {
            left.settle()
            right.settle()
            let parcels = bus.take()
            guard !parcels.isEmpty else { return }
            guard isCarrying else { continue }
            for parcel in parcels {
                if case .letter = parcel.content, !isCarryingLetters { continue }
                (parcel.to == left.key ? left : right).core.hear(parcel)
            }
        }
    }

    func advance(_ interval: Interval) {
        clock.advance(by: interval) { self.deliver() }
        deliver()
    }

    /// - Parameter wait: how long of the countdown passes.
    func begin(seconds: Int = 60, to wait: Interval = .seconds(3)) throws {
        left.submit(.challenge(ChallengeHost(.number(2), PKTerms(seconds: seconds))), by: olga)
        carry()
        let id = try #require(leo.challenges.last?.challenge.id)
        right.submit(.answerChallenge(AnswerChallenge(id: id, agreed: true, pause: nil)), by: leo)
        carry()
        left.submit(.readyForPK, by: olga)
        right.submit(.readyForPK, by: leo)
        carry()
        advance(wait)
    }

    /// A viewer of the right room who can give.
    func enterGiver() -> Client {
        right.catalogue.set(Salon.catalogue)
        right.ledger.give(5_000, to: .member, in: right.key.application)
        return right.enter(.member)
    }

    func bridges(_ salon: Salon) -> [RecordingMedia.Order] {
        salon.media.orders.filter {
            switch $0 {
            case .openBridge, .closeBridge: true
            default: false
            }
        }
    }
}

extension Client {
    fileprivate var challenges: [ChallengeNews] {
        outbox.news.compactMap { if case .challenge(let news) = $0 { news } else { nil } }
    }

    fileprivate var pk: PKState? {
        outbox.news.compactMap {
            if case .change(let change) = $0, case .pkChanged(let told) = change.what { told.pk } else { nil }
        }
        .last
    }

    fileprivate var points: PKPoints? {
        outbox.news.compactMap { if case .passing(.points(let points)) = $0 { points } else { nil } }.last
    }
}

@Suite struct PKTests {
    @Test(
        "L04-S the challenge is for the host alone; accepting it opens the same bridge in both rooms, muting and ending it too"
    )
    func bridge() async throws {
        let salons = try await Salons()
        let viewer = salons.right.enter(.member)
        try salons.begin()
        #expect(viewer.challenges.isEmpty)
        #expect(salons.olga.challenges.map(\.state) == [.waiting, .accepted])
        #expect(salons.leo.challenges.map(\.state) == [.waiting, .accepted])
        let link = try #require(viewer.pk?.links.first)
        #expect(link.host.id == .owner)
        let bridge = BridgeID(rawValue: "1400000001/\(link.id)")
        for salon in [salons.left, salons.right] {
            #expect(salons.bridges(salon) == [.openBridge(bridge, place: 0, muted: false, salon.stage)])
        }
        salons.right.media.holdConfirmations()
        let mute = salons.right.submit(.muteLink(MuteLink(link.id, muted: true)), by: salons.leo)
        #expect(mute.current == nil, "it is cut before it is said")
        salons.right.media.confirm()
        salons.right.settle()
        #expect(mute.current == .success(.done))
        salons.left.submit(.quitPK(QuitPK(link: nil)), by: salons.olga)
        #expect(salons.bridges(salons.left).last == .closeBridge(bridge, salons.left.stage))
        salons.right.media.confirm()
        salons.carry()
        salons.right.media.confirm()
        salons.carry()
        #expect(salons.bridges(salons.right).last == .closeBridge(bridge, salons.right.stage))
        #expect(viewer.pk?.links.isEmpty == true)
        #expect(viewer.pk?.match?.result == PKResult(.won, .quit))
    }

    @Test(
        "L05-S where there are no gifts, likes are points while the clock runs, five a second for each person, and both rooms see them"
    )
    func points() async throws {
        let salons = try await Salons()
        let viewer = salons.right.enter(.member)
        salons.left.submit(.sendLikes(SendLikes(9)), by: salons.olga)
        try salons.begin()
        salons.right.submit(.sendLikes(SendLikes(100)), by: viewer)
        salons.advance(.seconds(1))
        #expect(viewer.points == PKPoints(ours: 5, theirs: 0))
        #expect(salons.olga.points == PKPoints(ours: 0, theirs: 5))
        salons.right.submit(.sendLikes(SendLikes(2)), by: viewer)
        // Whoever comes back is told.
        salons.advance(.seconds(1))
        salons.right.reconnect(viewer)
        #expect(viewer.points == PKPoints(ours: 7, theirs: 0) || viewer.snapshot?.pk?.match?.ours == 7)
        salons.advance(.seconds(61))
        #expect(salons.olga.pk?.match?.result == PKResult(.lost, .time))
        #expect(viewer.pk?.match?.result == PKResult(.won, .time))
        salons.right.submit(.sendLikes(SendLikes(5)), by: viewer)
        salons.advance(.seconds(1))
        #expect(viewer.pk?.match?.ours == 7, "not after its end")
    }

    @Test("L05-S a gift counts by what it cost for the room where it was sent, while the clock runs, in both rooms")
    func gifts() async throws {
        let salons = try await Salons()
        for salon in [salons.left, salons.right] { salon.catalogue.set(Salon.catalogue) }
        let viewer = salons.right.enter(.member)
        salons.right.ledger.give(5_000, to: .member, in: salons.right.key.application)
        func send(_ gift: String, _ count: Int, key: String) {
            salons.right.submit(.sendGift(GiftDraft(gift: gift, count: count)), by: viewer, key: key)
        }
        send("rose", 2, key: "before")
        salons.advance(.seconds(1))
        try salons.begin()
        send("rose", 3, key: "first")
        salons.right.submit(.sendLikes(SendLikes(9)), by: viewer)
        salons.advance(.seconds(1))
        #expect(viewer.points == PKPoints(ours: 30, theirs: 0), "likes are none where there are gifts")
        #expect(salons.olga.points == PKPoints(ours: 0, theirs: 30))
        send("crown", 1, key: "second")
        // A repeat counts no more than it pays.
        send("rose", 3, key: "first")
        salons.advance(.seconds(1))
        #expect(viewer.points == PKPoints(ours: 1_030, theirs: 0))
        salons.advance(.seconds(61))
        #expect(viewer.pk?.match?.result == PKResult(.won, .time))
        send("crown", 1, key: "after")
        salons.advance(.seconds(1))
        #expect(viewer.pk?.match?.ours == 1_030, "not after its end")
    }

    @Test("L05-S a PK that ends while the ledger's answer for a gift is in doubt leaves no paid gift untold")
    func doubtAtEnd() async throws {
        let salons = try await Salons()
        let viewer = salons.enterGiver()
        try salons.begin()
        func send(_ count: Int, key: String) {
            salons.right.submit(.sendGift(GiftDraft(gift: "rose", count: count)), by: viewer, key: key)
        }
        salons.right.ledger.loseAnswers(true)
        send(3, key: "lost")
        salons.right.settle()
        salons.right.ledger.loseAnswers(false)
        send(1, key: "behind it")
        salons.right.settle()
        salons.right.submit(.quitPK(QuitPK(link: nil)), by: salons.leo)
        salons.advance(.seconds(1))
        #expect(viewer.pk?.links.isEmpty == true)
        #expect(salons.right.core.state.figures.gifts.coins == 40)
    }

    @Test("L05-S a gift that is paid in the last moment of a PK counts, though it waits for company past the end")
    func lastMoment() async throws {
        let salons = try await Salons()
        let viewer = salons.enterGiver()
        try salons.begin()
        let end = try #require(viewer.pk?.match?.endAt)
        func send(_ gift: String, key: String) {
            salons.right.submit(.sendGift(GiftDraft(gift: gift, count: 1)), by: viewer, key: key)
        }
        salons.advance(.milliseconds(end - salons.clock.roomTime.millisecondsSince1970 - 50))
        send("rose", key: "told at once")
        send("crown", key: "waits")
        salons.advance(.seconds(1))
        #expect(viewer.pk?.match?.ours == 1_010 && salons.olga.pk?.match?.theirs == 1_010)
        #expect(salons.olga.pk?.match?.result == PKResult(.lost, .time))
    }

    @Test("L05-S a gift that is paid in the countdown counts nothing, though it is told while the clock runs")
    func countdown() async throws {
        let salons = try await Salons()
        let viewer = salons.enterGiver()
        try salons.begin(to: .milliseconds(2_970))
        for key in ["told at once", "waits"] {
            salons.right.submit(.sendGift(GiftDraft(gift: "rose", count: 1)), by: viewer, key: key)
        }
        salons.advance(.seconds(1))
        #expect(salons.right.core.state.figures.gifts.coins == 20)
        #expect(salons.right.core.state.links.pk.match?.ours == 0)
    }

    @Test("L05-S a gift that was paid while the clock ran counts, if only a new process tells of it")
    func foundAfterCrash() async throws {
        let salons = try await Salons()
        let viewer = salons.enterGiver()
        try salons.begin()
        let now = salons.clock.roomTime.millisecondsSince1970
        salons.right.ledger.setTime(now)
        salons.right.journal.setMode(.manual)
        salons.right.submit(.sendGift(GiftDraft(gift: "rose", count: 1)), by: viewer, key: "k")
        try await salons.right.crash()
        salons.right.journal.setMode(.automatic)
        salons.carry()
        #expect(salons.right.core.state.links.pk.match?.ours == 10)
        // From before the start of the clock.
        salons.right.ledger.setTime(now - 10_000)
        let back = salons.right.enter(.member)
        salons.right.journal.setMode(.manual)
        salons.right.submit(.sendGift(GiftDraft(gift: "rose", count: 1)), by: back, key: "k2")
        try await salons.right.crash()
        salons.right.journal.setMode(.automatic)
        salons.carry()
        #expect(salons.right.core.state.figures.gifts.coins == 20)
        #expect(salons.right.core.state.links.pk.match?.ours == 10)
    }

    @Test("L05-S points that were to be told while their room was being read are told once it is there again")
    func pointsAfterLoad() async throws {
        let salons = try await Salons()
        try salons.begin()
        salons.right.submit(.sendLikes(SendLikes(3)), by: salons.leo)
        salons.right.journal.fail(times: 1)
        salons.right.submit(.sendMessage(MessageDraft(.text("lost"))), by: salons.leo)
        salons.advance(.seconds(1))
        #expect(salons.left.core.state.links.pk.match?.theirs == 0)
        try await salons.right.load()
        salons.carry()
        #expect(salons.left.core.state.links.pk.match?.theirs == 3)
    }

    @Test("L04-S a letter that does not get through is said again; one that comes twice is heard once")
    func lost() async throws {
        let salons = try await Salons()
        salons.isCarrying = false
        salons.left.submit(.challenge(ChallengeHost(.number(2), nil)), by: salons.olga)
        salons.carry()
        #expect(salons.leo.challenges.isEmpty)
        salons.isCarrying = true
        salons.advance(.seconds(1))
        #expect(salons.leo.challenges.map(\.state) == [.waiting])
        salons.advance(.seconds(2))
        #expect(salons.leo.challenges.count == 1)
    }

    @Test("L04-S a challenge waits for a room that was being read when it came, and is not taken for gone")
    func unread() async throws {
        let salons = try await Salons()
        salons.isCarryingLetters = false
        salons.left.submit(.challenge(ChallengeHost(.number(2), nil)), by: salons.olga)
        salons.carry()
        salons.advance(Self.greeted)
        #expect(salons.olga.challenges.map(\.state) == [.waiting])
        salons.isCarryingLetters = true
        salons.advance(.seconds(1))
        #expect(salons.leo.challenges.map(\.state) == [.waiting])
    }

    @Test("L04-S a challenge that was declined is not taken for gone while word of it is on its way")
    func declinedUnread() async throws {
        let salons = try await Salons()
        salons.left.submit(.challenge(ChallengeHost(.number(2), nil)), by: salons.olga)
        salons.carry()
        let id = try #require(salons.leo.challenges.last?.challenge.id)
        salons.isCarryingLetters = false
        salons.right.submit(.answerChallenge(AnswerChallenge(id: id, agreed: false, pause: nil)), by: salons.leo)
        salons.carry()
        salons.advance(Self.greeted)
        #expect(salons.olga.challenges.map(\.state) == [.waiting])
        salons.isCarryingLetters = true
        salons.advance(.seconds(1))
        #expect(salons.olga.challenges.map(\.state) == [.waiting, .declined])
    }

    /// By then a room has asked the other one whether it is there, and a challenge still rings.
    private static let greeted = Correspondence.greetingInterval + .seconds(1)

    @Test("L04-S a room that has begun anew says that nobody reads the letters of the earlier one")
    func begunAnew() async throws {
        let salons = try await Salons()
        func answers(_ step: UInt64, confirmed: UInt64) -> [RoomParcel.Content] {
            let letter = RoomLetter(session: "1/1/9", step: step, to: .number(2), content: .withdrawn(.cancelled))
            salons.right.core.hear(
                RoomParcel(from: salons.left.key, to: salons.right.key, .letter(letter, confirmed: confirmed)))
            salons.right.settle()
            return salons.bus.take().map(\.content)
        }
        #expect(answers(4, confirmed: 3) == [.noReader(session: "1/1/9")])
        #expect(answers(2, confirmed: 0).isEmpty, "the first one was lost and comes again")
    }

    @Test("L04-S a link ends with the other room, although the last that it said got lost")
    func lostEnd() async throws {
        let salons = try await Salons()
        salons.left.submit(.challenge(ChallengeHost(.number(2), nil)), by: salons.olga)
        salons.carry()
        let id = try #require(salons.leo.challenges.last?.challenge.id)
        salons.right.submit(.answerChallenge(AnswerChallenge(id: id, agreed: true, pause: nil)), by: salons.leo)
        salons.carry()
        #expect(salons.left.core.state.links.pk.links.map(\.id) == [id])
        salons.isCarrying = false
        salons.right.submit(.destroyRoom, by: salons.leo)
        salons.carry()
        salons.isCarrying = true
        salons.advance(.seconds(10))
        #expect(salons.left.core.state.links.pk.links.isEmpty)
        #expect(salons.olga.pk?.links == [], "the host is told")
    }

    @Test("L04-S after a crash the clock, the points and what was on its way go on; a room that is gone is noticed")
    func crash() async throws {
        let salons = try await Salons()
        try salons.begin()
        salons.right.submit(.sendLikes(SendLikes(3)), by: salons.leo)
        salons.advance(.seconds(1))
        try await salons.left.crash()
        salons.left.attach(salons.olga)
        salons.carry()
        let pk = try #require(salons.olga.snapshot?.pk)
        #expect(pk.match?.phase == .running && pk.match?.theirs == 3)
        #expect(salons.bridges(salons.left).count == 2, "the media plane is told again")
        // The room that was asked ends with nobody to say so.
        salons.left.core.hear(
            RoomParcel(from: salons.right.key, to: salons.left.key, .noReader(session: pk.links[0].id)))
        salons.left.settle()
        #expect(salons.olga.pk?.match?.result == PKResult(.lost, .gone))
        #expect(salons.olga.pk?.links.isEmpty == true)
    }

    @Test(
        "L05-S a PK waits 15 s for a host whose connection is lost; then the points stand, in both rooms",
        arguments: [true, false])
    func lostHost(asked: Bool) async throws {
        let salons = try await Salons()
        let viewers = [salons.left.enter(.member), salons.right.enter(.member)]
        try salons.begin()
        salons.left.submit(.sendLikes(SendLikes(2)), by: viewers[0])
        salons.advance(.seconds(1))
        let (salon, host) = asked ? (salons.left, salons.olga) : (salons.right, salons.leo)
        salon.lose(host)
        salons.advance(.seconds(14))
        salon.reconnect(host)
        salons.advance(.seconds(5))
        #expect(viewers.map { $0.pk?.match?.phase } == [.running, .running], "back in time")
        salon.lose(host)
        salons.advance(.seconds(14))
        #expect(viewers.map { $0.pk?.match?.phase } == [.running, .running])
        salons.advance(.seconds(2))
        #expect(viewers.map { $0.pk?.match?.result } == [PKResult(.won, .gone), PKResult(.lost, .gone)])
        #expect(viewers.allSatisfy { $0.pk?.links.isEmpty == true })
    }

    @Test(
        "L05-S whichever host leaves a PK, both rooms tell all points of both at once, and never fewer than their viewers saw",
        arguments: [true, false], [RoomCommand.quitPK(QuitPK(link: nil)), .leaveSeat, .exitRoom, .destroyRoom])
    func lastPoints(asked: Bool, way: RoomCommand) async throws {
        let salons = try await Salons()
        let viewers = [salons.left.enter(.member), salons.right.enter(.other)]
        try salons.begin()
        for _ in 0..<2 {
            salons.left.submit(.sendLikes(SendLikes(2)), by: viewers[0])
            salons.right.submit(.sendLikes(SendLikes(3)), by: viewers[1])
            // The second time the other room has not been told.
            salons.advance(.milliseconds(510))
        }
        salons.left.submit(.sendLikes(SendLikes(1)), by: viewers[0])
        salons.right.submit(.sendLikes(SendLikes(1)), by: viewers[1])
        salons.carry()
        if asked { salons.left.submit(way, by: salons.olga) } else { salons.right.submit(way, by: salons.leo) }
        salons.carry()
        let (left, right) = (viewers[0].pk?.match, viewers[1].pk?.match)
        if way != .destroyRoom || !asked {
            #expect(left?.ours == 5 && left?.theirs == 7)
            #expect(left?.result?.outcome == (asked ? .lost : .won))
        }
        if way != .destroyRoom || asked {
            #expect(right?.ours == 7 && right?.theirs == 5)
            #expect(right?.result?.outcome == (asked ? .won : .lost))
        }
    }

    @Test("L20-S a room's line in the directory says whether its host can be challenged, and why not")
    func readiness() async throws {
        let salons = try await Salons()
        func line(_ salon: Salon) -> PKReadiness? { salon.infos.current.last?.pk }
        #expect(line(salons.left) == .free)
        let guest = salons.left.enter(.member)
        salons.left.submit(.takeSeat(TakeSeat(1)), by: guest)
        #expect(line(salons.left) == .peopleOnStage)
        salons.left.submit(.leaveSeat, by: guest)
        salons.left.submit(.challenge(ChallengeHost(.number(2), nil)), by: salons.olga)
        salons.carry()
        #expect(line(salons.left) == .challenged && line(salons.right) == .challenged)
        salons.left.submit(.cancelChallenge, by: salons.olga)
        salons.carry()
        salons.advance(.seconds(1))
        try salons.begin()
        #expect(line(salons.left) == .inPK && line(salons.right) == .inPK)
        salons.left.submit(.quitPK(QuitPK(link: nil)), by: salons.olga)
        salons.carry()
        salons.left.submit(.leaveSeat, by: salons.olga)
        #expect(line(salons.left) == .away)
        let voice = try await Salon(room: .number(3))
        _ = voice.create()
        #expect(voice.infos.current.last?.pk == nil)
    }
}
