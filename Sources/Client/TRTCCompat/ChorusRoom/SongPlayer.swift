internal import Synchronization

/// The accompaniment of one's own: one piece at a time, told to the delegate.
final class SongPlayer: Sendable {
    private let desk: RoomDesk
    private let playing = Mutex<Int32?>(nil)

    init(_ desk: RoomDesk) { self.desk = desk }

    func play(_ id: Int32, _ url: String) {
        let former = playing.withLock { playing in
            defer { playing = id }
            return playing
        }
        if let former, former != id { desk.sound.stop(former) }
        let isPlaying = desk.sound.play(MusicRequest(id: id, source: url)) { [weak self] in self?.hear(id, $0) }
        guard !isPlaying else { return }
        playing.withLock { $0 = nil }
        desk.tell(.error(TRTCCode.failed, "music \(id) cannot be played: enter a room first"))
    }

    func stop() {
        let id = playing.withLock { playing in
            defer { playing = nil }
            return playing
        }
        if let id { desk.sound.stop(id) }
    }

    func pause() { if let id = playing.withLock({ $0 }) { desk.sound.pause(id) } }
    func resume() { if let id = playing.withLock({ $0 }) { desk.sound.resume(id) } }

    private func hear(_ id: Int32, _ news: MusicNews) {
        switch news {
        case .started: desk.tell(.musicStarted(id))
        case .progress(let milliseconds, let total):
            desk.tell(.musicProgress(id, milliseconds: milliseconds, of: total))
        case .finished:
            forget(id)
            desk.tell(.musicCompleted(id))
        case .failed(let reason):
            forget(id)
            desk.tell(.error(TRTCCode.failed, "music \(id) cannot be played: \(reason)"))
        }
    }

    private func forget(_ id: Int32) { playing.withLock { if $0 == id { $0 = nil } } }
}
