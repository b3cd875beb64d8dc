import Foundation
import Ovation
import Synchronization
import Texts

/// What `ovation join` says: a line at the bottom of a terminal and sentences above it, or lines of JSON for scripts.
final class JoinReport: Sendable {
    /// How often the progress line is drawn anew.
    static let period = Duration.milliseconds(250)
    /// How many of those make a second, in which who is heard is told to scripts.
    private static let periodsPerSecond = 4

    enum Value: Encodable, Sendable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case levels([String: Int])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            case .levels(let levels): try container.encode(levels)
            }
        }
    }

    /// What was heard during the stay.
    struct Summary: Sendable {
        var loudest: [String: Int] = [:]
        var seconds = 0.0
        var statistics: [String: Double] = [:]
    }

    private let asJSON: Bool
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
    private let state = Mutex(State())

    private struct State {
        var hasLine = false
        var began: Date?
        var capturing: Date?
        var loudest: [String: Int] = [:]
    }

    init(asJSON: Bool) { self.asJSON = asJSON }

    // MARK: Saying

    func tell(_ event: String, _ fields: [String: Value] = [:], sentence: String? = nil) {
        if asJSON {
            var line = fields
            line["event"] = .text(event)
            line["time"] = .number((Date().timeIntervalSince1970 * 1_000).rounded())
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let text = try? encoder.encode(line) else { return }
            let readable = TerminalText.escapedJSON(String(decoding: text, as: UTF8.self))
            FileHandle.standardOutput.write(Data((readable + "\n").utf8))
        } else if let sentence {
            state.withLock { state in
                write((state.hasLine ? "\r\u{1b}[K" : "") + TerminalText.escaped(sentence) + "\n")
                state.hasLine = false
            }
        }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    private static func people(_ count: Int) -> String { count == 1 ? "1 person" : "\(count) people" }

    func entered(_ room: RoomSession) {
        state.withLock { $0.began = Date() }
        let info = room.state.info
        tell(
            "entered",
            ["room": .text("\(room.id)"), "name": .text(info.name), "people": .number(Double(room.state.memberCount))],
            sentence: "In \(info.name) (room \(room.id)), \(Self.people(room.state.memberCount)).")
    }

    func failed(_ error: OvationError) {
        tell(
            "error",
            [
                "name": .text(error.code.rawValue), "code": .number(Double(error.number)),
                "message": .text(error.message),
            ],
            sentence: "ovation: \(error.message) (\(error.code), \(error.number))")
    }

    func tell(_ event: RoomSession.Event) {
        switch event {
        case .message(let message):
            let text: String =
                switch message.body {
                case .text(let text): text
                case .custom(let command, let message): "[\(command)] \(message)"
                }
            tell(
                "message", ["from": .text(message.from.id.rawValue), "text": .text(text)],
                sentence: "\(message.from.label): \(text)")
        case .seatTaken(let taken):
            let (seat, user) = (taken.seat, taken.user)
            tell(
                "seat_taken", ["seat": .number(Double(seat.index)), "user": .text(user.id.rawValue)],
                sentence: "\(user.label) sits on seat \(seat.index).")
        case .seatLeft(let seat, let user, let reason, _):
            tell(
                "seat_left",
                [
                    "seat": .number(Double(seat.index)), "user": .text(user.id.rawValue),
                    "reason": .text(reason?.rawValue ?? "unknown"),
                ], sentence: "\(user.label) has left seat \(seat.index).")
        case .songChanged(let change): tell(change.play, change.reason, change.by)
        case .connectionLost: tell("connection_lost", sentence: "The connection is lost; trying again.")
        case .resumed: tell("resumed", sentence: "Back again.")
        case .ended(let end): tell("room_ended", ["reason": .text(end.reason.rawValue)])
        default: break
        }
    }

    private func tell(_ play: SongPlay?, _ change: SongChange, _ by: UserID?) {
        var fields: [String: Value] = [:]
        if let by { fields["by"] = .text(by.rawValue) }
        if let play {
            fields["song"] = .text(play.song.id)
            fields["title"] = .text(play.song.title)
            fields["track"] = .text(play.track.rawValue)
            fields["position"] = .number(Double(play.positionMs) / 1_000)
            if let startAt = play.startAt { fields["startAt"] = .number(Double(startAt)) }
        }
        let sentence: String? =
            switch change {
            case .started: play.map { "\($0.song.title) begins." }
            case .paused: "The song is held."
            case .resumed: "The song goes on."
            case .sought: play.map { "The song goes on at \(Self.clock(Double($0.positionMs) / 1_000))." }
            case .track: play.map { $0.track == .original ? "The original is played." : "The accompaniment is played." }
            case .stopped: "The song was ended."
            case .ended: nil
            }
        tell("song_" + (change == .track ? "track" : change.rawValue), fields, sentence: sentence)
    }

    func tell(_ event: RoomAudio.Event) {
        switch event {
        case .connectionChanged(let connection):
            switch connection {
            case .connected: tell("sound_connected", sentence: "Sound flows.")
            case .lost: tell("sound_lost", sentence: "The sound connection is lost. Reconnecting.")
            case .failed(let error):
                tell("sound_failed", ["message": .text(error.message)], sentence: "No sound: \(error.message)")
            case .off, .connecting, .closed: break
            }
        case .inputEnded(nil): tell("played")
        case .songPrepared(let song):
            tell(
                "song_prepared", ["song": .text(song.id), "title": .text(song.title)],
                sentence: "The song: \(song.title).")
        case .songUnavailable(let song, let error):
            tell(
                "song_unavailable", ["song": .text(song.id), "message": .text(error.message)],
                sentence: "\(song.title) cannot be played here, and is tried again: \(error.message)")
        case .songCompleted(let song, nil):
            tell("song_completed", ["song": .text(song.id)], sentence: "\(song.title) is over.")
        case .songCompleted(let song, let error?):
            tell(
                "song_failed", ["song": .text(song.id), "message": .text(error.message)],
                sentence: "\(song.title) cannot be played: \(error.message)")
        case .inputEnded, .microphoneFailed, .microphoneReturned, .speakerFailed, .musicStarted, .musicProgress,
            .musicEnded, .songProgress, .networkChanged:
            break
        }
    }

    // MARK: Progress

    /// - Parameter words: the line of the song that is sung now.
    func progress(of room: RoomSession, tick: Int, words: String?) {
        let levels = room.audio.localLevels
        let capturing = room.audio.isMicrophoneOn
        let (elapsed, shown) = state.withLock { state -> (Double, Bool) in
            for (user, level) in levels.users {
                state.loudest[user.rawValue] = max(level, state.loudest[user.rawValue] ?? 0)
            }
            if capturing, state.capturing == nil { state.capturing = Date() }
            return (state.capturing.map { -$0.timeIntervalSinceNow } ?? 0, !asJSON && isTerminal)
        }
        let song = room.audio.song
        if asJSON {
            guard tick.isMultiple(of: Self.periodsPerSecond) else { return }
            var fields: [String: Value] = [
                "own": .number(Double(levels.own)),
                "heard": .levels(
                    Dictionary(
                        levels.users.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first })),
            ]
            if let duration = room.audio.inputDuration {
                fields["position"] = .number((min(elapsed, duration / .seconds(1)) * 100).rounded() / 100)
                fields["duration"] = .number(duration / .seconds(1))
            }
            if let song { fields.merge(Self.fields(of: song, words)) { first, _ in first } }
            return tell("progress", fields)
        }
        guard shown else { return }
        var line = "seat \(room.state.mySeat.map(String.init) ?? "–")"
        if let duration = room.audio.inputDuration, capturing {
            line +=
                "  " + Self.bar(elapsed / (duration / .seconds(1)))
                + " \(Self.clock(elapsed))/\(Self.clock(duration / .seconds(1)))"
        }
        if let song {
            line +=
                "  ♪ \(song.song.title) \(Self.clock(song.position / .seconds(1)))/\(Self.clock(song.duration / .seconds(1)))"
                + (song.isPaused ? " (held)" : "")
        }
        line += "  you \(Self.meter(levels.own))"
        for (user, level) in levels.users.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where user != room.state.me.id {
            line += "  \(room.state.member(user)?.name ?? user.rawValue) \(Self.meter(level))"
        }
        if let words { line += "  “\(words)”" }
        state.withLock { $0.hasLine = true }
        write("\r\u{1b}[K" + line)
    }

    private static func fields(of song: SongProgress, _ words: String?) -> [String: Value] {
        // Zero is added so that a small negative offset is printed as 0 and not as -0.
        func rounded(_ seconds: Double) -> Value { .number((seconds * 1_000).rounded() / 1_000 + 0) }
        var fields: [String: Value] = [
            "song": .text(song.song.id), "songPosition": rounded(song.position / .seconds(1)),
            "songDuration": rounded(song.duration / .seconds(1)), "songTrack": .text(song.track.rawValue),
            "songHeld": .flag(song.isPaused),
        ]
        if let offset = song.offset { fields["songOffset"] = rounded(offset / .seconds(1)) }
        if let error = song.clockError { fields["clockError"] = rounded(error / .seconds(1)) }
        if let words { fields["songLine"] = .text(words) }
        return fields
    }

    private static func bar(_ part: Double) -> String {
        let width = 24
        let full = Int((min(max(part, 0), 1) * Double(width)).rounded())
        return String(repeating: "█", count: full) + String(repeating: "░", count: width - full)
    }

    private static func meter(_ level: Int) -> String {
        let signs = Array("▁▂▃▄▅▆▇█")
        return String(signs[min(max(level * signs.count / 101, 0), signs.count - 1)])
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 359_999))
        let rest = whole % 60
        return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
    }

    // MARK: The end

    func summary(of room: RoomSession) -> Summary {
        let statistics = room.audio.statistics
        return state.withLock { state in
            Summary(
                loudest: state.loudest, seconds: state.began.map { -$0.timeIntervalSinceNow } ?? 0,
                statistics: [
                    "packetsSent": Double(statistics.packetsSent),
                    "packetsReceived": Double(statistics.packetsReceived),
                    "lostSent": statistics.lossSent, "lostReceived": statistics.lossReceived,
                    "roundTripMs": statistics.roundTrip.map { $0 / .milliseconds(1) } ?? -1,
                    "concealed": Double(statistics.concealed),
                ])
        }
    }

    func finished(_ ending: Visit.Ending, _ heard: Summary, recording: String?) {
        let (name, sentence): (String, String) =
            switch ending {
            case .played: ("played", "The file has been played.")
            case .songOver: ("song_over", "The song is over.")
            case .timeIsUp: ("time_is_up", "Time is up.")
            case .interrupted: ("interrupted", "Interrupted.")
            case .roomOver(let why): ("room_over", why.prefix(1).uppercased() + why.dropFirst() + ".")
            case .failed(let error): ("failed", error.message)
            }
        var fields: [String: Value] = [
            "reason": .text(name), "seconds": .number((heard.seconds * 10).rounded() / 10),
            "loudest": .levels(heard.loudest),
        ]
        for (key, value) in heard.statistics where key != "roundTripMs" || value >= 0 { fields[key] = .number(value) }
        if let recording { fields["recording"] = .text(recording) }
        let numbers = heard.statistics
        let roundTrip = numbers["roundTripMs"].flatMap { $0 >= 0 ? ", round trip \(Int($0.rounded())) ms" : nil } ?? ""
        tell(
            "finished", fields,
            sentence: """
                \(sentence) \(Self.clock(heard.seconds)) in the room, \(Int(numbers["packetsSent"] ?? 0)) packets sent \
                (\(Self.percent(numbers["lostSent"])) lost), \(Int(numbers["packetsReceived"] ?? 0)) received \
                (\(Self.percent(numbers["lostReceived"])) lost)\(roundTrip).\
                \(recording.map { " Recorded to \($0)." } ?? "")
                """)
    }

    private static func percent(_ part: Double?) -> String { "\(((part ?? 0) * 1_000).rounded() / 10) %" }
}

extension UserProfile {
    /// Who signed in with a ticket may have no name.
    fileprivate var label: String { name.isEmpty ? id.rawValue : name }
}
