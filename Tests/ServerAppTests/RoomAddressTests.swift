import Foundation
import RoomModel
import ServerTestSupport
import SignalProtocol
import Testing

extension WholeServerTests {
    /// Rooms by the address of their id.
    @Suite struct RoomAddressTests {
        @Test("R01-S A07-S a room with any character in its id is made, read, changed and ended by its address")
        func everyCharacter() async throws {
            let characters = (0x20...0x7e).map { String(UnicodeScalar(UInt8($0))) }.filter {
                RoomID(string: $0 + "x") != nil
            }
            let rows = stride(from: 0, to: characters.count, by: 6).map {
                characters[$0..<min($0 + 6, characters.count)].joined()
            }
            let texts =
                rows + [
                    "...", ".a", "a..", "~", "~1", "~~", "1", "%2e%2e", "%2F", "%", "?", "#", ".%2e", "a b", " ", "+",
                ]
            try await RESTHouse.with { house in
                for text in texts {
                    let slug = RoomSlug.slug(.string(text))
                    let made = try await house.send(
                        "POST", "rooms", ["room": JSON(stringLiteral: text), "name": "A", "owner": "owner"])
                    #expect(made.status == 201 || made.status == 200, "\(text): \(made.text)")
                    #expect(try await house.outcome("PATCH", "rooms/\(slug)", ["name": "B"]) == "200", "\(text)")
                    let read = try await house.send("GET", "rooms/\(slug)")
                    #expect(read.text.contains("\"B\""), "\(text): \(read.text)")
                    #expect(try await house.outcome("GET", "rooms/\(slug)/restrictions") == "200", "\(text)")
                    #expect(try await house.outcome("DELETE", "rooms/\(slug)") == "200", "\(text)")
                }
            }
        }

        @Test("R01-S A07-S no room, song or list of rooms is asked for by dots alone")
        func dots() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                for dots in [".", ".."] {
                    let name = JSON(stringLiteral: dots)
                    #expect(try await owner.refusal("room.create", ["room": name, "name": "A"]) == "room_id_invalid")
                    #expect(try await owner.refusal("room.enter", ["room": name]) == "room_id_invalid")
                    #expect(try await owner.refusal("room.get", ["rooms": [name]]) == "room_id_invalid")
                    #expect(
                        try await house.outcome("POST", "rooms", ["room": name, "name": "A", "owner": "owner"])
                            == "400 room_id_invalid")
                    for path in ["rooms/\(dots)", "rooms/%2e\(dots.dropFirst())", "rooms/\(dots)/restrictions"] {
                        #expect(try await house.outcome("GET", path) == "400 room_id_invalid", "\(path)")
                    }
                    let gift = try await house.outcome("PUT", "gifts/\(dots)", ["name": "A", "price": 1])
                    #expect(gift == "400 invalid_params")
                    #expect(try await house.outcome("GET", "users/\(dots)") == "400 user_id_invalid")
                    #expect(try await house.outcome("DELETE", "keys/\(dots)").hasPrefix("404"))
                }
            }
        }
    }
}
