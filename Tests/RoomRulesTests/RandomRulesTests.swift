import Commerce
import Foundation
import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing

/// A hundred thousand things that people could do, in an order that nobody would think of.
@Suite struct RandomRulesTests {
    private static let cast = (0..<12).map { UserID(literal: "user-\($0)") }
    private static let steps = 100_000
    private static let stepsPerRoom = 2_000

    private struct Walk {
        var stage: Stage
        var generator: SeededGenerator
        var invitationIDs: [String] = []
        var refused = 0
        var gifts: Int64 = 0

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        mutating func someone() -> UserID { RandomRulesTests.cast[number(0..<RandomRulesTests.cast.count)] }
        mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

        mutating func command() -> RoomCommand {
            let seat = number(-1..<7)
            let known = invitationIDs.isEmpty || chance(5) ? "unknown" : invitationIDs[number(0..<invitationIDs.count)]
            switch number(0..<31) {
            case 0, 1, 2: return .takeSeat(TakeSeat(seat))
            case 3: return .leaveSeat
            case 4, 5: return .moveSeat(MoveSeat(seat))
            case 6: return .pickSeat(PickSeat(seat, someone()))
            case 7: return .kickSeat(KickSeat(seat))
            case 8: return .muteSeat(MuteSeat(seat, muted: chance(50)))
            case 9: return .closeSeat(CloseSeat(seat, closed: chance(40)))
            case 10: return .setMicrophone(SetMicrophone(muted: chance(50)))
            case 11, 12:
                let id = chance(70) ? "i\(number(0..<10_000))" : nil
                if let id { invitationIDs.append(id) }
                return .sendInvitation(
                    InvitationDraft(
                        to: someone(), command: "C\(number(0..<3))", timeoutSeconds: chance(30) ? 30 : 0, id: id))
            case 13: return .acceptInvitation(AcceptInvitation(id: known))
            case 14:
                return chance(50)
                    ? .rejectInvitation(RejectInvitation(id: known, reason: "no"))
                    : .cancelInvitation(CancelInvitation(id: known))
            case 15: return .sendMessage(MessageDraft(chance(90) ? .text("t\(number(0..<99))") : .text("")))
            case 16: return .sendLikes(SendLikes(number(-1..<103)))
            case 17:
                return .updateRoom(
                    RoomUpdate(name: chance(90) ? "Room \(number(0..<9))" : "", needsRequest: chance(50)))
            case 18: return .setRole(SetRole(someone(), chance(60) ? .admin : .member))
            case 19: return .startSong(SongDraft(song: .ballad, leadMs: Int64(number(200..<11_000))))
            case 20:
                return [
                    .pauseSong, .resumeSong(ResumeSong(leadMs: Int64(number(200..<2_000)))), .stopSong,
                    .setSongTrack(SetSongTrack(.original)),
                    .seekSong(SeekSong(positionMs: Int64(number(-1..<61_000)), leadMs: 1_000)),
                ][number(0..<5)]
            case 21:
                return .setDuetMode(
                    SetDuetMode(chance(70) ? .leadFollow : .together, leader: chance(60) ? someone() : nil))
            case 22:
                return chance(60)
                    ? .setCamera(SetCamera(on: chance(60))) : .allowCamera(AllowCamera(seat, allowed: chance(50)))
            case 23: return chance(70) ? .startScreen : .stopScreen
            case 24:
                return .arrangeStage(
                    ArrangeStage(
                        StageLayout(form: chance(50) ? .grid : .spotlight, large: chance(70) ? someone() : nil)))
            case 25:
                let kind: RestrictionKind = chance(50) ? .chatMute : .ban
                return .setRestriction(
                    RestrictionDraft(
                        kind, of: someone(), seconds: chance(70) ? number(0..<60) : nil,
                        everywhere: kind == .ban && chance(20), reason: chance(50) ? "why" : nil))
            case 26: return .liftRestriction(LiftRestriction(chance(50) ? .chatMute : .ban, of: someone()))
            case 27:
                if chance(70) { return .deleteMessage(DeleteMessage(UInt64(number(0..<40)))) }
                return chance(20)
                    ? .setOwner(SetOwner(someone()))
                    : .updateRoom(RoomUpdate(hostsOnly: chance(20), noLinks: chance(50)))
            case 28:
                let names = (0..<number(0..<4)).map { _ in "n\(number(0..<24))" }
                return .setAttributes(
                    AttributesDraft(
                        set: Dictionary(names.map { ($0, String(repeating: "w", count: number(0..<4_100))) }) { $1 },
                        add: chance(30) ? ["c\(number(0..<3))": Int64(number(0..<9)) - 4] : [:],
                        remove: chance(30) ? ["n\(number(0..<24))"] : [], replace: chance(10)))
            case 29:
                return .sendGift(
                    GiftDraft(
                        gift: chance(90) ? "rose" : "none", count: number(0..<99), to: chance(70) ? someone() : nil))
            default: return .exitRoom
            }
        }

        /// What the ledger and the room do with an order: it is paid, and told alone or with another one.
        mutating func pay(_ draft: GiftDraft, by user: UserID) {
            guard let order = try? draft.order(by: .named(user), in: stage.state, stage.context) else {
                Issue.record("\(user) may give and cannot order")
                return
            }
            let sent = (0...number(0..<2)).map { _ in
                gifts += 1
                return SentGift(
                    number: gifts, gift: order.gift, count: order.count, combo: order.count, from: .named(user),
                    to: order.to, time: stage.now)
            }
            stage.accept(Decision([.gifted(.init(sent))]), by: nil)
        }
    }

    private func check(_ state: DurableRoomState, _ note: @autoclosure () -> String) {
        let seated = state.seats.compactMap { $0.occupant?.profile.id }
        #expect(Set(seated).count == seated.count, "somebody has two seats: \(note())")
        #expect(!state.hosts.admins.contains(state.owner.id), "the owner is an admin too: \(note())")
        #expect(Set(state.hosts.admins).count == state.hosts.admins.count, "\(note())")
        #expect(Set(state.invitations.waiting.map(\.id)).count == state.invitations.waiting.count, "\(note())")
        #expect(state.invitations.waiting.allSatisfy { $0.state == .waiting && $0.from != $0.to }, "\(note())")
        #expect(!state.invitations.consents.contains { state.role(of: $0.user) == .owner }, "\(note())")
        #expect(state.seats.count == 6, "\(note())")
        #expect(
            state.chorus.play == nil || (state.beginning.kind == .chorus && state.progress.phase == .open), "\(note())")
        if let large = state.stage.layout.large {
            #expect(state.beginning.kind == .live && seated.contains(large), "who is large has no seat: \(note())")
        }
        if let screen = state.stage.screen {
            #expect(
                state.beginning.kind == .live && seated.contains(screen), "whose screen is seen has no seat: \(note())")
        }
        #expect(
            Set(state.restrictions.all.map { [$0.kind.rawValue, $0.user.rawValue] }).count
                == state.restrictions.all.count,
            "\(note())")
        let filmed = state.seats.contains { ($0.occupant?.camera ?? .off) != .off }
        #expect(!filmed || state.beginning.kind == .live, "somebody is seen in a room without pictures: \(note())")
        let supporters = state.figures.gifts.supporters.values
        #expect(supporters.reduce(0) { $0 + $1.coins } == state.figures.gifts.coins, "coins are missing: \(note())")
        #expect(
            state.figures.gifts.leaders == Array(state.figures.gifts.ranked.prefix(GiftBook.leadersKept)),
            "the first are not: \(note())")
        if let leader = state.chorus.leader {
            #expect(state.beginning.kind == .chorus && seated.contains(leader), "who leads has no seat: \(note())")
        }
    }

    @Test("100,000 random commands: one seat a person, refusals change nothing, the journal gives the same room")
    func randomCommands() throws {
        let seed = ProcessInfo.processInfo.environment["OVATION_TEST_SEED"].flatMap(UInt64.init) ?? 20_261_121
        var accepted = 0
        var refused = 0
        for round in 0..<(Self.steps / Self.stepsPerRoom) {
            var walk = Walk(
                stage: Stage(kind: [.voice, .chorus, .live][round % 3], seats: 6, owner: Self.cast[0]),
                generator: SeededGenerator(seed: seed &+ UInt64(round)))
            let note = "seed \(seed), round \(round)"
            for step in 0..<Self.stepsPerRoom {
                walk.stage.now += Int64(walk.number(0..<800))
                let user = walk.someone()
                if walk.chance(30) { walk.stage.enter(user, presence: walk.chance(90) ? .online : .reconnecting) }
                let before = walk.stage.state
                if walk.chance(4) {
                    if walk.chance(50) {
                        walk.stage.serve(.departed(user, walk.chance(50) ? .lost : .exited))
                        walk.stage.people[user] = nil
                    } else if let waiting = before.invitations.waiting.first(where: { $0.expiresAt != nil }) {
                        walk.stage.serve(.invitationTimedOut(id: waiting.id))
                    } else if let consent = before.invitations.consents.first {
                        walk.stage.serve(.consentTimedOut(consent.user))
                    } else if walk.chance(50) {
                        walk.stage.serve(.picturesGone(user, camera: walk.chance(50), screen: walk.chance(50)))
                    } else if before.heir(among: walk.stage.people) != nil {
                        walk.stage.serve(.ownerAbsenceOver)
                    }
                } else {
                    let command = walk.command()
                    if walk.stage.refusal(command, by: user) == nil {
                        accepted += 1
                        if command == .exitRoom { walk.stage.people[user] = nil }
                        if case .setRestriction(let draft) = command {
                            #expect(
                                before.role(of: draft.user) < before.role(of: user), "\(command) by \(user): \(note)")
                            if draft.kind == .ban {
                                #expect(walk.stage.state.seat(of: draft.user) == nil, "a banned one sits: \(note)")
                                #expect(walk.stage.state.role(of: draft.user) == .member, "\(note)")
                                walk.stage.people[draft.user] = nil
                            }
                        }
                        if case .sendGift(let draft) = command { walk.pay(draft, by: user) }
                        if case .sendMessage = command, user != before.owner.id {
                            let mute = before.restrictions.restriction(.chatMute, of: user, at: walk.stage.now)
                            #expect(mute == nil, "a muted one writes: \(note)")
                        }
                    } else {
                        refused += 1
                        #expect(walk.stage.state == before, "a refused \(command) has changed the room: \(note)")
                    }
                }
                let numbered = walk.stage.state.progress.seq - before.progress.seq
                if numbered > 0 || step % 64 == 0 { check(walk.stage.state, "\(note), step \(step)") }
            }
            var replayed = DurableRoomState(room: walk.stage.state.room)
            let encoder = JSONEncoder()
            let decoder = JSONDecoder()
            for (index, command) in walk.stage.record.enumerated() {
                // Through the journal's own words for a part, the values themselves for the rest: JSON is what is slow
                // here.
                let read =
                    index % 16 == 0
                    ? try decoder.decode(AcceptedCommand.self, from: try encoder.encode(command)) : command
                #expect(read == command, "\(note)")
                try replayed.apply(read)
            }
            #expect(replayed == walk.stage.state, "the replayed room is another: \(note)")
            let stored = try decoder.decode(DurableRoomState.self, from: try encoder.encode(replayed))
            #expect(stored == replayed, "the stored room is another: \(note)")
        }
        // A walk that is always refused, or never, proves nothing.
        #expect(accepted > Self.steps / 6, "seed \(seed)")
        #expect(refused > Self.steps / 10, "seed \(seed)")
    }
}
