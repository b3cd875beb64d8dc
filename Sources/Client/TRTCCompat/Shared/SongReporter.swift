internal import Ovation
internal import Platform

/// Tells of the song of a chorus room, as everybody in it is told: announced by whoever started it, about to be heard, how far it is,
/// over.
final class SongReporter: Sendable {
    private struct State {
        /// The room whose song is told of, and whose connection it is reached by; nil outside of rooms.
        var followed: (room: RoomSession, client: OvationClient)?
        /// Hears what the room's sound tells.
        var listening: Task<Void, Never>?
        /// The song whose beginning was told, and whose end was not.
        var told: Song?
        /// The start that was told ahead.
        var announced: SongPlay?
    }

    private let sound: AudioController
    private let tell: @Sendable (RoomNotice) -> Void
    private let state = Mutex(State())

    init(sound: AudioController, tell: @escaping @Sendable (RoomNotice) -> Void) {
        self.sound = sound
        self.tell = tell
    }

    /// From now on, until the room is over or left.
    func follow(_ room: RoomSession, client: OvationClient) {
        let events = room.audio.events
        let listening = Task { [weak self] in  // ends with the room's events, or when it is left here
            do throws(OvationError) {
                for try await event in events { self?.hear(event, in: room) }
            } catch {
                self?.tell(.log("song events were lost: \(error.message)"))
            }
        }
        state.withLock { state in
            // The room may have gone on for another component of the app.
            state.listening?.cancel()
            (state.followed, state.listening) = ((room, client), listening)
        }
        // Who enters while it is sung may have missed that it begins.
        if let song = room.audio.song?.song { tellBeginning(of: song, in: room) }
    }

    /// That room is left, or whichever it is: nothing is heard of its song any more.
    func end(_ room: RoomSession? = nil) {
        state.withLock { state in
            guard room == nil || state.followed?.room === room else { return }
            if let song = state.told { tell(.musicCompleted(song.number)) }
            state.listening?.cancel()
            state = State()
        }
    }

    private func hear(_ event: RoomAudio.Event, in room: RoomSession) {
        guard state.withLock({ $0.followed?.room === room }) else { return }
        switch event {
        case .songPrepared(let song): tellBeginning(of: song, in: room)
        case .songProgress(let progress):
            tell(
                .musicProgress(
                    progress.song.number, milliseconds: progress.position.milliseconds,
                    of: progress.duration.milliseconds))
        case .songUnavailable(let song, let error):
            tell(.warning(TRTCCode.failed, "cannot play music \(song.id); trying again: \(error.message)"))
        case .songCompleted(let song, let error):
            if let error {
                tell(.error(TRTCCode.failed, "music \(song.id) cannot be played: \(error.message)"))
            }
            tellEnd(of: song)
        default: break
        }
    }

    /// Somebody else starts a song: how soon, by the server's clock; a negative number if it has begun.
    func announce(_ play: SongPlay, in room: RoomSession) {
        state.withLock { state in
            guard let followed = state.followed, followed.room === room, play.by != room.state.me.id,
                let startAt = play.startAt, let now = followed.client.clock.milliseconds, state.announced != play
            else { return }
            state.announced = play
            if let former = state.told, former != play.song {
                state.told = nil
                tell(.musicCompleted(former.number))
            }
            // Under the lock: the song's beginning, which comes on another thread, is told after it.
            tell(.songAnnounced(play.song.id, milliseconds: Int(clamping: startAt - now)))
        }
    }

    /// Once, and after its announcement.
    private func tellBeginning(of song: Song, in room: RoomSession) {
        let (told, announced) = state.withLock { ($0.told, $0.announced) }
        guard told != song else { return }
        if let play = room.state.play, play.song == song, announced?.song != song { announce(play, in: room) }
        let isNew = state.withLock { state in
            guard state.followed?.room === room, state.told != song else { return false }
            state.told = song
            tell(.musicStarted(song.number))
            return true
        }
        if isNew { sound.beginSong(song.number) }
    }

    private func tellEnd(of song: Song) {
        state.withLock { state in
            guard state.told == song else { return }
            state.told = nil
            // The next one may be announced already.
            if state.announced?.song == song { state.announced = nil }
            tell(.musicCompleted(song.number))
        }
    }
}

extension Song {
    /// As callbacks have it; 0 for a song that was started elsewhere under a name that is no number.
    var number: Int32 { Int32(id) ?? 0 }
}
