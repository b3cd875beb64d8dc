public import AudioGraph
internal import ClientMedia
internal import Timing

extension RoomAudio {
    /// Plays a track. It replaces a track with the same id, of which no event comes any more. Failures are sent as `musicEnded`. In a room
    /// that is over nothing plays.
    public func playMusic(_ track: MusicTrack) {
        let start = track.startsAt.flatMap { clock.instant(ofServer: $0) }.map { MusicStart.at($0) } ?? .open
        play(track, start)
    }

    /// Opens a track and holds it at its beginning: `resumeMusic` makes it heard at once.
    package func prepareMusic(_ track: MusicTrack) { play(track, .resumed) }

    /// The track is there when this returns, so that what is said of it next reaches it. Only devices have to wait for their turn.
    private func play(_ track: MusicTrack, _ start: MusicStart) {
        engine?.openMusic(track, start)
        work { [self] engine in
            guard connection != .closed else { return }
            engine.runMusic()
        }
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
        engine?.updateMusic(id) { $0 = controls }
    }

    /// Returns the position of a track that is heard now; `nil` if there is no such track.
    public func musicPosition(_ id: Int32) -> Duration? { engine?.musicPosition(id).map { Duration($0) } }

    /// Returns the duration of a track; `nil` while it is not known.
    public func musicDuration(_ id: Int32) -> Duration? { engine?.musicDuration(id).map { Duration($0) } }
}

extension MusicTrack {
    /// How long the sound at a path or an address is, such as `Song.durationMs` wants it. Blocks its thread while that is opened,
    /// for some seconds if its server is slow.
    /// - Parameter certificates: a PEM file of those that are trusted over TLS; without it the system's are.
    /// - Throws: `media_failed` if it cannot be opened, or does not tell.
    package static func duration(of source: String, certificates: String? = nil) throws(OvationError) -> Duration {
        let found: Duration?
        do throws(RoomAudioError) {
            found = try length(of: source, certificates: certificates).map { Duration($0) }
        } catch {
            throw OvationError(.mediaFailed, error.description)
        }
        guard let found else { throw OvationError(.mediaFailed, "\(source) does not tell how long it is") }
        return found
    }
}
