import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// What is reached over plain HTTP.
    @Suite struct DoorTests {
        /// A web root with little in it.
        private func withWebRoot<Result>(_ body: (String) async throws -> Result) async throws -> Result {
            let folder = NSTemporaryDirectory() + "ovation-web-" + UUID().uuidString
            let files = FileManager.default
            try files.createDirectory(atPath: folder + "/styles", withIntermediateDirectories: true)
            try files.createDirectory(atPath: folder + "/example", withIntermediateDirectories: true)
            defer { try? files.removeItem(atPath: folder) }
            try """
            <!doctype html><html><head><!--meta--><link rel="stylesheet" href="/assets/@build/styles/app.css"></head></html>
            """.write(toFile: folder + "/index.html", atomically: true, encoding: .utf8)
            try "<!doctype html><p>example".write(
                toFile: folder + "/example/index.html", atomically: true, encoding: .utf8)
            try String(repeating: "p { color: red }\n", count: 200)
                .write(toFile: folder + "/styles/app.css", atomically: true, encoding: .utf8)
            try "secret".write(toFile: folder + "/.hidden", atomically: true, encoding: .utf8)
            return try await body(folder)
        }

        @Test("R05-S pages are asked for anew under a strict policy, assets are kept for ever, compressed and by tag")
        func pages() async throws {
            try await withWebRoot { folder in
                try await TestServer.with(configure: { $0.webRoot = folder }) { server async throws in
                    let page = try await PlainHTTP.get("/", port: server.port)
                    #expect(page.status == 200)
                    #expect(page.headers["cache-control"] == "no-cache")
                    let policy = page.headers["content-security-policy"] ?? ""
                    #expect(policy.contains("script-src 'self';") && policy.contains("frame-ancestors 'none'"))
                    #expect(!policy.contains("unsafe"))
                    #expect(page.headers["x-content-type-options"] == "nosniff")
                    let link = try #require(page.text.split(separator: "\"").first { $0.hasPrefix("/assets/") })
                    #expect(!link.contains("@build"))

                    let style = try await PlainHTTP.get(
                        String(link), port: server.port, headers: ["Accept-Encoding: gzip, br"])
                    #expect(style.headers["cache-control"] == "public, max-age=31536000, immutable")
                    #expect(style.headers["content-type"] == "text/css; charset=utf-8")
                    #expect(style.headers["content-encoding"] == "gzip" && style.body.count < 400)
                    #expect(style.body.starts(with: [0x1f, 0x8b]))
                    let plain = try await PlainHTTP.get(String(link), port: server.port)
                    #expect(plain.text.hasPrefix("p { color: red }") && plain.headers["content-encoding"] == nil)
                    let tag = try #require(plain.headers["etag"])
                    let again = try await PlainHTTP.get(
                        String(link), port: server.port, headers: ["If-None-Match: \(tag)"])
                    #expect(again.status == 304 && again.body.isEmpty)
                    for (known, status) in [
                        ("W/\(tag)", 304), ("\"x,\", \(tag)", 304), ("*", 304), ("\"x\"", 200),
                        (String(tag.dropLast()), 200),
                    ] {
                        let answer = try await PlainHTTP.get(
                            String(link), port: server.port, headers: ["If-None-Match: \(known)"])
                        #expect(answer.status == status, "\(known)")
                    }

                    // A page from before an update still works, but nothing is kept under the old name.
                    let stale = try await PlainHTTP.get("/assets/000000/styles/app.css", port: server.port)
                    #expect(stale.status == 200 && stale.headers["cache-control"] == "no-cache")
                    #expect(try await PlainHTTP.get("/example/", port: server.port).text.contains("example"))
                    for path in [
                        "/.hidden", "/../etc/passwd", "/assets/x/../../.hidden", "/%2e%2e/%2e%2e/etc/passwd",
                        "/nothing", "/assets/",
                    ] {
                        let response = try await PlainHTTP.get(path, port: server.port)
                        #expect(response.status == 404 || response.status == 400, "\(path)")
                        #expect(!response.text.contains("root:") && !response.text.contains("secret"), "\(path)")
                    }
                    let head = try await PlainHTTP.send("HEAD / HTTP/1.1", port: server.port)
                    #expect(head.status == 200 && head.body.isEmpty)
                }
            }
        }

        @Test(
            "R05-S a run of combining marks in a header, an address, a form or a ticket is refused before anything compares it, and the connection's earlier requests are answered"
        )
        func runsOfMarks() async throws {
            let run = "a" + String(repeating: "\u{345}\u{327}\u{301}", count: 2_000)
            let escaped = "a" + String(repeating: "\\u0345\\u0327\\u0301", count: 800)
            let percent = "a" + String(repeating: "%CD%85%CC%A7%CC%81", count: 1_000)
            try await TestServer.with(mode: .development) { server async throws in
                func expectRefused(
                    _ response: PlainHTTP.Response, _ what: String, _ location: SourceLocation = #_sourceLocation
                ) {
                    #expect(response.status == 400, "\(what)", sourceLocation: location)
                    #expect(response.json["error"]["name"] == "too_many_marks", "\(what)", sourceLocation: location)
                    #expect(response.json["error"]["code"] == 20432, "\(what)", sourceLocation: location)
                }
                for header in ["If-None-Match", "Authorization", "X-Forwarded-For", "Accept-Encoding", "Origin"] {
                    let response = try await PlainHTTP.get(
                        "/v1/config", port: server.port, headers: ["\(header): \(run)"])
                    expectRefused(response, header)
                }
                expectRefused(
                    try await PlainHTTP.get("/v1/qr.svg?text=\(percent)", port: server.port), "a query's value")
                expectRefused(try await PlainHTTP.get("/v1/rooms?\(percent)=1", port: server.port), "a query's name")
                expectRefused(try await PlainHTTP.get("/r/\(percent)", port: server.port), "a path")
                for text in [run, escaped] {
                    let body = "{\"\(text)\":1}"
                    let response = try await PlainHTTP.send(
                        "POST /v1/tickets HTTP/1.1", port: server.port,
                        headers: ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"], body: body)
                    expectRefused(response, "a body")
                }
                let upgrade = [
                    "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: \(run)",
                ]
                let response = try await PlainHTTP.send(
                    "GET /v1/connect HTTP/1.1", port: server.port, headers: upgrade)
                #expect(response.status == 400)

                let first = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
                let second = "POST /v1/tickets HTTP/1.1\r\nHost: x\r\nCookie: \(run)\r\nContent-Length: 2\r\n\r\n{}"
                let both = String(
                    decoding: try await PlainHTTP.exchange(first + second, port: server.port), as: UTF8.self)
                #expect(both.hasPrefix("HTTP/1.1 200") && both.contains("alive\n") && both.contains("HTTP/1.1 400"))
                #expect(both.contains("too_many_marks"))
            }
        }

        @Test(
            "R05-S JSON in UTF-16 or UTF-32, in which no mark would be counted, is refused before anything decodes it")
        func otherEncodings() async throws {
            try await TestServer.with(mode: .development) { server async throws in
                let marks = "{\"name\":\"Mina\",\"\(String(repeating: "\u{345}", count: 40))\":1}"
                let wide: [UInt8] = marks.unicodeScalars.flatMap { scalar -> [UInt8] in
                    [UInt8(scalar.value & 0xff), UInt8(scalar.value >> 8), 0, 0]
                }
                let broken: [UInt8] = Array("{\"name\":\"A".utf8) + [0xc3, 0x28] + Array("\"}".utf8)
                let texts: [(String, [UInt8])] = [
                    ("little-endian", UTF16Text.bytes(marks)), ("big-endian", UTF16Text.bytes(marks, isBig: true)),
                    ("with a byte order mark", [0xff, 0xfe] + UTF16Text.bytes(marks)), ("UTF-32", wide),
                    ("no UTF-8", broken),
                ]
                for (what, bytes) in texts {
                    let head = """
                        POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                        Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n
                        """
                    let answer = String(
                        decoding: try await PlainHTTP.exchange(Array(head.utf8) + bytes, port: server.port),
                        as: UTF8.self)
                    #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains("parse_error"), "\(what): \(answer)")
                }
            }
        }

        @Test("R05-S a page is served by its own address alone, with what keeps it from being framed")
        func pageAsFile() async throws {
            try await withWebRoot { folder in
                try await TestServer.with(configure: { $0.webRoot = folder }) { server async throws in
                    for path in ["/index.html", "/index%2Ehtml", "/index%2EHTML", "/assets/x/index%2ehtml"] {
                        #expect(try await PlainHTTP.get(path, port: server.port).status == 404, "\(path)")
                    }
                    let page = try await PlainHTTP.get("/", port: server.port)
                    #expect(page.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
                }
            }
        }

        @Test("A09-S a room's link carries its card: name, owner, cover, escaped")
        func card() async throws {
            try await withWebRoot { folder in
                try await TestServer.with(configure: {
                    $0.webRoot = folder
                    $0.publicURL = "https://salon.example/"
                }) { server async throws in
                    let alice = try await server.signedIn("alice")
                    let created = try await alice.call(
                        "room.create",
                        ["room": "jazz & soul", "name": "<b>Jazz</b> & \"soul\"", "cover": "/covers/1.svg"])
                    #expect(created["room"] == "jazz & soul")
                    let page = try await PlainHTTP.get("/r/jazz%20%26%20soul", port: server.port).text
                    #expect(page.contains("og:title\" content=\"&lt;b&gt;Jazz&lt;/b&gt; &amp; &quot;soul&quot;\""))
                    #expect(page.contains("og:description\" content=\"Alice · 1 person here\""))
                    #expect(page.contains("og:image\" content=\"https://salon.example/covers/1.svg\""))
                    #expect(page.contains("og:url\" content=\"https://salon.example/r/jazz%20%26%20soul\""))
                    let unknown = try await PlainHTTP.get("/r/4242", port: server.port)
                    #expect(unknown.status == 200 && unknown.text.contains("og:title\" content=\"Ovation\""))
                }
            }
        }

        @Test("R05-S health says alive, and serving only while it serves; unknown paths are said to be unknown")
        func health() async throws {
            try await TestServer.with { server async throws in
                #expect(try await PlainHTTP.get("/healthz", port: server.port).status == 200)
                #expect(try await PlainHTTP.get("/readyz", port: server.port).text == "serving\n")
                let nothing = try await PlainHTTP.get("/v1/nothing", port: server.port)
                #expect(nothing.status == 404 && nothing.json["error"]["name"] == "not_found")
            }
        }

        @Test("A09-S a QR code is made of this server's links only")
        func qrCode() async throws {
            try await TestServer.with(configure: { $0.publicURL = "https://salon.example" }) { server async throws in
                let good = try await PlainHTTP.get(
                    "/v1/qr.svg?text=https%3A%2F%2Fsalon.example%2Fr%2F123", port: server.port)
                #expect(good.status == 200 && good.headers["content-type"] == "image/svg+xml")
                #expect(good.text.hasPrefix("<svg") && good.text.contains("<path"))
                for bad in [
                    "", "text=", "text=https%3A%2F%2Fevil.example%2F", "text=javascript%3Aalert(1)",
                    "text=" + String(repeating: "a", count: 600),
                ] {
                    #expect(try await PlainHTTP.get("/v1/qr.svg?\(bad)", port: server.port).status == 400, "\(bad)")
                }
            }
        }

        @Test(
            "A02-S in development a name gets a ticket on this machine; the same name the same user; a name in use is refused"
        )
        func developmentTickets() async throws {
            try await TestServer.with(mode: .development) { server async throws in
                let config = try await PlainHTTP.get("/v1/config", port: server.port).json
                #expect(config["signIn"] == "dev" && config["app"] == 1_400_000_001)
                let issued = try await PlainHTTP.post("/v1/tickets", ["name": " 민지  Kim "], port: server.port)
                #expect(issued.status == 200 && issued.json["name"] == "민지 Kim")
                let client = try await server.client()
                var opening: [String: JSON] = ["version": 1]
                for key in ["app", "user", "ticket", "name"] { opening[key] = issued.json[key] }
                try await client.call("session.open", .object(opening))

                let taken = try await PlainHTTP.post("/v1/tickets", ["name": "민지 kim"], port: server.port)
                #expect(taken.status == 409 && taken.json["error"]["name"] == "name_taken")
                await client.close()
                // The server hears of the close a moment later than we do.
                var again = taken
                while again.status == 409 {
                    again = try await PlainHTTP.post("/v1/tickets", ["name": "민지 Kim"], port: server.port)
                }
                #expect(again.json["user"] == issued.json["user"])

                let renewed = try await PlainHTTP.post(
                    "/v1/tickets", ["user": issued.json["user"], "ticket": issued.json["ticket"]], port: server.port)
                #expect(renewed.status == 200 && renewed.json["user"] == issued.json["user"])
                let stolen = try await PlainHTTP.post(
                    "/v1/tickets", ["user": "somebody", "ticket": issued.json["ticket"]], port: server.port)
                #expect(stolen.status == 401)
            }
        }

        @Test(
            "A02-S development tickets are not given to other machines, foreign pages, forms, or names that turn to this machine"
        )
        func ticketsForNobodyElse() async throws {
            try await TestServer.with(mode: .development, configure: { $0.proxiesTrusted = ["127.0.0.1"] }) {
                server async throws in
                func post(_ headers: [String]) async throws -> Int {
                    try await PlainHTTP.post("/v1/tickets", ["name": "Eve"], port: server.port, headers: headers).status
                }
                #expect(try await post(["X-Forwarded-For: 203.0.113.9"]) == 404)
                #expect(try await post(["Origin: https://evil.example"]) == 403)
                #expect(try await post(["Host: evil.example", "Origin: http://evil.example"]) == 403)
                let form = try await PlainHTTP.send(
                    "POST /v1/tickets HTTP/1.1", port: server.port,
                    headers: ["Content-Type: text/plain", "Content-Length: 14"], body: "{\"name\":\"Eve\"}")
                #expect(form.status == 415)
                let other = try await PlainHTTP.get(
                    "/v1/config", port: server.port, headers: ["X-Forwarded-For: 203.0.113.9"])
                #expect(other.json["signIn"] == "none")
                #expect(try await post(["Origin: http://127.0.0.1:\(server.port)"]) == 200)
            }
        }

        @Test("A11-S guests are let in where the operator wants it, each as a new user, and limited per address")
        func guests() async throws {
            try await TestServer.with(configure: { $0.signInGuests = true }) { server async throws in
                #expect(try await PlainHTTP.get("/v1/config", port: server.port).json["signIn"] == "guests")
                var users: Set<String> = []
                var limited: PlainHTTP.Response?
                for index in 0..<120 {
                    let response = try await PlainHTTP.post(
                        "/v1/tickets", ["name": "Guest \(index)"], port: server.port)
                    if response.status == 200 {
                        users.insert(response.json["user"].string ?? "")
                    } else {
                        limited = response
                    }
                }
                #expect((100...119).contains(users.count))
                #expect(limited?.status == 429 && limited?.json["error"]["name"] == "guests_limited")
                #expect(Int(limited?.headers["retry-after"] ?? "") ?? 0 > 0)
            }
            try await TestServer.with { server async throws in
                #expect(try await PlainHTTP.get("/v1/config", port: server.port).json["signIn"] == "none")
                #expect(try await PlainHTTP.post("/v1/tickets", ["name": "Guest"], port: server.port).status == 404)
            }
        }

        @Test("R05-S A11-S what one address may take is a setting, and the refusal names it")
        func limitsOfAnAddress() async throws {
            try await TestServer.with(configure: {
                $0.signInGuests = true
                $0.limitsGuestsPerAddress = 2
                $0.limitsConnectionsPerAddress = 3
            }) { server async throws in
                var answers: [PlainHTTP.Response] = []
                for number in 0..<3 {
                    answers.append(
                        try await PlainHTTP.post("/v1/tickets", ["name": "Guest \(number)"], port: server.port))
                }
                #expect(answers.map(\.status) == [200, 200, 429])
                let words = answers.last?.json["error"]["message"].string ?? ""
                #expect(words.contains("limits.guests_per_address") && words.contains("2 at once"), "\(words)")

                let handshake = [
                    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: ovation.v1",
                ]
                var refused: PlainHTTP.Response?
                for _ in 0..<4 {
                    refused = try await PlainHTTP.get("/v1/connect", port: server.port, headers: handshake)
                }
                #expect(refused?.status == 429 && refused?.json["error"]["name"] == "rate_limited")
                let reason = refused?.json["error"]["message"].string ?? ""
                #expect(reason.contains("limits.connections_per_address") && reason.contains("3 at once"), "\(reason)")
            }
        }

        @Test("A11-S the operator's ticket server is named to the page, and its origin is allowed by the policy")
        func ticketServer() async throws {
            try await withWebRoot { folder in
                try await TestServer.with(configure: {
                    $0.webRoot = folder
                    $0.signInTicketsURL = "https://accounts.example/tickets"
                }) { server async throws in
                    let config = try await PlainHTTP.get("/v1/config", port: server.port).json
                    #expect(config["signIn"] == "url" && config["ticketsURL"] == "https://accounts.example/tickets")
                    let policy =
                        try await PlainHTTP.get("/", port: server.port).headers["content-security-policy"] ?? ""
                    #expect(
                        policy.contains("connect-src 'self' ws://127.0.0.1:\(server.port) https://accounts.example;"))
                }
            }
        }

        @Test("V15-W sites with music are named to the page, and allowed by the policy")
        func musicSites() async throws {
            try await withWebRoot { folder in
                try await TestServer.with(configure: {
                    $0.webRoot = folder
                    $0.originsMusic = ["https://Music.example/", "http://localhost:9001"]
                }) { server async throws in
                    let config = try await PlainHTTP.get("/v1/config", port: server.port).json
                    #expect(config["musicOrigins"] == ["https://music.example", "http://localhost:9001"])
                    let policy =
                        try await PlainHTTP.get("/", port: server.port).headers["content-security-policy"] ?? ""
                    #expect(
                        policy.contains(
                            "connect-src 'self' ws://127.0.0.1:\(server.port) https://music.example http://localhost:9001;"
                        ))
                }
            }
        }

        @Test("A07-W R05-S pictures come from this server and the sites that the operator names, and from nowhere else")
        func pictureSites() async throws {
            try await withWebRoot { folder in
                for named in [[], ["https://Pictures.example/"]] {
                    try await TestServer.with(configure: {
                        $0.webRoot = folder
                        $0.originsPictures = named
                    }) { server async throws in
                        let sites = named.isEmpty ? [] : ["https://pictures.example"]
                        let config = try await PlainHTTP.get("/v1/config", port: server.port).json
                        #expect(config["pictureOrigins"].array.compactMap(\.string) == sites)
                        let policy =
                            try await PlainHTTP.get("/", port: server.port).headers["content-security-policy"] ?? ""
                        let sources = (["'self'", "data:", "blob:"] + sites).joined(separator: " ")
                        #expect(policy.contains("img-src \(sources);"), "\(policy)")
                    }
                }
            }
        }

        @Test("R05-S the page may reach its own socket and no other; a host that is no name adds nothing to the policy")
        func socketPolicy() async throws {
            try await withWebRoot { folder in
                try await TestServer.with(configure: { $0.webRoot = folder }) { server async throws in
                    func policy(_ host: String) async throws -> String {
                        try await PlainHTTP.get("/", port: server.port, headers: ["Host: \(host)"])
                            .headers["content-security-policy"] ?? ""
                    }
                    #expect(
                        try await policy("salon.example:8080").contains("connect-src 'self' ws://salon.example:8080;"))
                    #expect(try await policy("[::1]:8080").contains("connect-src 'self' ws://[::1]:8080;"))
                    for host in ["a;script-src*", "a;'unsafe-inline'", "*"] {
                        #expect(try await policy(host).contains("connect-src 'self';"), "\(host)")
                    }
                }
            }
        }

        @Test("R08-S browsers are told to come by HTTPS only, if the operator says so and they came by it")
        func strictTransport() async throws {
            func told(days: Int, _ scheme: String) async throws -> String? {
                try await withWebRoot { folder in
                    try await TestServer.with(configure: {
                        $0.webRoot = folder
                        $0.tlsHSTSDays = days
                        $0.proxiesTrusted = ["127.0.0.1"]
                    }) { server async throws in
                        let headers = ["X-Forwarded-For: 203.0.113.1", "X-Forwarded-Proto: \(scheme)"]
                        return try await PlainHTTP.get("/", port: server.port, headers: headers)
                            .headers["strict-transport-security"]
                    }
                }
            }
            #expect(try await told(days: 2, "https") == "max-age=172800")
            #expect(try await told(days: 2, "http") == nil)
            #expect(try await told(days: 0, "https") == nil)
        }

        @Test("R08-S on the local network the server speaks TLS, and nothing else on that port")
        func localNetwork() async throws {
            try await TestServer.with(mode: .localNetwork) { server async throws in
                let trust = try TLSTrust(certificate: server.directory + "/lan-certificate.pem", name: "localhost")
                #expect(try await PlainHTTP.get("/healthz", port: server.port, tls: trust).status == 200)
                let plain = try? await PlainHTTP.get("/healthz", port: server.port)
                #expect(plain == nil)
            }
        }

        @Test("A04-S a guest takes nobody's name, by no way in and however it is written")
        func guestNames() async throws {
            try await TestServer.with(configure: { $0.signInGuests = true }) { server async throws in
                func ticket(_ name: String) async throws -> JSON {
                    try await PlainHTTP.post("/v1/tickets", ["name": .string(name)], port: server.port).json
                }
                func opening(_ issued: JSON, name: String) -> JSON {
                    [
                        "version": 1, "app": issued["app"], "user": issued["user"], "ticket": issued["ticket"],
                        "name": .string(name),
                    ]
                }
                let (kim, lee) = (try await ticket("Kim"), try await ticket("Lee"))
                let first = try await server.client()
                try await first.call("session.open", opening(kim, name: "Kim"))
                let second = try await server.client()
                for name in ["Kim", "KIM", "Ki\u{200D}m"] {
                    #expect(
                        try await second.refusal("session.open", opening(lee, name: name)) == "name_taken", "\(name)")
                }
                try await second.call("session.open", opening(lee, name: "Lee"))
                for name in ["Kim", "kim", "Kim\u{FE0F}"] {
                    #expect(try await second.refusal("profile.set", ["name": .string(name)]) == "name_taken", "\(name)")
                }
                for name in ["K\u{202E}im", "\u{3164}", "Kim\u{200B}"] {
                    #expect(
                        try await second.refusal("profile.set", ["name": .string(name)]) == "invalid_params", "\(name)")
                }
                // The room in which one is knows the new name too.
                try await second.call("room.create", ["room": 77, "name": "Names"])
                #expect(try await second.call("profile.set", ["name": "Lee Kim"])["user"]["name"] == "Lee Kim")
                let members = try await first.call("room.enter", ["room": 77])["snapshot"]["members"]
                #expect(members[0]["name"] == "Lee Kim" || members[1]["name"] == "Lee Kim", "\(members)")
                // The operator decides what the operator's own people are called.
                let own = try await server.signedIn("own")
                #expect(try await own.call("profile.set", ["name": "Kim"])["user"]["name"] == "Kim")
            }
        }

        @Test("R05-S broken HTTP is answered or closed, and the server goes on")
        func brokenRequests() async throws {
            try await TestServer.with { server async throws in
                for text in [
                    "NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 100_000) + "\r\n\r\n",
                    "GET /%ff%00%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                    "POST /v1/tickets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n"
                        + String(repeating: "a", count: 100_000),
                ] {
                    _ = try? await PlainHTTP.exchange(text, port: server.port)
                }
                // Fewer than 256 headers, none of them long: some are taken, more than 32 KiB together are not.
                for (count, isTaken) in [(10, true), (200, false)] {
                    let headers = (0..<count).map { "X-\($0): " + String(repeating: "a", count: 400) + "\r\n" }.joined()
                    let answer = try? await PlainHTTP.exchange(
                        "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(headers)\r\n", port: server.port)
                    let text = String(decoding: answer ?? [], as: UTF8.self)
                    #expect(text.contains(" 200 ") == isTaken, "\(count): \(text.prefix(80))")
                }
                #expect(try await PlainHTTP.get("/healthz", port: server.port).status == 200)
            }
        }
    }
}
