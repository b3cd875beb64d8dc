public import RoomModel

/// Where the room's song is for whoever asks.
public struct SongProgress: Sendable, Hashable {
    /// What is sung.
    public let song: Song
    /// Which of its files.
    public let track: SongTrack
    /// Whether it stands.
    public let isPaused: Bool
    /// What is heard here now: by singers of their own copy, by everybody else in the mix.
    public let position: Duration
    /// How long the song is.
    public let duration: Duration
    /// By how much the own copy is ahead of the room (behind, if negative); absent where no copy is played, or not yet.
    public let offset: Duration?
    /// The room's time is known to within this on either side; absent before the server's clock was read.
    public let clockError: Duration?
}

/// Whether the SDK plays the songs of chorus rooms by itself.
@nonexhaustive public enum Singing: Sendable, Hashable {
    /// Whoever sits hears their own copy, placed on the room's time; everybody else hears the mix.
    case automatic
    /// Nothing is played and told: the program does it by `RoomState.play` and `OvationClient.clock`.
    case off
}
