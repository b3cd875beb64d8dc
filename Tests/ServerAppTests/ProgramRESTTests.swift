import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// Programs and people beside each other: names, keys, and what a request says.
    @Suite struct ProgramRESTTests {
        private let room: JSON = 48_213

        private func once(_ key: String) -> [String] { ["Idempotency-Key: \(key)"] }

        @Test(
            "R01-R E07-S a person and a program of one name have keys of their own, and nobody takes one's words for the other's"
        )
        func apart() async throws {
            try await RESTHouse.with { house in
                let person = try await house.server.signedIn("console")
                try await person.call("room.create", ["room": room, "name": "Salon", "key": "k"])
                let own = try await person.call("message.send", ["room": room, "text": "mine", "key": "once"])
                let said = try await house.send(
                    "POST", "rooms/48213/messages", ["text": "the program's"], headers: once("once"))
                #expect(said.status == 200 && said.json["chat"] != own["chat"], "\(said.text)")
                let again = try await house.send(
                    "POST", "rooms/48213/messages", ["text": "the program's"], headers: once("once"))
                #expect(again.json["chat"] == said.json["chat"])
                #expect(
                    try await house.outcome(
                        "POST", "rooms", ["owner": "host", "name": "Show", "room": 9], headers: once("k")) == "201")
                let heard = try await person.first("the program's message") {
                    $0["params"]["events"].array.contains { $0["text"] == "the program's" }
                }
                let from = heard["params"]["events"].array.first { $0["text"] == "the program's" }?["from"] ?? .null
                #expect(from["id"] == "@console" && from["name"] == "console")

                try await person.call("seat.close", ["room": room, "seat": 1, "closed": true])
                #expect(try await house.outcome("PUT", "rooms/48213/seats/2/closed", ["closed": true]) == "200")
                for (user, seat) in [("console", 1), ("@console", 2)] {
                    let lines = try await house.send("GET", "audit?user=\(user)").json["lines"].array
                    let seats = lines.filter { $0["action"] == "closeSeat" }.map { $0["detail"]["seat"].int }
                    #expect(seats == [seat], "\(user)")
                }
                // Nobody is a program by asking for it.
                #expect(
                    try await person.refusal("seat.pick", ["room": room, "seat": 3, "user": "@console"])
                        == "user_id_invalid")
                let stranger = try await house.server.client()
                #expect(
                    try await stranger.refusal(
                        "session.open", try house.server.opening("console").with("user", "@console"))
                        == "user_id_invalid")
            }
        }

        @Test("G02-R each program sells under numbers of its own, and each sale is paid once, for ever")
        func sales() async throws {
            try await RESTHouse.with { house in
                let made = try await house.send(
                    "POST", "keys", ["name": "shop", "scopes": ["wallets:read", "wallets:write"]])
                let both = RESTHouse(
                    server: house.server, keys: house.keys.merging(["shop": made.json["key"].string ?? ""]) { $1 })
                for (key, coins, held) in [
                    ("console", 100, 100), ("shop", 7, 107), ("shop", 7, 107), ("console", 100, 107),
                ] {
                    let answer = try await both.send(
                        "POST", "users/mina/top-ups", ["coins": .number(Double(coins))], key: key,
                        headers: once("order-1"))
                    #expect(answer.status == 200 && answer.json["coins"].int == held, "\(key): \(answer.text)")
                }
                #expect(
                    try await both.outcome(
                        "POST", "users/mina/top-ups", ["coins": 8], key: "shop", headers: once("order-1"))
                        == "409 key_reused")
            }
        }

        @Test(
            "R01-R keys, webhooks, signals and applications are made once for each Idempotency-Key of a program, and a repeat reads the secret again"
        )
        func makesOnce() async throws {
            try await RESTHouse.with { house in
                let mina = try await house.server.signedIn("mina")
                let key: JSON = ["name": "shop", "scopes": ["rooms:read"]]
                let hook: JSON = ["url": "https://shop.example/hook"]
                for (path, body, list) in [("keys", key, "keys"), ("webhooks", hook, "webhooks")] {
                    let first = try await house.send("POST", path, body, headers: once("\(path)-1"))
                    let again = try await house.send("POST", path, body, headers: once("\(path)-1"))
                    #expect(
                        first.status == 201 && again.status == 201 && again.json == first.json,
                        "\(path): \(first.text) \(again.text)")
                    #expect(first.json["secret"].string?.isEmpty == false)
                    let count = try await house.send("GET", path).json[list].array.count
                    let other = try await house.send("POST", path, body, headers: once("\(path)-2"))
                    #expect(other.status == 201 && other.json["id"] != first.json["id"])
                    #expect(try await house.send("GET", path).json[list].array.count == count + 1)
                    #expect(
                        try await house.outcome("POST", path, ["name": "x"], headers: once("\(path)-1"))
                            == "409 key_reused")
                }
                for _ in 0..<2 {
                    #expect(
                        try await house.outcome(
                            "POST", "users/mina/signals", ["text": "Your parcel is here"], headers: once("parcel-1"))
                            == "200")
                }
                #expect(try await house.outcome("POST", "users/mina/signals", ["text": "last"]) == "200")
                try await mina.first("the last one") { $0["method"] == "signal" && $0["params"]["text"] == "last" }
                let signals = mina.heard.filter { $0["method"] == "signal" }
                #expect(signals.count == 2)
                // What was refused is not remembered, and another program's key is another one.
                #expect(
                    try await house.outcome("POST", "keys", ["name": "x"], headers: once("3")) == "400 invalid_params")
                #expect(try await house.outcome("POST", "keys", key, headers: once("3")) == "201")
                #expect(
                    try await house.outcome("POST", "keys", key, key: "maker", headers: once("1")) == "201")
                let racing = try await withThrowingTaskGroup(of: JSON.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await house.send("POST", "keys", key, headers: once("race")).json }
                    }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1["id"].string ?? $1.text) }
                }
                #expect(racing.count == 1, "\(racing)")
            }
        }

        @Test("R01-R true and false are no numbers, and numbers neither true nor false, wherever a program says them")
        func types() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["room": room, "name": "Salon"])
                let hook = try await house.send("POST", "webhooks", ["url": "https://shop.example/hook"]).json["id"].int
                for flag in [JSON.bool(true), .bool(false)] {
                    let wrong: [(String, String, JSON, String)] = [
                        ("POST", "users/mina/top-ups", ["coins": flag], "console"),
                        ("POST", "users/mina/refunds", ["coins": flag], "console"),
                        ("PUT", "gifts/rose", ["name": "Rose", "price": flag], "console"),
                        ("POST", "keys", ["name": "x", "scopes": ["rooms:read"], "days": flag], "console"),
                        ("PUT", "users/mina/restrictions/ban", ["seconds": flag], "console"),
                        ("PUT", "rooms/48213/restrictions/mina/ban", ["seconds": flag], "console"),
                        ("POST", "rooms", ["owner": "host", "name": "x", "seats": flag], "console"),
                        ("POST", "webhooks/\(hook ?? 0)/replay", ["number": flag], "console"),
                        ("POST", "applications", ["name": "x", "app": flag], "owner"),
                        ("POST", "keys", ["name": "x", "scopes": ["rooms:read"], "app": flag], "owner"),
                        ("PATCH", "rooms/48213", ["slowSeconds": flag], "console"),
                        ("PATCH", "rooms/48213/attributes", ["add": ["n": flag]], "console"),
                    ]
                    for (method, path, body, key) in wrong {
                        let outcome = try await house.outcome(method, path, body, key: key, headers: once("t"))
                        #expect(outcome == "400 invalid_params", "\(method) \(path) \(body.text)")
                    }
                }
                for (method, path, body) in [
                    ("PUT", "rooms/48213/seats/0/muted", ["muted": 1] as JSON),
                    ("PATCH", "webhooks/\(hook ?? 0)", ["on": 1]), ("PATCH", "webhooks/\(hook ?? 0)", ["on": "true"]),
                ] {
                    #expect(try await house.outcome(method, path, body) == "400 invalid_params", "\(path) \(body.text)")
                }
                #expect(try await house.send("GET", "users/mina/wallet").json["coins"] == 0)
            }
        }

        @Test(
            "R01-R what the description says of queries and bodies is what is taken: no page before the first, no empty change"
        )
        func bounds() async throws {
            try await RESTHouse.with { house in
                let hook = try await house.send("POST", "webhooks", ["url": "https://shop.example/hook"]).json["id"].int
                for path in ["restrictions", "reports", "audit", "webhooks/\(hook ?? 0)/dead"] {
                    for cursor in ["0", "-1", "x", "99999999999999999999"] {
                        #expect(
                            try await house.outcome("GET", "\(path)?cursor=\(cursor)") == "400 invalid_params",
                            "\(path) \(cursor)")
                    }
                }
                for path in ["applications/\(TestServer.application)", "webhooks/\(hook ?? 0)", "users/mina"] {
                    let empty = try await house.send("PATCH", path)
                    #expect(empty.status == 400 && empty.json["error"]["name"] == "invalid_request", "\(path)")
                }
            }
        }

        @Test("R01-R whoever tries wrong keys from an address keeps no program behind it from its work")
        func wrongKeys() async throws {
            try await RESTHouse.with { house in
                // On one connection, so that they come faster than they are forgiven.
                let head = "GET /v1/gifts HTTP/1.1\r\nHost: 127.0.0.1:\(house.server.port)\r\n"
                let wrong = head + "Authorization: Bearer \(house.keys["forged"] ?? "")\r\n\r\n"
                let last = head + "Connection: close\r\n\r\n"
                let answers = String(
                    decoding: try await PlainHTTP.exchange(
                        String(repeating: wrong, count: 1_000) + last, port: house.server.port), as: UTF8.self)
                #expect(answers.contains("401 Unauthorized") && answers.contains("429 Too Many Requests"))
                #expect(try await house.outcome("GET", "gifts") == "200")
                let refused = try await house.send("GET", "gifts", key: "forged")
                #expect(refused.status == 429 && refused.headers["retry-after"] != nil)
            }
        }
    }
}

extension JSON {
    /// The same object with another value.
    fileprivate func with(_ name: String, _ value: JSON) -> JSON {
        guard case .object(var fields) = self else { return self }
        fields[name] = value
        return .object(fields)
    }
}
