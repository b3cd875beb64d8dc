internal import Foundation
internal import Ovation
internal import Platform

/// The server that the components of this module connect to. The published SDKs have no such setting; their servers are built
/// in.
///
/// ```swift
/// OvationServer.address = "https://live.example.com"
/// ```
/// If it is not set, the environment variable `OVATION_SERVER` is used. If neither is set, `login` fails with `TRTCCode.noServer`.
/// A change takes effect with the next `login`.
public enum OvationServer {
    /// What to write when no server is named.
    static let advice = "write OvationServer.address = \"https://…\" before login, or set OVATION_SERVER"

    /// Who sees to it that listeners ask before they sit down, in rooms with `needRequest`.
    @nonexhaustive public enum Consent: Sendable {
        /// The app, as published: `enterSeat` of a listener succeeds, and the app shows its request first.
        case advisory
        /// The server: `enterSeat` of a listener is refused (-1, `consent_required`) until an invitation was accepted, unless the
        /// operator has switched that off for the application.
        case enforced
    }

    private struct Chosen {
        var address: String?
        var certificate: String?
        var consent = Consent.advisory
    }

    private static let chosen = Mutex(Chosen())

    /// `https://host`, `http://host:port`, or a host name with or without a port. If `nil`, `OVATION_SERVER` is used.
    public static var address: String? {
        get { chosen.withLock { $0.address } }
        set { chosen.withLock { $0.address = newValue } }
    }

    /// A PEM file with the certificates to trust, such as the one that `ovation serve --lan` writes. If `nil`, the system's
    /// certificates are trusted.
    public static var certificate: String? {
        get { chosen.withLock { $0.certificate } }
        set { chosen.withLock { $0.certificate = newValue } }
    }

    /// Whether `needRequest` of the rooms that are created from now on is a rule of the server. The published components have no such
    /// setting; there the app alone sees to it.
    public static var consent: Consent {
        get { chosen.withLock { $0.consent } }
        set { chosen.withLock { $0.consent = newValue } }
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
