import Foundation
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// What back ends tell one person, over a whole server.
    @Suite struct SignalRESTTests {
        @Test("A01-R a back end tells one person something, by the scope of messages, in its application alone")
        func signals() async throws {
            try await RESTHouse.with { house in
                let guest = try await house.server.signedIn("guest")
                let path = "users/guest/signals"
                let sent = try await house.send("POST", path, ["text": "your turn", "id": "turn-1"], key: "writer")
                #expect(sent.status == 200 && sent.json == ["clients": 1])
                let heard = try await guest.first("the signal") { $0["method"] == "signal" }["params"]
                #expect(heard["text"] == "your turn" && heard["id"] == "turn-1" && heard["from"]["id"] == "@writer")
                let named: JSON = ["command": "LOOK", "message": "{}", "from": "guest"]
                #expect(try await house.outcome("POST", path, named, key: "writer") == "200")
                try await guest.first("the named") {
                    $0["method"] == "signal" && $0["params"]["from"]["name"] == "Guest"
                }
                #expect(
                    try await house.outcome("POST", path, ["text": "x"], key: "reader") == "403 permission_denied scope"
                )
                #expect(try await house.outcome("POST", path, ["text": "x"], key: "other") == "409 user_away")
                #expect(try await house.outcome("POST", "users/nobody/signals", ["text": "x"]) == "409 user_away")
                for wrong: JSON in [[:], ["text": ""], ["command": "x"], ["text": "x", "from": "no one"], ["text": 5]] {
                    #expect(try await house.outcome("POST", path, wrong).hasPrefix("400"), "\(wrong)")
                }
            }
        }
    }
}
