internal import ClientMedia
internal import Platform
internal import RoomModel
internal import Timing

// The room's song, and singing to it.

extension RoomAudio {
    /// Whether the client plays the songs of chorus rooms and sends their events. On by default.
    public var singing: Singing {
        get { singer?.mode ?? .off }
        set { singer?.mode = newValue }
    }

    /// The progress of the room's song; `nil` if there is none or `singing` is off.
    public var song: SongProgress? { singer?.progress }

    /// The volume of the song for the user, 0…150.
    public var songVolume: Int {
        get { singer?.volume ?? 100 }
        set { singer?.volume = newValue }
    }

    /// Singers wait for nothing that can be spared: short packets without pauses, and the other singers played as they come. Those
    /// who listen hear the mix, which may wait.
    func prepareDuet(_ state: RoomState) {
        let isSeated = state.mySeat != nil
        let others: Set<Int> =
            isSeated ? Set(state.seats.filter { $0.user != nil && $0.user != state.me.id }.map(\.index)) : []
        work { engine in
            let settings = engine.settings
            // From the beginning and for all: other packets mean other blocks, and devices that start anew on sitting down.
            guard settings.minimalDelaySlots != others || settings.frameDuration != .ms5 else { return }
            engine.update {
                $0.frameDuration = .ms5
                $0.usesDTX = false
                $0.minimalDelaySlots = others
                $0.songTrack = SongSinger.track
            }
        }
        let wait = teller.withLock { teller in
            teller.isSinging = isSeated
            return teller.wait
        }
        singer?.take(
            state.play, isSeated: isSeated,
            lag: isSeated ? state.song.lagBehindLeader(of: state.me.id, wait: wait) : nil)
    }

    /// A correction for devices that misreport their latency: how much earlier the user heard the song than the devices report.
    func setSongLatency(_ latency: Duration) {
        work { engine in engine.update { $0.songLatency = .init(latency) } }
    }
}
