public import AudioGraph
public import Foundation
public import RoomModel
internal import Timing

// Instants and spans of the values that come from the server, which tells them in milliseconds since 1970, by its own clock
// (`RoomClock`), and in milliseconds or seconds.

extension Date {
    /// As the server tells instants.
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// As the server takes them.
    package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }
}

// MARK: - Messages and people

extension Message {
    /// When it was sent.
    public var date: Date { Date(milliseconds: time) }
}

extension Signal {
    /// When it was sent.
    public var date: Date { Date(milliseconds: time) }
}

extension Invitation {
    /// When it was sent.
    public var created: Date { Date(milliseconds: createdAt) }
    /// When it expires; `nil`: it does not.
    public var expires: Date? { expiresAt.map(Date.init(milliseconds:)) }
}

extension Restriction {
    /// When it ends. `nil`: a mute with the room, a ban never.
    public var ends: Date? { until.map(Date.init(milliseconds:)) }

    /// Whether it is in force at that time.
    public func holds(at date: Date) -> Bool { holds(at: date.milliseconds) }
}

extension RoomInfo {
    /// When the room was created.
    public var created: Date { Date(milliseconds: createdAt) }
}

extension RoomSummary {
    /// How long the room was open.
    public var duration: Duration { .seconds(seconds) }
}

extension ChatSettings {
    /// How long one member waits between two messages.
    public var slowMode: Duration { .seconds(slowSeconds) }
}

// MARK: - Gifts

extension SentGift {
    /// When it was sent.
    public var date: Date { Date(milliseconds: time) }
}

extension StatementEntry {
    /// When it was entered.
    public var date: Date { Date(milliseconds: time) }
}

// MARK: - Other rooms

extension HostLink {
    /// When the rooms were linked.
    public var began: Date { Date(milliseconds: since) }
}

extension PKTerms {
    /// What the hosts agree on.
    /// - Parameters:
    ///   - duration: whole seconds, 1 to 10 minutes.
    ///   - forfeitDuration: how long the rooms give the losing host for the forfeit: whole seconds, up to 3 minutes.
    ///   - forfeit: what the losing host is to do, up to 60 characters.
    public init(duration: Duration, forfeitDuration: Duration = .zero, forfeit: String = "") {
        self.init(
            seconds: duration.wholeSeconds, forfeitSeconds: forfeitDuration.wholeSeconds, forfeit: forfeit)
    }

    /// How long points count.
    public var duration: Duration { .seconds(seconds) }
    /// How long the rooms give the losing host for the forfeit.
    public var forfeitDuration: Duration { .seconds(forfeitSeconds) }
}

extension PKMatch {
    /// When points begin to count, from the phase `running` on.
    public var starts: Date? { startAt.map(Date.init(milliseconds:)) }
    /// When they stop.
    public var ends: Date? { endAt.map(Date.init(milliseconds:)) }
    /// When the phase ends by itself: `linking`, `counting` and `over`.
    public var phaseEnds: Date? { until.map(Date.init(milliseconds:)) }
}

extension PKChallenge {
    /// When it counts as unanswered.
    public var expires: Date { Date(milliseconds: expiresAt) }
}

extension ChallengeNews {
    /// With `declined`: until when the other host wants no challenge.
    public var declinedUntil: Date? { until.map(Date.init(milliseconds:)) }
}

// MARK: - Songs

extension Song {
    /// Creates a song from its parts.
    /// - Parameters:
    ///   - id: 1…64 printable ASCII characters.
    ///   - duration: up to an hour.
    ///   - accompaniment: what the singers sing to, an `https:`, `http:` or relative URL as the other files.
    ///   - original: the same song with the voice of its first singer.
    ///   - lyrics: words with their times, LRC or WebVTT.
    public init(
        id: String, title: String, artist: String? = nil, duration: Duration, accompaniment: String,
        original: String? = nil, lyrics: String? = nil
    ) {
        self.init(
            id: id, title: title, artist: artist, durationMs: duration.wholeMilliseconds, accompaniment: accompaniment,
            original: original, lyrics: lyrics)
    }

    /// How long it is.
    public var duration: Duration { .milliseconds(durationMs) }
}

extension SongPlay {
    /// When `position` is heard; `nil` while paused.
    public var starts: Date? { startAt.map(Date.init(milliseconds:)) }
    /// Where it starts from; while paused: where it stands.
    public var position: Duration { .milliseconds(positionMs) }
    /// When the last of it is heard; `nil` while paused.
    public var ends: Date? { endsAt.map(Date.init(milliseconds:)) }

    /// What is heard at that time, by the server's clock: before the start the position from which it will go on, after the end the end.
    public func position(at date: Date) -> Duration { .milliseconds(position(at: date.milliseconds)) }
}

extension MusicTrack {
    /// When `start` is heard, by the server's clock, as `SongPlay.starts` has it. If that has passed, the track begins where it would be by
    /// then; from then on it is kept there. `nil`: as soon as it is open.
    public var starts: Date? {
        get { startsAt.map(Date.init(milliseconds:)) }
        set { startsAt = newValue?.milliseconds }
    }
}

extension SingerNetwork {
    /// From the server to the singer and back; `nil` before it has been measured.
    public var roundTrip: Duration? { roundTripMs.map { .milliseconds($0) } }
    /// The jitter of the singer's packets at the server (RFC 3550).
    public var jitter: Duration? { jitterMs.map { .milliseconds($0) } }
}

extension SingersApart {
    /// From one singer's mouth to another's ear, of the two who are furthest apart.
    public var delay: Duration { .milliseconds(ms) }
    /// The longest delay at which people keep time by hearing each other, from studies with clapping and playing musicians.
    public static var tightLimit: Duration { .milliseconds(tightLimitMs) }
}
