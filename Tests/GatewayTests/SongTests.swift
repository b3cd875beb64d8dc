import Foundation
import RoomModel
import RoomPorts
import SeededRandom
import Testing

@testable import Gateway

@Suite struct SongTests {
    private static let boundary = "----xyz"

    private func form(_ parts: [(name: String, bytes: [UInt8])], boundary: String = Self.boundary) -> [UInt8] {
        parts.flatMap { part in
            Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"; filename=\"a\"\r\n\r\n".utf8)
                + part.bytes + [13, 10]
        } + Array("--\(boundary)--\r\n".utf8)
    }

    /// What a parser makes of bytes that arrive in the given pieces.
    private func parse(_ bytes: [UInt8], cuts: [Int]) throws -> (parts: [(name: String, bytes: [UInt8])], whole: Bool) {
        var parser = try #require(MultipartParser(contentType: "multipart/form-data; boundary=\(Self.boundary)"))
        var parts: [(name: String, bytes: [UInt8])] = []
        var open = false
        for (from, to) in zip([0] + cuts, cuts + [bytes.count]) {
            try parser.feed(bytes[from..<to]) { event in
                switch event {
                case .part(let name):
                    #expect(!open)
                    open = true
                    parts.append((name, []))
                case .data(let data): parts[parts.count - 1].bytes += data
                case .partEnd: open = false
                }
            }
        }
        return (parts, parser.isWhole && !open)
    }

    @Test("a form comes out as it went in, however it is cut and whatever its parts look like")
    func multipart() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        // Bytes that look like the delimiter, so that every beginning of it occurs.
        let pieces = [
            "\r", "\n", "\r\n", "--", "\r\n--", "\r\n------xy", Self.boundary, "\r\n--\(Self.boundary.dropLast())", "a",
            "",
        ]
        for _ in 0..<300 {
            let parts = (0..<Int.random(in: 0...4, using: &random)).map { number in
                let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }
                return (name: "n\(number)", bytes: Array(text.joined().utf8))
            }
            // A part that holds the whole delimiter cannot be sent under this boundary.
            guard parts.allSatisfy({ !String(decoding: $0.bytes, as: UTF8.self).contains("--" + Self.boundary) }) else {
                continue
            }
            let bytes = form(parts)
            let cuts = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Int.random(in: 0...bytes.count, using: &random)
            }
            let result = try parse(bytes, cuts: cuts.sorted())
            #expect(result.whole, "seed \(seed)")
            #expect(result.parts.map(\.name) == parts.map(\.name), "seed \(seed)")
            #expect(result.parts.map(\.bytes) == parts.map(\.bytes), "seed \(seed)")
            // Cut short, it is never whole; broken anywhere, it ends without a trap.
            let short = try parse(Array(bytes.dropLast(5)), cuts: [])
            #expect(!short.whole, "seed \(seed)")
            var broken = bytes
            broken[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            _ = try? parse(broken, cuts: cuts.sorted())
        }
    }

    @Test("a form without a good boundary, with nameless parts or endless headers is refused")
    func badForms() throws {
        for type in [
            "", "text/plain", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=a b",
            "multipart/mixed; boundary=a", "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
        ] {
            #expect(MultipartParser(contentType: type) == nil, "\(type)")
        }
        #expect(MultipartParser(contentType: "Multipart/Form-Data; charset=x; boundary=\"a1\"") != nil)
        // Headers may have 4 KiB, and not a byte more.
        for (length, fits) in [(4 << 10, true), ((4 << 10) + 1, false)] {
            let start = "Content-Disposition: form-data; name=\"a\"\r\nX: "
            let headers = start + String(repeating: "x", count: length - start.utf8.count)
            let form = Array("--\(Self.boundary)\r\n\(headers)\r\n\r\n".utf8)
            if fits {
                #expect(throws: Never.self) { try parse(form, cuts: []) }
            } else {
                #expect(throws: MultipartParser.Malformed.self) { try parse(form, cuts: []) }
            }
        }
        for text in [
            "--\(Self.boundary)x\r\n", "--\(Self.boundary)\r\nContent-Type: a/b\r\n\r\n",
            "--\(Self.boundary)\r\nContent-Disposition: form-data; filename=\"a\"\r\n\r\n",
            "--\(Self.boundary)\r\nX: " + String(repeating: "a", count: 5000),
        ] {
            #expect(throws: MultipartParser.Malformed.self, "\(text.prefix(60))") {
                try parse(Array(text.utf8), cuts: [])
            }
        }
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
