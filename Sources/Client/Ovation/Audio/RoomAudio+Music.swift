internal import ClientMedia
internal import Timing

extension RoomAudio {
    /// Plays a track, in place of another one with its id. Failures come as `musicEnded`.
    public func playMusic(_ track: MusicTrack) {
        var settings = track.engineSettings
        settings.startsAt = track.startsAt.flatMap { clock.instant(ofServer: $0) }
        work { [settings] in $0.playMusic(settings) }
    }

    /// Holds a track where it is.
    public func pauseMusic(_ id: Int32) { engine?.pauseMusic(id) }

    /// Goes on with it.
    public func resumeMusic(_ id: Int32) { engine?.resumeMusic(id) }

    /// Ends a track.
    public func stopMusic(_ id: Int32) { engine?.stopMusic(id) }

    /// Goes on elsewhere in a track.
    public func seekMusic(_ id: Int32, to position: Duration) { engine?.seekMusic(id, to: Interval(position)) }

    /// Changes volumes, pitch, speed, and who hears it.
    public func updateMusic(_ id: Int32, _ controls: MusicTrack.Controls) {
        engine?.updateMusic(id) { $0 = controls.engineControls }
    }

    /// What is heard of a track now; `nil` if there is none.
    public func musicPosition(_ id: Int32) -> Duration? { engine?.musicPosition(id).map { Duration($0) } }

    /// How long a track is; `nil` while that is not known.
    public func musicDuration(_ id: Int32) -> Duration? { engine?.musicDuration(id).map { Duration($0) } }
}
