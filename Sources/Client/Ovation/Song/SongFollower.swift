internal import RoomModel
internal import Timing

/// Keeps a singer's copy of the room's song at its place on the room's time. Pure: it is told what the room sings, what the copy
/// does and what the clock shows, and says what to do.
///
/// The server's word is a line: at room time `startAt` the position `positionMs` is heard. A copy is begun so that it meets that line;
/// the engine then holds it on the local clock, and once a second the local clock is compared with the room's.
struct SongFollower: Sendable {
    /// How late a start may still be left to the engine, which leaps within what it has decoded ahead; later, the copy begins
    /// further on.
    static let lateStart = Interval.milliseconds(400)
    /// What opening a file and decoding its middle may take for who joins a song under way.
    static let joiningLead = Interval.milliseconds(700)
    /// Between looks at the clocks.
    static let checkInterval = Interval.seconds(1)
    /// Two clocks that agree this well are left alone: far below what two singers hear (some 5 ms).
    static let tolerance = Interval.milliseconds(2)
    /// The same before the copy sounds, when nobody hears that it is moved: what the start is off adds to the clock's own error.
    static let silentTolerance = Interval.microseconds(100)
    /// A copy that is that far from where the engine was told to hold it has been told wrongly, or its device stood still.
    static let astray = Interval.milliseconds(20)
    /// A held copy that stands further than this from where the song goes on is sought instead.
    static let resumable = Interval.milliseconds(1_000)
    /// Between tries for a file that cannot be opened, or was broken off: doubled from the first to the last. The song goes on
    /// without it.
    static let firstWait = Interval.milliseconds(500)
    static let lastWait = Interval.seconds(8)
    /// How far behind the singers the server's mix is (Documentation/protocol.md §8).
    static let mixDelay = Interval.milliseconds(300)

    enum Action: Sendable, Equatable {
        /// Begin the copy anew: that position is to be heard then.
        case play(String, from: Interval, heard: Instant)
        /// That position is to be heard then; the copy goes on.
        case align(position: Interval, heard: Instant)
        /// The same for a copy that is held.
        case resume(position: Interval, heard: Instant)
        /// The copy goes on in that file, without a gap.
        case change(String)
        case pause
        case stop
        /// The copy cannot be played, for that reason; it is tried again.
        case unavailable(Song, OvationError)
        case prepared(Song)
        case progress(SongProgress)
        case completed(Song, OvationError?)
    }

    /// What the engine was told.
    private struct Copy: Sendable {
        var song: Song
        var file: String
        /// The line that it was placed by.
        var startAt: Int64
        var positionMs: Int64
        var isHeld = false
        /// The position that is to be heard then, from which on time goes on.
        var anchor: (position: Interval, heard: Instant)
        var checkedAt: Instant
        /// Silent until the next try.
        var retryAt: Instant?
        /// The file that the engine is opening to go on in.
        var changing: String?
        /// Not before: the other file could not be opened.
        var changeAgainAt: Instant?

        /// Where the engine holds it.
        func position(at now: Instant) -> Interval { anchor.position + (now - anchor.heard) }
    }

    private var play: SongPlay?
    private var sings = false
    private var copy: Copy?
    /// The song that was told of, and not yet to be over.
    private var told: Song?
    /// And that it is about to be heard.
    private var isPrepared = false
    /// Why its file has never been open.
    private var unopened: OvationError?
    /// The song whose end was told, so that it is not told of again.
    private var over: SongPlay?
    private var failures = 0
    private var changeFailures = 0
    private var hasOpened = false
    /// Of the file, as the engine read it.
    private var fileDuration: Interval?

    /// There is something to do or to tell as time goes on.
    var isActive: Bool { play != nil || copy != nil || told != nil }

    // MARK: - What happens

    /// What the room sings, and whether a copy of it is to be played here.
    mutating func take(_ play: SongPlay?, sings: Bool) {
        if let play, play.song.durationMs <= 0 || play.song.durationMs > Self.longest {
            self.play = nil
        } else {
            self.play = play
        }
        self.sings = sings
    }

    /// The copy's file is open.
    mutating func opened(duration: Interval?) {
        hasOpened = true
        failures = 0
        unopened = nil
        fileDuration = duration
    }

    /// The copy goes on in the other file.
    mutating func changed(to file: String, duration: Interval?) {
        guard copy?.changing == file else { return }
        copy?.file = file
        copy?.changing = nil
        copy?.changeAgainAt = nil
        changeFailures = 0
        fileDuration = duration
    }

    /// The other file could not be opened; the copy goes on in the one that it has.
    mutating func changeFailed(to file: String, _ error: OvationError, at now: Instant) -> [Action] {
        guard copy?.changing == file, let song = copy?.song else { return [] }
        changeFailures += 1
        copy?.changing = nil
        copy?.changeAgainAt = now + Self.wait(after: changeFailures)
        return changeFailures == 1 ? [.unavailable(song, error)] : []
    }

    private static func wait(after failures: Int) -> Interval {
        var wait = firstWait
        for _ in 1..<max(1, min(failures, 8)) where wait < lastWait { wait = wait * 2 }
        return min(wait, lastWait)
    }

    /// The copy has ended by itself. With `error` it could not be read.
    mutating func ended(_ error: OvationError?, at now: Instant, by clock: RoomClockEstimator) -> [Action] {
        guard var copy else { return [] }
        if error == nil {
            // A connection that broke looks like the end of the file.
            let end = fileDuration ?? Interval.milliseconds(copy.song.durationMs)
            let line = play.flatMap { Line($0, clock, now) }
            if line.map({ $0.position >= end - .seconds(1) }) ?? true { return [] }
        }
        failures += 1
        copy.retryAt = now + Self.wait(after: failures)
        copy.changing = nil
        self.copy = copy
        let reason = error ?? OvationError(.mediaFailed, "the song's file has ended before the song")
        if !hasOpened { unopened = reason }
        guard failures == 1, over == nil else { return [] }
        // It is sung without.
        if told == nil { told = copy.song }
        return [.unavailable(copy.song, reason)]
    }

    // MARK: - What to do

    /// - Parameter heard: what of the copy is heard now, as the engine says.
    mutating func step(at now: Instant, clock: RoomClockEstimator, heard: Interval?) -> [Action] {
        var actions: [Action] = []
        if let told, play?.song != told { actions.append(end(told)) }
        if let copy, !sings || play?.song != copy.song {
            self.copy = nil
            forgetFile()
            if copy.retryAt == nil { actions.insert(.stop, at: 0) }
        }
        guard let play else {
            over = nil
            return actions
        }
        if over != play { over = nil }
        if sings {
            actions += place(play, now, clock)
            actions += check(play, now, clock, heard: heard)
        }
        if over == nil, !isPrepared, !sings || hasOpened {
            told = play.song
            isPrepared = true
            actions.append(.prepared(play.song))
        }
        guard told != nil else { return actions }
        if !play.isPaused, let progress = progress(at: now, clock: clock, heard: heard) {
            actions.append(.progress(progress))
        }
        if let line = Line(play, clock, now), line.position >= line.duration {
            over = play
            actions.append(end(play.song))
        }
        return actions
    }

    private mutating func end(_ song: Song) -> Action {
        told = nil
        isPrepared = false
        return .completed(song, hasOpened ? nil : unopened)
    }

    private mutating func forgetFile() {
        hasOpened = false
        failures = 0
        changeFailures = 0
        unopened = nil
        fileDuration = nil
    }

    private mutating func place(_ play: SongPlay, _ now: Instant, _ clock: RoomClockEstimator) -> [Action] {
        let file = play.track == .original ? play.song.original ?? play.song.accompaniment : play.song.accompaniment
        if play.isPaused { return hold(file, now) }
        // Without a reading of the clock nobody knows when that is; the first one comes within a second.
        guard let line = Line(play, clock, now), line.position < line.duration else { return [] }
        if var copy, copy.file == file || hasOpened && copy.song == play.song {
            let isSameLine = copy.startAt &- copy.positionMs == line.startAt &- play.positionMs
            guard isSameLine || copy.isHeld else { return begin(play, file, line, now) }
            if let retryAt = copy.retryAt { return retryAt <= now ? begin(play, file, line, now) : [] }
            if copy.isHeld {
                let standing = copy.position(at: copy.checkedAt)
                guard abs(standing - line.start) <= Self.resumable else { return begin(play, file, line, now) }
                let (position, heard) = line.next(now)
                copy.isHeld = false
                copy.startAt = line.startAt
                copy.positionMs = play.positionMs
                copy.anchor = (position, heard)
                copy.checkedAt = now
                self.copy = copy
                return [.resume(position: position, heard: heard)] + change(to: file, now)
            }
            return change(to: file, now)
        }
        return begin(play, file, line, now)
    }

    private mutating func hold(_ file: String, _ now: Instant) -> [Action] {
        guard var copy else { return [] }
        guard copy.file == file || hasOpened, copy.retryAt == nil else {
            if copy.isHeld { return [] }
            self.copy = nil
            return copy.retryAt == nil ? [.stop] : []
        }
        guard !copy.isHeld else { return change(to: file, now) }
        copy.isHeld = true
        copy.checkedAt = now
        self.copy = copy
        return [.pause] + change(to: file, now)
    }

    /// Lets an open copy go on in that file if it is another one.
    private mutating func change(to file: String, _ now: Instant) -> [Action] {
        guard let copy, hasOpened, copy.retryAt == nil else { return [] }
        guard copy.changing ?? copy.file != file else {
            if copy.changing == nil { self.copy?.changeAgainAt = nil }
            return []
        }
        if let again = copy.changeAgainAt, now < again { return [] }
        self.copy?.changing = file
        return [.change(file)]
    }

    private mutating func begin(_ play: SongPlay, _ file: String, _ line: Line, _ now: Instant) -> [Action] {
        var (position, heard) = (line.start, line.begins)
        if heard + Self.lateStart < now {
            heard = now + Self.joiningLead
            position = line.exact + Self.joiningLead
        }
        guard position < line.duration else { return [] }
        if copy?.file != file || copy?.song != play.song { forgetFile() }
        copy = Copy(
            song: play.song, file: file, startAt: line.startAt, positionMs: play.positionMs,
            anchor: (position, heard), checkedAt: now)
        return [.play(file, from: position, heard: heard)]
    }

    /// Compares the local clock with the room's, and the copy with both.
    private mutating func check(
        _ play: SongPlay, _ now: Instant, _ clock: RoomClockEstimator, heard: Interval?
    ) -> [Action] {
        guard var copy, !copy.isHeld, copy.retryAt == nil, let line = Line(play, clock, now) else { return [] }
        let isSilent = now < copy.anchor.heard
        guard isSilent || now - copy.checkedAt >= Self.checkInterval else { return [] }
        copy.checkedAt = now
        defer { self.copy = copy }
        let drift = line.exact - copy.position(at: now)
        // Before its place is reached the copy stands, and that says nothing.
        let isUnderWay = hasOpened && now >= copy.anchor.heard + Self.joiningLead
        let offset = isUnderWay && line.exact < fileDuration ?? line.duration ? heard.map { $0 - line.exact } : nil
        let tolerance = isSilent ? Self.silentTolerance : Self.tolerance
        guard abs(drift) > tolerance || abs(offset ?? .zero) > Self.astray else { return [] }
        copy.anchor = line.next(now)
        return [.align(position: copy.anchor.position, heard: copy.anchor.heard)]
    }

    // MARK: - What to tell

    /// Where the song is on the room's time alone; `nil` before it begins, while it is held, and after its end.
    func place(at now: Instant, clock: RoomClockEstimator) -> Interval? {
        guard let play, let line = Line(play, clock, now), line.exact >= line.start, line.exact < line.duration else {
            return nil
        }
        return line.exact
    }

    func progress(at now: Instant, clock: RoomClockEstimator, heard: Interval?) -> SongProgress? {
        guard let play else { return nil }
        let error = clock.estimate(at: now).map { Duration($0.error) }
        let duration = Interval.milliseconds(play.song.durationMs)
        var position = min(Interval.milliseconds(min(max(play.positionMs, 0), Self.longest)), duration)
        var offset: Duration?
        if let line = Line(play, clock, now) {
            position = line.position
            if let copy, hasOpened, copy.retryAt == nil, let heard {
                if now >= copy.anchor.heard { offset = Duration(heard - line.exact) }
                position = min(heard, duration)
            } else if !sings {
                // In the mix: the beginning is heard that much later.
                position = max(line.start, line.position - Self.mixDelay)
            }
        }
        return SongProgress(
            song: play.song, track: play.track, isPaused: play.isPaused, position: Duration(position),
            duration: Duration(duration), offset: offset, clockError: error)
    }

    /// Longer is no song; the server says so too.
    private static let longest: Int64 = 3_600_000

    /// A playing song on the local clock.
    private struct Line {
        /// When `start` is heard.
        var begins: Instant
        var start: Interval
        /// On the line, before its beginning and after its end too.
        var exact: Interval
        var duration: Interval
        var startAt: Int64

        /// `nil` while it is paused, before the clock was read, and for numbers that no clock shows.
        init?(_ play: SongPlay, _ clock: RoomClockEstimator, _ now: Instant) {
            guard let startAt = play.startAt, (0...Self.latest).contains(startAt),
                (0...SongFollower.longest).contains(play.positionMs), let estimate = clock.estimate(at: now),
                let begins = clock.instant(ofServer: startAt * 1_000_000, near: now)
            else { return nil }
            self.startAt = startAt
            self.begins = begins
            start = .milliseconds(play.positionMs)
            duration = .milliseconds(play.song.durationMs)
            let (elapsed, overflow) = estimate.server.subtractingReportingOverflow(startAt * 1_000_000)
            guard !overflow, elapsed.magnitude < UInt64.max / 8 else { return nil }
            exact = start + Interval(nanoseconds: elapsed)
        }

        /// The next moment at which the song sounds, and what is heard then.
        func next(_ now: Instant) -> (position: Interval, heard: Instant) {
            now < begins ? (start, begins) : (exact, now)
        }

        /// What is heard: before the beginning and after the end it stands.
        var position: Interval { min(max(start, exact), duration) }

        /// The year 2200, in milliseconds; in nanoseconds it fits.
        private static let latest: Int64 = 7_258_118_400_000
    }
}

private func abs(_ interval: Interval) -> Interval { Interval(nanoseconds: Swift.abs(interval.nanoseconds)) }
