import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// The REST API for operators' programs (R01), on a whole server.
    @Suite struct RESTTests {
        @Test("R01 a key opens what its scopes and its application say; whoever has none is told so")
        func keys() async throws {
            try await RESTHouse.with { house in
                #expect(try await house.outcome("GET", "rooms", key: "nobody") == "401 not_signed_in missing")
                for key in ["forged", "gone"] {
                    #expect(try await house.outcome("GET", "rooms", key: key) == "401 not_signed_in unknown")
                }
                let refused = try await house.send("GET", "rooms", key: "forged")
                #expect(refused.headers["www-authenticate"] == "Bearer")
                #expect(try await house.outcome("GET", "rooms", key: "reader") == "200")
                #expect(try await house.outcome("GET", "rooms?app=5", key: "reader") == "403 permission_denied app")
                #expect(try await house.outcome("GET", "rooms", key: "all") == "400 invalid_params")
                #expect(try await house.outcome("GET", "rooms?app=5", key: "all") == "200")
                #expect(try await house.outcome("GET", "rooms?app=6", key: "all") == "404 app_unknown")
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                #expect(
                    try await house.outcome("DELETE", "rooms/48213", key: "reader") == "403 permission_denied scope")
                #expect(try await house.outcome("DELETE", "rooms/48213", key: "other") == "404 room_not_found")
                #expect(try await house.outcome("GET", "rooms/48213", key: "reader") == "200")
                for path in ["", "/48213", "/48213/members", "/48213/messages", "/48213/restrictions"] {
                    #expect(
                        try await house.outcome("GET", "rooms" + path, key: "writer") == "403 permission_denied scope",
                        "\(path)")
                }
            }
        }

        @Test("R01 paths, methods and bodies that there are not are told as what they are")
        func malformed() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                #expect(try await house.outcome("POST", "rooms/48213/seats/0/user", [:]) == "405 method_not_allowed")
                let allowed = try await house.send("POST", "rooms/48213/seats/0/user", [:])
                #expect(allowed.headers["allow"] == "PUT, DELETE")
                #expect(try await house.outcome("GET", "rooms/48213/nothing") == "404 not_found")
                #expect(try await house.outcome("GET", "rooms/48213/still/9.jpg") == "404 not_found")
                #expect(try await house.outcome("GET", "rooms/0") == "400 room_id_invalid")
                #expect(try await house.outcome("GET", "rooms/~48213") == "404 room_not_found")
                #expect(try await house.outcome("GET", "rooms?limit=many") == "400 invalid_params")
                #expect(try await house.outcome("PATCH", "rooms/48213", "text") == "400 invalid_request")
                #expect(try await house.outcome("PATCH", "rooms/48213", ["name": 5]) == "400 invalid_params")
                #expect(
                    try await house.outcome("PUT", "rooms/48213/seats/x/muted", ["muted": true]) == "400 invalid_params"
                )
                #expect(
                    try await house.outcome("PUT", "rooms/48213/seats/99999999999999999999/muted", ["muted": true])
                        == "400 invalid_params")
                #expect(try await house.outcome("PUT", "rooms/48213/seats/0/muted", [:]) == "400 invalid_params")
                let long = JSON.string(String(repeating: "x", count: 70_000))
                #expect(try await house.outcome("PATCH", "rooms/48213", ["name": long]) == "413 message_too_large")
                let broken = try await PlainHTTP.send(
                    "PATCH /v1/rooms/48213 HTTP/1.1", port: house.server.port,
                    headers: ["Authorization: Bearer \(house.keys["console"] ?? "")", "Content-Length: 2"], body: "{,")
                #expect(broken.status == 400 && broken.json["error"]["name"].string == "parse_error")
                // What the path says counts, whatever the body claims.
                #expect(try await house.outcome("PATCH", "rooms/48213", ["room": 7, "name": "Other"]) == "200")
            }
        }

        @Test("R01 a room that a program creates waits for its host, once for each key, also over a restart")
        func creates() async throws {
            try await RESTHouse.with { house in
                let wanted: JSON = ["owner": "host", "name": "Show", "room": 48_213, "kind": "live", "seats": 3]
                #expect(
                    try await house.outcome("POST", "rooms", wanted, key: "writer") == "403 permission_denied scope")
                #expect(try await house.outcome("POST", "rooms", ["name": "Show"]) == "400 invalid_params")
                #expect(
                    try await house.outcome("POST", "rooms", ["owner": "no one", "name": "Show"])
                        == "400 user_id_invalid")
                #expect(
                    try await house.outcome("POST", "rooms", ["owner": "host", "name": ""]) == "400 invalid_params")
                let key = ["Idempotency-Key: show-1"]
                let made = try await house.send("POST", "rooms", wanted, headers: key)
                #expect(made.status == 201 && made.json["info"]["owner"]["id"].string == "host")
                #expect(made.json["info"]["memberCount"] == 0 && made.json["ownerAbsentUntil"] == .null)
                #expect(try await house.outcome("POST", "rooms", wanted, headers: key) == "201")
                #expect(try await house.outcome("POST", "rooms", wanted) == "409 room_id_taken")
                let other: JSON = ["owner": "guest", "name": "Show", "room": 48_213, "kind": "live", "seats": 3]
                #expect(try await house.outcome("POST", "rooms", other, headers: key) == "409 key_reused")
                let unnamed = try await house.send("POST", "rooms", ["owner": "host", "name": "Any"]).json
                #expect(unnamed["info"]["room"].int != nil)
                let host = try await house.server.signedIn("host")
                let entered = try await host.call("room.enter", ["room": 48_213])
                #expect(entered["snapshot"]["me"]["role"].string == "owner")
                try await host.call("room.exit", ["room": 48_213])
                let left = try await house.send("GET", "rooms/48213", key: "reader").json
                #expect(left["ownerAbsentUntil"] == .null && left["info"]["memberCount"] == 0)
            }
        }

        @Test(
            "A06-R the directory is searched by name, tag and kind in any script, and read page by page, each room once"
        )
        func directory() async throws {
            try await RESTHouse.with { house in
                let rooms: [(Int, String, String, [JSON])] = [
                    (1, "밤의 노래방", "voice", ["음악"]), (2, "Night salon", "voice", ["music"]),
                    (3, "夜晚的歌", "live", ["音乐"]), (4, "Morning talk", "voice", ["Music", "talk"]),
                ]
                for (number, name, kind, tags) in rooms {
                    let wanted: JSON = [
                        "owner": "host", "room": .number(Double(number)), "name": .string(name), "kind": .string(kind),
                        "tags": .array(tags),
                    ]
                    #expect(try await house.outcome("POST", "rooms", wanted) == "201")
                }
                func found(_ query: String) async throws -> Set<Int> {
                    let page = try await house.send("GET", "rooms?\(query)", key: "reader").json
                    #expect(page["cursor"].isNull)
                    return Set(page["rooms"].array.compactMap { $0["room"].int })
                }
                func escaped(_ text: String) -> String {
                    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                }
                #expect(try await found("query=\(escaped("노래"))") == [1])
                #expect(try await found("query=\(escaped("晚的"))") == [3])
                #expect(try await found("query=NIGHT") == [2])
                #expect(try await found("tag=music") == [2, 4])
                #expect(try await found("kind=live") == [3])
                #expect(try await found("kind=voice&tag=talk") == [4])
                #expect(try await found("query=nothing").isEmpty)
                var seen: [Int] = []
                for order in ["newest", "busiest"] {
                    #expect(
                        try await house.outcome("GET", "rooms?order=\(order)&cursor=nonsense", key: "reader")
                            == "400 invalid_params")
                }
                var cursor = ""
                repeat {
                    let page = try await house.send("GET", "rooms?limit=1&order=busiest\(cursor)", key: "reader").json
                    #expect(page["rooms"].array.count == 1)
                    seen += page["rooms"].array.compactMap { $0["room"].int }
                    cursor = page["cursor"].string.map { "&cursor=\(escaped($0))" } ?? ""
                } while !cursor.isEmpty && seen.count < 10
                #expect(seen.sorted() == [1, 2, 3, 4])
                for wrong in ["kind=palace", "order=oldest", "limit=0", "limit=x"] {
                    let outcome = try await house.outcome("GET", "rooms?\(wrong)", key: "reader")
                    #expect(outcome == "400 invalid_params", "\(wrong): \(outcome)")
                }
            }
        }

        @Test("R01 G06-R an operator reads a room, writes into it, mutes, bans, deletes, moves people and ends it")
        func runs() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let guest = try await house.server.signedIn("guest")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213, "tags": ["jazz"]])
                try await guest.call("room.enter", ["room": 48_213])
                try await guest.call("message.send", ["room": 48_213, "text": "buy coins"])
                let page = try await house.send("GET", "rooms?tag=jazz&limit=5", key: "reader").json
                #expect(page["rooms"][0]["name"].string == "Salon" && page["rooms"][0]["memberCount"] == 2)
                let members = try await house.send("GET", "rooms/48213/members?limit=1", key: "reader").json
                #expect(members["members"][0]["id"].string == "owner" && members["count"] == 2)
                let cursor = try #require(members["cursor"].string)
                let rest = try await house.send("GET", "rooms/48213/members?cursor=\(cursor)", key: "reader").json
                #expect(rest["members"][0]["id"].string == "guest" && rest["cursor"] == .null)

                #expect(try await house.outcome("PUT", "rooms/48213/seats/0/user", ["user": "guest"]) == "200")
                #expect(try await house.outcome("PUT", "rooms/48213/seats/0/muted", ["muted": true]) == "200")
                var room = try await house.send("GET", "rooms/48213", key: "reader").json
                #expect(room["seats"][0]["user"].string == "guest" && room["seats"][0]["muted"] == true)
                #expect(try await house.outcome("DELETE", "rooms/48213/seats/0/user") == "200")

                // One message, however often it is sent.
                let once = ["Idempotency-Key: order-77"]
                let say: JSON = ["command": "PRODUCT", "message": "{}", "priority": "high"]
                let first = try await house.send("POST", "rooms/48213/messages", say, headers: once).json
                #expect(try await house.send("POST", "rooms/48213/messages", say, headers: once).json == first)
                #expect(
                    try await house.outcome("POST", "rooms/48213/messages", ["text": "other"], headers: once)
                        == "409 key_reused")
                #expect(try await house.outcome("DELETE", "rooms/48213/messages/1") == "200")
                let messages = try await house.send("GET", "rooms/48213/messages", key: "reader").json["messages"]
                #expect(messages[0]["deleted"] == true && messages[1]["command"].string == "PRODUCT")
                #expect(messages[1]["from"]["id"].string == "@console" && messages[2] == .null)

                let mute: JSON = ["seconds": 60, "reason": "spam"]
                #expect(try await house.outcome("PUT", "rooms/48213/restrictions/guest/chat_mute", mute) == "200")
                let held = try await house.send("GET", "rooms/48213/restrictions", key: "reader").json["restrictions"]
                #expect(held[0]["user"].string == "guest" && held[0]["by"].string == "@console")
                await #expect(throws: SignalClient.Refused.self) {
                    try await guest.call("message.send", ["room": 48_213, "text": "hello"])
                }
                #expect(try await house.outcome("DELETE", "rooms/48213/restrictions/guest/chat_mute") == "200")
                #expect(
                    try await house.outcome("DELETE", "rooms/48213/restrictions/guest/chat_mute")
                        == "404 not_restricted")
                #expect(try await house.outcome("DELETE", "rooms/48213/members/guest") == "200")
                #expect(try await house.outcome("DELETE", "rooms/48213/members/guest") == "404 user_not_in_room")
                try await guest.call("room.enter", ["room": 48_213])
                #expect(try await house.outcome("PUT", "rooms/48213/members/guest/role", ["role": "admin"]) == "200")
                #expect(try await house.outcome("PUT", "rooms/48213/owner", ["user": "guest"]) == "200")
                #expect(try await house.outcome("PATCH", "rooms/48213", ["name": "Bar", "slowSeconds": 9]) == "200")
                room = try await house.send("GET", "rooms/48213", key: "reader").json
                #expect(room["info"]["name"].string == "Bar" && room["info"]["owner"]["id"].string == "guest")
                #expect(try await house.outcome("PUT", "rooms/48213/restrictions/owner/ban", [:]) == "200")
                await #expect(throws: SignalClient.Refused.self) {
                    try await owner.call("room.enter", ["room": 48_213])
                }
                #expect(try await house.outcome("DELETE", "rooms/48213") == "200")
                #expect(try await house.outcome("GET", "rooms/48213", key: "reader") == "410 room_closed")
            }
        }

        @Test(
            "G02-R coins are sold and taken back once for each key, gifts change at once, and all accounts come to nought"
        )
        func coins() async throws {
            try await RESTHouse.with { house in
                let guest = try await house.server.signedIn("guest")
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                try await guest.call("room.enter", ["room": 48_213])
                let key = ["Idempotency-Key: order-1"]
                #expect(try await house.outcome("POST", "users/guest/top-ups", ["coins": 100]) == "400 invalid_params")
                for path in ["users/guest/top-ups", "users/guest/refunds"] {
                    #expect(
                        try await house.outcome("POST", path, ["coins": 100], key: "reader", headers: key)
                            == "403 permission_denied scope")
                }
                for _ in 0..<3 {
                    let held = try await house.send(
                        "POST", "users/guest/top-ups", ["coins": 100, "reason": "sold at the counter"], headers: key)
                    #expect(held.status == 200 && held.json["coins"] == 100)
                }
                #expect(
                    try await house.outcome("POST", "users/guest/top-ups", ["coins": 99], headers: key)
                        == "409 key_reused")
                for wrong in [0, -5, 1.5, "7", 9_007_199_254_740_992] as [JSON] {
                    #expect(
                        try await house.outcome(
                            "POST", "users/guest/top-ups", ["coins": wrong], headers: ["Idempotency-Key: x"])
                            == "400 invalid_params", "\(wrong)")
                }
                #expect(
                    try await house.outcome(
                        "POST", "users/guest/refunds", ["coins": 101], headers: ["Idempotency-Key: back-1"])
                        == "409 balance_low 100")

                #expect(try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 30]) == "200")
                #expect(
                    try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 0]) == "400 invalid_params")
                #expect(
                    try await house.outcome("PUT", "gifts/a%20rose", ["name": "Rose", "price": 1])
                        == "400 invalid_params")
                #expect(
                    try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 1], key: "reader")
                        == "403 permission_denied scope")
                let listed = try await guest.call("gift.list", [:])
                #expect(listed["gifts"][0]["price"] == 30 && listed["gifts"][1] == .null)
                try await guest.call("gift.send", ["room": 48_213, "gift": "rose", "count": 2, "key": "g"])
                let wallet = try await house.send("GET", "users/guest/wallet").json
                #expect(wallet["coins"] == 40 && wallet["earnings"] == 0)
                #expect(try await house.send("GET", "users/owner/wallet").json["earnings"] == 60)
                let lines = try await house.send("GET", "users/guest/statement?limit=1").json
                #expect(lines["entries"][0]["coins"] == -60 && lines["entries"][0]["kind"].string == "gift")
                // An operator follows a line by its room and key; people are not told keys.
                #expect(lines["entries"][0]["room"].int == 48_213 && lines["entries"][0]["key"].string == "g")
                let own = try await guest.call("wallet.statement", ["limit": 1])["entries"][0]
                #expect(own["coins"] == -60 && own["key"] == .null)
                let cursor = try #require(lines["cursor"].string)
                let rest = try await house.send("GET", "users/guest/statement?cursor=\(cursor)").json
                #expect(rest["entries"][0]["coins"] == 100 && rest["entries"][1] == .null)
                #expect(
                    try await house.outcome(
                        "POST", "users/guest/refunds", ["coins": 40], headers: ["Idempotency-Key: back-2"]) == "200")
                #expect(try await house.send("GET", "ledger").json["sum"] == 0)
                // A repeat is no deed of its own.
                let trail = try await house.send("GET", "audit?user=guest").json["lines"].array
                let deeds = trail.map {
                    [$0["action"], $0["outcome"], $0["reason"]].map { $0.string ?? "-" }.joined(separator: " ")
                }
                #expect(
                    deeds.filter { $0.contains(" done ") } == ["refund done -", "topUp done sold at the counter"])
                let long = String(repeating: "r", count: 201)
                #expect(
                    try await house.outcome(
                        "POST", "users/guest/refunds", ["coins": 1, "reason": .string(long)],
                        headers: ["Idempotency-Key: back-3"]) == "400 invalid_params")
                #expect(try await house.outcome("DELETE", "gifts/rose") == "200")
                #expect(try await house.outcome("DELETE", "gifts/rose") == "404 gift_unknown")
                #expect(try await guest.call("gift.list", [:])["gifts"][0] == .null)
            }
        }

        @Test(
            "G02-R a gift has names in other languages, which everybody is told with it; what names no language is refused"
        )
        func giftNames() async throws {
            try await RESTHouse.with { house in
                let names: JSON = ["ko": "장미", "zh-Hans": "玫瑰"]
                let set = try await house.send("PUT", "gifts/rose", ["name": "Rose", "names": names, "price": 1])
                #expect(set.status == 200 && set.json["names"] == names)
                #expect(try await house.send("GET", "gifts").json["gifts"][0]["names"] == names)
                let trail = try await house.send("GET", "audit").json["lines"][0]["detail"]
                #expect(trail["names"].string == "ko: 장미, zh-Hans: 玫瑰")
                let guest = try await house.server.signedIn("guest")
                #expect(try await guest.call("gift.list", [:])["gifts"][0]["names"] == names)
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                try await guest.call("room.enter", ["room": 48_213])
                #expect(
                    try await house.outcome(
                        "POST", "users/guest/top-ups", ["coins": 5], headers: ["Idempotency-Key: a"]) == "200")
                try await guest.call("gift.send", ["room": 48_213, "gift": "rose", "key": "g"])
                let sent = try await owner.event("gifts.sent")
                #expect(sent["gifts"][0]["gift"]["names"] == names)
                let statement = try await guest.call("wallet.statement", ["limit": 1])
                #expect(statement["entries"][0]["gift"]["names"] == names)
                let languages = [
                    "ar", "de", "en", "es", "fr", "hi", "id", "it", "ja", "ko", "pt", "ru", "th", "tr", "vi",
                ]
                func named(_ count: Int) -> JSON {
                    .object(Dictionary(uniqueKeysWithValues: languages.prefix(count).map { ($0, "Rose") }))
                }
                let long = String(repeating: "장", count: 65)
                for wrong: JSON in [
                    ["korean": "장미"], ["ko": ""], ["ko": .string(long)], ["ko": 5], ["ko": "a\nb"], "장미", ["장미"],
                    named(13),
                ] {
                    #expect(
                        try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "names": wrong, "price": 1])
                            == "400 invalid_params", "\(wrong)")
                }
                #expect(
                    try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "names": named(12), "price": 1])
                        == "200")
                let bare = try await house.send("PUT", "gifts/rose", ["name": "Rose", "price": 1])
                #expect(bare.status == 200 && bare.json["names"] == .null)
            }
        }

        @Test(
            "G02-S who repeats a gift after the room has ended, or after leaving it, is told what became of the first one"
        )
        func giftsRepeatedLater() async throws {
            try await RESTHouse.with { house in
                let guest = try await house.server.signedIn("guest")
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                try await guest.call("room.enter", ["room": 48_213])
                #expect(
                    try await house.outcome(
                        "POST", "users/guest/top-ups", ["coins": 100], headers: ["Idempotency-Key: order-1"]) == "200")
                #expect(try await house.outcome("PUT", "gifts/rose", ["name": "Rose", "price": 30]) == "200")
                func gift(_ key: String, count: Int = 1) -> JSON {
                    ["room": 48_213, "gift": "rose", "count": .number(Double(count)), "key": .string(key)]
                }
                let first = try await guest.call("gift.send", gift("g"))
                for step in ["room.exit", "room.destroy"] {
                    try await (step == "room.exit" ? guest : owner).call(step, ["room": 48_213])
                    let again = try await guest.call("gift.send", gift("g"))
                    #expect(again["gift"] == first["gift"] && again["balance"] == 70, "\(step)")
                    #expect(try await guest.refusal("gift.send", gift("g", count: 2)) == "key_reused", "\(step)")
                    let refusal = try await guest.refusal("gift.send", gift("other"))
                    #expect(refusal == (step == "room.exit" ? "not_in_room" : "room_closed"))
                }
                #expect(try await guest.call("wallet.get")["coins"] == 70)
            }
        }

        @Test("G06-R reports wait, are settled once, and what programs did and were refused stands in the trail")
        func records() async throws {
            try await RESTHouse.with { house in
                let guest = try await house.server.signedIn("guest")
                let owner = try await house.server.signedIn("owner")
                try await owner.call("room.create", ["name": "Salon", "room": 48_213])
                try await guest.call("room.enter", ["room": 48_213])
                try await guest.call("message.send", ["room": 48_213, "text": "buy \"coins\""])
                try await owner.call(
                    "report.send", ["room": 48_213, "user": "guest", "cause": "spam", "words": "coins"])
                let reports = try await house.send("GET", "reports").json
                #expect(reports["reports"][0]["user"].string == "guest" && reports["reports"][1] == .null)
                #expect(reports["reports"][0]["reporterName"].string == "Owner")
                #expect(reports["reports"][0]["evidence"]["messages"][0]["text"].string == "buy \"coins\"")
                let number = try #require(reports["reports"][0]["id"].int)
                #expect(
                    try await house.outcome("PUT", "reports/\(number)/settlement", [:], key: "reader")
                        == "403 permission_denied scope")
                #expect(
                    try await house.outcome("PUT", "reports/\(number)/settlement", ["words": "warned"], key: "other")
                        == "404 not_found")
                #expect(try await house.outcome("PUT", "reports/\(number)/settlement", ["words": "warned"]) == "200")
                #expect(
                    try await house.outcome("PUT", "reports/\(number)/settlement", ["words": "again"])
                        == "404 not_found")
                #expect(try await house.send("GET", "reports").json["reports"][0] == .null)
                let all = try await house.send("GET", "reports?all=true").json["reports"][0]
                #expect(all["settled"]["by"].string == "@console" && all["settled"]["words"].string == "warned")

                #expect(try await house.outcome("GET", "audit", key: "reader") == "403 permission_denied scope")
                let trail = try await house.send("GET", "audit?limit=2").json
                let lines = trail["lines"].array.map { line in
                    [line["actor"], line["role"], line["action"], line["outcome"]].map { $0.string ?? "-" }
                        .joined(separator: " ")
                }
                #expect(
                    lines == ["@reader operator readAudit permission_denied", "@console operator settleReport done"])
                let more = try await house.send("GET", "audit?cursor=\(trail["cursor"].int ?? 0)").json["lines"]
                #expect(more[0]["action"].string == "settleReport" && more[0]["outcome"].string == "permission_denied")
                func actors(_ query: String) async throws -> Set<String> {
                    Set(
                        try await house.send("GET", "audit?\(query)").json["lines"].array.map {
                            $0["actor"].string ?? "-"
                        })
                }
                #expect(try await actors("user=@reader") == ["@reader"])
                #expect(try await actors("user=reader").isEmpty, "a person of that name has done nothing")
                try await owner.call("restriction.set", ["room": 48_213, "user": "guest", "kind": "ban"])
                #expect(try await actors("room=48213") == ["owner"])
                #expect(try await actors("user=guest") == ["owner"])
                #expect(try await actors("user=guest&room=~48213").isEmpty)
                #expect(try await house.outcome("GET", "audit?room=") == "400 room_id_invalid")
                #expect(try await house.outcome("GET", "audit?user=%20") == "400 user_id_invalid")
            }
        }
    }
}
