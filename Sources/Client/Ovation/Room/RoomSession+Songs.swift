public import Foundation
internal import Platform
public import RoomModel
internal import SignalProtocol
internal import Timing

/// The song of a chorus room. Everybody on a seat, the owner and admins can control it. Other rooms refuse (`not_a_chorus`).
///
/// The server decides when the song starts and tells everybody (`Event.songChanged`, `RoomState.play`). Each singer's client plays its
/// own copy in time (`RoomAudio.singing`); `RoomAudio.song` is what is heard now.
extension RoomSession {
    /// Starts a song for everybody. It replaces the current one.
    /// - Parameters:
    ///   - position: where the song begins.
    ///   - lead: the time until the start, 0.3…10 s, in which everybody loads the song.
    /// - Returns: when the song is heard, by the server's clock.
    @discardableResult
    public func startSong(
        _ song: Song, track: SongTrack = .accompaniment, from position: Duration = .zero, lead: Duration = .seconds(3)
    ) async throws(OvationError) -> Date {
        let draft = SongDraft(
            song: song, track: track, positionMs: position.wholeMilliseconds, leadMs: lead.wholeMilliseconds)
        guard case .scheduled(let startAt) = try await ask(draft) else {
            throw OvationError(.invalidAnswer)
        }
        return Date(milliseconds: startAt)
    }

    /// Pauses the song. Without a song this call and those below are refused (`no_song`).
    public func pauseSong() async throws(OvationError) { try await ask(PauseSong()) }

    /// Resumes the song.
    /// - Returns: when it is heard again, by the server's clock.
    @discardableResult
    public func resumeSong(lead: Duration = .seconds(1)) async throws(OvationError) -> Date {
        guard case .scheduled(let startAt) = try await ask(ResumeSong(leadMs: lead.wholeMilliseconds)) else {
            throw OvationError(.invalidAnswer)
        }
        return Date(milliseconds: startAt)
    }

    /// Moves to another position. A paused song stays paused.
    public func seekSong(to position: Duration, lead: Duration = .seconds(1)) async throws(OvationError) {
        try await ask(SeekSong(positionMs: position.wholeMilliseconds, leadMs: lead.wholeMilliseconds))
    }

    /// Switches between the accompaniment and the original with the singer's voice.
    public func setSongTrack(_ track: SongTrack) async throws(OvationError) { try await ask(SetSongTrack(track)) }

    /// Ends the song for everybody.
    public func stopSong() async throws(OvationError) { try await ask(StopSong()) }

    /// Tells the server the latency of the user's equipment, so that the mix for the audience places the voice correctly.
    /// - Parameters:
    ///   - output: from playing a sound until it is heard, up to 0.5 s.
    ///   - input: from singing until the sound is captured, up to 0.5 s.
    public func stateLatency(output: Duration, input: Duration) async throws(OvationError) {
        let statement = LatencyStatement(
            outputMs: Int(clamping: output.wholeMilliseconds), inputMs: Int(clamping: input.wholeMilliseconds))
        _ = try await outlet.ask(.stateLatency(StateLatency(id, statement)), over: line)
        audio.teller.withLock { $0.calibrate(outputMs: statement.outputMs, inputMs: statement.inputMs) }
        audio.setSongLatency(output + input)
    }
}
