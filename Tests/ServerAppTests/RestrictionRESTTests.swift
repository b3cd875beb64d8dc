import Foundation
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// Whom the operator keeps out of an application, or from writing in it, over a whole server.
    @Suite struct RestrictionRESTTests {
        private static let ban: JSON = ["seconds": 600, "reason": "spam"]

        @Test(
            "G06-R R04-R whom the operator bans is out at once and told why, comes back nowhere, and may after the end")
        func bans() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let guest = try await house.server.signedIn("guest")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                try await guest.call("room.enter", ["room": 48_213])
                try await guest.call("seat.take", ["room": 48_213, "seat": 1])
                let path = "users/guest/restrictions/ban"
                #expect(try await house.outcome("PUT", path, Self.ban, key: "reader") == "403 permission_denied scope")
                #expect(try await house.outcome("DELETE", path, key: "reader") == "403 permission_denied scope")
                #expect(try await house.outcome("GET", "restrictions", key: "reader") == "403 permission_denied scope")
                #expect(try await house.outcome("DELETE", path) == "404 not_restricted")
                let set = try await house.send("PUT", path, Self.ban).json
                #expect(set["kind"] == "ban" && set["user"] == "guest" && set["name"] == "Guest")
                #expect(set["reason"] == "spam" && set["everywhere"] == true && set["until"].int != nil)

                let closed = try await guest.first("the end") { $0["method"] == "session.closed" }["params"]
                #expect(closed["name"] == "banned_here" && closed["code"] == 20_452)
                #expect(closed["data"]["reason"] == "spam" && (closed["data"]["retryAfterMs"].int ?? 0) > 500_000)
                #expect(try await guest.closeCode() == 4_007)
                try await owner.event("seat.left") { $0["user"]["id"] == "guest" }
                let back = try await house.server.client()
                #expect(try await back.refusal("session.open", house.server.opening("guest")) == "banned_here")

                // In another application they are who they are.
                #expect(try await house.send("GET", "restrictions", key: "other").json["restrictions"] == [])
                #expect(try await house.send("GET", "users/guest", key: "other").json["restrictions"] == [])
                #expect(try await house.send("GET", "users/guest").json["restrictions"] == [set])
                #expect(try await house.send("GET", "restrictions").json["restrictions"] == [set])
                #expect(try await house.outcome("DELETE", path) == "200")
                #expect(try await house.send("GET", "restrictions").json == ["restrictions": []])
                _ = try await house.server.signedIn("guest")
                let lines = try await house.send("GET", "audit?limit=2").json["lines"].array
                #expect(lines.map { $0["action"] } == ["liftRestriction", "setRestriction"])
                #expect(lines[1]["actor"] == "@console" && lines[1]["detail"]["kind"] == "ban")
                #expect(lines[1]["reason"] == "spam" && lines[1]["target"] == "guest" && lines[1]["room"] == .null)
            }
        }

        @Test(
            "G06-R A12-S a ban for good holds against old sessions and tickets, and of sign-ins under way none is left")
        func lasting() async throws {
            try await RESTHouse.with { house in
                let guest = try await house.server.client()
                let secret = try await guest.call("session.open", house.server.opening("guest"))["session"].string
                await guest.drop()
                #expect(try await house.outcome("PUT", "users/guest/restrictions/ban", [:]) == "200")
                for resume in [secret, nil] {
                    let back = try await house.server.client()
                    let opening = try house.server.opening("guest", resume: resume)
                    #expect(try await back.refusal("session.open", opening) == "banned_here_for_good")
                }

                let opening = try house.server.opening("racer")
                var racers: [SignalClient] = []
                for _ in 0..<20 { racers.append(try await house.server.client()) }
                let calls = racers.map { $0.send("session.open", opening) }
                #expect(try await house.outcome("PUT", "users/racer/restrictions/ban", [:]) == "200")
                #expect(try await house.send("GET", "users/racer").json["sessions"] == [])
                for (racer, call) in zip(racers, calls) {
                    // Refused, or let in and put out again: by the ban, or by the next of them before it.
                    let end = try await racer.first("the end") { heard in
                        heard["method"] == "session.closed"
                            || heard["id"].int == call && heard["error"]["data"]["name"] == "banned_here_for_good"
                    }
                    let name = end["params"]["name"].string
                    #expect(name == nil || name == "banned_here_for_good" || name == "session_replaced")
                }
            }
        }

        @Test("G06-R whom the operator mutes reads in every room and writes in none, the host of a room included")
        func mutes() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let guest = try await house.server.signedIn("guest")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                try await guest.call("room.enter", ["room": 48_213])
                let mute: JSON = ["reason": "rude"]
                #expect(try await house.outcome("PUT", "users/owner/restrictions/chat_mute", mute) == "200")
                let news = try await owner.event("restriction.set")
                #expect(news["restriction"]["kind"] == "chat_mute" && news["restriction"]["user"] == "owner")
                #expect(try await owner.refusal("message.send", ["room": 48_213, "text": "a"]) == "chat_muted")
                try await owner.call("room.exit", ["room": 48_213])
                let entered = try await owner.call("room.enter", ["room": 48_213])
                #expect(entered["snapshot"]["chatMute"]["reason"] == "rude")
                try await guest.call("message.send", ["room": 48_213, "text": "b"])
                try await owner.event("message") { $0["text"] == "b" }
                #expect(try await house.outcome("DELETE", "users/owner/restrictions/chat_mute") == "200")
                try await owner.event("restriction.lifted")
                try await owner.call("message.send", ["room": 48_213, "text": "c"])
            }
        }

        @Test(
            "G06-R whom the operator mutes changes no name or bio and opens no room, and comes in under the name they had"
        )
        func mutedProfile() async throws {
            try await RESTHouse.with { house in
                let guest = try await house.server.signedIn("guest")
                try await guest.call("profile.set", ["name": "Gina"])
                #expect(try await house.outcome("PUT", "users/guest/restrictions/chat_mute", [:]) == "200")
                for change: JSON in [["name": "Rude words"], ["bio": "Rude words"]] {
                    #expect(try await guest.refusal("profile.set", change) == "chat_muted", "\(change)")
                }
                #expect(try await guest.refusal("room.create", ["name": "Rude words"]) == "chat_muted")
                try await guest.call("profile.set", ["avatar": "/a.png"])
                // It says another name than the profile has.
                let again = try await house.server.signedIn("guest")
                let profile = try await again.call("profile.get", ["users": ["guest"]])
                #expect(profile["users"][0]["name"] == "Gina" && profile["users"][0]["avatar"] == "/a.png")
            }
        }

        @Test("G06-R of the room's mute and the operator's the one is told that holds, whichever is lifted")
        func both() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let guest = try await house.server.signedIn("guest")
                try await owner.call("room.create", ["room": 48_213, "name": "Salon"])
                try await guest.call("room.enter", ["room": 48_213])
                #expect(try await house.outcome("PUT", "users/guest/restrictions/chat_mute", [:]) == "200")
                let ofRoom: JSON = ["room": 48_213, "user": "guest", "kind": "chat_mute"]
                try await owner.call(
                    "restriction.set", ["room": 48_213, "user": "guest", "kind": "chat_mute", "seconds": 60])
                try await owner.call("restriction.lift", ofRoom)
                // The last word is that they may not write.
                let told = try await guest.events(4) { $0["type"].string?.hasPrefix("restriction.") == true }
                #expect(told[2]["type"] == "restriction.lifted")
                #expect(told[3]["type"] == "restriction.set" && told[3]["restriction"]["by"] == "@console")
                #expect(try await guest.refusal("message.send", ["room": 48_213, "text": "a"]) == "chat_muted")
                try await owner.call(
                    "restriction.set", ["room": 48_213, "user": "guest", "kind": "chat_mute", "seconds": 60])
                #expect(try await house.outcome("DELETE", "users/guest/restrictions/chat_mute") == "200")
                let last = try await guest.events(6) { $0["type"].string?.hasPrefix("restriction.") == true }[5]
                #expect(last["type"] == "restriction.set" && last["restriction"]["by"] == "owner")
                #expect(try await guest.refusal("message.send", ["room": 48_213, "text": "a"]) == "chat_muted")
                try await owner.call("restriction.lift", ofRoom)
                try await guest.call("message.send", ["room": 48_213, "text": "b"])
            }
        }

        @Test("G06-R what is wrong in a restriction is told, and lists are read page by page, the newest first")
        func pages() async throws {
            try await RESTHouse.with { house in
                for wrong: JSON in [
                    ["seconds": 0], ["seconds": 31_536_001], ["seconds": "9"], ["reason": 7],
                    ["reason": .string(String(repeating: "x", count: 201))], ["reason": "\u{200b}"],
                ] {
                    #expect(
                        try await house.outcome("PUT", "users/eve/restrictions/ban", wrong) == "400 invalid_params",
                        "\(wrong)")
                }
                #expect(try await house.outcome("PUT", "users/eve/restrictions/kick", [:]) == "400 invalid_params")
                #expect(try await house.outcome("PUT", "users/e%20e/restrictions/ban", [:]) == "400 user_id_invalid")
                for number in 0..<5 {
                    let kind = number.isMultiple(of: 2) ? "ban" : "chat_mute"
                    #expect(try await house.outcome("PUT", "users/u\(number)/restrictions/\(kind)", [:]) == "200")
                }
                // Set anew: the newest.
                #expect(try await house.outcome("PUT", "users/u1/restrictions/chat_mute", Self.ban) == "200")
                var (found, query): ([JSON], String?) = ([], "restrictions?limit=2")
                while let asked = query {
                    let page = try await house.send("GET", asked).json
                    found += page["restrictions"].array.map { $0["user"] }
                    query = page["cursor"].int.map { "restrictions?limit=2&cursor=\($0)" }
                }
                #expect(found == ["u1", "u4", "u3", "u2", "u0"])
                let mutes = try await house.send("GET", "restrictions?kind=chat_mute").json["restrictions"].array
                #expect(mutes.map { $0["user"] } == ["u1", "u3"])
            }
        }
    }
}
