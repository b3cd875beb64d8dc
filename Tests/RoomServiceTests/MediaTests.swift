import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Testing
import Timing

@Suite struct MediaTests {
    @Test("V04-S sound is taken from a seat once taking it is stored, and no longer when the seat is left")
    func seating() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let place = try salon.core.openMedia(for: owner.session)
        salon.journal.setMode(.manual)
        salon.submit(.takeSeat(TakeSeat(2)), by: owner)
        #expect(salon.media.slots(of: salon.stage)?[2] == nil, "not before it is stored")
        salon.commit()
        #expect(salon.media.slots(of: salon.stage)?[2] == RecordingMedia.Slot(peer: place.peer, muted: false))
        salon.submit(.leaveSeat, by: owner)
        salon.commit()
        #expect(salon.media.slots(of: salon.stage)?[2] == RecordingMedia.Slot(peer: nil, muted: false))
    }

    @Test(
        "V04-S A12-S after a restart the stage is open before anything is asked, and who had a seat then is cut on leaving it"
    )
    func restarted() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(2)), by: speaker)
        let former = salon.media.orders.count
        try await salon.crash()
        #expect(salon.media.orders[former...].contains(.open(salon.stage, slots: 8)))
        salon.attach(speaker)
        salon.attach(owner)
        let place = try salon.core.openMedia(for: speaker.session)
        #expect(salon.media.slots(of: salon.stage)?[2]?.peer == place.peer)
        salon.submit(.leaveSeat, by: speaker)
        #expect(salon.media.slots(of: salon.stage)?[2] == RecordingMedia.Slot(peer: nil, muted: false))
    }

    @Test("V06-S a mute is acknowledged when the cut is in force, and what was decided after it waits its turn")
    func muteIsConfirmed() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        _ = try salon.core.openMedia(for: speaker.session)
        salon.submit(.takeSeat(TakeSeat(2)), by: speaker)
        salon.media.holdConfirmations()
        let mute = salon.submit(.muteSeat(MuteSeat(2, muted: true)), by: owner)
        let message = salon.submit(.sendMessage(MessageDraft(.text("next"))), by: speaker)
        #expect(salon.media.slots(of: salon.stage)?[2]?.muted == true)
        #expect(mute.current == nil && message.current == nil)
        salon.media.confirm()
        salon.settle()
        #expect(mute.current == .success(.done))
        #expect(message.current != nil)
    }

    @Test("V06-S kicking, closing, leaving, moving and ending wait for the cut too", arguments: 0..<5)
    func cutsAreConfirmed(_ which: Int) async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let speaker = salon.enter(.member)
        _ = try salon.core.openMedia(for: speaker.session)
        salon.submit(.takeSeat(TakeSeat(2)), by: speaker)
        salon.media.holdConfirmations()
        let answer =
            switch which {
            case 0: salon.submit(.kickSeat(KickSeat(2)), by: owner)
            case 1: salon.submit(.closeSeat(CloseSeat(2, closed: true)), by: owner)
            case 2: salon.submit(.leaveSeat, by: speaker)
            case 3: salon.submit(.setMicrophone(SetMicrophone(muted: true)), by: speaker)
            default: salon.submit(.destroyRoom, by: owner)
            }
        #expect(answer.current == nil)
        salon.media.confirm()
        salon.settle()
        #expect(answer.current == .success(.done))
    }

    @Test("a media plane that confirms nothing holds a room up once, for a second, and the operator hears of it")
    func deadPlane() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        _ = try salon.core.openMedia(for: owner.session)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.media.holdConfirmations()
        let mute = salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        salon.advance(.milliseconds(999))
        #expect(mute.current == nil)
        salon.advance(.milliseconds(1))
        #expect(mute.current == .success(.done))
        #expect(salon.logged.current == [.cutUnconfirmed(salon.key)])
        let unmute = salon.submit(.muteSeat(MuteSeat(0, muted: false)), by: owner)
        #expect(unmute.current == .success(.done), "opening waits for nobody")
        let next = salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        #expect(next.current == .success(.done), "a plane that is silent is not waited for again")
        #expect(salon.submit(.muteSeat(MuteSeat(0, muted: false)), by: owner).current == .success(.done))
        salon.media.confirm()
        salon.settle()
        let again = salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        #expect(again.current == nil, "a confirmation that came too late confirms nothing else, but the plane is there")
    }

    @Test("V06-S the user's own mute cuts too, and opening the seat leaves it cut") func ownMute() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        _ = try salon.core.openMedia(for: owner.session)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.setMicrophone(SetMicrophone(muted: true)), by: owner)
        salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        salon.submit(.muteSeat(MuteSeat(0, muted: false)), by: owner)
        #expect(salon.media.slots(of: salon.stage)?[0]?.muted == true)
        salon.submit(.setMicrophone(SetMicrophone(muted: false)), by: owner)
        #expect(salon.media.slots(of: salon.stage)?[0]?.muted == false)
    }

    @Test("a media path that opens after sitting down, or anew, is given the seat, with the mute that holds")
    func latePath() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.muteSeat(MuteSeat(0, muted: true)), by: owner)
        let first = try salon.core.openMedia(for: owner.session)
        #expect(salon.media.slots(of: salon.stage)?[0] == RecordingMedia.Slot(peer: first.peer, muted: true))
        #expect(try salon.core.openMedia(for: owner.session) == first, "another offer is of the same peer")
        salon.core.hear(.closed(salon.stage, first.peer))
        #expect(salon.media.slots(of: salon.stage)?[0]?.peer == nil)
        let second = try salon.core.openMedia(for: owner.session)
        #expect(second.peer != first.peer)
        #expect(salon.media.slots(of: salon.stage)?[0]?.peer == second.peer)
        salon.core.closeMedia(for: owner.session)
        #expect(salon.media.orders.contains(.closePeer(second.peer, salon.stage)))
    }

    @Test("A12-S who leaves while the disk fails is silent and deaf all the same")
    func leavingWithoutDisk() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        let path = try salon.core.openMedia(for: owner.session)
        salon.journal.fail(.full)
        #expect(salon.submit(.exitRoom, by: owner).current == .success(.done))
        #expect(salon.media.orders.contains(.closePeer(path.peer, salon.stage)))
        #expect(owner.departures.current == [.exited])
    }

    @Test("A04-S who leaves with one of two clients speaks by the other")
    func otherPath() async throws {
        let salon = try await Salon()
        let phone = salon.create()
        let laptop = salon.enter(.owner)
        let here = try salon.core.openMedia(for: phone.session)
        let there = try salon.core.openMedia(for: laptop.session)
        salon.submit(.takeSeat(TakeSeat(0)), by: phone)
        #expect(salon.media.slots(of: salon.stage)?[0]?.peer == here.peer)
        salon.submit(.exitRoom, by: phone)
        #expect(salon.media.orders.contains(.closePeer(here.peer, salon.stage)))
        #expect(salon.media.slots(of: salon.stage)?[0]?.peer == there.peer)
    }

    @Test("V11-S everybody hears that a user muted the microphone") func microphoneNews() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(3)), by: owner)
        salon.submit(.setMicrophone(SetMicrophone(muted: true)), by: owner)
        salon.advance(.seconds(1))
        for client in [owner, listener] {
            #expect(
                client.outbox.changes.last?.what
                    == .microphoneMuted(MicrophoneMuted(user: .owner, muted: true, seat: 3)))
        }
        #expect(salon.refusal(.setMicrophone(SetMicrophone(muted: true)), by: listener) == .notSeated)
    }

    @Test("A06-S the list shows that somebody speaks, whatever else changes meanwhile") func speaking() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let peer = try salon.core.openMedia(for: owner.session).peer
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        #expect(salon.infos.current.last?.speaking == false)
        salon.core.hear(.levels(salon.stage, [peer: 70]))
        salon.advance(.seconds(1))
        salon.submit(.updateRoom(RoomUpdate(name: "Louder")), by: owner)
        #expect(salon.infos.current.last?.name == "Louder")
        #expect(salon.infos.current.last?.speaking == true)
        salon.core.hear(.levels(salon.stage, [:]))
        salon.advance(.seconds(1))
        #expect(salon.infos.current.last?.speaking == false)
    }

    @Test("V14-S levels are told by name, five a second at most, and once at silence") func levels() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let listener = salon.enter(.member)
        let peer = try salon.core.openMedia(for: owner.session).peer
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.advance(.seconds(1))
        listener.outbox.drain()
        for step in 0..<10 {
            salon.core.hear(.levels(salon.stage, [peer: UInt8(50 + step), PeerID(rawValue: 999): 90]))
            salon.advance(.milliseconds(100))
        }
        salon.core.hear(.levels(salon.stage, [:]))
        salon.advance(.seconds(3))
        let told = listener.outbox.passing.compactMap {
            if case .levels(let speaking) = $0 { speaking.levels } else { nil }
        }
        #expect(told.count <= 7)
        #expect(told.first == [.owner: 50])
        #expect(told.contains([.owner: 59]))
        #expect(told.last == [:])
        #expect(told.filter(\.isEmpty).count == 1)
        // A word so short that silence comes while it waits to be told.
        listener.outbox.drain()
        for levels in [[peer: 80], [peer: 60], [:]] as [[PeerID: UInt8]] {
            salon.core.hear(.levels(salon.stage, levels))
        }
        salon.advance(.seconds(1))
        let word = listener.outbox.passing.compactMap {
            if case .levels(let speaking) = $0 { speaking.levels } else { nil }
        }
        #expect(word == [[.owner: 80], [.owner: 60], [:]])
        #expect(salon.infos.current.contains { $0.speaking })
        #expect(salon.infos.current.last?.speaking == false)
    }

    @Test("V19-S a speaker whose sound is lost is shown as reconnecting, and as online when it is back; the seat stays")
    func mediaLost() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let peer = try salon.core.openMedia(for: owner.session).peer
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        let listener = salon.enter(.member)
        salon.core.hear(.connected(salon.stage, peer))
        salon.core.hear(.lost(salon.stage, peer))
        salon.advance(.seconds(60))
        salon.core.hear(.recovered(salon.stage, peer))
        salon.advance(.seconds(1))
        let told = listener.outbox.passing.filter { if case .presence = $0 { true } else { false } }
        #expect(
            told == [.presence(PresenceChanged(.owner, .reconnecting)), .presence(PresenceChanged(.owner, .online))])
        #expect(listener.outbox.changes.isEmpty)
    }

    @Test("who is not in the room has no media path in it") func outsiders() async throws {
        let salon = try await Salon()
        _ = salon.create()
        let stranger = salon.client(.other)
        #expect(throws: RoomError(.notInRoom)) { try salon.core.openMedia(for: stranger.session) }
    }
}

@Suite struct PictureMediaTests {
    private func live() async throws -> (salon: Salon, owner: Client, guest: Client, peer: PeerID) {
        let salon = try await Salon()
        let owner = salon.create(kind: .live)
        let guest = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(2)), by: guest)
        return (salon, owner, guest, try salon.core.openMedia(for: guest.session).peer)
    }

    @Test(
        "L07-S a picture is taken from a seat while its user shows it and the host lets them, confirmed when it is cut")
    func cameras() async throws {
        let (salon, owner, guest, peer) = try await live()
        #expect(salon.media.slots(of: salon.stage)?[2] == RecordingMedia.Slot(peer: peer, muted: false, dark: true))
        salon.submit(.setCamera(SetCamera(on: true)), by: guest)
        #expect(salon.media.slots(of: salon.stage)?[2] == RecordingMedia.Slot(peer: peer, muted: false, dark: false))
        salon.media.holdConfirmations()
        let block = salon.submit(.allowCamera(AllowCamera(2, allowed: false)), by: owner)
        #expect(salon.media.slots(of: salon.stage)?[2]?.dark == true)
        #expect(block.current == nil, "said only when it is in force")
        salon.media.confirm()
        salon.settle()
        #expect(block.current == .success(.done))
        try await salon.crash()
        salon.attach(guest)
        _ = try salon.core.openMedia(for: guest.session)
        #expect(salon.media.slots(of: salon.stage)?[2]?.dark == true, "nor after a restart")
    }

    @Test(
        "L16-S a screen comes from the session that shares it, is gone when that is, and is cut before its end is said")
    func screens() async throws {
        let (salon, owner, guest, peer) = try await live()
        let second = salon.enter(.member)
        let other = try salon.core.openMedia(for: second.session).peer
        salon.submit(.startScreen, by: second)
        #expect(salon.media.orders.last == .assignScreen(other, salon.stage), "not from the session that took the seat")
        salon.submit(.exitRoom, by: second)
        #expect(salon.media.orders.contains(.assignScreen(nil, salon.stage)))
        #expect(salon.enter(.other).snapshot?.screen == nil)
        salon.submit(.startScreen, by: guest)
        #expect(salon.media.orders.last == .assignScreen(peer, salon.stage))
        salon.media.holdConfirmations()
        let stop = salon.submit(.kickSeat(KickSeat(2)), by: owner)
        #expect(stop.current == nil)
        #expect(salon.media.orders.last == .assignScreen(nil, salon.stage))
        salon.media.confirm()
        salon.settle()
        #expect(stop.current == .success(.done))
    }

    @Test("L16-S whose session says it last shares the screen, and it is not lost with the session before")
    func screenMoves() async throws {
        let (salon, _, guest, _) = try await live()
        let second = salon.enter(.member)
        let other = try salon.core.openMedia(for: second.session).peer
        salon.submit(.startScreen, by: guest)
        salon.submit(.startScreen, by: second)
        #expect(
            salon.media.orders.last { if case .assignScreen = $0 { true } else { false } }
                == .assignScreen(other, salon.stage))
        salon.submit(.exitRoom, by: guest)
        #expect(salon.enter(.other).snapshot?.screen == .member)
    }

    @Test("L07-S what a second session of a person filmed is not said to be seen once that session is gone")
    func filmingSession() async throws {
        let (salon, _, guest, _) = try await live()
        let film = salon.enter(.member)
        _ = try salon.core.openMedia(for: film.session)
        salon.submit(.takeSeat(TakeSeat(2)), by: film)
        salon.submit(.setCamera(SetCamera(on: true)), by: film)
        salon.submit(.exitRoom, by: film)
        let seen = try #require(salon.enter(.other).snapshot)
        #expect(seen.seats[2].user == guest.user && seen.seats[2].camera == .off)
    }
}
