import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// G06: who is put out of a room, and who may be there.
@Suite struct BanTests {
    @Test("G06-S L15-S a ban of 0 s puts somebody out at once, who may come back; others are not kept in the dark")
    func removed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        #expect(salon.refusal(ban(.member, 0), by: owner) == nil)
        guard case .removed(let removal)? = member.departures.current.last else {
            Issue.record("\(member.departures.current)")
            return
        }
        #expect(removal.by == .owner && !removal.holds(at: removal.until ?? 0))
        salon.advance(.seconds(1))
        #expect(salon.members(.everyone(limit: 10, cursor: nil), for: owner)?.members.map(\.id) == [.owner])
        #expect(salon.refusal(ban(.member, 0), by: owner) == .userNotInRoom)
        #expect(salon.core.state.restrictions.all.isEmpty)
        #expect(salon.audit.lines.count == 1)
        // Also from a seat; and their role stays.
        salon.attach(member)
        #expect(salon.refusal(.setRole(SetRole(.member, .admin)), by: owner) == nil)
        #expect(salon.refusal(.takeSeat(TakeSeat(3)), by: member) == nil)
        #expect(salon.refusal(ban(.member, 0), by: owner) == nil)
        salon.advance(.seconds(1))
        #expect(salon.core.state.seat(of: .member) == nil && salon.core.state.role(of: .member) == .admin)
        let back = salon.enter(.member)
        #expect(back.snapshot?.me.role == .admin)
        #expect(salon.refusal(ban(.member, 0, everywhere: true), by: owner) == .invalidParams)
        #expect(salon.refusal(mute(.member, 0), by: owner) == .invalidParams)
        #expect(salon.refusal(ban(.owner, 0), by: back) == .permissionDenied)
    }

    @Test(
        "G06-S who is banned is out at once, seat, sound and all, is told by whom, and stays out until the time is over"
    )
    func banned() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let second = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(1)), by: member)
        let place = try salon.core.openMedia(for: member.session)
        salon.advance(.seconds(1))
        #expect(salon.refusal(ban(.member, 600), by: owner) == nil)
        #expect(salon.media.orders.contains(.closePeer(place.peer, place.stage)), "the path is closed in the same turn")
        for client in [member, second] {
            guard case .removed(let restriction)? = client.departures.current.last else {
                Issue.record("\(client.departures.current)")
                continue
            }
            #expect(restriction.by == .owner && !restriction.everywhere && restriction.name == "MIA")
        }
        #expect(salon.core.state.seat(of: .member) == nil)
        let before = member.outbox.heard.count
        #expect(salon.refusal(say("hello"), by: owner) == nil)
        salon.advance(.seconds(1))
        #expect(member.outbox.heard.count == before, "nothing is heard any more")
        #expect(salon.refusal(say("hello"), by: member) == .notInRoom)
        salon.attach(member)
        let refused = try #require(refusal(member))
        #expect(refused.code == .banned && refused.reason == "OLGA")
        #expect(refused.retryAfterMs.map { $0 > 590_000 && $0 <= 600_000 } == true)
        try await salon.crash()
        salon.attach(owner)
        salon.attach(member)
        #expect(refusal(member)?.code == .banned)
        salon.advance(.seconds(600))
        #expect(salon.enter(.member).snapshot != nil)
    }

    @Test("G06-S a ban for good ends when it is lifted; one everywhere holds in the host's other rooms")
    func everywhere() async throws {
        let bans = MemoryRestrictions()
        let first = try await Salon(journal: MemoryJournal(restrictions: bans))
        let second = try await Salon(journal: MemoryJournal(restrictions: bans), room: .number(7))
        let owner = first.create()
        let host = second.create()
        _ = second.enter(.member)
        #expect(first.refusal(ban(.member, everywhere: true), by: owner) == nil)
        #expect(first.expelled.current.map(\.user) == [.member])
        for ban in first.expelled.current { second.core.expel(ban) }
        second.settle()
        let member = second.enter(.member)
        #expect(refusal(member)?.code == .bannedForGood)
        #expect(second.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: host) == nil)
        #expect(second.enter(.member).snapshot != nil)
        // In the room itself it was said too.
        #expect(refusal(first.enter(.member))?.code == .bannedForGood)
        #expect(first.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: owner) == nil)
        #expect(first.enter(.member).snapshot != nil)
        #expect(first.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: owner) == .notRestricted)
    }

    @Test("G06-S who is banned in another room of the host is put out of this one, but never the host")
    func expelled() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let ban = Restriction(.ban, user: .member, name: "MIA", until: nil, everywhere: true, by: .owner)
        salon.core.expel(ban)
        salon.settle()
        #expect(member.departures.current == [.removed(ban)])
        salon.core.expel(Restriction(.ban, user: .owner, name: "", until: nil, everywhere: true, by: .other))
        salon.settle()
        #expect(owner.departures.current.isEmpty)
    }

    enum Shown: CaseIterable { case sharingAScreen, leadingADuet, large }

    @Test(
        "G06-S who shares a screen, leads a duet or is shown large is banned like everybody else, and that ends with it",
        arguments: Shown.allCases, [false, true])
    func shown(_ how: Shown, everywhere: Bool) async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: how == .leadingADuet ? .chorus : .live, seats: how == .leadingADuet ? 2 : 4)
        let member = salon.enter(.member)
        #expect(salon.refusal(.takeSeat(TakeSeat(1)), by: member) == nil)
        let shows: RoomCommand =
            switch how {
            case .sharingAScreen: .startScreen
            case .leadingADuet: .setDuetMode(SetDuetMode(.leadFollow, leader: .member))
            case .large: .arrangeStage(ArrangeStage(StageLayout(large: .member)))
            }
        #expect(salon.refusal(shows, by: how == .large ? owner : member) == nil)
        #expect(salon.submit(ban(.member, 600, everywhere: everywhere), by: owner).current == .success(.done))
        guard case .removed? = member.departures.current.last else {
            Issue.record("\(member.departures.current)")
            return
        }
        let state = salon.core.state
        #expect(state.seat(of: .member) == nil && state.stage.screen == nil && state.stage.layout.large == nil)
        #expect(state.chorus.leader == nil)
        salon.attach(member)
        #expect(refusal(member)?.code == .banned)
        #expect(salon.audit.lines.count == 1)
    }

    @Test("G06-S an admin who is banned is no admin any more, and nobody bans the owner")
    func admins() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let admin = salon.enter(.admin)
        _ = salon.enter(.other)
        salon.submit(.setRole(SetRole(.admin, .admin)), by: owner)
        #expect(salon.refusal(ban(.owner), by: admin) == .permissionDenied)
        #expect(salon.refusal(ban(.other), by: admin) == nil)
        #expect(salon.refusal(ban(.admin, 60), by: owner) == nil)
        #expect(salon.core.state.hosts.admins.isEmpty)
        salon.advance(.seconds(60))
        #expect(salon.enter(.admin).snapshot?.me.role == .member)
    }

    @Test("G06-S if the ban cannot be stored the moderator is told, and the banned one may come back")
    func failed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        salon.journal.fail(times: 1)
        let refused = try #require(error(ban(.member), by: owner, in: salon))
        #expect(refused.code == .unavailable)
        salon.journal.heal()
        try await salon.load()
        salon.attach(member)
        #expect(member.snapshot != nil && salon.core.state.restrictions.all.isEmpty)
    }

    @Test(
        "G06-S what the moderator is told is not done holds nowhere: a ban everywhere, or its end, that was not stored")
    func failedEverywhere() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        _ = salon.enter(.member)
        func held() -> Restriction? {
            salon.restrictions.restriction(.ban, of: .member, from: .host(.owner), in: salon.key.application)
        }
        salon.journal.fail(times: 1)
        #expect(salon.refusal(ban(.member, everywhere: true), by: owner) == .unavailable)
        #expect(held() == nil)
        salon.journal.heal()
        try await salon.load()
        #expect(salon.refusal(ban(.member, everywhere: true), by: owner) == nil)
        let first = try #require(held())
        salon.journal.fail(times: 1)
        #expect(salon.refusal(.liftRestriction(LiftRestriction(.ban, of: .member)), by: owner) == .unavailable)
        #expect(held() == first)
        salon.journal.heal()
        try await salon.load()
        salon.journal.fail(times: 1)
        #expect(salon.refusal(ban(.member, 60, everywhere: true), by: owner) == .unavailable)
        #expect(held() == first, "the earlier one holds on")
    }

    @Test(
        "G06-S a ban everywhere that was stored and reported as failed holds everywhere once its room is loaded; its end too"
    )
    func inDoubt() async throws {
        let bans = MemoryRestrictions()
        let first = try await Salon(journal: MemoryJournal(restrictions: bans))
        let second = try await Salon(journal: MemoryJournal(restrictions: bans), room: .number(7))
        let owner = first.create()
        _ = second.create()
        _ = second.enter(.member)
        first.journal.fail(storing: true, times: 1)
        #expect(first.refusal(ban(.member, everywhere: true), by: owner, key: "k") == .unavailable)
        #expect(first.expelled.current.isEmpty)
        try await first.load()
        #expect(first.submit(ban(.member, everywhere: true), by: owner, key: "k").current == .success(.done))
        #expect(first.expelled.current.map(\.user) == [.member])
        #expect(refusal(second.enter(.member))?.code == .bannedForGood)

        first.journal.fail(storing: true, times: 1)
        let lift = RoomCommand.liftRestriction(LiftRestriction(.ban, of: .member))
        #expect(first.refusal(lift, by: owner, key: "l") == .unavailable)
        #expect(refusal(second.enter(.member))?.code == .bannedForGood)
        try await first.load()
        #expect(first.submit(lift, by: owner, key: "l").current == .success(.done))
        #expect(second.enter(.member).snapshot != nil)
        #expect(first.expelled.current.count == 1)
    }

    @Test(
        "G06-S whom the host bans everywhere while a room is being loaded is put out of it once it is, but never the host"
    )
    func bannedMeanwhile() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let (member, other) = (salon.enter(.member), salon.enter(.other))
        salon.submit(.takeSeat(TakeSeat(3)), by: member)
        salon.journal.fail(times: 1)
        #expect(salon.refusal(.leaveSeat, by: member) == .unavailable)
        let bans = [UserID.member, .owner].map {
            Restriction(.ban, user: $0, name: "", until: nil, everywhere: true, by: .owner)
        }
        for ban in bans {
            salon.restrictions.set(ban, from: .host(.owner), in: salon.key.application)
            salon.core.expel(ban)
        }
        salon.settle()
        #expect(member.departures.current.isEmpty)
        try await salon.load()
        #expect(member.departures.current == [.removed(bans[0])])
        #expect(salon.core.state.seats[3].occupant == nil)
        #expect(owner.departures.current.isEmpty && other.departures.current.isEmpty)
    }

    @Test("G06-S a room keeps so many restrictions, and those whose time is over count no more")
    func many() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        for number in 0..<RoomLimits.restrictions {
            #expect(salon.refusal(mute(UserID(literal: "u\(number)"), 3_600), by: owner) == nil)
            // No faster than somebody works.
            salon.advance(.milliseconds(500))
        }
        #expect(salon.refusal(mute(.member, 60), by: owner) == .restrictionsFull)
        #expect(salon.refusal(mute(UserID(literal: "u7"), 7_200), by: owner) == nil, "an earlier one is replaced")
        let listed = Shared<[Restriction]>([])
        salon.core.restrictions(for: owner.session) { listed.set((try? $0.get())?.restrictions ?? []) }
        salon.settle()
        #expect(listed.current.count == RoomLimits.restrictions && listed.current.first?.user.rawValue == "u7")
        salon.advance(.seconds(3_600))
        #expect(salon.refusal(mute(.member, 60), by: owner) == nil)
        #expect(salon.core.state.restrictions.all.count == 2)
        let member = salon.enter(.member)
        let refused = Shared<RoomError?>(nil)
        salon.core.restrictions(for: member.session) { if case .failure(let error) = $0 { refused.set(error) } }
        salon.settle()
        #expect(refused.current?.code == .permissionDenied)
    }
}
