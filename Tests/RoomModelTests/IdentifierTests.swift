import Foundation
import RoomModel
import Testing

@Suite struct IdentifierTests {
    @Test("A07-S the room 123 and the room \"123\" are different rooms") func numbersAndStrings() throws {
        let number = try #require(RoomID(number: 123))
        let string = try #require(RoomID(string: "123"))
        #expect(number != string)
        #expect(Set([number, string]).count == 2)
        let json = try JSONEncoder().encode([number, string])
        #expect(String(decoding: json, as: UTF8.self) == #"[123,"123"]"#)
        #expect(try JSONDecoder().decode([RoomID].self, from: json) == [number, string])
    }

    @Test(
        "room ids outside the documented range are none",
        arguments: ["0", "4294967295", "-1", "1.5", #""""#, #""é""#, #""a/b""#, "null"])
    func badRoomIDs(_ json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(RoomID.self, from: Data(json.utf8)) }
    }

    @Test("room ids at the edges of the range are ids") func edgeRoomIDs() throws {
        let longest = String(repeating: "~", count: 64)
        for json in ["1", "4294967294", "\"\(longest)\"", #""a b!#$%&()+-:;<=.>?@[]^_{}~,|""#] {
            _ = try JSONDecoder().decode(RoomID.self, from: Data(json.utf8))
        }
        #expect(RoomID(string: longest + "~") == nil)
    }

    @Test("A07-S a room is not called what browsers take out of addresses; one that is called so still loads")
    func dots() throws {
        for dots in [".", ".."] {
            #expect(RoomID(string: dots) == nil && !PathSegment.isUsable(dots))
            let stored = try JSONDecoder().decode(RoomID.self, from: Data("\"\(dots)\"".utf8))
            #expect(stored == .string(dots) && !stored.isAddressable)
        }
        for other in ["...", "~.", ". ", ".%2e", "%2e", "a."] {
            #expect(RoomID(string: other)?.isAddressable == true, "\(other)")
        }
    }

    @Test("user ids are 1…32 of letters, digits, hyphen and underscore")
    func userIDs() {
        for good in ["a", "A-z_0", String(repeating: "x", count: 32)] { #expect(UserID(good) != nil, "\(good)") }
        for bad in ["", "a b", "é", "a.b", "ａ", String(repeating: "x", count: 33), "a\0"] {
            #expect(UserID(bad) == nil, "\(bad)")
        }
    }

    @Test("idempotency keys are 1…64 printable ASCII characters") func keys() {
        #expect(IdempotencyKey(" ~") != nil)
        for bad in ["", "\n", "ü", String(repeating: "k", count: 65)] { #expect(IdempotencyKey(bad) == nil) }
    }

    @Test(
        "only addresses that a browser may load are accepted",
        arguments: [
            ("", true), ("https://a.example/b.png?x=1#y", true), ("HTTP://a", true), ("/covers/1.svg", true),
            ("covers/a:b", true), ("?a:b", true), ("#a:b", true), ("javascript:alert(1)", false),
            ("data:image/png,", false),
            (" https://a", false), ("java\nscript:x", false), ("ftp://a", false), ("javascript:\u{301}alert(1)", false),
            ("data:\u{301}text/html,x", false), (":x", false), ("\\\\host", false),
            (String(repeating: "a", count: 501), false),
        ])
    func addresses(_ text: String, _ acceptable: Bool) {
        #expect(WebAddress.isAcceptable(text, bytes: 500) == acceptable)
    }
}
