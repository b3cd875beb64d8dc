import Foundation
import RoomModel
import SeededRandom
import SignalProtocol
import Testing

@Suite struct RoomSlugTests {
    @Test("A07-S a room's link leads back to the same room, number or string")
    func slugs() throws {
        let ids: [RoomID] = [
            .number(1), .number(4_294_967_294), .string("123"), .string("~123"), .string("~"),
            .string("Evening salon!"),
            .string("a+b&c=d?e"), .string("100%"), .string("{}|[]^_"), .string("0"), .string("4294967295"),
        ].filter { if case .string(let text) = $0 { RoomID(string: text) != nil } else { true } }
        #expect(ids.count >= 9)
        for id in ids { #expect(RoomSlug.room(RoomSlug.slug(id)) == id, "\(RoomSlug.slug(id))") }
        #expect(Set(ids.map(RoomSlug.slug)).count == ids.count)
        #expect(RoomSlug.slug(.string("123")) == "~123")
        for bad in [
            "", "0", "4294967295", "99999999999", "~", "%", "a%2Fb", "%ff", "~" + String(repeating: "a", count: 65),
        ] {
            #expect(RoomSlug.room(bad) == nil, "\(bad)")
        }
    }

    @Test("A07-S every room id there can be goes through its link, and no client changes the link on the way")
    func everyID() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let allowed = (0x20...0x7e).map { String(UnicodeScalar(UInt8($0))) }.filter { RoomID(string: $0 + "x") != nil }
        // What addresses make something of stands there more often.
        let special = [".", "..", "~", "%2e", "%", "?", "#", " ", "0", "9", "+", ":", ";", "@", "[", "]"]
        #expect(allowed.count == 89)
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (Bool.random(using: &random) ? allowed : special).randomElement(using: &random) ?? "a"
            }.joined()
            guard let id = RoomID(string: text) else {
                #expect(text.isEmpty || text == "." || text == "..", "seed \(seed): \(text)")
                continue
            }
            let slug = RoomSlug.slug(id)
            #expect(RoomSlug.room(slug) == id && RoomSlug.id(RoomSlug.text(id)) == id, "seed \(seed): \(text)")
            // As Foundation, and browsers, resolve it.
            let link = try #require(
                URL(string: "/v1/rooms/\(slug)/members", relativeTo: URL(string: "https://a.example/")))
            #expect(
                link.standardized.absoluteString == "https://a.example/v1/rooms/\(slug)/members",
                "seed \(seed): \(text)")
        }
    }
}
