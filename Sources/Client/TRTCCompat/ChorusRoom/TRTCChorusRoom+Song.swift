extension TRTCChorusRoom {
    // MARK: - The song

    /// Starts the song of the room, three seconds from now: whoever sits plays it at the same instant, the audience hears it mixed
    /// with the voices, and all hear `onMusicPrepareToPlay`, `onMusicProgressUpdate` and `onMusicCompletePlaying`; everybody but
    /// the caller hears `onReceiveAnchorSendChorusMsg` first. For whoever sits, and the owner.
    ///
    /// A song that somebody else has started under the same id plays already: nothing happens. One's own begins anew.
    /// What goes wrong is told by `onError`.
    /// - Parameters:
    ///   - musicID: the app's name for the song.
    ///   - url: `http:` or `https:`, or a path of the server's songs (`/songs/…`). The audience's mix has it if it is a song of the
    ///     server. A file of this machine, which nobody else can open, is played here alone.
    public func startPlayMusic(musicID: Int32, url: String) { if controller.isAlive() { song.play(musicID, url) } }

    /// Ends the song for everybody, whoever started it.
    public func stopPlayMusic() { if controller.isAlive() { song.stop() } }

    /// Halts it for everybody.
    public func pausePlayMusic() { if controller.isAlive() { song.pause() } }

    /// Goes on where it was halted, for everybody, a second from now.
    public func resumePlayMusic() { if controller.isAlive() { song.resume() } }
}
