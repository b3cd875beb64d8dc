import ArgumentParser
import Foundation
import ServerApp

/// Every setting as a flag. Values stay texts here: file, environment and flags are judged in one place, with one sentence for each mistake.
struct SettingsOptions: ParsableArguments {
    @Option(help: "Settings file (YAML); also OVATION_CONFIG.")
    var config: String?
    @Option(help: "Address to listen on.")
    var host: String?
    @Option(help: "Port for HTTP and WebSockets.")
    var port: String?
    @Option(name: .customLong("public-url"), help: "How people reach the server, such as https://salon.example.")
    var publicURL: String?
    @Option(
        help: "Address under which others reach the media port, if the machine does not have it itself. Repeatable.")
    var publicAddress: [String] = []
    @Option(help: "Folder of the database.")
    var data: String?
    @Option(help: "Folder of the web app.")
    var webRoot: String?
    @Option(help: "Certificate chain (PEM); loaded again when it changes.")
    var tlsCertificate: String?
    @Option(help: "Private key (PEM).")
    var tlsKey: String?
    @Option(
        name: .customLong("tls-hsts-days"), help: "Days for which browsers come by HTTPS only (HSTS); 0: not asked.")
    var tlsHSTSDays: String?
    @Option(help: "Proxy whose X-Forwarded-For is believed: an address or a network. Repeatable.")
    var proxiesTrusted: [String] = []
    @Option(help: "Further origin whose pages may connect. Repeatable.")
    var originsAllowed: [String] = []
    @Option(help: "Site whose sound files the web page may play, such as https://music.example. Repeatable.")
    var originsMusic: [String] = []
    @Option(
        help:
            "Site whose pictures the web page shows as covers and avatars, such as https://pictures.example. Repeatable."
    )
    var originsPictures: [String] = []
    @Option(help: "UDP port for sound.")
    var mediaPort: String?
    @Option(help: "Local address for media. Repeatable; default: all.")
    var mediaBind: [String] = []
    @Option(help: "Media paths at once.")
    var mediaMaxPeers: String?
    @Option(help: "Application (SDKAppID) of the web app's people.")
    var signInApplication: String?
    @Option(name: .customLong("sign-in-tickets-url"), help: "The operator's ticket server.")
    var signInTicketsURL: String?
    @Option(help: "Let anybody in by a name: true or false.")
    var signInGuests: String?
    @Option(help: "People in one room.")
    var roomsMaxMembers: String?
    @Option(help: "How long a room waits for its owner, in seconds.")
    var roomsOwnerAbsenceSeconds: String?
    @Option(help: "How long a lost speaker keeps the seat, in seconds.")
    var roomsSeatGraceSeconds: String?
    @Option(help: "Calls of one connection in a second; three times as many at once.")
    var limitsCallsPerSecond: String?
    @Option(help: "WebSockets at once.")
    var limitsConnections: String?
    @Option(help: "How long the journal of an ended room is kept, in days.")
    var storeRetentionDays: String?
    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?

    /// What was given, by the setting's name.
    var given: [String: [String]] {
        let single: [(String, String?)] = [
            ("host", host), ("port", port), ("public_url", publicURL), ("data", data), ("web_root", webRoot),
            ("tls.certificate", tlsCertificate), ("tls.key", tlsKey), ("tls.hsts_days", tlsHSTSDays),
            ("media.port", mediaPort),
            ("media.max_peers", mediaMaxPeers), ("sign_in.application", signInApplication),
            ("sign_in.tickets_url", signInTicketsURL), ("sign_in.guests", signInGuests),
            ("rooms.max_members", roomsMaxMembers), ("rooms.owner_absence_seconds", roomsOwnerAbsenceSeconds),
            ("rooms.seat_grace_seconds", roomsSeatGraceSeconds),
            ("limits.calls_per_second", limitsCallsPerSecond), ("limits.connections", limitsConnections),
            ("store.retention_days", storeRetentionDays), ("log.level", logLevel),
        ]
        let lists = [
            ("public_address", publicAddress), ("proxies.trusted", proxiesTrusted), ("origins.allowed", originsAllowed),
            ("origins.music", originsMusic), ("origins.pictures", originsPictures), ("media.bind", mediaBind),
        ]
        var given: [String: [String]] = [:]
        for case (let name, let value?) in single { given[name] = [value] }
        for (name, values) in lists where !values.isEmpty { given[name] = values }
        return given
    }

    /// The settings that hold, over the defaults of the mode.
    func settings(over base: ServerSettings = ServerSettings()) throws -> ServerSettings {
        let environment = ProcessInfo.processInfo.environment
        return try SettingsReader.read(
            file: config ?? environment["OVATION_CONFIG"], environment: environment, flags: given, over: base)
    }
}
