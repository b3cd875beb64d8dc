internal import ClientMedia
internal import Platform
internal import Timing

/// Brings what an engine tells, on its threads, to those whom it concerns: the path's keeper, the singer of the room's song, and whoever
/// reads the events.
final class EngineEvents: Sendable {
    private let broadcast: EventBroadcast<RoomAudio.Event>
    private let path = Mutex<Callback<PathEvent>?>(nil)
    private let singer = Mutex<WeakSinger?>(nil)

    private struct WeakSinger: Sendable {
        weak let singer: SongSinger?
        init(_ singer: SongSinger) { self.singer = singer }
    }

    init(_ broadcast: EventBroadcast<RoomAudio.Event>) { self.broadcast = broadcast }

    /// The present path is followed by that, and by nobody else.
    func follow(_ path: @escaping @Sendable (PathEvent) -> Void) { self.path.withLock { $0 = Callback(path) } }

    /// What concerns the room's song is for its singer.
    func tell(_ singer: SongSinger) { self.singer.withLock { $0 = WeakSinger(singer) } }

    func take(_ event: RoomAudioEvent) {
        if case .path(let event) = event {
            path.withLock { $0 }?(event)
        } else if !(singer.withLock { $0?.singer }?.hear(event) ?? false), let told = Self.told(event) {
            broadcast.send(told)
        }
    }

    private static func told(_ event: RoomAudioEvent) -> RoomAudio.Event? {
        switch event {
        case .inputLost(let why): .microphoneFailed(OvationError(.mediaFailed, why))
        case .inputReturned: .microphoneReturned
        case .outputFailed(let why): .speakerFailed(OvationError(.mediaFailed, why))
        case .musicStarted(let id, let duration): .musicStarted(id, duration: duration.map { Duration($0) })
        case .musicProgress(let id, let position, let duration):
            .musicProgress(id, position: Duration(position), duration: duration.map { Duration($0) })
        case .musicCompleted(let id, .failed(let why)): .musicEnded(id, OvationError(.mediaFailed, why))
        case .musicCompleted(let id, _): .musicEnded(id, nil)
        // Of the room's song alone, which its singer hears of; the path is followed by itself.
        case .musicSwitched, .musicSwitchFailed, .path: nil
        }
    }
}
