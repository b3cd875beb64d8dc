import RoomEvents
package import RoomModel

/// D02, D07, D08: what a chorus room sings, and who leads. The server places the song on the room's time and everybody starts by that;
/// whoever leaves does not take the song along.
package struct Chorus: Equatable, Sendable {
    package var play: SongPlay?
    /// Nobody: all sing at once. Whoever leads has a seat.
    package var leader: UserID?

    package var duet: DuetMode { leader.map { .leadFollow(leader: $0) } ?? .together }

    mutating func erase(_ user: UserID) { play = play?.erasing(user) }
}

// What a chorus room sings.
extension Chorus {
    /// After the end of a song so much is left for the last words, before it is taken away.
    package static let songTailMs: Int64 = 500

    func startSong(
        _ draft: SongDraft, by user: UserProfile, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        let song = try Self.checked(draft.song)
        guard draft.track == .accompaniment || song.original != nil else {
            throw .invalid("track", "this song has no original track")
        }
        try checkPosition(draft.positionMs, in: song)
        let startAt = try start(after: draft.leadMs, context)
        let play = SongPlay(
            song: song, by: user.id, track: draft.track, startAt: startAt, positionMs: draft.positionMs)
        return Decision([.songChanged(SongChanged(play, .started))], .scheduled(startAt: startAt))
    }

    func pauseSong(
        _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        var play = try playing()
        guard !play.isPaused else { return .nothing }
        play.positionMs = play.position(at: context.now)
        play.startAt = nil
        return Decision([.songChanged(SongChanged(play, .paused))])
    }

    /// A song that plays already goes on as it does.
    func resumeSong(
        leadMs: Int64, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        var play = try playing()
        if let startAt = play.startAt { return Decision([], .scheduled(startAt: startAt)) }
        let startAt = try start(after: leadMs, context)
        play.startAt = startAt
        return Decision([.songChanged(SongChanged(play, .resumed))], .scheduled(startAt: startAt))
    }

    /// While paused only the place changes: the song waits there.
    func seekSong(
        to positionMs: Int64, leadMs: Int64, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        var play = try playing()
        try checkPosition(positionMs, in: play.song)
        play.positionMs = positionMs
        guard !play.isPaused else { return Decision([.songChanged(SongChanged(play, .sought))]) }
        let startAt = try start(after: leadMs, context)
        play.startAt = startAt
        return Decision([.songChanged(SongChanged(play, .sought))], .scheduled(startAt: startAt))
    }

    func setSongTrack(
        _ track: SongTrack
    ) throws(RoomError) -> Decision {
        var play = try playing()
        guard track != play.track else { return .nothing }
        guard track == .accompaniment || play.song.original != nil else {
            throw .invalid("track", "this song has no original track")
        }
        play.track = track
        return Decision([.songChanged(SongChanged(play, .track))])
    }

    func stopSong() throws(RoomError) -> Decision {
        _ = try playing()
        return Decision([.songChanged(SongChanged(nil, .stopped))])
    }

    /// A song that was paused, moved or replaced meanwhile has another end.
    func songOver(_ context: DecisionContext) -> Decision {
        guard let end = play?.endsAt, context.now >= end + Self.songTailMs else { return .nothing }
        return Decision([.songChanged(SongChanged(nil, .ended))])
    }

    private func playing() throws(RoomError) -> SongPlay {
        guard let play else { throw RoomError(.noSong) }
        return play
    }

    private func start(after leadMs: Int64, _ context: DecisionContext) throws(RoomError) -> Int64 {
        guard SongLead.range.contains(leadMs) else { throw .invalid("leadMs", "a song starts 300…10,000 ms ahead") }
        return context.now + leadMs
    }

    private func checkPosition(_ positionMs: Int64, in song: Song) throws(RoomError) {
        guard (0..<song.durationMs).contains(positionMs) else {
            throw .invalid("positionMs", "this is not within the song")
        }
    }

    private static func checked(_ wanted: Song) throws(RoomError) -> Song {
        var song = wanted
        guard RoomLimits.songIDBytes.contains(song.id.utf8.count),
            song.id.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), PathSegment.isUsable(song.id)
        else { throw .invalid("song.id", "a song's id is 1…64 printable ASCII characters, and not . or ..") }
        song.title = DirectionMarks.withoutIdle(wanted.title).trimmed
        song.artist = wanted.artist.map { DirectionMarks.withoutIdle($0).trimmed }.flatMap { $0.isEmpty ? nil : $0 }
        guard RoomLimits.songTitleCharacters.contains(song.title.count),
            song.title.utf8.count <= RoomLimits.songTitleBytes
        else { throw .invalid("song.title", "a title has 1…100 characters") }
        guard song.artist.map({ $0.utf8.count <= RoomLimits.songTitleBytes }) ?? true else {
            throw .invalid("song.artist", "an artist's name has up to 100 characters")
        }
        guard RoomLimits.songDurationMs.contains(song.durationMs) else {
            throw .invalid("song.durationMs", "a song lasts up to an hour")
        }
        guard !song.accompaniment.isEmpty, isFile(song.accompaniment) else {
            throw .invalid("song.accompaniment", "an https:, http: or relative URL of up to 500 bytes")
        }
        guard isFile(song.original) else {
            throw .invalid("song.original", "an https:, http: or relative URL of up to 500 bytes")
        }
        guard isFile(song.lyrics) else {
            throw .invalid("song.lyrics", "an https:, http: or relative URL of up to 500 bytes")
        }
        return song
    }

    private static func isFile(_ url: String?) -> Bool {
        url.map { WebAddress.isAcceptable($0, bytes: RoomLimits.urlBytes) } ?? true
    }
}

extension SongDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.startSong(self, by: caller.profile, context)
    }
}

extension PauseSong: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.pauseSong(context)
    }
}

extension ResumeSong: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.resumeSong(leadMs: leadMs, context)
    }
}

extension SeekSong: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.seekSong(to: positionMs, leadMs: leadMs, context)
    }
}

extension SetSongTrack: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.setSongTrack(track)
    }
}

extension StopSong: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.seatedAndHosts, operator: .moderate)
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try room.checkChorus()
        return try room.chorus.stopSong()
    }
}

// MARK: What is kept of it

extension DurableRoomState {
    func checkChorus() throws(RoomError) {
        guard beginning.kind == .chorus else { throw RoomError(.notAChorus) }
    }
}

extension Chorus: Codable {
    private enum CodingKeys: String, CodingKey { case play, leader }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        play = try fields.decodeIfPresent(SongPlay.self, forKey: .play)
        leader = try fields.decodeIfPresent(UserID.self, forKey: .leader)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(play, forKey: .play)
        try fields.encodeIfPresent(leader, forKey: .leader)
    }
}

extension SongChanged: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.chorus.play = play
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.songChanged(done(by: context.author)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { SongChanged(play?.erasing(user), reason) }
}

extension SongPlay {
    func erasing(_ user: UserID) -> SongPlay {
        guard by == user else { return self }
        var play = self
        play.song = Song(id: "", title: "", durationMs: song.durationMs, accompaniment: "")
        return play
    }
}
