import RoomEvents
import RoomModel
import RoomRules
import Testing

@Suite struct SongRulesTests {
    private func chorus() throws -> Stage {
        var stage = Stage(kind: .chorus, seats: 2)
        stage.enter(.member, .other)
        try stage.run(.takeSeat(TakeSeat(0)), by: .owner)
        try stage.run(.takeSeat(TakeSeat(1)), by: .member)
        return stage
    }

    @Test("D02-S a song is placed on the room's time, ahead of now, and everybody computes the same position from it")
    func start() throws {
        var stage = try chorus()
        let decision = try stage.run(.startSong(SongDraft(song: .ballad)), by: .member)
        let start = stage.now + SongLead.start
        #expect(decision.result == .scheduled(startAt: start))
        let play = try #require(stage.state.chorus.play)
        #expect(play.by == .member && play.startAt == start && play.song == .ballad && play.track == .accompaniment)
        #expect(play.position(at: start - 500) == 0, "before the start it waits at its beginning")
        #expect(play.position(at: start + 1_234) == 1_234)
        #expect(play.position(at: start + 70_000) == 60_000, "after the end it stands there")
    }

    @Test("D02-S pausing keeps the place, resuming goes on from it a second later, seeking moves it, playing or not")
    func pauseResumeSeek() throws {
        var stage = try chorus()
        try stage.run(.startSong(SongDraft(song: .ballad, positionMs: 2_000, leadMs: 500)), by: .owner)
        stage.now += 500 + 10_000
        try stage.run(.pauseSong, by: .member)
        #expect(stage.state.chorus.play?.isPaused == true && stage.state.chorus.play?.positionMs == 12_000)
        #expect(try stage.run(.pauseSong, by: .member).events.isEmpty, "it is paused already")
        stage.now += 60_000
        #expect(stage.serve(.songOver).events.isEmpty, "a paused song does not end")
        try stage.run(.seekSong(SeekSong(positionMs: 30_000, leadMs: 1_000)), by: .owner)
        #expect(stage.state.chorus.play?.isPaused == true && stage.state.chorus.play?.positionMs == 30_000)
        let resumed = try stage.run(.resumeSong(ResumeSong(leadMs: 1_000)), by: .owner)
        #expect(resumed.result == .scheduled(startAt: stage.now + 1_000))
        let again = try stage.run(.resumeSong(ResumeSong(leadMs: 2_000)), by: .member)
        #expect(again.events.isEmpty && again.result == resumed.result, "it plays already")
        stage.now += 5_000
        #expect(stage.state.chorus.play?.position(at: stage.now) == 34_000)
        let sought = try stage.run(.seekSong(SeekSong(positionMs: 1_000, leadMs: 400)), by: .member)
        #expect(sought.result == .scheduled(startAt: stage.now + 400))
        #expect(stage.state.chorus.play?.position(at: stage.now + 1_400) == 2_000)
    }

    @Test("D02-S a song ends by itself after its last word, once, and not where it was moved or replaced meanwhile")
    func end() throws {
        var stage = try chorus()
        try stage.run(.startSong(SongDraft(song: .ballad, leadMs: 1_000)), by: .owner)
        let end = stage.now + 1_000 + 60_000 + Chorus.songTailMs
        stage.now = end - 1
        #expect(stage.serve(.songOver).events.isEmpty)
        try stage.run(.seekSong(SeekSong(positionMs: 0, leadMs: 1_000)), by: .owner)
        stage.now = end + 100
        #expect(stage.serve(.songOver).events.isEmpty, "it was moved back to its beginning")
        stage.now += 61_500
        #expect(stage.serve(.songOver).events == [.songChanged(SongChanged(nil, .ended))])
        #expect(stage.state.chorus.play == nil)
        #expect(stage.serve(.songOver).events.isEmpty)
        #expect(stage.refusal(.pauseSong, by: .owner) == .noSong)
    }

    @Test("D08-S whoever leaves a seat, or the room, does not take the song along; the end of the room does")
    func leaving() throws {
        var stage = try chorus()
        try stage.run(.startSong(SongDraft(song: .ballad)), by: .member)
        let play = stage.state.chorus.play
        try stage.run(.leaveSeat, by: .member)
        #expect(stage.state.chorus.play == play)
        #expect(stage.refusal(.stopSong, by: .member) == .notSeated, "listeners do not choose")
        stage.serve(.departed(.member, .lost))
        #expect(stage.state.chorus.play == play)
        try stage.run(.stopSong, by: .owner)
        #expect(stage.state.chorus.play == nil)
        try stage.run(.startSong(SongDraft(song: .ballad)), by: .owner)
        try stage.run(.destroyRoom, by: .owner)
        #expect(stage.state.chorus.play == nil)
    }

    @Test("D05-S accompaniment and original are switched while it plays; a song without an original has none")
    func tracks() throws {
        var stage = try chorus()
        try stage.run(.startSong(SongDraft(song: .ballad)), by: .owner)
        let before = stage.state.chorus.play
        try stage.run(.setSongTrack(SetSongTrack(.original)), by: .member)
        #expect(stage.state.chorus.play?.track == .original && stage.state.chorus.play?.startAt == before?.startAt)
        #expect(try stage.run(.setSongTrack(SetSongTrack(.original)), by: .member).events.isEmpty)
        var bare = Song.ballad
        bare.original = nil
        #expect(stage.refusal(.startSong(SongDraft(song: bare, track: .original)), by: .owner) == .invalidParams)
        try stage.run(.startSong(SongDraft(song: bare)), by: .owner)
        #expect(stage.refusal(.setSongTrack(SetSongTrack(.original)), by: .owner) == .invalidParams)
    }

    @Test("D02-S what is no song is refused and changes nothing: names, lengths, addresses, places, leads")
    func refusals() throws {
        var stage = try chorus()
        func song(_ change: (inout Song) -> Void) -> RoomCommand {
            var song = Song.ballad
            change(&song)
            return .startSong(SongDraft(song: song))
        }
        let bad: [RoomCommand] = [
            song { $0.id = "" }, song { $0.id = "a b" }, song { $0.id = String(repeating: "x", count: 65) },
            song { $0.title = "  " }, song { $0.title = String(repeating: "x", count: 101) },
            song { $0.artist = String(repeating: "x", count: 401) },
            song { $0.durationMs = 0 }, song { $0.durationMs = 3_600_001 }, song { $0.durationMs = .min },
            song { $0.accompaniment = "" }, song { $0.accompaniment = "javascript:alert(1)" },
            song { $0.original = "file:///etc/passwd" }, song { $0.lyrics = "ftp://x/y" },
            .startSong(SongDraft(song: .ballad, positionMs: 60_000)),
            .startSong(SongDraft(song: .ballad, positionMs: -1)),
            .startSong(SongDraft(song: .ballad, leadMs: 0)), .startSong(SongDraft(song: .ballad, leadMs: .max)),
        ]
        for command in bad {
            let before = stage.state
            #expect(stage.refusal(command, by: .owner) == .invalidParams, "\(command)")
            #expect(stage.state == before)
        }
        var salon = Stage()
        for command in [RoomCommand.startSong(SongDraft(song: .ballad)), .pauseSong, .stopSong] {
            #expect(salon.refusal(command, by: .owner) == .notAChorus, "\(command)")
        }
    }
}
