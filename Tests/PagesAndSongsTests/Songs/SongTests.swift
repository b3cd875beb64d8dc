import Foundation
import RoomModel
import RoomPorts
import Testing

@testable import PagesAndSongs

@Suite struct SongTests {
    private static let boundary = "----xyz"

    private func form(_ parts: [(name: String, bytes: [UInt8])], boundary: String = Self.boundary) -> [UInt8] {
        parts.flatMap { part in
            Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"; filename=\"a\"\r\n\r\n".utf8)
                + part.bytes + [13, 10]
        } + Array("--\(boundary)--\r\n".utf8)
    }

    @Test("sounds are told by their first bytes, lyrics by their text")
    func formats() {
        let sounds: [([UInt8], SoundFormat?)] = [
            (Array("ID3\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}xx".utf8), .mp3),
            ([0xff, 0xfb, 0x90, 0x64, 0, 0, 0, 0], .mp3),
            ([0xff, 0xf3, 0x40, 0xc0], .mp3), ([0xff, 0xfb, 0xf0, 0x64], nil), ([0xff, 0xd8, 0xff, 0xe0], nil),
            ([0, 0, 0, 0x20] + Array("ftypM4A ".utf8), .m4a), (Array("OggS\u{0}".utf8), .ogg),
            (Array("fLaC".utf8), .flac),
            (Array("RIFFxxxxWAVE".utf8), .wav), (Array("RIFFxxxxAVI ".utf8), nil), (Array("<html>".utf8), nil),
            ([], nil),
        ]
        for (bytes, format) in sounds { #expect(SoundFormat(firstBytes: bytes) == format, "\(bytes)") }
        let lyrics: [([UInt8], LyricsFormat?)] = [
            (Array("[00:01.00]la".utf8), .lrc), (Array("\u{feff}[ti:x]\r\n[1:02]la".utf8), .lrc),
            (Array("WEBVTT\n\n00:01.000 --> 00:02.000\nla".utf8), .vtt), (Array("WEBVTT".utf8), nil),
            (Array("la la".utf8), nil), ([0xff, 0xfe, 0x5b], nil), (Array("[00:01.00]\u{0}".utf8), nil), ([], nil),
        ]
        for (bytes, format) in lyrics { #expect(LyricsFormat(bytes) == format, "\(bytes)") }
    }

    @Test("a song is as long as its file is found to be, else as its uploader says, and within an hour")
    func lengths() throws {
        let user = try #require(UserID("alice"))
        let cases: [(stated: String?, measured: Int64?, result: Int64?)] = [
            ("61000", nil, 61_000), ("61000", 1500, 1500), (nil, 1500, 1500), (nil, nil, nil), ("x", nil, nil),
            ("0", nil, nil), ("3600000", nil, 3_600_000), ("3600001", nil, nil), ("61000", 3_600_001, nil),
            ("-1", nil, nil), ("61000", 0, nil),
        ]
        for (stated, measured, result) in cases {
            let folder = NSTemporaryDirectory() + "ovation-song-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var upload = try SongUpload(into: folder, contentType: "multipart/form-data; boundary=\(Self.boundary)")
            var parts = [(name: "title", bytes: Array("x".utf8)), (name: "audio", bytes: Array("fLaC, or so".utf8))]
            if let stated { parts.append((name: "durationMs", bytes: Array(stated.utf8))) }
            try upload.take(form(parts))
            let files = try upload.soundFiles()
            #expect(files.map(\.field) == ["audio"] && FileManager.default.fileExists(atPath: files[0].path))
            let finding: SoundFinding =
                switch measured {
                case 0: .unreadable
                case let length?: .sound(milliseconds: length)
                case nil: .noLibrary
                }
            let song = try? upload.finish(id: "a", by: user, at: 1, findings: ["audio": finding])
            #expect(song?.durationMs == result, "\(stated ?? "nil") \(measured ?? -1)")
        }
    }

    private func upload(
        _ parts: [(headers: String, bytes: [UInt8])], contentType: String = "multipart/form-data; boundary=\"e=1\"",
        check: (SongUpload.Failure?, SongLibrary.Stored?, [String]) -> Void
    ) throws {
        let folder = NSTemporaryDirectory() + "ovation-song-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var body: [UInt8] = []
        for part in parts {
            body += Array("--e=1\r\n\(part.headers)\r\n\r\n".utf8)
            body += part.bytes
            body += [13, 10]
        }
        body += Array("--e=1--".utf8)
        let user = try #require(UserID("alice"))
        do throws(SongUpload.Failure) {
            var upload = try SongUpload(into: folder, contentType: contentType)
            try upload.take(body)
            let fields = try upload.soundFiles().map(\.field)
            let stored = try upload.finish(
                id: "a", by: user, at: 1,
                findings: Dictionary(uniqueKeysWithValues: fields.map { ($0, .sound(milliseconds: 900)) }))
            check(nil, stored, (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        } catch {
            check(error, nil, [])
        }
    }

    private static let sound = Array("fLaC, or so".utf8)

    @Test("D05-S a song comes as .NET, browsers and curl write forms, with fields that nobody filled in left empty")
    func writers() throws {
        let dotnet = [
            (
                "Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; name=title",
                Array("Älv".utf8)
            ),
            ("Content-Disposition: form-data; name=audio; filename=a.flac; filename*=utf-8''%C3%84lv.flac", Self.sound),
        ]
        let browser: [(String, [UInt8])] = [
            ("Content-Disposition: form-data; name=\"title\"", Array("Älv".utf8)),
            ("Content-Disposition: form-data; name=\"artist\"", []),
            ("Content-Disposition: form-data; name=\"durationMs\"", []),
            (
                "Content-Disposition: form-data; name=\"audio\"; filename=\"say \\\"a\\\" again; name=x.flac\"\r\nContent-Type: audio/flac",
                Self.sound
            ),
            (
                "Content-Disposition: form-data; name=\"original\"; filename=\"\"\r\nContent-Type: application/octet-stream",
                []
            ),
            ("Content-Disposition: form-data; name=\"lyrics\"; filename=\"\"", []),
        ]
        for parts in [dotnet, browser] {
            try upload(parts) { failure, stored, files in
                #expect(failure == nil && stored?.title == "Älv" && stored?.artist == nil)
                #expect(stored?.original == nil && stored?.lyrics == nil && files == ["accompaniment.flac"])
            }
        }
    }

    @Test("D05-S whoever sends a song that is refused reads which field is wrong, and what is wrong with it")
    func sentences() throws {
        func part(_ name: String, _ text: String) -> (headers: String, bytes: [UInt8]) {
            ("Content-Disposition: form-data; name=\(name)", Array(text.utf8))
        }
        let audio = (headers: "Content-Disposition: form-data; name=audio; filename=a", bytes: Self.sound)
        let cases: [([(headers: String, bytes: [UInt8])], String, String)] = [
            ([part("title", String(repeating: "x", count: 123)), audio], "title", "has 123 characters"),
            ([part("title", String(repeating: "x", count: 1_100)), audio], "title", "has more than 1024 bytes"),
            ([audio], "title", "is missing"), ([part("title", "x")], "audio", "is missing"),
            ([part("title", "a\u{202E}b"), audio], "title", "characters that nobody sees"),
            ([part("title", "x"), part("artist", "\u{7}"), audio], "artist", "characters that nobody sees"),
            (
                [
                    (
                        "Content-Type: text/plain; charset=utf-16\r\nContent-Disposition: form-data; name=title",
                        [0, 0x78]
                    ), audio,
                ],
                "title", "is no text in UTF-8"
            ),
            ([("Content-Disposition: form-data; name=title", [0xff]), audio], "title", "is no text in UTF-8"),
        ]
        for (parts, field, what) in cases {
            try upload(parts) { failure, _, _ in
                let message = failure?.code.message ?? ""
                #expect(failure?.field == field && message.contains(field) && message.contains(what), "\(message)")
            }
        }
        // A file that somebody chose and that is empty is no song.
        try upload([part("title", "x"), audio, ("Content-Disposition: form-data; name=original; filename=b.wav", [])]) {
            failure, _, _ in #expect(failure == .format(field: "original"))
        }
    }

    @Test("R11-S every sound of an upload is inspected, and none is taken where files cannot be")
    func inspection() throws {
        let user = try #require(UserID("alice"))
        let cases: [(audio: SoundFinding, original: SoundFinding?, result: SongUpload.Failure?)] = [
            (.sound(milliseconds: 1000), .sound(milliseconds: 900), nil),
            (.sound(milliseconds: 1000), .unreadable, .format(field: "original")),
            (.unreadable, .sound(milliseconds: 900), .format(field: "audio")),
            (.unavailable, .sound(milliseconds: 900), .uninspected), (.sound(milliseconds: 1000), nil, .uninspected),
            (.busy, .sound(milliseconds: 900), .busy),
        ]
        for (audio, original, result) in cases {
            let folder = NSTemporaryDirectory() + "ovation-song-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var upload = try SongUpload(into: folder, contentType: "multipart/form-data; boundary=\(Self.boundary)")
            let sound = Array("fLaC, or so".utf8)
            try upload.take(
                form([
                    (name: "title", bytes: Array("x".utf8)), (name: "audio", bytes: sound),
                    (name: "original", bytes: sound),
                ]))
            #expect(try upload.soundFiles().map(\.field) == ["audio", "original"])
            var findings = ["audio": audio]
            findings["original"] = original
            do throws(SongUpload.Failure) {
                _ = try upload.finish(id: "a", by: user, at: 1, findings: findings)
                #expect(result == nil)
            } catch {
                #expect(error == result)
            }
        }
    }

    @Test("one range of bytes is understood, everything else gives the whole file")
    func ranges() {
        let cases: [(String?, ByteRange)] = [
            (nil, .whole), ("bytes=0-", .part(0...99)), ("bytes=10-19", .part(10...19)),
            ("bytes=90-500", .part(90...99)),
            ("bytes=-10", .part(90...99)), ("bytes=-500", .part(0...99)), ("bytes=100-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=5-2", .whole), ("bytes=a-b", .whole), ("bytes=0-1,5-6", .whole),
            ("items=0-1", .whole), ("bytes=", .whole), ("bytes=-", .whole), ("bytes=99999999999999999999-", .whole),
            ("bytes=+1-2", .whole),
        ]
        for (header, range) in cases { #expect(ByteRange(header: header, size: 100) == range, "\(header ?? "nil")") }
        #expect(ByteRange(header: "bytes=0-", size: 0) == .unsatisfiable)
    }
}
