import DatagramIO
import Foundation
import MediaTestSupport
import RoomPorts
import RoomTestSupport
import ServerApp
import ServerTestSupport
import Testing
import Timing
import UserSig
import Wire

extension WholeServerTests {
    /// WHIP (RFC 9725) and WHEP over the wire: each status that a client may meet, and what is behind it.
    @Suite(.serialized) struct HTTPMediaTests {
        private static let offer = [
            "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0", "a=ice-ufrag:abcd",
            "a=ice-pwd:abcdefghijklmnopqrstuv",
            "a=fingerprint:sha-256 " + Array(repeating: "AB", count: 32).joined(separator: ":"), "a=setup:actpass",
            "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:0", "a=sendonly", "a=rtcp-mux",
            "a=rtpmap:111 opus/48000/2", "",
        ].joined(separator: "\r\n")
        private static let offerType = "Content-Type: application/sdp"
        private static let fragmentType = "Content-Type: application/trickle-ice-sdpfrag"

        private func bearer(_ user: String, at server: TestServer, lifetime: Int64 = 86_400) throws -> String {
            "Authorization: Bearer \(TestServer.application):\(user):\(try server.ticket(user, lifetime: lifetime))"
        }

        private func send(
            _ method: String, _ path: String, at server: TestServer, headers: [String] = [], _ body: String = ""
        ) async throws -> PlainHTTP.Response {
            let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
            return try await PlainHTTP.send(
                "\(method) \(path) HTTP/1.1", port: server.port, headers: headers + length, body: body)
        }

        /// A session that was opened, as a path.
        private func path(_ response: PlainHTTP.Response) -> String {
            response.headers["location"].flatMap { URL(string: $0)?.path } ?? ""
        }

        private func room(_ owner: SignalClient, seats: Int = 2, kind: String = "voice", _ more: [String: JSON] = [:])
            async throws -> JSON
        {
            let asked: [String: JSON] = ["name": "Salon", "kind": .string(kind), "seats": .number(Double(seats))]
            return try await owner.call("room.create", .object(asked.merging(more) { $1 }))["room"]
        }

        @Test("L17-S each request that cannot be served has its status, and says why")
        func refusals() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let whip = "/v1/whip/\(try await room(owner).text)"
                let mine = try bearer("camera", at: server)
                func status(_ method: String, _ path: String, _ headers: [String], _ body: String = "") async throws
                    -> Int
                {
                    let response = try await send(method, path, at: server, headers: headers, body)
                    #expect(response.headers["access-control-allow-origin"] == "*", "\(method) \(path)")
                    return response.status
                }
                let offer = Self.offer
                #expect(try await status("POST", whip, [Self.offerType], offer) == 401)
                #expect(try await status("POST", whip, [Self.offerType, mine + "x"], offer) == 401)
                #expect(try await status("POST", whip, ["Content-Type: application/json", mine], offer) == 415)
                #expect(try await status("POST", "/v1/whip/1", [Self.offerType, mine], offer) == 404)
                #expect(try await status("POST", whip + "?seat=x", [Self.offerType, mine], offer) == 400)
                #expect(try await status("POST", whip + "?seat=7", [Self.offerType, mine], offer) == 404)
                let long = offer + String(repeating: "a=x\r\n", count: 14_000)
                #expect(try await status("POST", whip, [Self.offerType, mine], long) == 413)
                // Never half of it: two lines of a kind, others, a direction that goes nowhere, a codec that nobody has.
                let sections = offer.range(of: "m=audio").map { String(offer[$0.lowerBound...]) } ?? ""
                for bad in [
                    "", "hello", offer + sections, offer.replacing("m=audio", with: "m=application"),
                    offer.replacing("sendonly", with: "recvonly"), offer.replacing("sendonly", with: "inactive"),
                    offer.replacing("opus", with: "L16"), offer.replacing("a=mid:0\r\n", with: ""),
                    offer + sections.replacing("audio", with: "video").replacing("mid:0", with: "mid:1"),
                    offer.replacing("actpass", with: "passive"),
                ] {
                    #expect(try await status("POST", whip, [Self.offerType, mine], bad) == 422, "\(bad)")
                }
                let info = try await owner.call("room.get", ["rooms": [JSON(parsing: Array(whip.dropFirst(9).utf8))]])
                #expect(info["rooms"][0]["memberCount"].int == 1, "nobody is left of those who were refused")

                let options = try await send("OPTIONS", whip, at: server)
                #expect(options.status == 204 && options.headers["accept-post"] == "application/sdp")
                #expect(options.headers["access-control-allow-methods"]?.contains("PATCH") == true)
                #expect(try await status("GET", whip, []) == 204)
            }
        }

        @Test(
            "L17-S a session's tag: missing, another, any; candidates change nothing, new credentials do; after DELETE there is nothing"
        )
        func tags() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await room(owner)
                let mine = try bearer("camera", at: server)
                let opened = try await send(
                    "POST", "/v1/whip/\(room.text)", at: server, headers: [Self.offerType, mine], Self.offer)
                #expect(opened.status == 201 && opened.headers["content-type"] == "application/sdp")
                let session = path(opened)
                let tag = try #require(opened.headers["etag"])
                func patch(_ match: String?, _ fragment: String, _ type: String = Self.fragmentType) async throws
                    -> PlainHTTP.Response
                {
                    try await send(
                        "PATCH", session, at: server,
                        headers: [type, mine] + (match.map { ["If-Match: \($0)"] } ?? []), fragment)
                }
                let candidates =
                    "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\n"
                    + "a=candidate:1 1 udp 1 192.0.2.9 5000 typ host\r\n"
                let restart = candidates.replacing("abcd", with: "wxyz")
                #expect(try await patch(nil, candidates).status == 428)
                for unknown in ["\"other\"", "W/\(tag)", "\"a\", \"b\"", "\(tag) x", String(tag.dropFirst())] {
                    #expect(try await patch(unknown, candidates).status == 412, "\(unknown)")
                }
                #expect(try await patch(tag, candidates, Self.offerType).status == 415)
                let trickled = try await patch(tag, candidates)
                #expect(trickled.status == 204 && trickled.headers["etag"] == nil)
                for list in ["\"old\", \(tag)", ",\(tag) ,W/\"x\"", "\"a,b\",\(tag)"] {
                    #expect(try await patch(list, candidates).status == 204, "\(list)")
                }
                #expect(try await patch(tag, restart).status == 412, "a restart is asked for with *")
                let restarted = try await patch("*", restart)
                #expect(restarted.status == 200)
                let newTag = try #require(restarted.headers["etag"])
                #expect(newTag != tag)
                #expect(restarted.text.contains("a=ice-lite") && restarted.text.contains("a=candidate:"))
                #expect(restarted.text.contains("a=mid:0\r\n"))
                #expect(try await patch(tag, candidates).status == 412)
                #expect(try await patch(newTag, restart).status == 204, "those credentials are in use")
                // A restart that cannot be does not end the session.
                #expect(try await patch("*", "a=ice-ufrag:x\r\n").status == 422)
                #expect(try await patch("*", "a=ice-ufrag:x\r\na=ice-pwd:short\r\n").status == 422)
                #expect(try await patch(newTag, restart).status == 204)

                let other = try bearer("other", at: server)
                #expect(try await send("DELETE", session, at: server, headers: [other]).status == 404)
                #expect(try await send("DELETE", session, at: server).status == 401)
                #expect(try await send("DELETE", session, at: server, headers: [mine]).status == 200)
                #expect(try await send("DELETE", session, at: server, headers: [mine]).status == 404)
                #expect(try await patch(newTag, restart).status == 404)
            }
        }

        @Test(
            "L17-S A12-S who publishes by HTTP is heard, through a restart too, and is silent when the session, its path or its ticket has ended, or the seat is taken away"
        )
        func heard() async throws {
            for end in ["delete", "kick", "ticket", "again", "goodbye"] {
                try await TestServer.with { server async throws in
                    let party = try MediaParty()
                    let owner = try await party.enter("owner", at: server, room: nil)
                    let camera = try party.outsider()
                    let mine = try bearer("camera", at: server, lifetime: end == "ticket" ? 8 : 86_400)
                    let whip = "/v1/whip/\(owner.room.text)?seat=1"
                    let opened = try await send(
                        "POST", whip, at: server, headers: [Self.offerType, mine], camera.nextOffer().sdp)
                    #expect(opened.status == 201, "\(opened.text)")
                    try camera.take(sdp: opened.text)
                    await party.run { camera.isConnected }
                    await party.run(speaking: camera, [0xaa]) { owner.media.payloads(on: 1).contains([0xaa]) }
                    // Another network: new names on both sides, the same voice.
                    camera.newCredentials()
                    let names = camera.offerText.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("a=ice-") }
                    let restarted = try await send(
                        "PATCH", path(opened), at: server, headers: [Self.fragmentType, mine, "If-Match: *"],
                        names.prefix(2).joined(separator: "\r\n") + "\r\n")
                    #expect(restarted.status == 200, "\(restarted.text)")
                    try camera.take(sdp: Self.answer(opened.text, with: restarted.text))
                    await party.run { camera.answeredChecks > 0 }
                    await party.run(speaking: camera, [0xab]) { owner.media.payloads(on: 1).contains([0xab]) }

                    switch end {
                    case "delete":
                        #expect(try await send("DELETE", path(opened), at: server, headers: [mine]).status == 200)
                    case "kick": try await owner.signal.call("seat.kick", ["room": owner.room, "seat": 1])
                    case "goodbye":
                        camera.sayGoodbye()
                        await party.run { camera.closeReason != nil }
                        try await owner.signal.event("audience.left") { $0["user"] == "camera" }
                        #expect(try await send("DELETE", path(opened), at: server, headers: [mine]).status == 404)
                    case "ticket": try await owner.signal.event("audience.left") { $0["user"] == "camera" }
                    default:
                        // The same person publishes anew: the former path ends, the seat stays.
                        let next = try party.outsider()
                        let again = try await send(
                            "POST", whip, at: server, headers: [Self.offerType, mine], next.nextOffer().sdp)
                        #expect(again.status == 201, "\(again.text)")
                        try next.take(sdp: again.text)
                        await party.run(speaking: next, [0xba]) { owner.media.payloads(on: 1).contains([0xba]) }
                        #expect(try await send("DELETE", path(opened), at: server, headers: [mine]).status == 404)
                    }
                    for number in UInt8(0)..<100 { camera.speak([0xa2, number]) }
                    // Whatever he says is through by the time somebody else is heard who spoke later.
                    let witness = try await party.enter("witness", at: server, room: owner.room)
                    try await witness.signal.call("seat.take", ["room": owner.room, "seat": 0])
                    await party.run(speaking: witness.media, [0xb2]) {
                        owner.media.payloads(on: 0).contains([0xb2])
                    }
                    #expect(!owner.media.payloads(on: 1).contains { $0.first == 0xa2 }, "\(end)")
                }
            }
        }

        @Test(
            "G06-R A12-S whom the operator signs out or bans publishes no more, and a ban keeps them from coming back")
        func banned() async throws {
            try await RESTHouse.with { house in
                let owner = try await house.server.signedIn("owner")
                let room = try await room(owner)
                let mine = try bearer("camera", at: house.server)
                func open() async throws -> PlainHTTP.Response {
                    try await send(
                        "POST", "/v1/whip/\(room.text)", at: house.server, headers: [Self.offerType, mine], Self.offer)
                }
                var opened = try await open()
                #expect(opened.status == 201)
                #expect(try await house.outcome("DELETE", "users/camera/sessions") == "200")
                #expect(
                    try await send("DELETE", path(opened), at: house.server, headers: [mine]).status == 404,
                    "it is over")
                opened = try await open()
                #expect(opened.status == 201)
                #expect(try await house.outcome("PUT", "users/camera/restrictions/ban", ["seconds": 60]) == "200")
                #expect(try await house.send("GET", "rooms/\(room.text)").json["seats"][0]["user"] == .null)
                let refused = try await open()
                #expect(refused.status == 403 && refused.json["error"]["name"] == "banned_here")
            }
        }

        @Test("L17-S the host's own program films the host's seat; when it ends, the page's microphone is heard again")
        func ownSeat() async throws {
            try await TestServer.with { server async throws in
                let party = try MediaParty()
                let owner = try await party.enter("owner", at: server, room: nil)
                try await owner.signal.call("seat.take", ["room": owner.room, "seat": 0])
                let witness = try await party.enter("witness", at: server, room: owner.room)
                await party.run(speaking: owner.media, [0x01]) { witness.media.payloads(on: 0).contains([0x01]) }

                let camera = try party.outsider()
                let mine = try bearer("owner", at: server)
                let opened = try await send(
                    "POST", "/v1/whip/\(owner.room.text)?seat=1", at: server, headers: [Self.offerType, mine],
                    camera.nextOffer().sdp)
                try camera.take(sdp: opened.text)
                await party.run { camera.isConnected }
                await party.run(speaking: camera, [0x02]) { witness.media.payloads(on: 0).contains([0x02]) }
                owner.media.speak([0x03])
                await party.run(speaking: camera, [0x04]) { witness.media.payloads(on: 0).contains([0x04]) }
                #expect(!witness.media.payloads(on: 0).contains([0x03]))
                #expect(try await send("DELETE", path(opened), at: server, headers: [mine]).status == 200)
                await party.run(speaking: owner.media, [0x05]) { witness.media.payloads(on: 0).contains([0x05]) }
            }
        }

        @Test("L17-S of many that publish as one person at once, one is left in the room")
        func atOnce() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await room(owner)
                let mine = try bearer("camera", at: server)
                let opened = try await withThrowingTaskGroup { group in
                    for _ in 0..<12 {
                        group.addTask {
                            try await send(
                                "POST", "/v1/whip/\(room.text)", at: server, headers: [Self.offerType, mine], Self.offer
                            )
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(opened.allSatisfy { [201, 409].contains($0.status) })
                var ended = 0
                for session in opened where session.status == 201 {
                    let end = try await send("DELETE", path(session), at: server, headers: [mine])
                    if end.status == 200 { ended += 1 }
                }
                #expect(ended == 1)
                try await owner.event("audience.left") { $0["user"] == "camera" }
            }
        }

        @Test(
            "G04-S L17-S who begins and ends to publish, or to play, without a pause waits before they begin again, and ends at once"
        )
        func beginnings() async throws {
            // No time goes by: ten may be at once, and none comes back.
            let clock = VirtualRoomClock(wall: WallTime(secondsSince1970: Int64(Date().timeIntervalSince1970)))
            try await TestServer.with(clock: clock, configure: { $0.limitsChangesPerSecond = 1 }) {
                server async throws in
                let room = try await room(try await server.signedIn("owner"))
                for (kind, direction) in [("whip", "sendonly"), ("whep", "recvonly")] {
                    let mine = try bearer(kind, at: server)
                    let offer = Self.offer.replacing("sendonly", with: direction)
                    func begin() async throws -> PlainHTTP.Response {
                        try await send(
                            "POST", "/v1/\(kind)/\(room.text)", at: server, headers: [Self.offerType, mine], offer)
                    }
                    var (begun, last) = (0, try await begin())
                    while last.status == 201, begun < 40 {
                        begun += 1
                        #expect(try await send("DELETE", path(last), at: server, headers: [mine]).status == 200)
                        last = try await begin()
                    }
                    #expect(begun == 10, "\(kind)")
                    #expect(last.status == 429 && last.headers["retry-after"] == "1", "\(kind): \(last.text)")
                    #expect(last.text.contains("limits.changes_per_second"))
                }
            }
        }

        /// The answer with the credentials of a fragment.
        private static func answer(_ text: String, with fragment: String) -> String {
            let new = fragment.split(whereSeparator: \.isNewline)
            return text.split(whereSeparator: \.isNewline).map { line in
                for prefix in ["a=ice-ufrag:", "a=ice-pwd:"] where line.hasPrefix(prefix) {
                    return new.first { $0.hasPrefix(prefix) } ?? line
                }
                return line
            }.joined(separator: "\r\n") + "\r\n"
        }

        @Test("L17-S players of one person have a limit, and each is ended by itself")
        func players() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await room(owner)
                let mine = try bearer("wall", at: server)
                let whep = "/v1/whep/\(room.text)"
                let offer = Self.offer.replacing("sendonly", with: "recvonly")
                var sessions: [String] = []
                for _ in 0..<8 {
                    let opened = try await send("POST", whep, at: server, headers: [Self.offerType, mine], offer)
                    #expect(opened.status == 201)
                    sessions.append(path(opened))
                }
                let tooMany = try await send("POST", whep, at: server, headers: [Self.offerType, mine], offer)
                #expect(tooMany.status == 429 && tooMany.headers["retry-after"] != nil)
                #expect(Set(sessions).count == 8)
                for session in sessions { _ = try await send("DELETE", session, at: server, headers: [mine]) }
                try await owner.event("audience.left") { $0["user"] == "wall" }
            }
        }

        @Test("L17-S a room whose seats are given on request is no way in, and a seat that somebody has is not taken")
        func rights() async throws {
            try await TestServer.with(consent: .enforced) { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await room(owner, ["needsRequest": true])
                let mine = try bearer("camera", at: server)
                func open(_ seat: Int) async throws -> PlainHTTP.Response {
                    try await send(
                        "POST", "/v1/whip/\(room.text)?seat=\(seat)", at: server, headers: [Self.offerType, mine],
                        Self.offer)
                }
                let refused = try await open(0)
                #expect(refused.status == 403 && refused.json["error"]["name"].string == "consent_required")
                try await owner.call("seat.take", ["room": room, "seat": 0])
                #expect(try await open(0).status == 409)
            }
        }

        @Test("A03-S where rooms are entered by keys alone, programs and players, which bring none, are refused")
        func roomKeys() async throws {
            try await TestServer.with(roomKeys: .required) { server async throws in
                let owner = try await server.signedIn("owner")
                let signer = try TicketSigner(application: TestServer.application, key: #require(server.keys.first))
                let key = try signer.privateMapKey(
                    user: "owner", room: .number(48_213), privileges: .all,
                    issuedAt: Int64(Date().timeIntervalSince1970))
                try await owner.call("room.create", ["name": "Salon", "room": 48_213, "privateMapKey": .string(key)])
                let mine = try bearer("camera", at: server)
                for path in ["/v1/whip/48213?seat=1", "/v1/whep/48213"] {
                    let refused = try await send(
                        "POST", path, at: server, headers: [Self.offerType, mine],
                        path.contains("whip")
                            ? Self.offer : Self.offer.replacingOccurrences(of: "sendonly", with: "recvonly"))
                    #expect(
                        refused.status == 403 && refused.json["error"]["name"].string == "room_key_failed", "\(path)")
                }
            }
        }

        @Test(
            "L17-S L07-S a program that films is seen without another word, and not where the host has switched its camera off"
        )
        func filming() async throws {
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await room(owner, kind: "live")
                let mine = try bearer("camera", at: server)
                let picture = [
                    "m=video 9 UDP/TLS/RTP/SAVPF 96", "c=IN IP4 0.0.0.0", "a=mid:1", "a=sendonly", "a=rtcp-mux",
                    "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack pli", "",
                ].joined(separator: "\r\n")
                func publish(_ offer: String) async throws -> PlainHTTP.Response {
                    try await send(
                        "POST", "/v1/whip/\(room.text)?seat=1", at: server, headers: [Self.offerType, mine], offer)
                }
                func camera(_ reader: String) async throws -> String? {
                    let entered = try await server.signedIn(reader).call("room.enter", ["room": room])
                    return entered["snapshot"]["seats"][1]["camera"].string
                }
                let filmed = Self.offer.replacingOccurrences(of: "BUNDLE 0", with: "BUNDLE 0 1") + picture
                #expect(try await publish(filmed).status == 201)
                #expect(try await camera("first") == "on")
                try await owner.call("seat.camera", ["room": room, "seat": 1, "allowed": false])
                let refused = try await publish(filmed)
                #expect(refused.status == 403 && refused.json["error"]["name"].string == "camera_blocked")
                #expect(try await publish(Self.offer).status == 201, "sound alone may come")
                #expect(try await camera("second") == "blocked")
            }
        }
    }
}
