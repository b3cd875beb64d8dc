import RoomModel
import Testing
import Timing

@testable import Ovation

/// A singer's copy in virtual time: the follower, a server's clock that is read over a network, and an engine that does exactly what
/// it is told.
private struct Stage {
    /// The server's clock minus ours.
    var serverAhead = Interval.seconds(1_700_000_000)
    var now = Instant(nanoseconds: 5_000_000_000)
    var clock = RoomClockEstimator()
    var follower = SongFollower()
    var told: [SongFollower.Action] = []
    var anchor: (position: Interval, heard: Instant)?
    var isHeld = false
    var stoodAt = Interval.zero
    var files: [String] = []
    var opens = true
    /// The files that the copy was to go on in.
    var changes: [String] = []
    var changesOpen = true

    static let song = Song(
        id: "song", title: "Song", durationMs: 60_000, accompaniment: "/songs/a.mp3", original: "/songs/o.mp3")

    init(reads: Bool = true) { if reads { read() } }

    /// Room time in milliseconds.
    var time: Int64 { (now.nanoseconds + serverAhead.nanoseconds) / 1_000_000 }

    /// Reads the clock over a way of `there` and `back`.
    mutating func read(there: Interval = .milliseconds(1), back: Interval = .milliseconds(1)) {
        clock.add(
            sent: Instant(nanoseconds: now.nanoseconds - there.nanoseconds - back.nanoseconds), received: now,
            server: now.nanoseconds + serverAhead.nanoseconds - back.nanoseconds)
    }

    func play(_ startAt: Int64?, _ positionMs: Int64 = 0, _ track: SongTrack = .accompaniment) -> SongPlay {
        SongPlay(song: Self.song, by: "alice", track: track, startAt: startAt, positionMs: positionMs)
    }

    /// The device stands still for a moment.
    mutating func fallBehind() {
        if let (position, heard) = anchor { anchor = (position - .milliseconds(60), heard) }
    }

    var heard: Interval? {
        guard let anchor else { return nil }
        return isHeld ? stoodAt : max(anchor.position, anchor.position + (now - anchor.heard))
    }

    /// What the copy is ahead of the room.
    func offset(of play: SongPlay) -> Interval? {
        guard let startAt = play.startAt, let heard else { return nil }
        let exact = play.positionMs * 1_000_000 + now.nanoseconds + serverAhead.nanoseconds - startAt * 1_000_000
        return heard - Interval(nanoseconds: exact)
    }

    /// Takes a step; returns what it led to but progress.
    @discardableResult
    mutating func step() -> [SongFollower.Action] {
        let actions = follower.step(at: now, clock: clock, heard: heard)
        obey(actions)
        return actions.filter { if case .progress = $0 { false } else { true } }
    }

    mutating func obey(_ actions: [SongFollower.Action]) {
        told += actions
        for action in actions {
            switch action {
            case .play(let file, let position, let heard):
                files.append(file)
                anchor = (position, heard)
                isHeld = false
                if opens { follower.opened(duration: .seconds(60)) }
            case .align(let position, let heard): anchor = (position, heard)
            case .resume(let position, let heard):
                anchor = (position, heard)
                isHeld = false
            case .pause:
                stoodAt = heard ?? .zero
                isHeld = true
            case .stop: anchor = nil
            case .change(let file):
                changes.append(file)
                if changesOpen { follower.changed(to: file, duration: .seconds(60)) }
            case .prepared, .progress, .completed, .unavailable: break
            }
        }
    }

    /// Time goes on in the steps of the singer.
    @discardableResult
    mutating func pass(_ interval: Interval) -> [SongFollower.Action] {
        var all: [SongFollower.Action] = []
        let end = now + interval
        while now < end {
            now = min(end, now + .milliseconds(200))
            all += step()
        }
        return all
    }

    var lastProgress: SongProgress? {
        told.reversed().lazy.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }.first
    }
}

private func isNear(_ interval: Interval?, _ limit: Interval) -> Bool {
    interval.map { abs($0.nanoseconds) <= limit.nanoseconds } ?? false
}

@Suite struct SongFollowerTests {
    @Test("D02-K a song that is started ahead begins on the room's time, is told of once, and ends once")
    func startedAhead() throws {
        var stage = Stage()
        let play = stage.play(stage.time + 3_000)
        stage.follower.take(play, sings: true)
        #expect(stage.step() == [.play("/songs/a.mp3", from: .zero, heard: stage.now + .seconds(3))])
        #expect(stage.step() == [.prepared(Stage.song)], "the file is open")
        #expect(stage.pass(.seconds(2)) == [])
        #expect(stage.lastProgress?.position == .zero && stage.lastProgress?.offset == nil)
        #expect(stage.pass(.seconds(31)) == [], "nothing is corrected that is right")
        let progress = try #require(stage.lastProgress)
        #expect(progress.position == .seconds(30) && progress.duration == .seconds(60))
        #expect((Duration.milliseconds(-1)...Duration.milliseconds(1)).contains(progress.offset ?? .seconds(9)))
        #expect(progress.clockError ?? .zero >= .milliseconds(1))
        #expect(stage.pass(.seconds(31)) == [.completed(Stage.song, nil)])
        stage.follower.take(nil, sings: true)
        #expect(stage.pass(.seconds(2)) == [.stop] && !stage.follower.isActive)
    }

    @Test(
        "D02-K who joins late, by seconds or minutes, begins in the middle at the right place",
        arguments: [450, 5_000, 48_300])
    func joinedLate(late: Int64) {
        var stage = Stage()
        let play = stage.play(stage.time - late)
        stage.follower.take(play, sings: true)
        stage.step()
        #expect(stage.anchor?.heard ?? stage.now > stage.now, "time to open the file")
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: play), .milliseconds(1)))
        #expect(stage.files.count == 1)
        var tooLate = Stage()
        tooLate.follower.take(tooLate.play(tooLate.time - 59_800), sings: true)
        tooLate.pass(.seconds(1))
        #expect(tooLate.files.isEmpty, "nothing is begun that is over before it is heard")
    }

    @Test("D02-K before the clock was read nothing begins; with the first reading it does")
    func clockFirst() {
        var stage = Stage(reads: false)
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        #expect(stage.pass(.milliseconds(600)) == [])
        stage.read()
        stage.pass(.seconds(1))
        #expect(stage.files.count == 1 && isNear(stage.offset(of: play), .milliseconds(1)))
    }

    @Test("D02-K pause holds the copy, resume goes on at the room's place, however late the pause was heard")
    func pauseAndResume() {
        var stage = Stage()
        stage.follower.take(stage.play(stage.time + 1_000), sings: true)
        stage.pass(.seconds(11))
        // The server held it at 9.9 s; the news needed 100 ms.
        stage.follower.take(stage.play(nil, 9_900), sings: true)
        #expect(stage.step() == [.pause])
        #expect(stage.pass(.seconds(20)) == [] && stage.heard == .seconds(10))
        let resumed = stage.play(stage.time + 1_000, 9_900)
        stage.follower.take(resumed, sings: true)
        #expect(stage.step() == [.resume(position: .milliseconds(9_900), heard: stage.now + .seconds(1))])
        stage.pass(.seconds(5))
        #expect(isNear(stage.offset(of: resumed), .milliseconds(1)) && stage.files.count == 1)
        // Sought while it was held: elsewhere it is begun anew.
        stage.follower.take(stage.play(nil, 13_900), sings: true)
        stage.step()
        stage.follower.take(stage.play(nil, 40_000), sings: true)
        stage.pass(.seconds(1))
        let elsewhere = stage.play(stage.time + 1_000, 40_000)
        stage.follower.take(elsewhere, sings: true)
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: elsewhere), .milliseconds(1)) && stage.files.count == 2)
    }

    @Test(
        "D02-K D05-K seeking begins the copy at the right place, another track goes on where it is; the song is told of once"
    )
    func seekAndTrack() {
        var stage = Stage()
        let startAt = stage.time + 1_000
        stage.follower.take(stage.play(startAt), sings: true)
        stage.pass(.seconds(5))
        let sought = stage.play(stage.time + 1_000, 30_000)
        stage.follower.take(sought, sings: true)
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: sought), .milliseconds(1)))
        let original = stage.play(sought.startAt, 30_000, .original)
        stage.follower.take(original, sings: true)
        stage.pass(.seconds(3))
        #expect(stage.files == ["/songs/a.mp3", "/songs/a.mp3"], "another track leaves the copy where it is")
        #expect(stage.changes == ["/songs/o.mp3"])
        #expect(isNear(stage.offset(of: original), .milliseconds(1)) && stage.lastProgress?.track == .original)
        #expect(stage.told.count { $0 == .prepared(Stage.song) } == 1)
        stage.follower.take(nil, sings: true)
        #expect(stage.step() == [.stop, .completed(Stage.song, nil)])
    }

    @Test("D02-K a clock that drifts against the room's is corrected; what is below the limit is left alone")
    func drift() {
        var stage = Stage()
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(2))
        var corrections = 0
        for _ in 0..<50 {
            stage.serverAhead = stage.serverAhead + .microseconds(100)  // 100 ppm
            stage.read(there: .microseconds(200), back: .microseconds(200))
            corrections += stage.pass(.seconds(1)).count { if case .align = $0 { true } else { false } }
            #expect(isNear(stage.offset(of: play), SongFollower.tolerance + .milliseconds(1)))
        }
        #expect((1...6).contains(corrections), "5 ms of drift, in steps of the limit")
    }

    @Test("D02-K a better reading of the clock moves the copy by no more than the stated error, and into it")
    func clockCorrected() throws {
        var stage = Stage(reads: false)
        // 80 ms there, 10 ms back: 35 ms off, within the stated 45.
        stage.read(there: .milliseconds(80), back: .milliseconds(10))
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(3))
        let error = try #require(stage.lastProgress?.clockError)
        let off = try #require(stage.offset(of: play))
        #expect(isNear(off, .milliseconds(46)) && !isNear(off, .milliseconds(30)) && error <= .milliseconds(46))
        stage.read(there: .milliseconds(2), back: .milliseconds(2))
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: play), .milliseconds(2)) && stage.files.count == 1)
    }

    @Test("D02-K until the song sounds the copy is led as closely as the clock is known")
    func ledToTheStart() {
        var stage = Stage(reads: false)
        // 1.5 ms off: less than what is left alone later.
        stage.read(there: .milliseconds(5), back: .milliseconds(2))
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.pass(.milliseconds(600))
        stage.read(there: .microseconds(100), back: .microseconds(100))
        stage.pass(.milliseconds(200))
        #expect(stage.now < stage.anchor?.heard ?? stage.now, "before it begins")
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: play), .microseconds(200)) && stage.files.count == 1)
    }

    @Test("D02-K the server starts again and its clock has leapt: the copy follows it")
    func restarted() {
        var stage = Stage()
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(10))
        stage.serverAhead = stage.serverAhead + .milliseconds(250)
        stage.read()
        stage.pass(.seconds(2))
        #expect(isNear(stage.offset(of: play), .milliseconds(2)) && stage.files.count == 1)
    }

    @Test("D02-K a device that stood still is set right, although the clocks agree")
    func astray() {
        var stage = Stage()
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(5))
        stage.fallBehind()
        stage.pass(.seconds(2))
        #expect(isNear(stage.offset(of: play), .milliseconds(1)))
    }

    @Test("D02-K a file that breaks off with the server is said to be missing, and opened again at the right place")
    func broken() {
        var stage = Stage()
        let play = stage.play(stage.time + 1_000)
        let failure = OvationError(.mediaFailed, "connection reset")
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(10))
        for error in [failure, nil, failure, failure, failure, failure] {
            stage.anchor = nil
            stage.obey(stage.follower.ended(error, at: stage.now, by: stage.clock))
            stage.pass(.seconds(5))
            #expect(isNear(stage.offset(of: play), .milliseconds(1)))
        }
        #expect(stage.files.count == 7 && stage.told.count { $0 == .unavailable(Stage.song, failure) } == 5)
        #expect(!stage.told.contains { if case .completed = $0 { true } else { false } })
    }

    @Test(
        "D02-K a song that cannot be opened is said once, tried again with growing waits, and sung without till its end"
    )
    func missing() {
        let failure = OvationError(.mediaFailed, "no such file")
        var stage = Stage()
        stage.opens = false
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.step()
        var tries: [Instant] = []
        for _ in 0..<200 where stage.files.count < 6 {
            if stage.files.count > tries.count {
                tries.append(stage.now)
                stage.anchor = nil
                stage.obey(stage.follower.ended(failure, at: stage.now, by: stage.clock))
            }
            stage.pass(.milliseconds(200))
        }
        let waits = zip(tries.dropFirst(), tries).map { $0 - $1 }
        #expect(waits.count == 4 && zip(waits.dropFirst(), waits).allSatisfy { $0 > $1 }, "\(waits)")
        #expect(waits.allSatisfy { $0 <= SongFollower.lastWait + .milliseconds(400) })
        #expect(stage.told.count { $0 == .unavailable(Stage.song, failure) } == 1)
        #expect(!stage.told.contains(.prepared(Stage.song)))
        #expect(
            stage.lastProgress.map { $0.position > .seconds(10) && $0.offset == nil } ?? false,
            "it is sung all the same")
        // Once it is there, it is told of and in its place.
        stage.opens = true
        var found = stage
        found.anchor = nil
        found.obey(found.follower.ended(failure, at: found.now, by: found.clock))
        found.pass(.seconds(10))
        #expect(found.told.contains(.prepared(Stage.song)) && isNear(found.offset(of: play), .milliseconds(1)))
        found.pass(.seconds(60))
        #expect(found.told.contains(.completed(Stage.song, nil)))
        // And if it never is, the end says why.
        stage.opens = false
        for _ in 0..<40 {
            stage.anchor = nil
            stage.obey(stage.follower.ended(failure, at: stage.now, by: stage.clock))
            stage.pass(.seconds(2))
        }
        #expect(stage.told.contains(.completed(Stage.song, failure)))
        #expect(stage.told.count { $0 == .unavailable(Stage.song, failure) } == 1)
    }

    @Test(
        "D05-K a track that cannot be opened leaves the copy in the one before, is said once and tried again; back is back"
    )
    func otherTrackMissing() {
        let failure = OvationError(.mediaFailed, "no such file")
        var stage = Stage()
        stage.changesOpen = false
        let startAt = stage.time + 1_000
        stage.follower.take(stage.play(startAt), sings: true)
        stage.pass(.seconds(5))
        let original = stage.play(startAt, 0, .original)
        stage.follower.take(original, sings: true)
        for _ in 0..<4 {
            stage.pass(.seconds(5))
            stage.obey(stage.follower.changeFailed(to: "/songs/o.mp3", failure, at: stage.now))
        }
        #expect(stage.changes.count == 4 && stage.files == ["/songs/a.mp3"])
        #expect(stage.told.count { $0 == .unavailable(Stage.song, failure) } == 1)
        #expect(isNear(stage.offset(of: original), .milliseconds(1)))
        stage.follower.take(stage.play(startAt), sings: true)
        stage.pass(.seconds(5))
        #expect(stage.changes.count == 4, "it has never been elsewhere")
        // Held, the other track is opened for when it goes on.
        stage.changesOpen = true
        let held = stage.time - startAt
        stage.follower.take(stage.play(nil, held), sings: true)
        stage.pass(.seconds(1))
        stage.follower.take(stage.play(nil, held, .original), sings: true)
        stage.pass(.seconds(1))
        #expect(stage.changes.count == 5)
        let resumed = stage.play(stage.time + 1_000, held, .original)
        stage.follower.take(resumed, sings: true)
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: resumed), .milliseconds(1)) && stage.files.count == 1)
    }

    @Test("D08-K who leaves the seat in mid-song hears the mix from then on: no copy, the position that is heard there")
    func leftSeat() throws {
        var stage = Stage()
        let play = stage.play(stage.time + 1_000)
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(6))
        stage.follower.take(play, sings: false)
        #expect(stage.step() == [.stop])
        #expect(stage.pass(.seconds(5)) == [])
        let progress = try #require(stage.lastProgress)
        #expect(progress.offset == nil && progress.position == .milliseconds(9_700))
        stage.follower.take(play, sings: true)
        stage.pass(.seconds(3))
        #expect(isNear(stage.offset(of: play), .milliseconds(1)) && stage.files.count == 2)
    }

    @Test(
        "numbers that no clock shows lead to silence, not to a fall", arguments: [Int64.min, -1, 0, .max / 1_000, .max])
    func strangeNumbers(number: Int64) {
        var stage = Stage()
        for play in [
            stage.play(number), stage.play(stage.time, number), stage.play(nil, number),
            SongPlay(
                song: Song(id: "s", title: "s", durationMs: number, accompaniment: ""), by: "alice", startAt: stage.time
            ),
        ] {
            stage.follower.take(play, sings: true)
            stage.pass(.seconds(1))
            stage.follower.take(play, sings: false)
            stage.pass(.seconds(1))
        }
        #expect(stage.files.count <= 2)
    }
}
