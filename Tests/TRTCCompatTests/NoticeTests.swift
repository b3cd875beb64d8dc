import Ovation
import RoomModel
import Testing

@testable import TRTCCompat

/// What a room tells, as the delegates of both components hear it.
@Suite struct NoticeTests {
    private let bob: RoomPerson
    private let invitation: Invitation

    init() throws {
        let (alice, bob) = (try #require(UserID("alice")), try #require(UserID("bob")))
        self.bob = RoomPerson(profile: UserProfile(id: bob, name: "Bob"), isMuted: true)
        invitation = Invitation(
            id: "i", room: .number(7), from: bob, to: alice, command: "SEAT", content: "1", state: .waiting,
            createdAt: 5)
    }

    private func voice(_ notice: RoomNotice) -> [String] {
        let ear = VoiceEar(Notes(), hearsVolumes: true)
        notice.tell(ear)
        return ear.notes.lines
    }

    private func chorus(_ notice: RoomNotice) -> [String] {
        let ear = ChorusEar(Notes(), hearsQuality: true)
        notice.tell(ear)
        return ear.notes.lines
    }

    @Test("V17-C V18-C each notice is one call of the delegate, in either component")
    func both() {
        let user = bob.profile.id
        for (notice, line) in [
            (.error(-1, "why"), "error -1 why"), (.warning(5100, "why"), "warning 5100 why"),
            (.destroyed(.number(7)), "destroyed 7"), (.seats([]), "seats "), (.seatTaken(1, bob), "sits 1 bob"),
            (.seatLeft(2, bob), "stands 2 bob"), (.seatMuted(3, true), "seat 3 mute true"),
            (.seatClosed(4, true), "seat 4 close true"), (.microphone(user, muted: true), "microphone bob true"),
            (.entered(bob), "enters bob Bob"), (.left(bob), "exits bob"),
            (.custom(command: "C", message: "m", from: bob), "command bob C: m"),
            (.invited(invitation), "invited i by bob: SEAT 1"), (.accepted(id: "i", by: user), "accepted i by bob"),
            (.rejected(id: "i", by: user), "rejected i by bob"),
            (.cancelled(id: "i", inviter: user), "cancelled i by bob"),
        ] as [(RoomNotice, String)] {
            #expect(voice(notice) == [line] && chorus(notice) == [line])
        }
        let info = ListedRoom(
            room: .number(7), kind: .voice, settings: RoomSettings(name: "Salon"), owner: bob.profile, seats: 3,
            seated: 1, memberCount: 2, createdAt: 5, speaking: false)
        #expect(voice(.info(info, memberCount: 2)) == ["info 7 Salon of Bob"])
        #expect(chorus(.info(info, memberCount: 2)) == ["info 7 Salon of Bob"])
        #expect(
            voice(.text("hi", from: bob)) == ["text bob/Bob: hi"] && chorus(.text("hi", from: bob)) == ["text bob: hi"])
        let volumes = RoomNotice.volumes([VolumeReading(user: "bob", volume: 5)], total: 5)
        #expect(voice(volumes) == ["volumes [bob=5] 5"])
        let (log, chorusLog) = (LogReader(), ChorusLogReader())
        RoomNotice.log("note").tell(log)
        RoomNotice.log("note").tell(chorusLog)
        #expect(log.notes.lines == ["note"] && chorusLog.notes.lines == ["note"])
    }

    @Test("V16-C D02-C what only a chorus tells, a voice room does not")
    func chorusAlone() {
        for (notice, line) in [
            (.quality(local: .good, remote: [bob.profile.id: .bad]), "quality 2 [bob=4]"),
            (.musicStarted(1), "music 1 begins"), (.musicProgress(1, milliseconds: 2, of: 3), "music 1 at 2 of 3"),
            (.musicCompleted(1), "music 1 ended"), (.songAnnounced("s", milliseconds: 9), "song s in 9"),
        ] as [(RoomNotice, String)] {
            #expect(chorus(notice) == [line] && voice(notice) == [])
        }
    }
}
