import Foundation
import HTTPGrammar
import RoomModel
import RoomPorts
import Texts

/// A song on its way in: its parts are written to a folder as they come, within limits, and looked at.
struct SongUpload {
    /// Half an hour of MP3 at 128 kbit/s.
    static let soundLimit = 30 << 20
    static let lyricsLimit = 256 << 10
    /// Title, artist and duration.
    private static let fieldLimit = 1 << 10
    private static let textLimit = 100

    enum Failure: Error, Equatable {
        case tooLarge(field: String)
        case format(field: String)
        case lyrics
        /// Something is wrong with one field, told as what stands behind its name.
        case field(String, String)
        case malformed(String)
        /// Of this machine: full disk, no rights.
        case storage
        /// Files cannot be inspected on this machine, so none are taken.
        case uninspected
        /// Others' files are being inspected.
        case busy
        /// It took longer than any honest line does.
        case tooSlow

        /// The field that is wrong.
        var field: String? { if case .field(let field, _) = self { field } else { nil } }

        var code: (number: Int, name: String, message: String) {
            switch self {
            case .tooLarge(let field): (20463, "song_too_large", "\(field) is too large")
            case .format(let field):
                (20464, "song_format", "\(field) is no sound that everybody can play: \(SoundFormat.playable)")
            case .lyrics: (20466, "lyrics_invalid", "lyrics are LRC or WebVTT text with times, in UTF-8")
            case .field(let field, let what): (-32602, "invalid_params", "\(field) \(what)")
            case .malformed(let what): (-32600, "invalid_request", "the body is no form: \(what)")
            case .storage: (20503, "unavailable", "the song could not be stored")
            case .uninspected:
                (20468, "uploads_unavailable", "this server cannot inspect files safely, so it takes none")
            case .tooSlow: (-3, "timeout", "the upload was too slow and was ended")
            case .busy: (20503, "unavailable", "the server is busy with uploads: try again")
            }
        }
    }

    private let folder: String
    private var parser: FormParser
    /// The sound that is being written, and how much of it there is.
    private var open: (part: FormParser.Part, file: FileHandle, count: Int)?
    private var text: (part: FormParser.Part, bytes: [UInt8])?
    private var seen: Set<String> = []
    private var sounds: [String: SoundFormat] = [:]
    /// Of the song, with their times.
    private(set) var words = ""
    private var lyrics: LyricsFormat?
    private var fields: [String: String] = [:]

    /// - Parameter folder: exists and is empty.
    init(into folder: String, contentType: String) throws(Failure) {
        guard let parser = FormParser(contentType: contentType) else { throw .malformed("no boundary is named") }
        self.parser = parser
        self.folder = folder
    }

    mutating func take(_ bytes: some Sequence<UInt8>) throws(Failure) {
        var events: [FormParser.Event] = []
        do { try parser.feed(bytes) { events.append($0) } } catch {
            throw .malformed((error as? FormParser.Malformed)?.what ?? "\(error)")
        }
        for event in events { try take(event) }
    }

    private mutating func take(_ event: FormParser.Event) throws(Failure) {
        switch event {
        case .part(let part): try begin(part)
        case .data(let bytes):
            if open != nil { try write(bytes) } else { try keep(bytes) }
        case .partEnd: try end()
        }
    }

    private mutating func begin(_ part: FormParser.Part) throws(Failure) {
        guard seen.insert(part.name).inserted else { throw .malformed("\(part.name) comes twice") }
        switch part.name {
        case "audio", "original":
            let path = "\(folder)/\(part.name)"
            guard FileManager.default.createFile(atPath: path, contents: nil),
                let file = FileHandle(forWritingAtPath: path)
            else { throw .storage }
            open = (part, file, 0)
        // The last one is a browser's word on how it wrote the others (RFC 7578 §4.6).
        case "lyrics", "title", "artist", "durationMs", "_charset_": text = (part, [])
        default: throw .malformed("nobody asked for \(part.name)")
        }
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        guard let (part, file, count) = open else { return }
        guard count + bytes.count <= Self.soundLimit else { throw .tooLarge(field: part.name) }
        do { try file.write(contentsOf: Data(bytes)) } catch { throw .storage }
        open?.count += bytes.count
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        guard let name = text?.part.name else { return }
        text?.bytes += bytes
        guard let count = text?.bytes.count else { return }
        if name == "lyrics", count > Self.lyricsLimit { throw .tooLarge(field: name) }
        if name != "lyrics", count > Self.fieldLimit { throw .field(name, "has more than \(Self.fieldLimit) bytes") }
    }

    private mutating func end() throws(Failure) {
        if let (part, file, count) = open {
            open = nil
            do { try file.close() } catch { throw .storage }
            if Self.isLeftEmpty(part, count: count) {
                try? FileManager.default.removeItem(atPath: "\(folder)/\(part.name)")
                return
            }
            try finishSound(part.name, as: part.name == "audio" ? "accompaniment" : part.name)
        } else if let (part, bytes) = text {
            text = nil
            if Self.isLeftEmpty(part, count: bytes.count) { return }
            if part.name == "lyrics" { return try finishLyrics(bytes) }
            guard [nil, "utf-8", "us-ascii"].contains(part.charset),
                StreamSafeText.holds(bytes), let value = String(validating: bytes, as: UTF8.self)
            else { throw .field(part.name, "is no text in UTF-8") }
            fields[part.name] = value
        }
    }

    /// A field that somebody did not fill in: a form's sender gives it all the same, a file with an empty name.
    private static func isLeftEmpty(_ part: FormParser.Part, count: Int) -> Bool {
        count == 0 && (part.filename ?? "").isEmpty
    }

    private mutating func finishSound(_ name: String, as kind: String) throws(Failure) {
        let path = "\(folder)/\(name)"
        guard let reader = FileHandle(forReadingAtPath: path) else { throw .storage }
        let first = (try? reader.read(upToCount: SoundFormat.mark)) ?? Data()
        try? reader.close()
        guard let format = SoundFormat(firstBytes: Array(first)) else { throw .format(field: name) }
        do {
            try FileManager.default.moveItem(atPath: path, toPath: "\(folder)/\(kind).\(format.rawValue)")
        } catch { throw .storage }
        sounds[name] = format
    }

    private mutating func finishLyrics(_ bytes: [UInt8]) throws(Failure) {
        guard let format = LyricsFormat(bytes) else { throw .lyrics }
        words = String(decoding: bytes, as: UTF8.self)
        guard FileManager.default.createFile(atPath: "\(folder)/lyrics.\(format.rawValue)", contents: Data(bytes))
        else {
            throw .storage
        }
        lyrics = format
    }

    /// The sounds that came, by the name of their field: to be inspected before `finish`.
    func soundFiles() throws(Failure) -> [(field: String, path: String)] {
        guard parser.isWhole else { throw .malformed("it ends too early") }
        guard sounds["audio"] != nil else { throw .field("audio", "is missing") }
        return sounds.sorted { $0.key < $1.key }.map { field, format in
            (field, "\(folder)/\(field == "audio" ? "accompaniment" : field).\(format.rawValue)")
        }
    }

    /// What came, once all of it did.
    /// - Parameter findings: what each sound turned out to be; where no library reads it, the stated length counts.
    func finish(
        id: String, by user: UserID, at time: Int64, findings: [String: SoundFinding]
    ) throws(Failure) -> SongLibrary.Stored {
        guard parser.isWhole else { throw .malformed("it ends too early") }
        guard let sound = sounds["audio"] else { throw .field("audio", "is missing") }
        guard let title = try name("title") else { throw .field("title", "is missing") }
        let file = "accompaniment.\(sound.rawValue)"
        var measured: Int64?
        for field in sounds.keys.sorted() {
            switch findings[field] ?? .unavailable {
            case .sound(let milliseconds): if field == "audio" { measured = milliseconds }
            case .noLibrary: break
            case .unreadable: throw .format(field: field)
            case .unavailable: throw .uninspected
            case .busy: throw .busy
            }
        }
        let stated = fields["durationMs"].flatMap { Int64($0) }
        guard let durationMs = measured ?? stated else { throw .field("durationMs", "is missing or no whole number") }
        guard (1...SongLibrary.longest).contains(durationMs) else {
            throw .field(measured == nil ? "durationMs" : "audio", "is not between a millisecond and an hour long")
        }
        return SongLibrary.Stored(
            id: id, title: title, artist: try name("artist"), durationMs: durationMs, accompaniment: file,
            original: sounds["original"].map { "original.\($0.rawValue)" },
            lyrics: lyrics.map { "lyrics.\($0.rawValue)" }, by: user, createdAt: time)
    }

    /// A name that people read, without spaces around it.
    private func name(_ field: String) throws(Failure) -> String? {
        let text = DirectionMarks.withoutIdle(fields[field] ?? "").split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
        if text.isEmpty { return nil }
        guard text.utf8.count <= Self.textLimit * 4, text.count <= Self.textLimit else {
            throw .field(
                field,
                "has \(text.count) characters in \(text.utf8.count) bytes, and may have \(Self.textLimit) in \(Self.textLimit * 4)"
            )
        }
        guard ReadableName.isReadable(text) else { throw .field(field, "has characters that nobody sees") }
        return text
    }
}
