internal import Ovation
internal import Synchronization

// The song of a chorus room, as everybody in it is told: announced by whoever started it, about to be heard, how far it is, over.

extension RoomController {
    struct SongNews: Sendable {
        /// The song whose beginning was told, and whose end was not.
        var told: Song?
        /// The start that was told ahead.
        var announced: SongPlay?
    }

    /// From now on, until the room is over.
    func followSong(of room: RoomSession) {
        guard kind == .chorus else { return }
        let events = room.audio.events
        Task { [weak self] in
            do throws(OvationError) {
                for try await event in events { self?.hear(event, in: room) }
            } catch {
                self?.tell(.log("song events were lost: \(error.message)"))
            }
        }
        // Who enters while it is sung may have missed that it begins.
        if let song = room.audio.song?.song { tellBeginning(of: song, in: room) }
    }

    private func hear(_ event: RoomAudio.Event, in room: RoomSession) {
        guard let present = self.room, present === room else { return }
        switch event {
        case .songPrepared(let song): tellBeginning(of: song, in: room)
        case .songProgress(let progress):
            tellBeginning(of: progress.song, in: room)
            tell(
                .musicProgress(
                    progress.song.number, milliseconds: progress.position.wholeMilliseconds,
                    of: progress.duration.wholeMilliseconds))
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
        guard play.by != room.state.me.id, let startAt = play.startAt, let share = state.withLock({ $0.share }),
            let now = share.client.clock.milliseconds
        else { return }
        state.withLock { state in
            guard state.song.announced != play else { return }
            state.song.announced = play
            if let former = state.song.told, former != play.song {
                state.song.told = nil
                tell(.musicCompleted(former.number))
            }
            // Under the lock: the song's beginning, which comes on another thread, is told after it.
            tell(.songAnnounced(play.song.id, milliseconds: Int(clamping: startAt - now)))
        }
    }

    /// Once, and after its announcement.
    private func tellBeginning(of song: Song, in room: RoomSession) {
        let news = state.withLock { $0.song }
        guard news.told != song else { return }
        if let play = room.state.play, play.song == song, news.announced?.song != song { announce(play, in: room) }
        let isNew = state.withLock { state in
            guard state.song.told != song else { return false }
            state.song.told = song
            tell(.musicStarted(song.number))
            return true
        }
        if isNew { sound.beginSong(song.number) }
    }

    private func tellEnd(of song: Song) {
        state.withLock { state in
            guard state.song.told == song else { return }
            state.song.told = nil
            // The next one may be announced already.
            if state.song.announced?.song == song { state.song.announced = nil }
            tell(.musicCompleted(song.number))
        }
    }

    /// The room is left: nothing is heard of its song any more.
    func endSong() {
        if let song = state.withLock({ $0.song.told }) { tellEnd(of: song) }
        state.withLock { $0.song = SongNews() }
    }
}

extension Song {
    /// As callbacks have it; 0 for a song that was started elsewhere under a name that is no number.
    var number: Int32 { Int32(id) ?? 0 }
}
