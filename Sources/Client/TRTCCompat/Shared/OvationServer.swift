internal import Foundation
internal import Ovation
internal import Synchronization

/// Which server the components of this module speak to. The reference documents name none: it was built in.
///
/// ```swift
/// OvationServer.address = "https://live.example.com"
/// ```
/// Without that line the environment variable `OVATION_SERVER` counts. Without both, `login` answers with the code
/// `TRTCCode.noServer` and this line. A change counts from the next `login` on.
public enum OvationServer {
    /// What to write when no server is named.
    static let advice = "write OvationServer.address = \"https://…\" before login, or set OVATION_SERVER"

    private struct Chosen {
        var address: String?
        var certificate: String?
    }

    private static let chosen = Mutex(Chosen())

    /// `https://host`, `http://host:port`, or a bare host with or without a port; `nil`: `OVATION_SERVER` counts.
    public static var address: String? {
        get { chosen.withLock { $0.address } }
        set { chosen.withLock { $0.address = newValue } }
    }

    /// A file of certificates in PEM form to be trusted, such as `ovation serve --lan` writes; `nil`: those of this machine.
    public static var certificate: String? {
        get { chosen.withLock { $0.certificate } }
        set { chosen.withLock { $0.certificate = newValue } }
    }

    /// The server that was named.
    /// - Throws: `invalid_address` if none was, or what was named is none.
    static func named(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(OvationError) -> ServerAddress {
        let text = address ?? environment[ServerAddress.environmentVariable] ?? ""
        guard !text.isEmpty else { throw OvationError(.invalidAddress, "no server is named: \(advice)") }
        do { return try ServerAddress(text) } catch {
            throw OvationError(.invalidAddress, "\(error.message): \(advice)")
        }
    }
}
