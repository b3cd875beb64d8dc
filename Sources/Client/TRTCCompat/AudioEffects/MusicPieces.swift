internal import AudioGraph
internal import Ovation
internal import Platform
internal import Timing

/// What happens to a piece of music.
enum MusicNews: Sendable, Equatable {
    case started
    case progress(milliseconds: Int, of: Int)
    /// It has come to its end, or was stopped.
    case finished
    case failed(String)
}

/// The pieces of music of one component, by the numbers that its app gives them, and how loud the app wants them.
///
/// For the room each play has a number of its own. So what the room tells late, of a piece that another one with the same number has
/// replaced, or of another component's, concerns nobody here.
struct MusicPieces: Sendable {
    typealias Tell = @Sendable (MusicNews) -> Void

    private struct Piece {
        /// The room's number for this play.
        let track: Int32
        let isPublished: Bool
        /// What it was opened for, while it is held at its beginning.
        var held: MusicTrack?
        var isOpen = false
        let tell: Tell
    }

    private static let plays = Atomic<Int32>(0)

    private var pieces: [Int32: Piece] = [:]
    /// Of pieces that play, and of those that an app has set before they do.
    private var levels: [Int32: MusicTrack.Controls] = [:]
    private var volumeOfAll = 100

    /// The room's number for a piece that plays, or is opened for it.
    func track(of id: Int32) -> Int32? { pieces[id]?.track }

    // MARK: - Plays

    /// Plays a piece in place of another one with its number. A piece that was opened for it goes on at once.
    /// - Returns: what is to be told, without a lock.
    mutating func play(_ track: MusicTrack, in source: any ClientSound, tell: @escaping Tell) -> @Sendable () -> Void {
        // Of a piece that was opened before, only what can be changed while it plays may be other by now.
        var held = pieces[track.id]?.held
        held?.controls = track.controls
        guard let former = pieces[track.id], held == track else {
            return open(track, isHeld: false, in: source, tell: tell)
        }
        pieces[track.id] = Piece(
            track: former.track, isPublished: track.controls.isPublished, isOpen: former.isOpen, tell: tell)
        source.updateMusic(former.track, track.controls)
        source.resumeMusic(former.track)
        return { if former.isOpen { tell(.started) } }
    }

    /// Opens a piece, so that it is heard at once when it is played.
    /// - Returns: what is to be told, without a lock.
    mutating func prepare(_ track: MusicTrack, in source: any ClientSound, tell: @escaping Tell) -> @Sendable () -> Void
    {
        open(track, isHeld: true, in: source, tell: tell)
    }

    private mutating func open(
        _ track: MusicTrack, isHeld: Bool, in source: any ClientSound, tell: @escaping Tell
    ) -> @Sendable () -> Void {
        var numbered = track
        numbered.id = Self.plays.wrappingAdd(1, ordering: .relaxed).newValue
        let former = pieces.updateValue(
            Piece(
                track: numbered.id, isPublished: track.controls.isPublished, held: isHeld ? track : nil, tell: tell),
            forKey: track.id)
        if let former { source.stopMusic(former.track) }
        if isHeld { source.prepareMusic(numbered) } else { source.playMusic(numbered) }
        return { former?.tell(.finished) }
    }

    /// The room was left.
    /// - Returns: who is to be told, and the room's numbers for what is to be stopped.
    mutating func end() -> [(track: Int32, tell: Tell)] {
        defer { pieces = [:] }
        return pieces.values.map { ($0.track, $0.tell) }
    }

    // MARK: - Levels

    /// As they were set, or as all are.
    func levels(of id: Int32) -> MusicTrack.Controls {
        if let levels = levels[id] { return levels }
        var fresh = MusicTrack.Controls()
        fresh.publishVolume = volumeOfAll
        fresh.localVolume = volumeOfAll
        return fresh
    }

    /// A number without a piece may be the room's song's.
    mutating func change(_ id: Int32, in source: (any ClientSound)?, _ change: (inout MusicTrack.Controls) -> Void) {
        var controls = levels(of: id)
        change(&controls)
        levels[id] = controls
        guard let piece = pieces[id] else {
            source?.setSongVolume(controls.localVolume, ofSong: id)
            return
        }
        controls.isPublished = piece.isPublished
        source?.updateMusic(piece.track, controls)
    }

    mutating func changeAll(to volume: Int, in source: (any ClientSound)?) {
        volumeOfAll = volume
        for id in Set(levels.keys).union(pieces.keys) {
            change(id, in: source) {
                $0.publishVolume = volume
                $0.localVolume = volume
            }
        }
    }

    // MARK: - News

    /// Takes what the room tells of one of its tracks.
    /// - Returns: who is to be told; `nil` if it is none of these pieces, or no longer.
    mutating func hear(_ news: MusicNews, ofTrack track: Int32) -> Tell? {
        guard let id = pieces.first(where: { $0.value.track == track })?.key, let piece = pieces[id] else { return nil }
        switch news {
        case .started: pieces[id]?.isOpen = true
        case .progress: break
        case .finished, .failed: pieces[id] = nil
        }
        return piece.tell
    }
}
