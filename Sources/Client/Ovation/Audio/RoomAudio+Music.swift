internal import ClientMedia
internal import Timing

extension RoomAudio {
    /// Plays a track. It replaces a track with the same id. Failures are sent as `musicEnded`.
    public func playMusic(_ track: MusicTrack) {
        var settings = track.engineSettings
        settings.startsAt = track.startsAt.flatMap { clock.instant(ofServer: $0) }
        work { [settings] in $0.playMusic(settings) }
    }

    /// Pauses a track.
    public func pauseMusic(_ id: Int32) { engine?.pauseMusic(id) }

    /// Resumes a track.
    public func resumeMusic(_ id: Int32) { engine?.resumeMusic(id) }

    /// Stops a track.
    public func stopMusic(_ id: Int32) { engine?.stopMusic(id) }

    /// Moves to another position in a track.
    public func seekMusic(_ id: Int32, to position: Duration) { engine?.seekMusic(id, to: Interval(position)) }

    /// Changes the volumes, pitch and speed of a track, and who hears it.
    public func updateMusic(_ id: Int32, _ controls: MusicTrack.Controls) {
        engine?.updateMusic(id) { $0 = controls.engineControls }
    }

    /// Returns the position of a track that is heard now; `nil` if there is no such track.
    public func musicPosition(_ id: Int32) -> Duration? { engine?.musicPosition(id).map { Duration($0) } }

    /// Returns the duration of a track; `nil` while it is not known.
    public func musicDuration(_ id: Int32) -> Duration? { engine?.musicDuration(id).map { Duration($0) } }
}
