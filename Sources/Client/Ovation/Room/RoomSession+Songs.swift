public import RoomModel
internal import SignalProtocol
internal import Synchronization

/// Songs of rooms of the kind `chorus`, for whoever sits, the owner and admins; elsewhere they are refused (`not_a_chorus`).
///
/// The server places a song on the room's time and tells everybody (`Event.songChanged`, `RoomState.play`). Each singer's client plays
/// its own copy at that place by itself (`RoomAudio.singing`); `RoomAudio.song` says what is heard now.
extension RoomSession {
    /// Starts a song for everybody, in place of one that plays.
    /// - Parameters:
    ///   - position: where in the song to begin.
    ///   - lead: 0.3…10 s from now to the start, for everybody to load the song.
    /// - Returns: when it is heard, in milliseconds since 1970 on the server's clock.
    @discardableResult
    public func startSong(
        _ song: Song, track: SongTrack = .accompaniment, from position: Duration = .zero, lead: Duration = .seconds(3)
    ) async throws(OvationError) -> Int64 {
        let draft = SongDraft(
            song: song, track: track, positionMs: position.wholeMilliseconds, leadMs: lead.wholeMilliseconds)
        guard case .scheduled(let startAt) = try await ask(.startSong(draft)) else {
            throw OvationError(.invalidAnswer)
        }
        return startAt
    }

    /// Holds the song where it is. Without a song: `no_song`, as with the others below.
    public func pauseSong() async throws(OvationError) { try await ask(.pauseSong) }

    /// Goes on with it.
    /// - Returns: when it is heard again, in milliseconds since 1970 on the server's clock.
    @discardableResult
    public func resumeSong(lead: Duration = .seconds(1)) async throws(OvationError) -> Int64 {
        guard case .scheduled(let startAt) = try await ask(.resumeSong(leadMs: lead.wholeMilliseconds)) else {
            throw OvationError(.invalidAnswer)
        }
        return startAt
    }

    /// Goes on elsewhere in the song; a paused one stays paused.
    public func seekSong(to position: Duration, lead: Duration = .seconds(1)) async throws(OvationError) {
        try await ask(.seekSong(positionMs: position.wholeMilliseconds, leadMs: lead.wholeMilliseconds))
    }

    /// Changes to the accompaniment or to the original with its first singer's voice.
    public func setSongTrack(_ track: SongTrack) async throws(OvationError) { try await ask(.setSongTrack(track)) }

    /// Ends the song for everybody.
    public func stopSong() async throws(OvationError) { try await ask(.stopSong) }

    /// States how long one's own equipment takes: it places one's voice in the mix that the audience hears.
    /// - Parameters:
    ///   - output: from playing until it is heard, up to 0.5 s.
    ///   - input: from singing until it is captured, up to 0.5 s.
    public func stateLatency(output: Duration, input: Duration) async throws(OvationError) {
        let statement = LatencyStatement(
            outputMs: Int(clamping: output.wholeMilliseconds), inputMs: Int(clamping: input.wholeMilliseconds))
        _ = try await outlet.ask(.stateLatency(id, statement), over: line)
        audio.teller.withLock { $0.calibrate(outputMs: statement.outputMs, inputMs: statement.inputMs) }
        audio.setSongLatency(output + input)
    }
}

extension Duration {
    /// Rounded down; what is beyond all limits stays beyond them.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000_000_000
    }
}
