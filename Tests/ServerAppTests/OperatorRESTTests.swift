import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// What operators change while the server runs: applications, keys, people (R01).
    @Suite struct OperatorRESTTests {
        @Test("A01-R A05-R an application is made while the server runs, and its tickets and rooms are good at once")
        func makesApplications() async throws {
            try await RESTHouse.with { house in
                #expect(
                    try await house.outcome("POST", "applications", ["name": "New"], key: "reader")
                        == "403 permission_denied scope")
                // Its key is for one application.
                #expect(
                    try await house.outcome("POST", "applications", ["name": "New"], key: "console")
                        == "403 permission_denied app")
                for wrong: JSON in [
                    [:], ["name": ""], ["name": .string(String(repeating: "x", count: 101))], ["name": "a\nb"],
                    ["name": "New", "app": 0], ["name": "New", "app": "x"], ["name": "New", "app": 4_294_967_296],
                    ["name": "New", "app": 5], ["name": "New", "consent": "no"], ["name": "New", "admins": "shop"],
                ] {
                    #expect(
                        try await house.outcome("POST", "applications", wrong, key: "owner") == "400 invalid_params",
                        "\(wrong)")
                }
                let made = try await house.send("POST", "applications", ["name": "New"], key: "owner")
                #expect(made.status == 201 && made.json["app"] == 1_400_000_002 && made.json["keys"] == 1)
                let app = try #require(made.json["app"].int)
                let key = try #require(made.json["key"].string)
                let listed = try await house.send("GET", "applications", key: "owner").json["applications"]
                #expect(listed.array.map { $0["name"].string } == ["Other", "New", "Tests"])
                #expect(!listed.text.contains(key))
                let own = try await house.send("GET", "applications").json["applications"]
                #expect(own.array.map { $0["name"].string } == ["Tests"])
                let person = try await house.server.client()
                try await person.call(
                    "session.open",
                    [
                        "version": 1, "app": .number(Double(app)), "user": "mina",
                        "ticket": .string(
                            try house.server.ticket("mina", key: key, application: UInt32(app))),
                    ])
                try await person.call("room.create", ["room": 7, "name": "Salon"])
                #expect(try await house.outcome("GET", "rooms/7?app=\(app)", key: "owner") == "200")
            }
        }

        @Test(
            "A10-S who is signed in by a key that is dropped is told that the ticket is over, and comes back to the seat with a new one"
        )
        func droppedKeyEnds() async throws {
            try await RESTHouse.with { house in
                let app = TestServer.application
                let mina = try await house.server.client()
                let opened = try await mina.call("session.open", try house.server.opening("mina"))
                let room = try await mina.call("room.create", ["name": "Salon"])["room"]
                try await mina.call("seat.take", ["room": room, "seat": 2])
                let key = try #require(try await house.send("POST", "applications/\(app)/keys").json["key"].string)
                func opening(_ user: String, resume: JSON? = nil) throws -> JSON {
                    var fields: [String: JSON] = [
                        "version": 1, "app": .number(Double(app)), "user": .string(user),
                        "ticket": .string(try house.server.ticket(user, key: key)),
                    ]
                    fields["resume"] = resume
                    return .object(fields)
                }
                let jun = try await house.server.client()
                try await jun.call("session.open", opening("jun"))
                try await jun.call("room.enter", ["room": room])
                #expect(try await house.outcome("DELETE", "applications/\(app)/keys/older") == "200")
                #expect(try await mina.closeCode() == 4002)
                try await jun.event("presence") { $0["user"] == "mina" && $0["presence"] == "reconnecting" }

                let again = try await house.server.client()
                let resumed = try await again.call("session.open", opening("mina", resume: opened["session"]))
                #expect(resumed["resumed"] == true)
                try await again.call("room.enter", ["room": room])
                try await jun.event("presence") { $0["user"] == "mina" && $0["presence"] == "online" }
                let seats = try await jun.call("room.enter", ["room": room])["snapshot"]["seats"]
                #expect(seats[2]["user"] == "mina")
            }
        }

        @Test("A01-R a secret key is made and the older one dropped while the server runs; tickets follow at once")
        func rotates() async throws {
            try await RESTHouse.with { house in
                let app = TestServer.application
                let old = try house.server.ticket("mina")
                let made = try await house.send("POST", "applications/\(app)/keys")
                #expect(made.status == 201 && made.json["keys"] == 2)
                let key = try #require(made.json["key"].string)
                let new = try house.server.ticket("mina", key: key)
                #expect(try await house.outcome("POST", "applications/\(app)/keys") == "403 permission_denied")
                func signsIn(_ ticket: String) async throws -> String {
                    let client = try await house.server.client()
                    return try await client.refusal(
                        "session.open",
                        ["version": 1, "app": .number(Double(app)), "user": "mina", "ticket": .string(ticket)])
                }
                #expect(try await signsIn(old).hasPrefix("accepted"))
                #expect(try await signsIn(new).hasPrefix("accepted"))
                #expect(try await house.outcome("DELETE", "applications/5/keys/older") == "403 permission_denied app")
                #expect(try await house.outcome("DELETE", "applications/\(app)/keys/older") == "200")
                #expect(try await signsIn(old) == "ticket_failed")
                #expect(try await signsIn(new).hasPrefix("accepted"))
                #expect(try await house.outcome("DELETE", "applications/\(app)/keys/older") == "403 permission_denied")
                #expect(
                    try await house.outcome("DELETE", "applications/9/keys/older", key: "owner") == "404 app_unknown")
            }
        }

        @Test("V20-R A05-R an application's rules change while the server runs, and hold from the next call on")
        func configures() async throws {
            try await RESTHouse.with { house in
                let path = "applications/\(TestServer.application)"
                let guest = try await house.server.signedIn("guest")
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon", "needsRequest": true])
                try await guest.call("room.enter", ["room": 48_213])
                let take: JSON = ["room": 48_213, "seat": 1]
                #expect(try await guest.refusal("seat.take", take) == "consent_required")
                let advisory = try await house.send("PATCH", path, ["consent": "advisory", "name": "Renamed"])
                #expect(advisory.json["consent"] == "advisory" && advisory.json["name"] == "Renamed")
                #expect(try await guest.refusal("seat.take", take).hasPrefix("accepted"))

                try await guest.call("room.exit", ["room": 48_213])
                #expect(try await house.outcome("PATCH", path, ["roomKeys": "required"]) == "200")
                #expect(try await guest.refusal("room.enter", ["room": 48_213]) == "room_key_failed")
                #expect(try await house.outcome("PATCH", path, ["roomKeys": "unused"]) == "200")
                try await guest.call("room.enter", ["room": 48_213])

                let again = try await house.server.signedIn("guest")
                try await guest.first("session.closed") { $0["method"] == "session.closed" }
                #expect(try await house.outcome("PATCH", path, ["secondSession": "allowed"]) == "200")
                let third = try await house.server.signedIn("guest")
                try await again.call("clock.read")
                try await third.call("clock.read")
                #expect(try await house.outcome("PATCH", path, ["admins": ["no one"]]) == "400 user_id_invalid")
                let admins = JSON.array((0..<51).map { .string("a\($0)") })
                #expect(try await house.outcome("PATCH", path, ["admins": admins]) == "400 invalid_params")
                #expect(
                    try await house.outcome("PATCH", "applications/5", ["name": "x"]) == "403 permission_denied app")
                let trail = try await house.send("GET", "audit?limit=1").json["lines"][0]
                #expect(trail["action"] == "configureApplication" && trail["detail"]["secondSession"] == "allowed")
            }
        }

        @Test("R01-R a key makes and drops keys that reach no further than itself, at once")
        func keys() async throws {
            try await RESTHouse.with { house in
                #expect(try await house.outcome("GET", "keys", key: "reader") == "403 permission_denied scope")
                let wanted: JSON = ["name": "till", "scopes": ["rooms:read"], "days": 2]
                let made = try await house.send("POST", "keys", wanted, key: "maker")
                #expect(made.status == 201 && made.json["app"].int == Int(TestServer.application))
                let text = try #require(made.json["key"].string)
                let id = try #require(made.json["id"].string)
                #expect(made.json["secret"].string?.count == 64)
                func till() async throws -> Int {
                    try await PlainHTTP.get(
                        "/v1/rooms", port: house.server.port, headers: ["Authorization: Bearer \(text)"]
                    ).status
                }
                #expect(try await till() == 200)
                for (wrong, outcome) in [
                    (["name": "x", "scopes": ["rooms:write"]], "403 permission_denied scope"),
                    (["name": "x", "scopes": ["rooms:read"], "app": 5], "403 permission_denied app"),
                    (["name": "x", "scopes": ["moon:land"]], "400 invalid_params"),
                    (["name": "x", "scopes": []], "400 invalid_params"), (["name": "x"], "400 invalid_params"),
                    (["name": "a shop", "scopes": ["rooms:read"]], "400 user_id_invalid"),
                    (["scopes": ["rooms:read"]], "400 invalid_params"),
                    (["name": "x", "scopes": ["rooms:read"], "days": 0], "400 invalid_params"),
                    (["name": "x", "scopes": ["rooms:read"], "days": 1e18], "400 invalid_params"),
                ] as [(JSON, String)] {
                    #expect(try await house.outcome("POST", "keys", wrong, key: "maker") == outcome, "\(wrong)")
                }
                // Of the applications that a key is not for, it sees nothing.
                let seen = try await house.send("GET", "keys", key: "maker").json["keys"]
                #expect(
                    seen.array.allSatisfy { $0["app"].int == Int(TestServer.application) } && !seen.text.contains(text))
                let all = try await house.send("GET", "keys", key: "owner").json["keys"]
                let others = all.array.filter { $0["name"] == "all" || $0["name"] == "other" }.compactMap(
                    \.["id"].string)
                for other in others {
                    #expect(try await house.outcome("DELETE", "keys/\(other)", key: "maker") == "404 not_found")
                }
                let console = try #require(all.array.first { $0["name"] == "console" }?["id"].string)
                #expect(
                    try await house.outcome("DELETE", "keys/\(console)", key: "maker") == "403 permission_denied scope")
                #expect(try await house.outcome("DELETE", "keys/\(id)", key: "maker") == "200")
                #expect(try await till() == 401)
                #expect(try await house.outcome("DELETE", "keys/\(id)", key: "maker") == "404 not_found")
                // What ends makes nothing that lasts.
                let short = try await house.send(
                    "POST", "keys", ["name": "short", "scopes": ["rooms:read"], "days": 900], key: "brief")
                #expect(short.json["expiresAt"].int == all.array.first { $0["name"] == "brief" }?["expiresAt"].int)
                let everywhere = try await house.send(
                    "POST", "keys", ["name": "every", "scopes": ["rooms:read"]], key: "owner")
                #expect(everywhere.status == 201 && everywhere.json["app"] == .null)
                let trail = try await house.send("GET", "audit?app=0&limit=1", key: "owner").json["lines"][0]
                #expect(trail["action"] == "createKey" && trail["detail"]["name"] == "every")
                #expect(try await house.outcome("GET", "rooms?app=0", key: "owner") == "404 app_unknown")
            }
        }

        @Test("G03-R an application's words stop texts from the answer on, and in no other application")
        func words() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                #expect(
                    try await house.outcome("POST", "words", ["add": ["casino"]], key: "reader")
                        == "403 permission_denied scope")
                for wrong: JSON in [
                    ["add": "casino"], ["add": [5]], ["add": [""]], ["add": ["..."]],
                    ["add": [.string(String(repeating: "x", count: 65))]],
                ] { #expect(try await house.outcome("POST", "words", wrong) == "400 invalid_params", "\(wrong)") }
                let added = try await house.send("POST", "words", ["add": ["casino", "도박", "zebra*"]])
                #expect(added.json["count"] == 3)
                func send(_ text: String) async throws -> String {
                    try await owner.refusal("message.send", ["room": 48_213, "text": .string(text)])
                }
                for text in ["the CASINO", "온라인도박장", "zebras"] {
                    #expect(try await send(text) == "text_filtered")
                }
                let checked = try await house.send("POST", "words/check", ["text": "a Casino"])
                #expect(checked.json["stopped"] == "casino")
                #expect(try await house.send("POST", "words/check", ["text": "fine"]).json == [:])
                #expect(try await house.send("POST", "words/check", ["text": "casino"], key: "other").json == [:])
                let first = try await house.send("GET", "words?limit=2").json
                #expect(first["words"] == ["casino", "zebra*"] && first["count"] == 3)
                let rest = try await house.send("GET", "words?limit=2&cursor=zebra*").json
                #expect(rest["words"] == ["도박"] && rest["cursor"] == .null)
                #expect(try await house.send("POST", "words", ["remove": ["casino"]]).json["count"] == 2)
                #expect(try await send("the CASINO").hasPrefix("accepted"))
                let many = (0..<10_001).map { JSON.string("word\($0)") }
                #expect(try await house.outcome("POST", "words", ["add": .array(many)]) == "400 invalid_params")
                let most = try await house.send("POST", "words", ["add": .array(Array(many.dropLast()))])
                #expect(most.json["count"] == 10_002)
                #expect(try await send("a word77 here") == "text_filtered")
            }
        }

        @Test("R09-S an erased person has no name, word or song left but for sums, ids and bans; others keep theirs")
        func erases() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let guest = try await house.server.signedIn("guest")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                try await guest.call("room.enter", ["room": 48_213])
                try await guest.call("message.send", ["room": 48_213, "text": "my address is"])
                try await owner.call("message.send", ["room": 48_213, "text": "hello"])
                try await owner.call(
                    "report.send", ["room": 48_213, "user": "guest", "cause": "spam", "words": "look"])
                try await guest.call(
                    "report.send", ["room": 48_213, "user": "owner", "cause": "spam", "words": "mine"])
                #expect(try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 30]) == "200")
                #expect(
                    try await house.outcome(
                        "POST", "users/guest/top-ups", ["coins": 100], headers: ["Idempotency-Key: a"]) == "200")
                try await guest.call("gift.send", ["room": 48_213, "gift": "rose", "key": "g"])
                #expect(
                    try await house.outcome("DELETE", "users/guest", key: "reader") == "403 permission_denied scope")
                let erased = try await house.send("DELETE", "users/guest")
                #expect(erased.status == 200 && erased.json["messages"] == 1 && (erased.json["rows"].int ?? 0) >= 3)
                try await guest.first("the end") { $0["method"] == "session.closed" }
                let person = try await house.send("GET", "users/guest").json
                #expect(person["name"] == "" && person["sessions"] == [])
                let messages = try await house.send("GET", "rooms/48213/messages").json["messages"]
                #expect(messages[0]["deleted"] == true && messages[0]["text"] == "" && messages[1]["text"] == "hello")
                let reports = try await house.send("GET", "reports").json["reports"]
                #expect(reports[0]["evidence"] == [:] && reports[0]["words"] == .null && reports[0]["user"] == "guest")
                #expect(reports[1]["words"] == .null && reports[1]["evidence"] != [:])
                let given = try await house.send("GET", "users/owner/statement?account=earnings").json["entries"][0]
                #expect(given["user"]["id"] == "guest" && given["user"]["name"] == "" && given["coins"] == 30)
                let paid = try await house.send("GET", "users/guest/statement").json["entries"][0]
                #expect(paid["user"]["name"] == "Owner" && paid["coins"] == -30)
                #expect(try await house.send("GET", "ledger").json["sum"] == 0)
                let trail = try await house.send("GET", "audit?limit=1").json["lines"][0]
                #expect(trail["action"] == "erasePerson" && trail["target"] == "guest")
            }
        }

        @Test(
            "R01-R a person's profile is changed for all who see it, and they are signed out, seat and sound included")
        func people() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let guest = try await house.server.signedIn("guest")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                try await guest.call("room.enter", ["room": 48_213])
                try await guest.call("seat.take", ["room": 48_213, "seat": 1])
                #expect(try await house.outcome("GET", "users/guest", key: "reader") == "403 permission_denied scope")
                let found = try await house.send("GET", "users/guest").json
                #expect(found["name"] == "Guest" && found["sessions"][0] == ["connected": true, "room": 48_213])
                #expect(try await house.send("GET", "users/nobody").json["sessions"] == [])
                #expect(try await house.outcome("PATCH", "users/guest", ["name": ""]) == "400 invalid_params")
                #expect(
                    try await house.outcome("PATCH", "users/guest", ["avatar": "javascript:alert(1)"])
                        == "400 invalid_params")
                let changed = try await house.send("PATCH", "users/guest", ["name": "Gast", "bio": "Sings."]).json
                #expect(changed["name"] == "Gast" && changed["bio"] == "Sings." && changed["avatar"] == "")
                try await guest.call("message.send", ["room": 48_213, "text": "hi"])
                try await owner.event("message") { $0["from"]["name"] == "Gast" }

                #expect(
                    try await house.outcome("DELETE", "users/guest/sessions", key: "reader")
                        == "403 permission_denied scope")
                #expect(try await house.outcome("DELETE", "users/guest/sessions") == "200")
                let closed = try await guest.first("the end") { $0["method"] == "session.closed" }
                #expect(closed["params"]["name"] == "signed_out")
                try await owner.event("seat.left") { $0["user"]["id"] == "guest" }
                #expect(try await house.send("GET", "users/guest").json["sessions"] == [])
                #expect(try await house.send("GET", "rooms/48213").json["info"]["memberCount"] == 1)
                _ = try await house.server.signedIn("guest")
            }
        }
    }
}
