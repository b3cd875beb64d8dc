package import AudioGraph

/// The sound of a song's track, from some position on. Used by the thread that mixes; never waits.
package protocol SongSound: AnyObject {
    /// Whether `read` would give something at that position now: frames, or the certainty that there are none.
    func isReady(at position: Int) -> Bool
    /// Fills the block (stereo) with what is heard from `position` on, in frames from the song's beginning; what is not
    /// there is silence. Positions only rise. Returns how many frames were missing although the song goes on.
    func read(_ block: AudioBuffer, at position: Int) -> Int
    func close()
}
