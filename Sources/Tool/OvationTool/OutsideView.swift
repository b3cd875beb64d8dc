import Foundation
import Ovation
import ServerApp

/// Looks at a server from another machine, as a client does: page, sign-in, clock, media path.
struct OutsideView {
    enum Identity {
        case name(String)
        case ticket(app: UInt32, user: String, ticket: String)
    }

    /// How sound goes to the server and comes back.
    enum Way {
        case udp
        case tcp
    }

    /// A path that is not there by then will not come: a browser gives up sooner.
    private static let patience = Duration.seconds(15)
    /// Tickets are refused when clocks differ by minutes; what is less only confuses.
    private static let clockLimit: Int64 = 30_000

    let server: ServerAddress
    let trust: String?
    let identity: Identity?

    private func client(by way: Way) -> OvationClient {
        var configuration = OvationClient.Configuration(clientName: "ovation-doctor")
        if let trust { configuration.trustRoots = .file(trust) }
        configuration.usesTCP = way == .tcp
        return OvationClient(server: server, configuration: configuration)
    }

    func findings() async -> [Finding] {
        let client = self.client(by: .udp)
        do throws(OvationError) {
            let version = try await client.serverVersion()
            var found: [Finding] = [.fine("page", "\(server) answers: Ovation \(version).")]
            guard let identity else {
                return found + [
                    .warning(
                        "sign-in", "Not tried, and so no media path either.",
                        "Add --name where the server issues tickets, or --app and --user.")
                ]
            }
            found += await signedIn(client, identity)
            return found
        } catch {
            return [
                .problem(
                    "page", "\(server) does not answer: \(error.message).",
                    server.isSecure
                        ? "Look at the name's address, the firewall's TCP port \(server.port), the proxy, and the certificate."
                        : "Look at the name's address, the firewall's TCP port \(server.port), and the proxy.")
            ]
        }
    }

    private func signIn(_ client: OvationClient, _ identity: Identity, _ way: Way = .udp) async throws(OvationError) {
        switch identity {
        // A guest is somebody new each time, and the name of the one before is taken for some seconds.
        case .name(let name): try await client.signIn(name: "\(name.prefix(59)) \(Self.letters())")
        case .ticket(let app, let user, let ticket):
            guard let user = UserID(user) else { throw OvationError(.userIDInvalid) }
            try await client.signIn(app: ApplicationID(app), user: user, ticket: ticket)
        }
    }

    private static func letters() -> String {
        String((0..<4).compactMap { _ in "abcdefghijklmnopqrstuvwxyz".randomElement() })
    }

    private func signedIn(_ client: OvationClient, _ identity: Identity) async -> [Finding] {
        do throws(OvationError) { try await signIn(client, identity) } catch {
            return [
                .problem("sign-in", "Signing in fails: \(error.message).", Self.advice(for: error))
            ]
        }
        var found: [Finding] = [.fine("sign-in", "Signing in works, by a WebSocket.")]
        found.append(await room(client, .udp))
        found += await clock(client)
        // The same person signs in once more, and would otherwise be told so.
        await client.signOut()
        found.append(await byTCP(identity))
        return found
    }

    private static func advice(for error: OvationError) -> String {
        switch error.code {
        case .signInUnavailable:
            "Set sign_in.guests, or sign_in.tickets_url to where your back end gives out tickets; or sign in here by --app and --user."
        case .serverUnreachable, .connectionLost, .timeout, .invalidAnswer:
            "If the page answers and this does not, a proxy may keep WebSockets (/v1/connect) from the server."
        default: "The server has answered: what it says is the reason."
        }
    }

    private func byTCP(_ identity: Identity) async -> Finding {
        let client = self.client(by: .tcp)
        do throws(OvationError) { try await signIn(client, identity, .tcp) } catch {
            return .problem("media-tcp", "Signing in again fails: \(error.message).", "The server's log tells more.")
        }
        let found = await room(client, .tcp)
        await client.signOut()
        return found
    }

    /// Makes a room for a moment, and opens a media path to it.
    private func room(_ client: OvationClient, _ way: Way) async -> Finding {
        do throws(OvationError) {
            let room = try await client.createRoom(RoomDraft(name: "Connection check"))
            let outcome = await self.outcome(of: room)
            try? await room.destroy()
            return finding(outcome, way)
        } catch {
            return .problem("room", "No room can be made: \(error.message).", "The server's log tells more.")
        }
    }

    private func clock(_ client: OvationClient) async -> [Finding] {
        // The clock is read as soon as the connection stands, and known a round trip later.
        for _ in 0..<50 where client.clock.milliseconds == nil { try? await Task.sleep(for: .milliseconds(100)) }
        guard let theirs = client.clock.milliseconds else { return [] }
        let apart = theirs - Int64(Date().timeIntervalSince1970 * 1_000)
        guard abs(apart) > Self.clockLimit else { return [.fine("clock", "The clocks agree.")] }
        return [
            .warning(
                "clock",
                "The server's clock is \(abs(apart) / 1_000) s \(apart > 0 ? "ahead of" : "behind") this machine's.",
                "One of them is wrong: tickets that are made elsewhere may be refused.")
        ]
    }

    /// Waits until sound could flow.
    private func outcome(of room: RoomSession) async -> RoomAudio.Connection? {
        await withTaskGroup(of: RoomAudio.Connection?.self) { group in
            group.addTask {
                for await connection in room.audio.connectionChanges {
                    switch connection {
                    case .connected, .failed: return connection
                    case .off, .connecting, .lost, .closed: break
                    }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    private func finding(_ outcome: RoomAudio.Connection?, _ way: Way) -> Finding {
        let (subject, name) = way == .udp ? ("media-udp", "UDP") : ("media-tcp", "TCP")
        switch outcome {
        case .connected: return .fine(subject, "Sound can flow by \(name): the media port answers.")
        case .failed(let error) where error.code == .mediaRefused:
            return .problem(
                subject, "The server opens no media path: \(error.message).", "The server's log tells more.")
        default: return .problem(subject, "Nothing comes back from the media port by \(name).", Self.advice(way))
        }
    }

    private static func advice(_ way: Way) -> String {
        switch way {
        case .udp:
            "Open the UDP port (media.port, 7882 unless it was changed) in the server's firewall and its cloud's; if the machine has no public address "
                + "of its own, set public_address. If this network lets no UDP out, browsers in it come by TCP."
        case .tcp:
            "Open the same port for TCP (or media.tcp_port), and leave media.tcp on: browsers in networks without UDP come by it. "
                + "What they cannot reach either needs a relay (media.relays)."
        }
    }
}
