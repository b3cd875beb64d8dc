package import AudioGraph
package import Timing

// Tracks.

extension AudioEngine {
    /// Starts a track, in place of another one with its id. What goes wrong comes as `musicCompleted`.
    package func playMusic(_ track: MusicTrack, _ start: MusicStart = .open) {
        openMusic(track, start)
        runMusic()
    }

    /// The first half of `playMusic`, which waits for no device: what is said of the track from here on reaches it.
    package func openMusic(_ track: MusicTrack, _ start: MusicStart) { music.play(track, start) }

    /// The second half: starts the devices that tracks are played through.
    package func runMusic() { change { runDevices(&$0) } }

    /// All tracks end. One that is played later ends at once.
    package func endMusic() { music.end() }

    package func pauseMusic(_ id: Int32) { music.change(id) { $0.setPaused(true) } }

    package func resumeMusic(_ id: Int32) { music.change(id) { $0.setPaused(false) } }

    package func stopMusic(_ id: Int32) { music.stop(id) }

    /// Goes on elsewhere in the song. Ends what a scheduled start or `alignMusic` asked for.
    package func seekMusic(_ id: Int32, to position: Interval) {
        music.change(id) { $0.seek(to: position.seconds * 48_000) }
    }

    /// Says when a position is to be heard; from then on the track is kept there: imperceptibly while it is less than a
    /// tenth of a second away, by a leap where it is more.
    package func alignMusic(_ id: Int32, position: Interval, heard: Instant) {
        music.change(id) { $0.align(position: position.seconds * 48_000, heard: heard) }
    }

    /// Goes on in another recording of the same song, at the same place and without a gap, as soon as it is open, which
    /// `musicSwitched` tells. What the track was asked for holds for it too.
    package func switchMusic(_ id: Int32, to source: String) { music.change(id) { $0.otherSource = source } }

    package func updateMusic(_ id: Int32, _ change: (inout MusicTrack.Controls) -> Void) {
        music.change(id) { change(&$0.controls) }
    }

    /// What is heard of the song at an instant, by default now.
    package func musicPosition(_ id: Int32, at instant: Instant? = nil) -> Interval? {
        let instant = instant ?? configuration.clock()
        return music.read(id) { Interval(seconds: max(0, $0.position(at: instant)) / 48_000) }
    }

    /// nil while it is not known.
    package func musicDuration(_ id: Int32) -> Interval? {
        music.read(id) { $0.duration.map { Interval(seconds: max(0, $0)) } } ?? nil
    }
}
