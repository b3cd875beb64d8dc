import Foundation

/// Which web pages may open a WebSocket here. Browsers always send the page's origin; without this check any page on the web could
/// act with the credentials that its visitor has here (cross-site WebSocket hijacking).
package struct OriginRule: Sendable, Hashable {
    /// Origins in their usual form, `https://salon.example` or with a port; empty: the page's host must be the one it speaks to.
    private let origins: Set<String>

    private let numericHostsOnly: Bool

    /// - Parameter numericHostsOnly: the host must be `localhost` or an address. A page of a foreign name whose DNS entry is turned to this
    ///   machine (DNS rebinding) then stays foreign, which matters where tickets are given to whoever is on this machine.
    package init(origins: [String], numericHostsOnly: Bool = false) {
        self.origins = Set(origins.compactMap(Self.normalized))
        self.numericHostsOnly = numericHostsOnly
    }

    /// - Parameters:
    ///   - origin: the `Origin` header; programs that are not browsers send none and pass.
    ///   - host: the `Host` header.
    package func allows(origin: String?, host: String?) -> Bool {
        if numericHostsOnly, let host, !Self.isNumeric(host) { return false }
        guard let origin else { return true }
        guard let normalized = Self.normalized(origin) else { return false }
        if !origins.isEmpty { return origins.contains(normalized) }
        guard let host, let scheme = normalized.range(of: "://") else { return false }
        return Self.normalized(normalized[..<scheme.upperBound] + host) == normalized
    }

    /// A site as an operator names it, in the form in which a content policy has it; `nil` if it is not one: HTTPS (plain HTTP only
    /// of `localhost` or an address, for trying out), a host, perhaps a port, and no path, since a path would not be honoured.
    package static func site(_ text: String) -> String? {
        let bare = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let origin = normalized(bare), let scheme = origin.range(of: "://") else { return nil }
        let authority = origin[scheme.upperBound...]
        let given = bare.dropFirst(origin.distance(from: origin.startIndex, to: scheme.upperBound))
        guard given.allSatisfy({ !"/?#".contains($0) }),
            authority.utf8.allSatisfy(isOfHost), origin.hasPrefix("https://") || isNumeric(String(authority))
        else { return nil }
        return origin
    }

    /// The WebSocket's origin beside a page's, as a content policy has it. `nil` for a host that is more than a name and a port: the client
    /// chooses the `Host` header.
    package static func socket(_ origin: String) -> String? {
        guard let origin = normalized(origin), let scheme = origin.range(of: "://"),
            origin[scheme.upperBound...].utf8.allSatisfy(isOfHost)
        else { return nil }
        return "ws" + origin.dropFirst("http".count)
    }

    /// Nothing that would end a word in a header.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte) || ".-:[]_".utf8.contains(byte)
    }

    private static func isNumeric(_ host: String) -> Bool {
        let name = host.hasPrefix("[") ? Substring(host) : host.prefix { $0 != ":" }
        return name.lowercased() == "localhost" || AddressRange.bareAddress(Substring(host)) != nil
    }

    /// Scheme and host in lower case, without a path and the scheme's own port; `nil` for `null` and what is no web origin.
    package static func normalized(_ text: some StringProtocol) -> String? {
        let lower = text.lowercased()
        guard let colon = lower.range(of: "://") else { return nil }
        let scheme = lower[..<colon.lowerBound]
        guard scheme == "http" || scheme == "https" else { return nil }
        var authority = lower[colon.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let ownPort = scheme == "http" ? ":80" : ":443"
        if authority.hasSuffix(ownPort) { authority = authority.dropLast(ownPort.count) }
        return authority.isEmpty ? nil : "\(scheme)://\(authority)"
    }
}
