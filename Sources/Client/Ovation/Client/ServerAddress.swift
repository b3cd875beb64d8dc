public import Foundation

/// The address of an Ovation server.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The environment variable that names the server.
    public static let environmentVariable = "OVATION_SERVER"
    /// The address of a server that was started on this machine with default settings.
    public static let local = ServerAddress(host: "127.0.0.1", port: 8080, isSecure: false, path: "")

    /// The host name or IP address; an IPv6 address without brackets.
    public let host: String
    /// The port of its web page.
    public let port: Int
    /// Whether the connection is encrypted (`https:`, `wss:`).
    public let isSecure: Bool
    /// The path before `/v1/…` when the server is behind a proxy. Empty, or with a leading slash and no trailing one.
    let path: String

    private init(host: String, port: Int, isSecure: Bool, path: String) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.path = path
    }

    /// From `host`, `host:port`, or a URL with `http`, `https`, `ws` or `wss`. Without a scheme the connection is plain; without a
    /// port it is 8080 for a bare host, 80 or 443 for a URL.
    /// - Throws: `invalid_address`.
    public init(_ text: String) throws(OvationError) {
        let text = text.trimmingCharacters(in: .whitespaces)
        let hasScheme = text.contains("://")
        guard let parts = URLComponents(string: hasScheme ? text : "bare://" + text), let host = parts.host,
            !host.isEmpty
        else { throw OvationError(.invalidAddress, "\(text.debugDescription) is no address of a server") }
        let isSecure: Bool
        switch parts.scheme?.lowercased() {
        case "http", "ws", "bare": isSecure = false
        case "https", "wss": isSecure = true
        default: throw OvationError(.invalidAddress, "an address starts with http, https, ws or wss, or with the host")
        }
        let port = parts.port ?? (hasScheme ? (isSecure ? 443 : 80) : 8080)
        guard (1...65_535).contains(port) else {
            throw OvationError(.invalidAddress, "a port is 1…65535, not \(port)")
        }
        var path = parts.path
        while path.hasSuffix("/") { path.removeLast() }
        if path.hasSuffix("/v1/connect") { path.removeLast("/v1/connect".count) }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self.init(
            host: isBracketed ? String(host.dropFirst().dropLast()) : host, port: port, isSecure: isSecure, path: path)
    }

    /// From a URL with `http`, `https`, `ws` or `wss`.
    /// - Throws: `invalid_address`.
    public init(_ url: URL) throws(OvationError) { try self.init(url.absoluteString) }

    /// The server that `OVATION_SERVER` names, or `local`.
    /// - Throws: `invalid_address` if the variable holds something else.
    public static func fromEnvironment(
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OvationError) -> ServerAddress {
        guard let text = environment[environmentVariable], !text.isEmpty else { return .local }
        return try ServerAddress(text)
    }

    /// As a `Host` header has it.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    public var description: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }
}
