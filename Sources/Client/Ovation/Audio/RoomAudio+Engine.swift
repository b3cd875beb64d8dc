package import ClientMedia

// For this package's own measurements, which bring devices of their own and ask what was played when.

extension RoomAudio {
    /// The engine's name for the room's song.
    package static var songTrack: Int32 { SongSinger.track }

    /// Calls `body` with the engine itself, on the engine's queue and in order with everything else that is asked of it; not at all
    /// where there is no sound.
    package func withEngine(_ body: @escaping @Sendable (AudioEngine) -> Void) { work(body) }
}
