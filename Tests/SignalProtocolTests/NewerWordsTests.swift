import Foundation
import RoomModel
import SeededRandom
import Testing

@testable import SignalProtocol

/// Events of a newer server, which uses words that this version does not have.
@Suite struct NewerWordsTests {
    /// The events with another value at one place, by the names that lead there.
    private static func changed(_ text: String, to value: (Any) -> Any?) throws -> [(path: [String], event: Any)] {
        func changed(_ tree: Any) -> [(path: [String], tree: Any)] {
            if let object = tree as? [String: Any] {
                return object.keys.sorted().flatMap { name in
                    changed(object[name] ?? NSNull()).map { path, inner in
                        ([name] + path, object.merging([name: inner]) { $1 })
                    }
                }
            }
            if let list = tree as? [Any] {
                return list.indices.flatMap { index in
                    changed(list[index]).map { path, inner in
                        (path, Array(list[..<index]) + [inner] + Array(list[(index + 1)...]))
                    }
                }
            }
            return value(tree).map { [([], $0)] } ?? []
        }
        return changed(try JSONSerialization.jsonObject(with: Data(text.utf8))).map { ($0.path, $0.tree) }
    }

    /// As a client reads it.
    private static func heard(_ event: Any) throws -> HeardEvent {
        let frame: [String: Any] = [
            "jsonrpc": "2.0", "method": "room.events", "params": ["room": 7, "epoch": 1, "events": [event]],
        ]
        let text = try JSONSerialization.data(withJSONObject: frame)
        guard case .news(_, _, let events) = ServerMessage.decode(text, expected: [:]) else {
            throw ServerRefusal(code: 0, name: "no news")
        }
        return try #require(events.first)
    }

    private static func isRefusedByServers(_ event: Any) throws -> Bool {
        let decoder = JSONDecoder()
        decoder.userInfo[.readsNewerWords] = false
        return try decoder.decode(HeardEvent.self, from: JSONSerialization.data(withJSONObject: event)).known == nil
    }

    /// What may be said in an event by a word of which this version has none: its type, and pictures, which only the web SDK shows.
    private static func isPassedOver(_ path: [String]) -> Bool {
        path == ["type"] || path.first == "pictures" || path == ["camera"]
    }

    @Test(
        "A12-S any word in the place of a choice leaves an event readable, or has it passed over",
        arguments: EventBytesTests.texts)
    func anyWord(_ text: String) throws {
        var random = SeededGenerator(seed: 20_26)
        for (path, event) in try Self.changed(text, to: { $0 is String ? "newer" : nil })
        where try Self.isRefusedByServers(event) {
            let letters = Array("abcxyz_-0 모르는말🎤\"\\")
            let words =
                ["", "newer"]
                + (0..<8).map { _ in
                    String(
                        (0..<Int.random(in: 1...40, using: &random)).map { _ in
                            letters.randomElement(using: &random) ?? "a"
                        })
                }
            for word in words {
                for (other, event) in try Self.changed(text, to: { $0 is String ? word : nil }) where other == path {
                    let heard = try Self.heard(event)
                    if heard.known == nil, path.last == "camera" || Self.isPassedOver(path) { continue }
                    #expect(heard.known != nil, "\(path) \(word.debugDescription): \(text)")
                }
            }
        }
    }

    @Test("a quality of a newer server is none that is known")
    func quality() throws {
        let text = #"{"type":"network","users":{"bob":{"lossPercent":0,"quality":99}}}"#
        let event = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard case .passing(.network(let report)) = try Self.heard(event).known else {
            throw ServerRefusal(code: 0, name: "no report")
        }
        #expect(report.singers.values.map(\.quality) == [.unknown])
        #expect(try Self.isRefusedByServers(event))
    }

    @Test("A12-S a line of an account that a newer server has keeps its word: it is no top-up")
    func statement() throws {
        let text = #"""
            {"jsonrpc":"2.0","id":4,"result":{"entries":[
            {"number":1,"time":1,"kind":"interest","coins":3,"balance":3},{"number":2,"time":1,"kind":"topUp","coins":3,"balance":6}]}}
            """#
        guard
            case .answer(4, .success(.statement(let page))) = ServerMessage.decode(
                Data(text.utf8), expected: [4: .call(.walletStatement)])
        else { throw ServerRefusal(code: 0, name: "no statement") }
        #expect(page.entries.map(\.kind) == [.unknown("interest"), .topUp])
        // What is kept is written as it was read.
        let line = try JSONEncoder().encode(page.entries[0])
        let written = try JSONSerialization.jsonObject(with: line) as? [String: Any]
        #expect(written?["kind"] as? String == "interest")
    }

    @Test("every choice of words in events is found by the test above")
    func places() throws {
        var found: Set<String> = []
        for text in EventBytesTests.texts {
            for (path, event) in try Self.changed(text, to: { $0 is String ? "newer" : nil })
            where try Self.isRefusedByServers(event) { found.insert(path.last ?? "") }
        }
        #expect(
            found == [
                "camera", "cause", "form", "kind", "mode", "outcome", "phase", "pk", "presence", "reason",
                "role",
                "size", "state", "track", "type",
            ])
    }

    @Test("what a client says is refused all the same, with the words that there are")
    func clients() throws {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"role.set","params":{"room":7,"user":"bob","role":"newer"}}"#
        #expect(throws: (any Error).self) { try Call.decode(Data(text.utf8)) }
    }
}
