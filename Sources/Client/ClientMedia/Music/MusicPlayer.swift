internal import AudioGraph
internal import DatagramIO
internal import MediaCodecs
internal import Platform
package import Timing

/// All tracks that play at once: each is decoded ahead by a thread of its own, heard through the output device's thread and
/// published through the input device's.
package final class MusicPlayer: Sendable {
    /// More tracks at once are none that anybody could follow; each has a thread.
    static let maximumTracks = 16

    struct Tracks {
        var all: [Int32: MusicStream] = [:]
        var wakers: [Int32: Poller.Waker] = [:]
        /// No track plays any more.
        var isEnded = false

        mutating func remove(_ stream: MusicStream) {
            let id = stream.track.id
            guard all[id] === stream else { return }
            all[id] = nil
            wakers[id] = nil
        }
    }

    typealias Opener = @Sendable (String) throws(CodecError) -> any MusicSource

    /// Held for the copy of a block at most; a track's ring is written in steps of a block.
    private let tracks = Guarded(Tracks())
    /// So that device threads need not take the lock when there is no music.
    private let count = Atomic(0)
    private let open: Opener
    private let clock: @Sendable () -> Instant
    private let tell: @Sendable (RoomAudioEvent) -> Void

    /// Of files and addresses of sound.
    package convenience init(
        clock: @escaping @Sendable () -> Instant, tell: @escaping @Sendable (RoomAudioEvent) -> Void
    ) {
        self.init(
            open: { location throws(CodecError) in try AudioFileReader(location) }, clock: clock, tell: tell)
    }

    init(
        open: @escaping Opener, clock: @escaping @Sendable () -> Instant,
        tell: @escaping @Sendable (RoomAudioEvent) -> Void
    ) {
        self.open = open
        self.clock = clock
        self.tell = tell
    }

    func play(_ track: MusicTrack, _ start: MusicStart = .open) {
        let id = track.id
        stop(id)
        let stream = MusicStream(track, start)
        let refusal = tracks.with { tracks -> MusicEnd? in
            guard !tracks.isEnded else { return .stopped }
            guard tracks.all.count < Self.maximumTracks else { return .failed("too many tracks at once") }
            tracks.all[id] = stream
            // That of the track before: it may end at any time now, and its poller with it.
            tracks.wakers[id] = nil
            return nil
        }
        if let refusal { return tell(.musicCompleted(id, refusal)) }
        do {
            let poller = try Poller()
            tracks.with { if $0.all[id] === stream { $0.wakers[id] = poller.waker } }
            let decoder = Handover(
                TrackDecoder(
                    id: id, stream: stream, lock: tracks, poller: poller, open: open, clock: clock, tell: tell))
            count.wrappingAdd(1, ordering: .relaxed)
            let count = Counter(self)
            _ = try WorkerThread(name: "music") {
                decoder.value.run()
                count.subtract()
            }
        } catch {
            tracks.with { $0.remove(stream) }
            tell(.musicCompleted(id, .failed(error.description)))
        }
    }

    /// Lets a thread count down without keeping the player alive.
    private struct Counter: Sendable {
        weak let player: MusicPlayer?

        init(_ player: MusicPlayer) { self.player = player }

        func subtract() { player?.count.wrappingSubtract(1, ordering: .relaxed) }
    }

    func stop(_ id: Int32) { change(id) { $0.end() } }

    func stopAll() { tracks.with(Self.stopAll) }

    /// Ends all tracks; one that is played later ends at once.
    func end() {
        tracks.with { tracks in
            tracks.isEnded = true
            Self.stopAll(&tracks)
        }
    }

    private static func stopAll(_ tracks: inout Tracks) {
        for track in tracks.all.values { track.end() }
        for waker in tracks.wakers.values { waker.wake() }
    }

    func change(_ id: Int32, _ body: (MusicStream) -> Void) {
        tracks.with { tracks in
            guard let track = tracks.all[id] else { return }
            body(track)
            // Under the lock: a thread that ends takes its poller out of the table first.
            tracks.wakers[id]?.wake()
        }
    }

    func read<Result>(_ id: Int32, _ body: (MusicStream) -> Result) -> Result? {
        tracks.with { tracks in
            guard let track = tracks.all[id] else { return nil }
            return body(track)
        }
    }

    /// What of the song is heard at an instant, in frames; nil while it does not play.
    func playingPosition(_ id: Int32, at instant: Instant) -> Double? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return tracks.with { tracks in
            guard let track = tracks.all[id], track.isPlaying else { return nil }
            return track.position(at: instant)
        }
    }

    var hasPublished: Bool { tracks.with { $0.all.values.contains { $0.controls.isPublished } } }

    /// Whether nothing is to be heard. A track that is over may still wait for its file.
    var isEmpty: Bool { tracks.with { $0.all.values.allSatisfy(\.isOver) } }

    /// Of tracks that are over, too, until all of them has been told.
    var threads: Int { count.load(ordering: .relaxed) }

    // MARK: Device threads

    func render(addingTo mix: AudioBuffer, heard: Instant) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        tracks.with { tracks in
            for track in tracks.all.values { track.render(addingTo: mix, heard: heard) }
        }
    }

    /// Fills `block`. False if nothing is published now.
    func publish(into block: AudioBuffer, captured: Instant) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        block.clear()
        return tracks.with { tracks in
            var isAny = false
            for track in tracks.all.values where track.publish(addingTo: block, captured: captured) { isAny = true }
            return isAny
        }
    }
}
