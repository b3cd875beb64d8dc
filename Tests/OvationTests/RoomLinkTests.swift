import Ovation
import RoomModel
import Testing

@Suite struct RoomLinkTests {
    @Test(
        "A09-K a room's link names its server and its room, whatever follows them; what is no link of a room is refused"
    )
    func links() throws {
        for (text, server, room) in [
            ("https://salon.example/r/48213", "https://salon.example", RoomID.number(48_213)),
            ("  https://salon.example/r/48213/?from=chat#top\n", "https://salon.example", .number(48_213)),
            ("http://127.0.0.1:8080/r/~123", "http://127.0.0.1:8080", .string("123")),
            ("https://example.com/live/r/Evening%20salon%21", "https://example.com/live", .string("Evening salon!")),
            ("https://example.com/r/r/7", "https://example.com/r", .number(7)),
            ("https://[::1]:8443/r/%40TGS%23A", "https://[::1]:8443", .string("@TGS#A")),
        ] {
            let link = try RoomLink(text)
            let address = try ServerAddress(server)
            #expect(link.room == room && link.server == address, "\(text)")
            #expect(try RoomLink(link.description) == link, "\(link)")
        }
        for text in [
            "", "48213", "https://salon.example", "https://salon.example/r/", "https://salon.example/r/0",
            "https://salon.example/x/1", "salon.example/r/1", "ftp://salon.example/r/1", "https:///r/1",
            "https://salon.example/r/a/b", "https://salon.example/r/%ff",
        ] {
            #expect(throws: OvationError.self, "\(text)") { try RoomLink(text) }
        }
        #expect(RoomLink(server: .local, room: .string("7")).description == "http://127.0.0.1:8080/r/~7")
    }
}
