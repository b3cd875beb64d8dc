import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

@Suite struct SongTests {
    private let song = Song(id: "s", title: "Song", durationMs: 60_000, accompaniment: "/songs/s/accompaniment.m4a")

    private func changes(_ client: Client) -> [SongChange] {
        client.outbox.changes.compactMap { if case .songChanged(let change) = $0.what { change.reason } else { nil } }
    }

    /// The owner of a duet has started the song.
    private func singing() async throws -> (Salon, owner: Client) {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        salon.submit(.startSong(SongDraft(song: song)), by: owner)
        return (salon, owner)
    }

    @Test("D02-S everybody is told of the start with its time, who comes later finds it, and the end comes by itself")
    func startToEnd() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        let listener = salon.enter(.member)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        let answer = salon.submit(.startSong(SongDraft(song: song)), by: owner)
        let start = salon.clock.wallTime.millisecondsSince1970 + SongLead.start
        #expect(try answer.current?.get() == .scheduled(startAt: start))
        salon.advance(.seconds(10))
        #expect(changes(listener) == [.started])
        let late = salon.enter(.other)
        #expect(late.snapshot?.play?.startAt == start)
        #expect(late.snapshot?.play?.position(at: salon.clock.wallTime.millisecondsSince1970) == 7_000)
        salon.advance(.milliseconds(53_000 + Chorus.songTailMs - 1))
        #expect(changes(listener) == [.started])
        salon.advance(.milliseconds(50))
        #expect(changes(listener) == [.started, .ended])
        #expect(changes(owner) == [.started, .ended])
        #expect(salon.enter(.admin).snapshot?.play == nil)
    }

    @Test("D02-S a song ends by the time of day, also if that is set back while it plays")
    func clockSetBack() async throws {
        let (salon, owner) = try await singing()
        salon.advance(.seconds(20))
        salon.clock.setWall(salon.clock.wallTime + .seconds(-10))
        // Its timer rings ten seconds early by then.
        salon.advance(.seconds(45))
        #expect(changes(owner) == [.started])
        salon.advance(.seconds(10))
        #expect(changes(owner) == [.started, .ended])
    }

    @Test(
        "D02-S a song that is over while the room is being loaded ends once it is, and wakes nobody again and again before"
    )
    func overWhileLoading() async throws {
        let (salon, owner) = try await singing()
        salon.advance(.seconds(5))
        salon.journal.fail(times: 1)
        salon.submit(.sendMessage(MessageDraft(.text("lost"))), by: owner)
        salon.settle()
        var rings = 0
        while let next = salon.clock.nextAlarm, next - salon.clock.now < .seconds(120), rings < 100 {
            salon.advance(next - salon.clock.now)
            rings += 1
        }
        #expect(rings < 20)
        try await salon.load()
        salon.advance(.seconds(120))
        #expect(changes(owner).last == .ended)
    }

    @Test("D02-S a song goes on over a crash of the server: the same start, and its end where it belongs")
    func crash() async throws {
        let (salon, owner) = try await singing()
        salon.advance(.seconds(20))
        let play = owner.outbox.changes.compactMap { change -> SongPlay? in
            if case .songChanged(let told) = change.what { told.play } else { nil }
        }.last
        try await salon.crash()
        let back = salon.client(.owner)
        salon.attach(back, since: owner.point)
        let again = salon.enter(.member)
        #expect(again.snapshot?.play == play && play != nil)
        salon.advance(.seconds(43))
        #expect(changes(back).isEmpty)
        salon.advance(.seconds(1))
        #expect(changes(back) == [.ended])
    }

    @Test("D02-S a song whose end fell into the time when the server was away ends as soon as it is back")
    func endWhileAway() async throws {
        let (salon, _) = try await singing()
        salon.advance(.seconds(5))
        salon.journal.crash()
        salon.clock.advance(by: .seconds(90)) {}
        try await salon.crash()
        let back = salon.enter(.owner)
        salon.advance(.seconds(1))
        #expect(back.snapshot?.play == nil || changes(back) == [.ended])
        #expect(salon.enter(.member).snapshot?.play == nil)
    }

    @Test("D04-S the media plane is told what is sung, when it is stored and as it changes")
    func mediaPlaneHearsOfTheSong() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        #expect(salon.media.kind(of: salon.stage) == .chorus)
        salon.submit(.takeSeat(TakeSeat(0)), by: owner)
        var song = song
        song.original = "/songs/s/original.m4a"
        salon.journal.setMode(.manual)
        salon.submit(.startSong(SongDraft(song: song, positionMs: 5_000)), by: owner)
        #expect(salon.media.songs(on: salon.stage).isEmpty, "not before it is stored")
        salon.commit()
        salon.journal.setMode(.automatic)
        let start = salon.clock.now + .milliseconds(SongLead.start)
        let played = StageSong(file: song.accompaniment, startAt: start, position: .seconds(5))
        #expect(salon.media.songs(on: salon.stage) == [played])
        salon.advance(.seconds(13))
        salon.submit(.setSongTrack(SetSongTrack(.original)), by: owner)
        salon.submit(.pauseSong, by: owner)
        salon.submit(.stopSong, by: owner)
        let original = StageSong(file: "/songs/s/original.m4a", startAt: start, position: .seconds(5))
        let paused = StageSong(file: "/songs/s/original.m4a", startAt: nil, position: .seconds(15))
        #expect(salon.media.songs(on: salon.stage) == [played, original, paused, nil])
    }

    @Test("D04-S after a crash the media plane gets the song again, at the same place of the room's time")
    func mediaPlaneAfterCrash() async throws {
        let (salon, _) = try await singing()
        salon.advance(.seconds(20))
        let before = salon.media.songs(on: salon.stage).last
        try await salon.crash()
        #expect(salon.media.songs(on: salon.stage) == [before, before] && before != nil)
    }

    @Test("D04-S what a singer says of their equipment reaches the media plane, with every path that they open")
    func latency() async throws {
        let salon = try await Salon()
        let owner = salon.create(kind: .chorus, seats: 2)
        salon.core.setEquipment(SingerEquipment(latency: .milliseconds(130)), of: owner.session)
        let first = try salon.core.openMedia(for: owner.session).peer
        #expect(salon.media.latencies[first] == .milliseconds(130))
        #expect(salon.media.roundTrips[first] == nil)
        salon.core.setEquipment(
            SingerEquipment(latency: .milliseconds(40), roundTrip: .milliseconds(90)), of: owner.session)
        #expect(salon.media.latencies[first] == .milliseconds(40))
        #expect(salon.media.roundTrips[first] == .milliseconds(90))
        salon.core.setEquipment(SingerEquipment(latency: .milliseconds(40)), of: owner.session)
        #expect(salon.media.roundTrips[first] == .milliseconds(90), "what is not stated holds as before")
        salon.core.closeMedia(for: owner.session)
        let second = try salon.core.openMedia(for: owner.session).peer
        #expect(second != first && salon.media.latencies[second] == .milliseconds(40))
        #expect(salon.media.roundTrips[second] == .milliseconds(90))
    }
}
