import Foundation
import ServerApp
import ServerTestSupport
import Testing

extension WholeServerTests {
    /// The example configurations of Deploy/, run by the real proxies where they are installed. Only what a test must change is changed:
    /// names, ports, and where the certificate is. Caddy runs without TLS: it would ask an issuer for a certificate.
    @Suite struct ProxyTests {
        private static func path(of program: String) -> String? {
            ["/usr/sbin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + program }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
        }

        private func example(_ name: String) throws -> String {
            let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
                .appendingPathComponent("../../Deploy/\(name)").standardized
            return try String(contentsOf: file, encoding: .utf8)
        }

        /// Runs a proxy until `body` is done. It listens on `port` as soon as a request gets an answer.
        private func run(
            _ program: String, _ arguments: [String], port: Int, tls: TLSTrust? = nil, body: () async throws -> Void
        ) async throws {
            let proxy = Process()
            proxy.executableURL = URL(fileURLWithPath: program)
            proxy.arguments = arguments
            proxy.standardOutput = FileHandle.nullDevice
            let complaint = Pipe()
            proxy.standardError = complaint
            try proxy.run()
            defer {
                // A child inherits our threads' blocked signals, so that a polite one may never arrive.
                kill(proxy.processIdentifier, SIGKILL)
                proxy.waitUntilExit()
            }
            while (try? await PlainHTTP.get("/healthz", port: port, tls: tls).status) != 200 {
                try Task.checkCancellation()
                guard proxy.isRunning else {
                    let said = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    throw ConfigurationFailure("the proxy ended: \(said)")
                }
                await Task.yield()
            }
            try await body()
        }

        /// What must work through any proxy.
        private func prove(through port: Int, tls: TLSTrust? = nil, to server: TestServer) async throws {
            // A page of our public URL opens a WebSocket and talks.
            let client = try await SignalClient.connect(
                port: port, headers: [("Origin", "https://salon.example")], tls: tls)
            try await client.call("session.open", try server.opening("alice"))
            let room = try await client.call("room.create", ["name": "Behind a proxy"])["room"]
            try await client.call("seat.take", ["room": room, "seat": 0])
            try await client.event("seat.taken")
            let upgrade = [
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: ovation.v1",
            ]
            let foreign = try await PlainHTTP.get(
                "/v1/connect", port: port, headers: upgrade + ["Origin: https://evil.example"], tls: tls)
            #expect(foreign.status == 403 && foreign.json["error"]["name"] == "origin_refused")

            // The visitor's address arrives, and a visitor cannot choose another. Guests are limited by address: whoever could
            // choose it would never meet the limit.
            var limited = 0
            for index in 0..<120 {
                let response = try await PlainHTTP.post(
                    "/v1/tickets", ["name": .string("Guest \(index)")], port: port,
                    headers: ["X-Forwarded-For: 203.0.113.\(index)"], tls: tls)
                if response.status == 429 { limited += 1 }
            }
            #expect(limited > 0)
            // The same from the proxy's own machine is believed: other visitors have their own allowance.
            let other = try await PlainHTTP.post(
                "/v1/tickets", ["name": "Another"], port: server.port, headers: ["X-Forwarded-For: 198.51.100.7"])
            #expect(other.status == 200)
        }

        private func withServer(_ body: (TestServer, String) async throws -> Void) async throws {
            let folder = NSTemporaryDirectory() + "ovation-proxy-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try await TestServer.with(configure: {
                $0.publicURL = "https://salon.example"
                $0.proxiesTrusted = ["127.0.0.1"]
                $0.signInGuests = true
            }) { server async throws in try await body(server, folder) }
        }

        /// A certificate of the example's name and its key, as PEM files.
        private func certificate(in folder: String) throws -> (certificate: String, key: String) {
            let pair = (certificate: folder + "/fullchain.pem", key: folder + "/privkey.pem")
            let openssl = Process()
            openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            openssl.arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=salon.example", "-addext", "subjectAltName=DNS:salon.example",
                "-keyout", pair.key, "-out", pair.certificate,
            ]
            openssl.standardError = FileHandle.nullDevice
            try openssl.run()
            openssl.waitUntilExit()
            try #require(openssl.terminationStatus == 0)
            return pair
        }

        @Test(
            "R08-S through nginx as in Deploy/nginx.conf: TLS, pages, WebSocket, Origin, and the visitor's real address",
            .enabled(if: path(of: "nginx") != nil), .timeLimit(.minutes(10)))
        func nginx() async throws {
            try await withServer { server, folder in
                let (plain, port) = try (FreePort.take(), FreePort.take())
                let pair = try certificate(in: folder)
                let folderOfIssuer = "/etc/letsencrypt/live/salon.example"
                let text = try example("nginx.conf").split(separator: "\n", omittingEmptySubsequences: false)
                    .filter { !$0.contains("listen [::]") }.joined(separator: "\n")
                    .replacing("listen 80;", with: "listen 127.0.0.1:\(plain);")
                    .replacing("listen 443 ssl http2;", with: "listen 127.0.0.1:\(port) ssl http2;")
                    .replacing("\(folderOfIssuer)/fullchain.pem", with: pair.certificate)
                    .replacing("\(folderOfIssuer)/privkey.pem", with: pair.key)
                    .replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)")
                let changed = ["listen 127.0.0.1:\(plain);", "listen 127.0.0.1:\(port) ssl", pair.key, "proxy_pass"]
                #expect(changed.allSatisfy { text.contains($0) })
                // Harder than the example: with kept connections the upgrade may come on one that has carried a request.
                let kept =
                    "upstream kept { server 127.0.0.1:\(server.port); keepalive 8; }\n"
                    + text.replacing("proxy_pass http://127.0.0.1:\(server.port);", with: "proxy_pass http://kept;")
                #expect(kept != text)
                let file = folder + "/nginx.conf"
                try """
                daemon off; pid \(folder)/nginx.pid; error_log stderr warn; worker_processes 1; master_process off;
                events {}
                http {
                access_log off; client_body_temp_path \(folder)/body; proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/f; uwsgi_temp_path \(folder)/u; scgi_temp_path \(folder)/s;
                \(kept)
                }
                """.write(toFile: file, atomically: true, encoding: .utf8)
                let program = try #require(Self.path(of: "nginx"))
                let tls = try TLSTrust(certificate: pair.certificate, name: "salon.example")
                try await run(program, ["-c", file, "-p", folder], port: port, tls: tls) {
                    try await prove(through: port, tls: tls, to: server)
                    let redirect = try await PlainHTTP.get("/r/1", port: plain, headers: ["Host: salon.example"])
                    #expect(redirect.status == 301)
                    #expect(redirect.headers["location"] == "https://salon.example/r/1")
                }
            }
        }

        @Test(
            "R08-S through Caddy as in Deploy/Caddyfile: pages, WebSocket, Origin, and the visitor's real address",
            .enabled(if: path(of: "caddy") != nil), .timeLimit(.minutes(10)))
        func caddy() async throws {
            try await withServer { server, folder in
                let port = try FreePort.take()
                let text = try example("Caddyfile")
                    .replacing(
                        "\nsalon.example {",
                        with: "\n{\n\tadmin off\n}\nhttp://127.0.0.1:\(port), http://salon.example:\(port) {"
                    )
                    .replacing("reverse_proxy 127.0.0.1:8080", with: "reverse_proxy 127.0.0.1:\(server.port)")
                #expect(text.contains("http://127.0.0.1:\(port)") && text.contains("127.0.0.1:\(server.port)"))
                let file = folder + "/Caddyfile"
                try text.write(toFile: file, atomically: true, encoding: .utf8)
                let program = try #require(Self.path(of: "caddy"))
                try await run(program, ["run", "--config", file, "--adapter", "caddyfile"], port: port) {
                    try await prove(through: port, to: server)
                }
            }
        }
    }
}
