/// Stops what is sung where it is.
package struct PauseSong: CommandPayload {
    package static let name = RoomCommand.Name.pauseSong
    package var asCommand: RoomCommand { .pauseSong }

    package init() {}
}

/// Goes on where it was stopped.
package struct ResumeSong: CommandPayload {
    package static let name = RoomCommand.Name.resumeSong
    package static var answer: CommandResult.Form { .scheduled }
    package var asCommand: RoomCommand { .resumeSong(self) }

    /// From now until it is heard again.
    package var leadMs: Int64

    package init(leadMs: Int64 = SongLead.resume) {
        self.leadMs = leadMs
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(leadMs: try fields.decodeIfPresent(Int64.self, forKey: .leadMs) ?? SongLead.resume)
    }

    private enum CodingKeys: String, CodingKey { case leadMs }
}

/// Goes on elsewhere in the song.
package struct SeekSong: CommandPayload {
    package static let name = RoomCommand.Name.seekSong
    package static var answer: CommandResult.Form { .scheduledUnlessPaused }
    package var asCommand: RoomCommand { .seekSong(self) }

    /// From the beginning of the song.
    package var positionMs: Int64
    /// From now until it is heard there.
    package var leadMs: Int64

    package init(positionMs: Int64, leadMs: Int64 = SongLead.resume) {
        self.positionMs = positionMs
        self.leadMs = leadMs
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            positionMs: try fields.decode(Int64.self, forKey: .positionMs),
            leadMs: try fields.decodeIfPresent(Int64.self, forKey: .leadMs) ?? SongLead.resume)
    }

    private enum CodingKeys: String, CodingKey { case positionMs, leadMs }
}

/// Plays the other recording.
package struct SetSongTrack: CommandPayload {
    package static let name = RoomCommand.Name.setSongTrack
    package var asCommand: RoomCommand { .setSongTrack(self) }

    package var track: SongTrack

    package init(_ track: SongTrack) {
        self.track = track
    }
}

/// Ends what is sung.
package struct StopSong: CommandPayload {
    package static let name = RoomCommand.Name.stopSong
    package static var operatorPath: OperatorPath? { OperatorPath(.delete, "rooms/{room}/song") }
    package var asCommand: RoomCommand { .stopSong }

    package init() {}
}

/// A song as its singers chose it. Its files are URLs: `https:`, `http:` or relative to the server.
public struct Song: Codable, Hashable, Sendable {
    /// The client's or the library's name for it, 1…64 printable ASCII characters.
    public var id: String
    /// What it is called.
    public var title: String
    /// Whose it is.
    public var artist: String?
    /// How long it is, up to an hour.
    package var durationMs: Int64
    /// What the singers sing to.
    public var accompaniment: String
    /// The same song with the voice of its first singer.
    public var original: String?
    /// Words with their times: LRC or WebVTT.
    public var lyrics: String?

    /// Creates the value from its parts.
    package init(
        id: String, title: String, artist: String? = nil, durationMs: Int64, accompaniment: String,
        original: String? = nil, lyrics: String? = nil
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.durationMs = durationMs
        self.accompaniment = accompaniment
        self.original = original
        self.lyrics = lyrics
    }

    private enum CodingKeys: String, CodingKey { case id, title, artist, durationMs, accompaniment, original, lyrics }

    // By hand, since songs stand in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try fields.decode(String.self, forKey: .id), title: try fields.decode(String.self, forKey: .title),
            artist: try fields.decodeIfPresent(String.self, forKey: .artist),
            durationMs: try fields.decode(Int64.self, forKey: .durationMs),
            accompaniment: try fields.decode(String.self, forKey: .accompaniment),
            original: try fields.decodeIfPresent(String.self, forKey: .original),
            lyrics: try fields.decodeIfPresent(String.self, forKey: .lyrics))
    }
}

/// Which of a song's recordings is played.
@nonexhaustive public enum SongTrack: String, Codable, Hashable, Sendable, CaseIterable {
    /// Without a voice.
    case accompaniment
    /// With the voice of its first singer.
    case original
}

/// The song that a room sings, placed on the room's time: everybody computes from it alone what is heard when.
public struct SongPlay: Codable, Hashable, Sendable {
    /// What is sung.
    public var song: Song
    /// Who started it.
    public var by: UserID
    /// Which recording.
    public var track: SongTrack
    /// The room time (milliseconds since 1970) at which `positionMs` is heard; absent while paused.
    package var startAt: Int64?
    /// From the beginning of the song. While paused: where it stands.
    package var positionMs: Int64

    /// Creates the value from its parts.
    package init(song: Song, by: UserID, track: SongTrack = .accompaniment, startAt: Int64?, positionMs: Int64 = 0) {
        self.song = song
        self.by = by
        self.track = track
        self.startAt = startAt
        self.positionMs = positionMs
    }

    private enum CodingKeys: String, CodingKey { case song, by, track, startAt, positionMs }

    // By hand, since what is sung stands in the journal: what is added later has a default here.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            song: try fields.decode(Song.self, forKey: .song), by: try fields.decode(UserID.self, forKey: .by),
            track: try fields.decodeIfPresent(SongTrack.self, forKey: .track) ?? .accompaniment,
            startAt: try fields.decodeIfPresent(Int64.self, forKey: .startAt),
            positionMs: try fields.decodeIfPresent(Int64.self, forKey: .positionMs) ?? 0)
    }

    /// Whether it stands still.
    public var isPaused: Bool { startAt == nil }

    /// What is heard at `time`: before the start the position from which it will go on, after the end the end.
    package func position(at time: Int64) -> Int64 {
        guard let startAt else { return positionMs }
        return min(song.durationMs, positionMs + max(0, time - startAt))
    }

    /// The room time at which the last of it is heard; absent while paused.
    package var endsAt: Int64? { startAt.map { $0 + max(0, song.durationMs - positionMs) } }
}

/// Why what is sung has changed.
@nonexhaustive public enum SongChange: String, Codable, Hashable, Sendable, CaseIterable {
    /// It begins, in place of another one perhaps.
    case started
    /// It stands still.
    case paused
    /// It goes on.
    case resumed
    /// It goes on elsewhere.
    case sought
    /// The other recording is played.
    case track
    /// Somebody ended it.
    case stopped
    /// It was sung to its end.
    case ended
}

/// What somebody wants to sing.
package struct SongDraft: CommandPayload {
    package static let name = RoomCommand.Name.startSong
    package static var answer: CommandResult.Form { .scheduled }
    package var asCommand: RoomCommand { .startSong(self) }

    package var song: Song
    package var track: SongTrack
    package var positionMs: Int64
    /// From now to the start, for everybody to load the song and agree on the time.
    package var leadMs: Int64

    package init(song: Song, track: SongTrack = .accompaniment, positionMs: Int64 = 0, leadMs: Int64 = SongLead.start) {
        self.song = song
        self.track = track
        self.positionMs = positionMs
        self.leadMs = leadMs
    }

    package var texts: [SaidText] {
        [
            SaidText(.clientID, song.id, "song.id"), SaidText(.songTitle, song.title, "song.title"),
            SaidText(.songFile, song.accompaniment, "song.accompaniment"),
        ]
            + [
                song.artist.map { SaidText(.songArtist, $0, "song.artist") },
                song.original.map { SaidText(.songFile, $0, "song.original") },
                song.lyrics.map { SaidText(.songFile, $0, "song.lyrics") },
            ].compactMap { $0 }
    }

    private enum CodingKeys: String, CodingKey { case song, track, positionMs, leadMs }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            song: try fields.decode(Song.self, forKey: .song),
            track: try fields.decodeIfPresent(SongTrack.self, forKey: .track) ?? .accompaniment,
            positionMs: try fields.decodeIfPresent(Int64.self, forKey: .positionMs) ?? 0,
            leadMs: try fields.decodeIfPresent(Int64.self, forKey: .leadMs) ?? SongLead.start)
    }
}

/// How long before a start everybody is told, in milliseconds.
package enum SongLead {
    /// The published component's lead: time to fetch the file's beginning on a phone.
    package static let start: Int64 = 3_000
    /// The file is there already.
    package static let resume: Int64 = 1_000
    /// Shorter, and the news itself may come too late; longer is waiting in silence.
    package static let range: ClosedRange<Int64> = 300...10_000
}

/// What a chorus room sings has changed.
public struct SongChanged: StoredPayload, Codable, Hashable, Sendable {
    /// What is sung from now on; `nil`: nothing.
    public var play: SongPlay?
    /// Why.
    public var reason: SongChange
    /// Who did it; `nil` when the song has reached its end.
    public var by: UserID?

    /// Another song, place, or recording, or none.
    public init(_ play: SongPlay?, _ reason: SongChange, by: UserID? = nil) {
        self.play = play
        self.reason = reason
        self.by = by
    }

    package var type: EventType { .songChanged }
    package var wireSize: Int { WireSize.object + (play?.wireSize ?? 0) }
}
