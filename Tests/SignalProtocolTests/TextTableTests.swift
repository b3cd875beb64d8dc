import Foundation
import RoomModel
import RoomTestSupport
import Testing

@testable import SignalProtocol

/// The table of texts in Documentation/build/protocol.md has every text that a call may have, as the declarations of the calls ask for it, and says
/// of each what the code does with it.
@Suite struct TextTableTests {
    private static let picture = Data(TestJPEG.bytes()).base64EncodedString()
    /// One of the words that a call takes there.
    private static let words: [String: String] = [
        "room.create.consent": "advisory", "room.create.kind": "voice", "room.create.pictureFormat": "vp8",
        "room.list.kind": "voice",
        "room.list.order": "newest", "role.set.role": "admin", "stage.arrange.form": "grid",
        "message.send.priority": "high", "restriction.set.kind": "ban", "restriction.lift.kind": "ban",
        "report.send.cause": "spam", "song.start.track": "original", "song.track.track": "original",
        "duet.mode.mode": "together", "pk.answer.pause": "host", "media.view.size": "low",
        "invitation.send.still": picture, "still.set.picture": picture, "media.offer.lines.*": "camera",
        "wallet.statement.account": "wallet", "wallet.statement.cursor": "1",
    ]

    private struct Outer: Decodable {
        let parameters: ParameterDecoder
        enum Keys: String, CodingKey { case params }
        init(from decoder: any Decoder) throws {
            parameters = try ParameterDecoder(decoder.container(keyedBy: Keys.self), key: .params)
        }
    }

    /// Every text of a call, by its path, with what decoding gave in each form of the call.
    private func texts(of method: SignalProtocol.Method) throws -> (paths: Set<String>, bodies: [Call.Body]) {
        var paths: Set<String> = []
        var bodies: [Call.Body] = []
        // Each parameter is left out once: what stands in its place is asked for then.
        var absent: [Set<String>] = [[]]
        var asked: Set<String> = []
        while let missing = absent.popLast() {
            let record = RecordingDecoder.Record()
            record.absent = Set(missing.map { "params." + $0 })
            for (path, word) in Self.words where path.hasPrefix(method.rawValue + ".") {
                record.words["params." + path.dropFirst(method.rawValue.count + 1)] = word
            }
            do {
                bodies.append(try method.body(from: Outer(from: RecordingDecoder(record)).parameters))
            } catch {
                // Whatever must be there.
                guard !missing.isEmpty else { throw error }
            }
            let found = record.texts.filter { $0.hasPrefix("params.") }.map { String($0.dropFirst("params.".count)) }
            paths.formUnion(found)
            for path in record.asked.map({ String($0.dropFirst("params.".count)) })
            where missing.isEmpty && !path.isEmpty && asked.insert(path).inserted {
                absent.append([path])
            }
        }
        return (Set(paths.map { "\(method.rawValue).\($0)" }), bodies)
    }

    private struct Row: Hashable {
        var kind: String
        var reader: String
        var filtered: String
        var mute: String
        var bytes: String
    }

    /// Of the manual: the rows by kind, and the kind by path.
    private func manual() throws -> (rows: [Row], kinds: [String: String]) {
        let path = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("../../Documentation/build/protocol.md").standardized.path
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "\n## ").first { $0.contains("Texts\n") })
        var rows: [Row] = []
        var kinds: [String: String] = [:]
        for line in section.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 6, "\(line)")
            let kind = cells[0].replacing("`", with: "")
            rows.append(Row(kind: kind, reader: cells[2], filtered: cells[3], mute: cells[4], bytes: cells[5]))
            for path in cells[1].split(separator: ",") {
                let path = path.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
                #expect(kinds.updateValue(kind, forKey: path) == nil, "\(path) stands twice")
            }
        }
        return (rows, kinds)
    }

    private func kind(of path: String, _ kinds: [String: String]) -> String? {
        // Behind the method's two words.
        kinds[path] ?? kinds["*." + path.split(separator: ".").dropFirst(2).joined(separator: ".")]
    }

    @Test(
        "R05-S every text of every call has a row that says who reads it, whether it is filtered, what a mute does, how long it may be"
    )
    func everyTextHasARow() throws {
        let (rows, kinds) = try manual()
        var derived: Set<String> = []
        for method in SignalProtocol.Method.allCases { derived.formUnion(try texts(of: method).paths) }
        #expect(derived.filter { kind(of: $0, kinds) == nil }.sorted() == [], "texts without a row")
        let places = kinds.keys.filter {
            !$0.hasPrefix("POST ") && !$0.hasPrefix("PUT ") && !$0.hasPrefix("*.")
        }
        #expect(Set(places).subtracting(derived).sorted() == [], "rows without a text")
        let expected = TextKind.allCases.map { kind in
            Row(
                kind: kind.rawValue, reader: kind.rule.reader.rawValue, filtered: kind.rule.isFiltered ? "yes" : "no",
                mute: kind.rule.mute.rawValue,
                bytes: kind.rule.bytes.formatted(.number.locale(Locale(identifier: "en_US"))))
        }
        #expect(Set(rows) == Set(expected), "\(Set(rows).symmetricDifference(expected))")
    }

    @Test(
        "R05-S what a room is asked to do names each of its texts by the row's kind, so that none passes by the filter and the mute"
    )
    func everyTextIsSaid() throws {
        let kinds = try manual().kinds
        for method in SignalProtocol.Method.allCases {
            let (paths, bodies) = try texts(of: method)
            var said: Set<String> = []
            for body in bodies {
                guard let texts = body.said else { continue }
                said.formUnion(texts.map { "\($0.field): \($0.kind.rawValue)" })
            }
            for path in paths {
                guard let kind = kind(of: path, kinds).flatMap(TextKind.init(rawValue:)),
                    kind.rule.isFiltered || kind.rule.mute != .none
                else { continue }
                // An object's names and a list's members come in the parameter that holds them.
                let field = path.dropFirst(method.rawValue.count + 1).replacing(/\.(\{\}|\[\]|\*)$/, with: "")
                #expect(said.contains("\(field): \(kind.rawValue)"), "\(path): \(said)")
            }
        }
    }
}

extension Call.Body {
    /// Its texts, where a rule looks at them; the profile's and a signal's are looked at by the gateway under these names too.
    fileprivate var said: [SaidText]? {
        switch self {
        case .rooms(.command(_, let command, _)): command.texts
        case .rooms(.createRoom(let asked)):
            asked.creation.texts + [SaidText(.roomID, "", "room")]
        case .rooms(.listRooms(let query)): query.texts
        case .rooms(.sendReport(let asked)): asked.report.texts
        case .sendSignal(let draft): draft.body.said(id: draft.id)
        case .setProfile, .openSession: [SaidText(.personName, "", "name"), SaidText(.personBio, "", "bio")]
        default: nil
        }
    }
}
