extension TRTCChorusRoom {
    // MARK: - The song

    /// Starts the room's song in three seconds. Seated users and the owner may do this.
    ///
    /// All singers play the song at the same instant; the audience hears it mixed with the voices. All delegates receive
    /// `onMusicPrepareToPlay`, `onMusicProgressUpdate` and `onMusicCompletePlaying`; those of the others receive
    /// `onReceiveAnchorSendChorusMsg` first. If another user has started a song with this id, nothing happens. If this user has, it
    /// starts again. Failures are sent to `onError`.
    /// - Parameters:
    ///   - musicID: the app's id of the song.
    ///   - url: an `http:` or `https:` URL, or the path of a song on the server (`/songs/…`). Only songs on the server are in the
    ///     audience's mix. A file on this machine is played only here.
    public func startPlayMusic(musicID: Int32, url: String) { if controller.isAlive() { song.play(musicID, url) } }

    /// Stops the song for everybody.
    public func stopPlayMusic() { if controller.isAlive() { song.stop() } }

    /// Pauses the song for everybody.
    public func pausePlayMusic() { if controller.isAlive() { song.pause() } }

    /// Resumes the song for everybody, in one second.
    public func resumePlayMusic() { if controller.isAlive() { song.resume() } }
}
