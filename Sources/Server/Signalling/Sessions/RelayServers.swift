internal import Digests
internal import Foundation
package import RoomModel
package import SignalProtocol
package import Timing

/// Relays (TURN, RFC 8656) for clients whose network lets nothing through to the media port. They are servers of their own; we share a
/// secret with them and make names and passwords that hold for a while, as coturn's `use-auth-secret` checks them
/// (draft-uberti-behave-turn-rest-00 §2.2).
package struct RelayServers: Sendable, Hashable {
    /// A relay asks for the password at each refresh of what it relays: a call must not outlive it. A password that leaks is of no use the
    /// day after tomorrow.
    static let lifetime: Int64 = 86_400

    /// `turn:`, `turns:`, `stun:` or `stuns:`, as RFC 7065 and RFC 7064 have them.
    package var urls: [String]
    package var secret: String

    package static let none = RelayServers(urls: [], secret: "")

    package init(urls: [String], secret: String) {
        self.urls = urls
        self.secret = secret
    }

    /// Whether a URL names a server that wants a password.
    package static func wantsPassword(_ url: String) -> Bool { url.hasPrefix("turn:") || url.hasPrefix("turns:") }

    /// Whether that is a relay's URL, or that of a server which tells clients their address.
    package static func isURL(_ url: String) -> Bool {
        let schemes = ["turn:", "turns:", "stun:", "stuns:"]
        guard let scheme = schemes.first(where: url.hasPrefix) else { return false }
        let rest = url.dropFirst(scheme.count)
        return !rest.isEmpty && !rest.hasPrefix("/") && rest.allSatisfy { $0.isASCII && !$0.isWhitespace && $0 != "@" }
    }

    /// What one person may use until `lifetime` from now.
    package func servers(for user: UserID, at now: WallTime) -> [MediaAnswered.ICEServer] {
        let open = urls.filter { !Self.wantsPassword($0) }
        let relays = urls.filter(Self.wantsPassword)
        var servers: [MediaAnswered.ICEServer] = []
        if !open.isEmpty { servers.append(.init(urls: open)) }
        if !relays.isEmpty {
            let name = "\(now.secondsSince1970 + Self.lifetime):\(user)"
            let code = HMACKey(.sha1, key: Array(secret.utf8)).code(of: Array(name.utf8))
            servers.append(
                .init(urls: relays, username: name, credential: Data(code).base64EncodedString()))
        }
        return servers
    }
}
