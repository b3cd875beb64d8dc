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
    @Option(name: .customLong("public-url"), help: "Public address of the server, such as https://salon.example.")
    var publicURL: String?
    @Option(
        help: "Address at which clients reach the media port, if the machine does not have it itself. Repeatable.")
    var publicAddress: [String] = []
    @Option(help: "Folder for the database, uploaded songs and pictures.")
    var data: String?
    @Option(help: "Folder of the web app.")
    var webRoot: String?
    @Option(help: "Certificate chain (PEM). Reloaded when it changes.")
    var tlsCertificate: String?
    @Option(help: "Private key (PEM).")
    var tlsKey: String?
    @Option(
        name: .customLong("tls-hsts-days"), help: "Days for which browsers use HTTPS only (HSTS). 0 turns it off.")
    var tlsHSTSDays: String?
    @Option(help: "Trusted proxy, whose X-Forwarded-For counts: an address or a network. Repeatable.")
    var proxiesTrusted: [String] = []
    @Option(help: "Additional origin whose pages may connect. Repeatable.")
    var originsAllowed: [String] = []
    @Option(help: "Site whose sound files the web page may play, such as https://music.example. Repeatable.")
    var originsMusic: [String] = []
    @Option(
        help:
            "Site whose pictures the web page shows as covers and avatars, such as https://pictures.example. Repeatable."
    )
    var originsPictures: [String] = []
    @Option(help: "First port for sound and picture: UDP, and TCP for those whose network lets no UDP through.")
    var mediaPort: String?
    @Option(name: .customLong("media-tcp"), help: "Whether sound and picture may come by TCP too: true or false.")
    var mediaTCP: String?
    @Option(
        name: .customLong("media-tcp-port"),
        help: "One more TCP port for sound and picture, such as 443 where the pages are elsewhere. 0: none.")
    var mediaTCPPort: String?
    @Option(
        name: .customLong("media-playout-least-ms"),
        help: "How long viewers' browsers should wait at least before they show a picture, in milliseconds.")
    var mediaPlayoutLeast: String?
    @Option(
        name: .customLong("media-playout-most-ms"), help: "How long at most. 0: as they see fit.")
    var mediaPlayoutMost: String?
    @Option(help: "Local address for media. Repeatable; default: all.")
    var mediaBind: [String] = []
    @Option(help: "Threads that forward media, each with a port of its own from --media-port on. 0: one per processor.")
    var mediaWorkers: String?
    @Option(help: "Most media paths at once on one worker.")
    var mediaMaxPeers: String?
    @Option(
        help: "Relay (TURN) for people whose network lets no UDP through, such as turns:relay.example:443. Repeatable.")
    var mediaRelays: [String] = []
    @Option(
        help:
            "The relays' static-auth-secret. Others on this machine can read it here: better OVATION_MEDIA_RELAY_SECRET."
    )
    var mediaRelaySecret: String?
    @Option(help: "Application (SDKAppID) of the web app's users.")
    var signInApplication: String?
    @Option(name: .customLong("sign-in-tickets-url"), help: "Address of your own ticket server.")
    var signInTicketsURL: String?
    @Option(help: "Whether anyone can sign in with just a name: true or false.")
    var signInGuests: String?
    @Option(help: "Most people in one room.")
    var roomsMaxMembers: String?
    @Option(help: "How long a room waits for its owner, in seconds.")
    var roomsOwnerAbsenceSeconds: String?
    @Option(help: "How long a lost speaker keeps the seat, in seconds.")
    var roomsSeatGraceSeconds: String?
    @Option(help: "Messages a second that a room lets through; those of lower priority are refused first.")
    var roomsMessagesPerSecond: String?
    @Option(help: "How many of them one person may send who is neither host nor co-host; twice as many at once.")
    var roomsMessagesPerPerson: String?
    @Option(help: "How many of the last messages somebody who enters is told.")
    var roomsMessagesOnEntry: String?
    @Option(help: "How many times a second one person may delete, mute, ban or appoint, in all rooms together.")
    var roomsActionsPerPerson: String?
    @Option(help: "Calls per second on one connection. Bursts may be three times as large.")
    var limitsCallsPerSecond: String?
    @Option(
        help: "Changes a second that one person may make in a room, such as of a seat; ten times as many at once.")
    var limitsChangesPerSecond: String?
    @Option(help: "Most WebSockets at once.")
    var limitsConnections: String?
    @Option(help: "WebSockets that one address may open at once; a twentieth of it in each second after.")
    var limitsConnectionsPerAddress: String?
    @Option(help: "Guests that may sign in from one address at once; a three-hundredth of it in each second after.")
    var limitsGuestsPerAddress: String?
    @Option(help: "Messages a second that one address may send, to all rooms together; twice as many at once.")
    var limitsMessagesPerAddress: String?
    @Option(help: "File of words that no text may have, one on each line. It is read again when it changes.")
    var moderationWords: String?
    @Option(help: "Whether webhooks may lead into your own network: true or false.")
    var webhooksAllowPrivate: String?
    @Option(help: "How long a webhook's receiver may be silent before what waits for it is given up, in hours.")
    var webhooksGiveUpHours: String?
    @Option(name: .customLong("wallet-top-up-url"), help: "Address of your own shop, where people buy coins for gifts.")
    var walletTopUpURL: String?
    @Option(help: "How long the journal of an ended room is kept, in days.")
    var storeRetentionDays: String?
    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: String?
    @Option(help: "text, json, or auto: text in a terminal, JSON elsewhere.")
    var logFormat: String?
    @Option(help: "Address at which Prometheus reads metrics.")
    var metricsHost: String?
    @Option(help: "Port at which Prometheus reads metrics, at /metrics. 0: none.")
    var metricsPort: String?

    /// What was given, by the setting's name.
    var given: [String: [String]] {
        let single: [(String, String?)] = [
            ("host", host), ("port", port), ("public_url", publicURL), ("data", data), ("web_root", webRoot),
            ("tls.certificate", tlsCertificate), ("tls.key", tlsKey), ("tls.hsts_days", tlsHSTSDays),
            ("media.port", mediaPort), ("media.tcp", mediaTCP), ("media.tcp_port", mediaTCPPort),
            ("media.playout_least_ms", mediaPlayoutLeast), ("media.playout_most_ms", mediaPlayoutMost),
            ("media.workers", mediaWorkers), ("media.max_peers", mediaMaxPeers),
            ("media.relay_secret", mediaRelaySecret),
            ("sign_in.application", signInApplication),
            ("sign_in.tickets_url", signInTicketsURL), ("sign_in.guests", signInGuests),
            ("rooms.max_members", roomsMaxMembers), ("rooms.owner_absence_seconds", roomsOwnerAbsenceSeconds),
            ("rooms.seat_grace_seconds", roomsSeatGraceSeconds),
            ("rooms.messages_per_second", roomsMessagesPerSecond),
            ("rooms.messages_per_person", roomsMessagesPerPerson),
            ("rooms.messages_on_entry", roomsMessagesOnEntry),
            ("rooms.actions_per_person", roomsActionsPerPerson),
            ("limits.calls_per_second", limitsCallsPerSecond), ("limits.changes_per_second", limitsChangesPerSecond),
            ("limits.connections", limitsConnections),
            ("limits.connections_per_address", limitsConnectionsPerAddress),
            ("limits.guests_per_address", limitsGuestsPerAddress),
            ("limits.messages_per_address", limitsMessagesPerAddress),
            ("moderation.words", moderationWords),
            ("webhooks.allow_private", webhooksAllowPrivate), ("webhooks.give_up_hours", webhooksGiveUpHours),
            ("wallet.top_up_url", walletTopUpURL), ("store.retention_days", storeRetentionDays),
            ("log.level", logLevel), ("log.format", logFormat), ("metrics.host", metricsHost),
            ("metrics.port", metricsPort),
        ]
        let lists = [
            ("public_address", publicAddress), ("proxies.trusted", proxiesTrusted), ("origins.allowed", originsAllowed),
            ("origins.music", originsMusic), ("origins.pictures", originsPictures), ("media.bind", mediaBind),
            ("media.relays", mediaRelays),
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
