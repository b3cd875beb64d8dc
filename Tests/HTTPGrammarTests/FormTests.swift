import HTTPGrammar
import SeededRandom
import Testing

@Suite struct FormTests {
    private static let boundary = "----xyz"

    private struct Sent: Equatable {
        var part: FormParser.Part
        var bytes: [UInt8]
    }

    /// What a parser makes of bytes that arrive in the given pieces.
    private func parse(
        _ bytes: [UInt8], cuts: [Int] = [], contentType: String = "multipart/form-data; boundary=\(Self.boundary)"
    ) throws -> (parts: [Sent], whole: Bool) {
        var parser = try #require(FormParser(contentType: contentType))
        var parts: [Sent] = []
        var open = false
        for (from, to) in zip([0] + cuts, cuts + [bytes.count]) {
            try parser.feed(bytes[from..<to]) { event in
                switch event {
                case .part(let part):
                    #expect(!open)
                    open = true
                    parts.append(Sent(part: part, bytes: []))
                case .data(let data): parts[parts.count - 1].bytes += data
                case .partEnd: open = false
                }
            }
        }
        return (parts, parser.isWhole && !open)
    }

    /// The name of a file in one of the ways in which programs write it.
    private func filename(_ name: String, random: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<4, using: &random) {
        // Browsers (WHATWG HTML, multipart/form-data): three bytes are written otherwise, a backslash is not.
        case 0 where !name.contains("\"") && !name.contains("\\\\"): "filename=\"\(name)\""
        case 1 where !name.isEmpty && !name.contains(where: { "\\\"; ".contains($0) }): "filename=\(name)"
        case 2:
            "filename=a; filename*=UTF-8'en'"
                + name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        // RFC 9110 §5.6.4.
        default:
            "filename=\""
                + name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        }
    }

    @Test("a form comes out as it went in, however it is cut, whoever wrote it and whatever its parts look like")
    func forms() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        // Bytes that look like the delimiter, so that every beginning of it occurs.
        let pieces = [
            "\r", "\n", "\r\n", "--", "\r\n--", "\r\n------xy", Self.boundary, "\r\n--\(Self.boundary.dropLast())", "a",
            "",
        ]
        let letters = ["a", "Ä", "歌", " ", "'", "(", "%", "=", ";", "\\", "\"", ".mp3", "name=x"]
        for _ in 0..<500 {
            let parts = (0..<Int.random(in: 0...4, using: &random)).map { number in
                let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }
                let name = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    letters.randomElement(using: &random) ?? ""
                }.joined()
                // A mark before a semicolon cannot be told from the string's end by who does not know how it was written.
                let isPlain = !name.contains(/" *(;|$)/) && !name.hasSuffix("\\")
                let file: String? = Bool.random(using: &random) && isPlain ? name : nil
                return Sent(part: .init(name: "n\(number)", filename: file), bytes: Array(text.joined().utf8))
            }
            // A part that holds the whole delimiter cannot be sent under this boundary.
            guard parts.allSatisfy({ !String(decoding: $0.bytes, as: UTF8.self).contains("--" + Self.boundary) }) else {
                continue
            }
            let lines = parts.map { sent -> String in
                let name = Bool.random(using: &random) ? "name=\(sent.part.name)" : "NAME=\"\(sent.part.name)\""
                let file = sent.part.filename.map { "; " + filename($0, random: &random) } ?? ""
                let folded = Bool.random(using: &random) ? "\r\n\t" : " "
                return "X-Other: 1\r\ncontent-Disposition:form-data;\(folded)\(name)\(file)"
            }
            let padding = Bool.random(using: &random) ? " \t" : ""
            var bytes: [UInt8] = []
            for (line, sent) in zip(lines, parts) {
                bytes += Array("--\(Self.boundary)\(padding)\r\n\(line)\r\n\r\n".utf8)
                bytes += sent.bytes
                bytes += [13, 10]
            }
            bytes += Array("--\(Self.boundary)--\r\nbehind it".utf8)
            let cuts = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Int.random(in: 0...bytes.count, using: &random)
            }
            let result = try parse(bytes, cuts: cuts.sorted())
            #expect(result.whole && result.parts == parts, "seed \(seed): \(lines)")
            // Cut short, it is never whole; broken anywhere, it ends without a trap.
            #expect(!(try parse(Array(bytes.dropLast(15)))).whole, "seed \(seed)")
            var broken = bytes
            broken[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            _ = try? parse(broken, cuts: cuts.sorted())
        }
    }

    @Test("a boundary may have what the standard lets it have, and nothing else")
    func boundaries() throws {
        for type in [
            "", "text/plain", "multipart/form-data", "multipart/form-data; boundary=",
            "multipart/form-data; boundary=a{b",
            "multipart/form-data; boundary=\"a \"", "multipart/mixed; boundary=a",
            "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
            "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=\"a",
            "multipart/form-data; boundary=é",
        ] {
            #expect(FormParser(contentType: type) == nil, "\(type)")
        }
        for (type, line) in [
            ("Multipart/Form-Data; charset=x; boundary=\"a1\"", "a1"),
            ("multipart/form-data;boundary=\"a b:c?d='(e),+_./\";", "a b:c?d='(e),+_./"),
            ("multipart/form-data ; BOUNDARY=----W3bK1t ; charset=utf-8", "----W3bK1t"),
        ] {
            let bytes = Array("--\(line)\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--\(line)--".utf8)
            let result = try parse(bytes, contentType: type)
            #expect(result.whole && result.parts == [Sent(part: .init(name: "a"), bytes: Array("1".utf8))], "\(type)")
        }
    }

    @Test("nameless parts, endless headers and bytes that stand for others are refused")
    func refused() throws {
        // Headers may have 4 KiB, and not a byte more.
        for (length, fits) in [(4 << 10, true), ((4 << 10) + 1, false)] {
            let start = "Content-Disposition: form-data; name=\"a\"\r\nX: "
            let headers = start + String(repeating: "x", count: length - start.utf8.count)
            let form = Array("--\(Self.boundary)\r\n\(headers)\r\n\r\n".utf8)
            for cuts in [[], [form.count - 1]] {
                if fits {
                    #expect(throws: Never.self) { try parse(form, cuts: cuts) }
                } else {
                    #expect(throws: FormParser.Malformed.self) { try parse(form, cuts: cuts) }
                }
            }
        }
        for headers in [
            "", "Content-Type: a/b", "Content-Disposition: form-data; filename=\"a\"",
            "Content-Disposition: form-data; name=\"a",
            "Content-Disposition: attachment; name=a", "Content-Disposition: form-data; name=a; name=b",
            "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b",
            "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64",
            "Content-Disposition: form-data; name=" + String(repeating: "a", count: 65),
            "Content-Disposition: form-data; name=\"a\u{301}\"",
        ] {
            let form = "--\(Self.boundary)\r\n\(headers.isEmpty ? "" : headers + "\r\n")\r\nx\r\n--\(Self.boundary)--"
            #expect(throws: FormParser.Malformed.self, "\(headers.prefix(60))") { try parse(Array(form.utf8)) }
        }
        for text in [
            "--\(Self.boundary)x\r\n", "--\(Self.boundary) --",
            "--\(Self.boundary)\r\nX: " + String(repeating: "a", count: 5000),
            "--\(Self.boundary)" + String(repeating: " ", count: 300),
        ] {
            #expect(throws: FormParser.Malformed.self, "\(text.prefix(60))") { try parse(Array(text.utf8)) }
        }
        #expect(HeaderParameters("a".utf8) != nil)
        #expect(HeaderParameters(("a" + String(repeating: ";b", count: 20)).utf8) == nil)
    }

    @Test("what a file is called is read in its extended form, where that can be read")
    func extended() throws {
        for (header, name) in [
            ("form-data; filename=\"a.mp3\"; filename*=UTF-8''%e6%ad%8c.mp3", "歌.mp3"),
            ("form-data; filename*=utf-8'ko'%EB%85%B8", "노"), ("form-data; filename=b; filename*=iso-8859-1''%E4", "b"),
            ("form-data; filename=b; filename*=UTF-8''%E", "b"), ("form-data; filename=b; filename*=UTF-8''%FF", "b"),
            ("form-data; filename=b; filename*=x", "b"), ("form-data; filename=\"C:\\songs\\a\\\"", "C:\\songs\\a\\"),
            ("form-data; filename=\"a\"b\"", "a\"b"),
        ] {
            #expect(HeaderParameters(header.utf8)?.extended("filename") == name, "\(header)")
        }
    }
}
