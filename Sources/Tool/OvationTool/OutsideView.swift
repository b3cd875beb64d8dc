import Foundation
import Ovation
import ServerApp

/// Looks at a server from another machine, as a client does: page, sign-in, clock, media path.
struct OutsideView {
    enum Identity {
        case name(String)
        case ticket(app: UInt32, user: String, ticket: String)
    }

    /// A path that is not there by then will not come: a browser gives up sooner.
    private static let patience = Duration.seconds(15)
    /// Tickets are refused when clocks differ by minutes; what is less only confuses.
    private static let clockLimit: Int64 = 30_000

    let server: ServerAddress
    let trust: String?
    let identity: Identity?

    func findings() async -> [Finding] {
        var configuration = OvationClient.Configuration(clientName: "ovation-doctor")
        if let trust { configuration.trustRoots = .file(trust) }
        let client = OvationClient(server: server, configuration: configuration)
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

    private func signedIn(_ client: OvationClient, _ identity: Identity) async -> [Finding] {
        do throws(OvationError) {
            switch identity {
            case .name(let name): try await client.signIn(name: name)
            case .ticket(let app, let user, let ticket):
                guard let user = UserID(user) else { throw OvationError(.userIDInvalid) }
                try await client.signIn(app: ApplicationID(app), user: user, ticket: ticket)
            }
        } catch {
            return [
                .problem(
                    "sign-in", "Signing in fails: \(error.message).",
                    "If the page answers and this does not, a proxy may keep WebSockets (/v1/connect) from the server.")
            ]
        }
        var found: [Finding] = [.fine("sign-in", "Signing in works, by a WebSocket.")]
        do throws(OvationError) {
            let room = try await client.createRoom(RoomDraft(name: "Connection check"))
            found.append(await media(room))
            try? await room.destroy()
        } catch {
            found.append(.problem("room", "No room can be made: \(error.message).", "The server's log tells more."))
        }
        found += await clock(client)
        await client.signOut()
        return found
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
    private func media(_ room: RoomSession) async -> Finding {
        let outcome = await withTaskGroup(of: RoomAudio.Connection?.self) { group in
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
        switch outcome {
        case .connected: return .fine("media", "Sound can flow: the media port answers by UDP.")
        case .failed(let error) where error.code == .mediaRefused:
            return .problem(
                "media", "The server opens no media path: \(error.message).", "The server's log tells more.")
        default:
            return .problem(
                "media", "Nothing comes back from the media port by UDP.",
                "Open the UDP port (media.port, 7882 unless it was changed) in the server's firewall and its cloud's; if the machine has no public address "
                    + "of its own, set public_address. If this network lets no UDP out, browsers in it come by TCP to the same port or to "
                    + "media.tcp_port; what they cannot reach either needs a relay (media.relays)."
            )
        }
    }
}
