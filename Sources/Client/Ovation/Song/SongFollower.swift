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
    /// How far behind the singers the server's mix is (Documentation/build/protocol.md §8).
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
        var motion = Motion.running
        var change = Change.none
        /// The position that is to be heard then, from which on time goes on.
        var anchor: (position: Interval, heard: Instant)
        var checkedAt: Instant

        enum Motion: Sendable {
            case running, held
            /// Silent until the next try.
            case broken(retryAt: Instant, isHeld: Bool)
        }

        /// To another recording of the same song.
        enum Change: Sendable {
            case none
            /// The engine is opening that file, to go on in it.
            case opening(String)
            /// It could not be opened.
            case waiting(until: Instant)
        }

        var isHeld: Bool {
            switch motion {
            case .running: false
            case .held: true
            case .broken(_, let isHeld): isHeld
            }
        }
        var retryAt: Instant? { if case .broken(let retryAt, _) = motion { retryAt } else { nil } }
        var opening: String? { if case .opening(let file) = change { file } else { nil } }

        /// Where the engine holds it.
        func position(at now: Instant) -> Interval { anchor.position + (now - anchor.heard) }
    }

    private var play: SongPlay?
    private var sings = false
    private var copy: Copy?
    private var file = File()
    private var telling = Telling.nothing

    /// What is known of the copy's file.
    private struct File: Sendable {
        enum State: Sendable {
            /// Why, if it was tried.
            case neverOpened(OvationError?)
            /// For how long it lasts, as the engine read it.
            case opened(duration: Interval?)
        }
        var state = State.neverOpened(nil)
        var failures = 0
        var changeFailures = 0

        var hasOpened: Bool { if case .opened = state { true } else { false } }
        var duration: Interval? { if case .opened(let duration) = state { duration } else { nil } }
        /// Why it has never been open.
        var reason: OvationError? { if case .neverOpened(let reason) = state { reason } else { nil } }
    }

    /// What has been told of the room's song.
    private enum Telling: Sendable {
        case nothing
        /// That it cannot be played here.
        case unavailable(Song)
        /// That it is about to be heard.
        case prepared(Song)
        /// That it is over; it is not told of again.
        case over(SongPlay)

        /// Told of, and not yet to be over.
        var song: Song? {
            switch self {
            case .unavailable(let song), .prepared(let song): song
            case .nothing, .over: nil
            }
        }
    }

    /// There is something to do or to tell as time goes on.
    var isActive: Bool { play != nil || copy != nil || telling.song != nil }

    // MARK: - What happens

    /// What the room sings, and whether a copy of it is to be played here.
    mutating func take(_ play: SongPlay?, sings: Bool) {
        if let play, play.song.durationMs <= 0 || play.song.durationMs > SongSchedule.longest {
            self.play = nil
        } else {
            self.play = play
        }
        self.sings = sings
    }

    /// The copy's file is open.
    mutating func opened(duration: Interval?) {
        file.state = .opened(duration: duration)
        file.failures = 0
    }

    /// The copy goes on in the other file.
    mutating func changed(to other: String, duration: Interval?) {
        guard copy?.opening == other else { return }
        copy?.file = other
        copy?.change = .none
        file.changeFailures = 0
        file.state = .opened(duration: duration)
    }

    /// The other file could not be opened; the copy goes on in the one that it has.
    mutating func changeFailed(to other: String, _ error: OvationError, at now: Instant) -> [Action] {
        guard copy?.opening == other, let song = copy?.song else { return [] }
        file.changeFailures += 1
        copy?.change = .waiting(until: now + Self.wait(after: file.changeFailures))
        return file.changeFailures == 1 ? [.unavailable(song, error)] : []
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
            let end = file.duration ?? Interval.milliseconds(copy.song.durationMs)
            let line = play.flatMap { SongSchedule($0, clock, now) }
            if line.map({ $0.position >= end - .seconds(1) }) ?? true { return [] }
        }
        file.failures += 1
        copy.motion = .broken(retryAt: now + Self.wait(after: file.failures), isHeld: copy.isHeld)
        copy.change = .none
        self.copy = copy
        let reason = error ?? OvationError(.mediaFailed, "the song's file has ended before the song")
        if !file.hasOpened { file.state = .neverOpened(reason) }
        if file.failures > 1 { return [] }
        switch telling {
        case .over: return []
        // It is sung without.
        case .nothing: telling = .unavailable(copy.song)
        case .unavailable, .prepared: break
        }
        return [.unavailable(copy.song, reason)]
    }

    // MARK: - What to do

    /// - Parameter heard: what of the copy is heard now, as the engine says.
    mutating func step(at now: Instant, clock: RoomClockEstimator, heard: Interval?) -> [Action] {
        var actions: [Action] = []
        if let told = telling.song, play?.song != told {
            telling = .nothing
            actions.append(completion(of: told))
        }
        if let copy, !sings || play?.song != copy.song {
            self.copy = nil
            file = File()
            if copy.retryAt == nil { actions.insert(.stop, at: 0) }
        }
        if case .over(let former) = telling, former != play { telling = .nothing }
        guard let play else { return actions }
        if sings {
            actions += place(play, now, clock)
            actions += check(play, now, clock, heard: heard)
        }
        switch telling {
        case .nothing, .unavailable:
            guard !sings || file.hasOpened else { break }
            telling = .prepared(play.song)
            actions.append(.prepared(play.song))
        case .prepared, .over: break
        }
        guard telling.song != nil else { return actions }
        if !play.isPaused, let progress = progress(at: now, clock: clock, heard: heard) {
            actions.append(.progress(progress))
        }
        if let line = SongSchedule(play, clock, now), line.position >= line.duration {
            telling = .over(play)
            actions.append(completion(of: play.song))
        }
        return actions
    }

    private func completion(of song: Song) -> Action { .completed(song, file.reason) }

    private mutating func place(_ play: SongPlay, _ now: Instant, _ clock: RoomClockEstimator) -> [Action] {
        let wanted = play.track == .original ? play.song.original ?? play.song.accompaniment : play.song.accompaniment
        if play.isPaused { return hold(wanted, now) }
        // Without a reading of the clock nobody knows when that is; the first one comes within a second.
        guard let line = SongSchedule(play, clock, now), line.position < line.duration else { return [] }
        guard var copy, copy.file == wanted || file.hasOpened && copy.song == play.song else {
            return begin(play, wanted, line, now)
        }
        let isSameLine = copy.startAt &- copy.positionMs == line.startAt &- play.positionMs
        guard isSameLine || copy.isHeld else { return begin(play, wanted, line, now) }
        switch copy.motion {
        case .running: return change(to: wanted, now)
        case .broken(let retryAt, _): return retryAt <= now ? begin(play, wanted, line, now) : []
        case .held:
            let standing = copy.position(at: copy.checkedAt)
            guard abs(standing - line.start) <= Self.resumable else { return begin(play, wanted, line, now) }
            let (position, heard) = line.next(now)
            copy.motion = .running
            copy.startAt = line.startAt
            copy.positionMs = play.positionMs
            copy.anchor = (position, heard)
            copy.checkedAt = now
            self.copy = copy
            return [.resume(position: position, heard: heard)] + change(to: wanted, now)
        }
    }

    private mutating func hold(_ wanted: String, _ now: Instant) -> [Action] {
        guard var copy else { return [] }
        let isOurs = copy.file == wanted || file.hasOpened
        switch copy.motion {
        case .broken(_, isHeld: true): return []
        case .broken(_, isHeld: false):
            self.copy = nil
            return []
        case .held: return isOurs ? change(to: wanted, now) : []
        case .running:
            guard isOurs else {
                self.copy = nil
                return [.stop]
            }
            copy.motion = .held
            copy.checkedAt = now
            self.copy = copy
            return [.pause] + change(to: wanted, now)
        }
    }

    /// Lets an open copy go on in that file if it is another one.
    private mutating func change(to wanted: String, _ now: Instant) -> [Action] {
        guard let copy, file.hasOpened, copy.retryAt == nil else { return [] }
        switch copy.change {
        case .opening(wanted): return []
        case .opening: break
        case .none where copy.file == wanted: return []
        case .none: break
        case .waiting where copy.file == wanted:
            self.copy?.change = .none
            return []
        case .waiting(let until): if now < until { return [] }
        }
        self.copy?.change = .opening(wanted)
        return [.change(wanted)]
    }

    private mutating func begin(_ play: SongPlay, _ wanted: String, _ line: SongSchedule, _ now: Instant) -> [Action] {
        var (position, heard) = (line.start, line.begins)
        if heard + Self.lateStart < now {
            heard = now + Self.joiningLead
            position = line.exact + Self.joiningLead
        }
        guard position < line.duration else { return [] }
        if copy?.file != wanted || copy?.song != play.song { file = File() }
        copy = Copy(
            song: play.song, file: wanted, startAt: line.startAt, positionMs: play.positionMs,
            anchor: (position, heard), checkedAt: now)
        return [.play(wanted, from: position, heard: heard)]
    }

    /// Compares the local clock with the room's, and the copy with both.
    private mutating func check(
        _ play: SongPlay, _ now: Instant, _ clock: RoomClockEstimator, heard: Interval?
    ) -> [Action] {
        guard var copy, case .running = copy.motion, let line = SongSchedule(play, clock, now) else { return [] }
        let isSilent = now < copy.anchor.heard
        guard isSilent || now - copy.checkedAt >= Self.checkInterval else { return [] }
        copy.checkedAt = now
        defer { self.copy = copy }
        let drift = line.exact - copy.position(at: now)
        // Before its place is reached the copy stands, and that says nothing.
        let isUnderWay = file.hasOpened && now >= copy.anchor.heard + Self.joiningLead
        let offset = isUnderWay && line.exact < file.duration ?? line.duration ? heard.map { $0 - line.exact } : nil
        let tolerance = isSilent ? Self.silentTolerance : Self.tolerance
        guard abs(drift) > tolerance || abs(offset ?? .zero) > Self.astray else { return [] }
        copy.anchor = line.next(now)
        return [.align(position: copy.anchor.position, heard: copy.anchor.heard)]
    }

    // MARK: - What to tell

    /// Where the song is on the room's time alone; `nil` before it begins, while it is held, and after its end.
    func place(at now: Instant, clock: RoomClockEstimator) -> Interval? {
        guard let play, let line = SongSchedule(play, clock, now), line.exact >= line.start, line.exact < line.duration
        else {
            return nil
        }
        return line.exact
    }

    func progress(at now: Instant, clock: RoomClockEstimator, heard: Interval?) -> SongProgress? {
        guard let play else { return nil }
        let error = clock.estimate(at: now).map { Duration($0.error) }
        let duration = Interval.milliseconds(play.song.durationMs)
        var position = min(Interval.milliseconds(min(max(play.positionMs, 0), SongSchedule.longest)), duration)
        var offset: Duration?
        if let line = SongSchedule(play, clock, now) {
            position = line.position
            if let copy, file.hasOpened, copy.retryAt == nil, let heard {
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
}

private func abs(_ interval: Interval) -> Interval { Interval(nanoseconds: Swift.abs(interval.nanoseconds)) }
