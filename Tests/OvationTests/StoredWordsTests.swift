import Foundation
import RoomModel
import SeededRandom
import Testing

@testable import Ovation

/// What a newer server said, in words that this version keeps and an app stores.
@Suite struct StoredWordsTests {
    /// A type of the SDK that carries such a word.
    private struct Carrier {
        /// As the list of the API calls it.
        var name: String
        /// Whether a value with that word is itself when it was stored.
        var survives: (_ word: String) throws -> Bool

        init<Value: Codable & Equatable>(_ make: @escaping (_ word: String) -> Value) {
            name = String(reflecting: Value.self).replacing("RoomModel.", with: "")
            survives = { word in
                let value = make(word)
                // A property list is no single word.
                let json = try JSONEncoder().encode([value])
                let list = try PropertyListEncoder().encode([value])
                return try JSONDecoder().decode([Value].self, from: json) == [value]
                    && PropertyListDecoder().decode([Value].self, from: list) == [value]
            }
        }
    }

    private static func restriction(_ word: String) -> Restriction {
        Restriction(.unknown(word), user: "bob", name: "Bob", until: 9, by: "alice", reason: "noise")
    }

    private static func match(_ word: String) -> PKMatch {
        var match = PKMatch(link: "l", terms: PKTerms(seconds: 60), until: 9)
        match.result = PKResult(.unknown(word), .quit)
        return match
    }

    private static func pk(_ word: String) -> PKState { PKState(links: [], match: match(word)) }

    private static func info(_ word: String) -> RoomInfo {
        var info = RoomSnapshot.example().info
        (info.kind, info.pictureFormat) = (.unknown(word), .unknown(word))
        return info
    }

    private static var carriers: [Carrier] {
        [
            Carrier { RestrictionKind.unknown($0) }, Carrier { restriction($0) },
            Carrier { RestrictionNews(restriction($0), lifted: false) },
            Carrier { PKResult.Outcome.unknown($0) }, Carrier { PKResult(.unknown($0), .time) },
            Carrier { match($0) }, Carrier { pk($0) }, Carrier { PKChanged(pk($0), .over, by: "alice") },
            Carrier { StatementEntry.Kind.unknown($0) },
            Carrier { StatementEntry(number: 1, time: 2, kind: .unknown($0), coins: -3, balance: 4, user: People.bob) },
            Carrier { RoomKind.unknown($0) }, Carrier { PictureFormat.unknown($0) }, Carrier { info($0) },
            Carrier { RoomPage(rooms: [info($0)], cursor: "c") },
        ]
    }

    @Test("A12-K whatever word a newer server has said: an app that stores a value reads the same one again")
    func stored() throws {
        var random = SeededGenerator(seed: 11)
        let letters = Array("abcxyz_-0 모르는말🎤\"\\")
        let words =
            ["", "newer", "Ban", "chat-mute"]
            + (0..<20).map { _ in
                String(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a"
                    })
            }
        for carrier in Self.carriers {
            for word in words { #expect(try carrier.survives(word), "\(carrier.name) \(word.debugDescription)") }
        }
        for isLifted in [false, true] {
            let news = RestrictionNews(Self.restriction("newer"), lifted: isLifted)
            #expect(try JSONDecoder().decode(RestrictionNews.self, from: JSONEncoder().encode(news)) == news)
        }
    }

    @Test("every type of the SDK that can be stored and carries such a word is stored by the test above")
    func carriers() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Documentation/build/api/Ovation.txt").standardized
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let stored = Set(
            lines.compactMap { line in
                line.firstMatch(of: /(?:struct|enum) ([\w.]+): .*\bCodable\b/).map { String($0.1) }
            })
        var found = Set(
            lines.compactMap { line in
                line.firstMatch(of: /^case ([\w.]+)\.unknown\(String\)/).map { String($0.1) }
            })
        let properties = lines.compactMap { line in
            line.firstMatch(of: /^(?:var|let) ([\w.]+)\.\w+: (.*?) \{/).map {
                (owner: String($0.1), type: String($0.2))
            }
        }
        // Who has a property of a type that carries one carries it too.
        var before = 0
        while before != found.count {
            before = found.count
            for (owner, type) in properties where stored.contains(owner) {
                let names = type.matches(of: /[A-Z]\w*/).map { String($0.0) }
                if names.contains(where: { found.contains("\(owner).\($0)") || found.contains($0) }) {
                    found.insert(owner)
                }
            }
        }
        #expect(found == Set(Self.carriers.map(\.name)))
    }
}
