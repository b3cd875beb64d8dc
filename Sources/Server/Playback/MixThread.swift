internal import DatagramIO
package import Forwarding
internal import MediaCodecs
internal import MediaNode
package import RoomPorts
internal import Synchronization
package import Timing

/// What an operator should know of the mixes.
package enum PlaybackReport: Sendable, Hashable {
    /// A song's file cannot be read: its audience hears the voices alone. Says why.
    case songUnreadable(file: String, String)
    /// FFmpeg is not installed: no song is heard in any mix. Says what to install. Told once.
    case songsUnreadable(String)
    /// No mix can be made at all.
    case failed(String)
}

/// What all mixes together have done, for metrics.
package struct PlaybackCounters: Sendable, Hashable {
    /// Present values.
    package var stages = 0
    /// Those that are being mixed now.
    package var playing = 0
    /// Only ever grow.
    package var mixes = MixStats()
    package var vocalsDropped: UInt64 = 0
    package var mixDropped: UInt64 = 0
    package var songsUnreadable: UInt64 = 0

    package init() {}
}

/// The mixes of all choruses of this server, on one thread that begins with the first of them. It sleeps while nobody
/// sings and no song plays.
///
/// A duet takes 0.3 ms of each 20 ms, most of it for the mix's encoder: one thread is enough for some dozens.
package final class MixThread: AudienceMixer {
    private enum Command: Sendable {
        case open(StageID, MixFeed)
        case close(StageID)
        case song(StageSong?, StageID, at: Instant)
        case latency(Interval, MemberID, StageID)
        case counters(@Sendable (PlaybackCounters) -> Void)
        case stop
    }

    /// The lock is held to append or take commands, to begin the thread, and to wake it.
    private struct State: ~Copyable {
        var commands: [Command] = []
        var thread: WorkerThread?
        var waker: Poller.Waker?
        var isStopped = false
    }

    private let state = Mutex(State())
    private let files: any SongFiles
    private let inspector: Inspector
    private let clock: @Sendable () -> Instant
    private let report: @Sendable (PlaybackReport) -> Void

    /// No thread yet, and no memory to speak of.
    package init(
        files: any SongFiles, inspector: Inspector = Inspector(),
        clock: @escaping @Sendable () -> Instant = SystemClock.now,
        report: @escaping @Sendable (PlaybackReport) -> Void
    ) {
        self.files = files
        self.inspector = inspector
        self.clock = clock
        self.report = report
    }

    // MARK: AudienceMixer

    package func open(_ stage: StageID, wakeStage: @escaping @Sendable () -> Void) -> MixFeed {
        let feed = MixFeed(wakeMixer: { [weak self] in self?.wake() }, wakeStage: wakeStage)
        post(.open(stage, feed))
        return feed
    }

    package func close(_ stage: StageID) { post(.close(stage)) }

    package func set(_ song: StageSong?, on stage: StageID) { post(.song(song, stage, at: clock())) }

    package func set(latency: Interval, of singer: PeerID, on stage: StageID) {
        post(.latency(latency, MemberID(rawValue: singer.rawValue), stage))
    }

    package func stop() {
        let thread = state.withLock { state in
            guard !state.isStopped else { return nil as WorkerThread? }
            state.isStopped = true
            state.commands.append(.stop)
            state.waker?.wake()
            return state.thread
        }
        thread?.join()
    }

    package func counters() async -> PlaybackCounters {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                guard state.thread != nil, !state.isStopped else { return false }
                state.commands.append(.counters { continuation.resume(returning: $0) })
                state.waker?.wake()
                return true
            }
            if !isAsked { continuation.resume(returning: PlaybackCounters()) }
        }
    }

    private func wake() { state.withLock { $0.waker?.wake() } }

    private func post(_ command: Command) {
        let failure = state.withLock { state -> SocketFailure? in
            guard !state.isStopped else { return nil }
            do throws(SocketFailure) {
                if state.thread == nil {
                    // Stages that never open a mix begin no thread.
                    guard case .open = command else { return nil }
                    state.thread = try WorkerThread(name: "mixer") { [self] in run() }
                }
                state.commands.append(command)
                state.waker?.wake()
                return nil
            } catch { return error }
        }
        if let failure { report(.failed("\(failure)")) }
    }

    // MARK: The thread

    private final class Stage {
        let feed: MixFeed
        let mix: DuetMix
        /// Cuts that have been applied, with how many blocks had been mixed before: they are in force with the block after.
        private var applied: [(cuts: UInt64, blocks: UInt64)] = []
        private var cutsKnown: UInt64 = 0

        /// Applies what has been cut.
        func applyCuts() {
            let asked = feed.cutsAsked
            guard asked > cutsKnown else { return }
            cutsKnown = asked
            feed.takeCuts { mix.cut(slot: $0, before: $1) }
            applied.append((asked, mix.blocksMixed))
        }

        /// Says which cuts are in force, after mixing.
        func confirmCuts() {
            while let first = applied.first,
                mix.blocksMixed > first.blocks || mix.nextDeadline == .distantFuture
            {
                feed.confirmCuts(first.cuts)
                applied.removeFirst()
            }
        }

        init(feed: MixFeed, mix: DuetMix) {
            self.feed = feed
            self.mix = mix
        }
    }

    private func run() {
        let poller: Poller
        do { poller = try Poller() } catch { return report(.failed("\(error)")) }
        state.withLock { $0.waker = poller.waker }
        var stages: [StageID: Stage] = [:]
        var closed = PlaybackCounters()
        let trouble = SongTrouble(report)
        var isRunning = true
        while isRunning {
            let commands = state.withLock { state in
                defer { state.commands = [] }
                return state.commands
            }
            for command in commands {
                switch command {
                case .open(let id, let feed):
                    guard let mix = newMix(trouble) else {
                        // Nothing is ever heard from there.
                        feed.confirmCuts(.max)
                        continue
                    }
                    stages[id] = Stage(feed: feed, mix: mix)
                case .close(let id):
                    guard let stage = stages.removeValue(forKey: id) else { continue }
                    stage.mix.close()
                    stage.feed.confirmCuts(.max)
                    count(stage, into: &closed)
                case .song(let song, let id, let at): stages[id]?.mix.set(song, at: at)
                case .latency(let latency, let singer, let id): stages[id]?.mix.set(latency: latency, of: singer)
                case .counters(let reply):
                    var counters = closed
                    for stage in stages.values { count(stage, into: &counters) }
                    counters.stages = stages.count
                    counters.playing = stages.values.count { $0.mix.nextDeadline != .distantFuture }
                    counters.songsUnreadable = trouble.count
                    reply(counters)
                case .stop: isRunning = false
                }
            }
            guard isRunning else { break }
            let deadline = work(stages.values)
            _ = poller.wait(until: deadline == .distantFuture ? nil : deadline, now: clock())
        }
        for stage in stages.values {
            stage.mix.close()
            stage.feed.confirmCuts(.max)
        }
        // Before the poller goes: nobody wakes it any more.
        let rest = state.withLock { state in
            state.waker = nil
            defer { state.commands = [] }
            return state.commands
        }
        for case .counters(let reply) in rest { reply(closed) }
    }

    /// Takes what has come and mixes what is due; returns when to look again.
    private func work(_ stages: some Collection<Stage>) -> Instant {
        var deadline = Instant.distantFuture
        for stage in stages {
            repeat {
                stage.applyCuts()
                while stage.feed.takeVocal({ stage.mix.receive($0, $1) }) {}
                stage.mix.advance(to: clock()) { stage.feed.post($0, $1) }
                stage.confirmCuts()
            } while stage.mix.nextDeadline == .distantFuture && !stage.feed.fallAsleep()
            deadline = min(deadline, stage.mix.nextDeadline)
        }
        return deadline
    }

    private func count(_ stage: Stage, into counters: inout PlaybackCounters) {
        counters.mixes += stage.mix.stats
        counters.vocalsDropped &+= stage.feed.vocalsDropped
        counters.mixDropped &+= stage.feed.mixDropped
    }

    private func newMix(_ trouble: SongTrouble) -> DuetMix? {
        do throws(CodecError) {
            return try DuetMix(at: clock()) { [files, inspector] file, position in
                guard let location = files.location(of: file) else {
                    trouble.note(file, CodecError(.cannotOpen, "it is none of this server's songs"))
                    return nil
                }
                do throws(SocketFailure) {
                    return try TrackStream.open(location, at: position, by: inspector.executable) {
                        trouble.note(file, $0)
                    }
                } catch {
                    trouble.note(file, CodecError(.inputOutput, "\(error)"))
                    return nil
                }
            }
        } catch {
            report(.failed("\(error)"))
            return nil
        }
    }
}

/// Songs that could not be read, told without repeating what is missing for all of them.
private final class SongTrouble: Sendable {
    private let report: @Sendable (PlaybackReport) -> Void
    private let noted = Atomic<UInt64>(0)
    private let toldLibrary = Atomic(false)

    init(_ report: @escaping @Sendable (PlaybackReport) -> Void) { self.report = report }

    var count: UInt64 { noted.load(ordering: .relaxed) }

    func note(_ file: String, _ error: CodecError) {
        noted.add(1, ordering: .relaxed)
        guard error.kind == .libraryMissing else { return report(.songUnreadable(file: file, "\(error)")) }
        if !toldLibrary.exchange(true, ordering: .relaxed) { report(.songsUnreadable("\(error)")) }
    }
}
