/// How a server runs. The defaults are those of `Configuration/ovation.yml`, which says what each is for.
package struct ServerSettings: Sendable, Hashable {
    package var host = "0.0.0.0"
    package var port = 8080
    package var publicURL = ""
    package var publicAddress: [String] = []
    package var data = "data"
    package var webRoot = ""
    /// The program whose `inspect` reads strangers' files: this one. No setting; a test's process is another.
    package var inspector = "/proc/self/exe"

    package var tlsCertificate = ""
    package var tlsKey = ""
    /// For how long a browser that has seen the site comes by HTTPS only; 0: it is not asked to.
    package var tlsHSTSDays = 0

    package var proxiesTrusted: [String] = []
    package var originsAllowed: [String] = []
    package var originsMusic: [String] = []
    package var originsPictures: [String] = []

    package var mediaPort = 7882
    package var mediaTCP = true
    /// 0: none.
    package var mediaTCPPort = 0
    package var mediaBind: [String] = []
    /// 0: one per processor.
    package var mediaWorkers = 1
    /// In milliseconds; without a most, viewers' browsers wait as they see fit.
    package var mediaPlayoutLeast = 0
    package var mediaPlayoutMost = 0
    package var mediaMaxPeers = 10_000
    package var mediaRelays: [String] = []
    package var mediaRelaySecret = ""

    package var signInApplication = 0
    package var signInTicketsURL = ""
    package var signInGuests = false

    package var roomsMaxMembers = 20_000
    package var roomsOwnerAbsenceSeconds = 120
    package var roomsSeatGraceSeconds = 15
    package var roomsMessagesPerSecond = 40
    package var roomsMessagesPerPerson = 5
    package var roomsMessagesOnEntry = 200
    package var roomsActionsPerPerson = 2

    package var limitsCallsPerSecond = 40
    package var limitsChangesPerSecond = 2
    package var limitsConnections = 20_000
    package var limitsConnectionsPerAddress = 2_000
    package var limitsGuestsPerAddress = 100
    package var limitsMessagesPerAddress = 30
    package var moderationWords = ""
    /// Whether webhooks may lead into the operator's own network.
    package var webhooksAllowPrivate = false
    /// How long a receiver may be silent before what waits for it is given up.
    package var webhooksGiveUpHours = 24
    package var walletTopUpURL = ""
    package var storeRetentionDays = 30
    package var logLevel = "info"
    /// `text`, `json`, or `auto`: text in a terminal, JSON elsewhere.
    package var logFormat = "auto"
    package var metricsHost = "127.0.0.1"
    /// 0: no metrics.
    package var metricsPort = 0

    package init() {}
}

/// One setting: its name in the file, and how its value is read and printed. File, environment and flags go through this table,
/// so that a setting is added in two places: the struct above and one line here.
package struct SettingKey: Sendable {
    /// As in the file, levels joined by dots: `tls.certificate`.
    package var name: String
    /// What the value must be, for the sentence about a wrong one.
    package var kind: String
    package var set: @Sendable (inout ServerSettings, [String]) -> Bool
    package var values: @Sendable (ServerSettings) -> [String]
    package var isList = false

    /// `OVATION_TLS_CERTIFICATE`
    package var environmentName: String { "OVATION_" + name.uppercased().map { $0 == "." ? "_" : String($0) }.joined() }
    /// `--tls-certificate`
    package var flagName: String { "--" + name.map { $0 == "." || $0 == "_" ? "-" : String($0) }.joined() }

    package static let all: [SettingKey] = [
        text("host", \.host), integer("port", \.port, 0...65535), text("public_url", \.publicURL),
        list("public_address", \.publicAddress), text("data", \.data), text("web_root", \.webRoot),
        text("tls.certificate", \.tlsCertificate), text("tls.key", \.tlsKey),
        integer("tls.hsts_days", \.tlsHSTSDays, 0...730),
        list("proxies.trusted", \.proxiesTrusted), list("origins.allowed", \.originsAllowed),
        list("origins.music", \.originsMusic), list("origins.pictures", \.originsPictures),
        integer("media.port", \.mediaPort, 0...65535), flag("media.tcp", \.mediaTCP),
        integer("media.tcp_port", \.mediaTCPPort, 0...65535), list("media.bind", \.mediaBind),
        integer("media.playout_least_ms", \.mediaPlayoutLeast, 0...40_950),
        integer("media.playout_most_ms", \.mediaPlayoutMost, 0...40_950),
        integer("media.workers", \.mediaWorkers, 0...64), integer("media.max_peers", \.mediaMaxPeers, 1...1_000_000),
        list("media.relays", \.mediaRelays), text("media.relay_secret", \.mediaRelaySecret),
        integer("sign_in.application", \.signInApplication, 0...Int(UInt32.max)),
        text("sign_in.tickets_url", \.signInTicketsURL), flag("sign_in.guests", \.signInGuests),
        integer("rooms.max_members", \.roomsMaxMembers, 1...1_000_000),
        integer("rooms.owner_absence_seconds", \.roomsOwnerAbsenceSeconds, 0...86_400),
        integer("rooms.seat_grace_seconds", \.roomsSeatGraceSeconds, 1...3600),
        integer("rooms.messages_per_second", \.roomsMessagesPerSecond, 1...1_000_000),
        integer("rooms.messages_per_person", \.roomsMessagesPerPerson, 1...1_000_000),
        integer("rooms.messages_on_entry", \.roomsMessagesOnEntry, 0...1_000),
        integer("rooms.actions_per_person", \.roomsActionsPerPerson, 1...1_000_000),
        integer("limits.calls_per_second", \.limitsCallsPerSecond, 1...1_000_000),
        integer("limits.changes_per_second", \.limitsChangesPerSecond, 1...1_000_000),
        integer("limits.connections", \.limitsConnections, 1...1_000_000),
        integer("limits.connections_per_address", \.limitsConnectionsPerAddress, 1...1_000_000),
        integer("limits.guests_per_address", \.limitsGuestsPerAddress, 1...1_000_000),
        integer("limits.messages_per_address", \.limitsMessagesPerAddress, 1...1_000_000),
        text("moderation.words", \.moderationWords),
        flag("webhooks.allow_private", \.webhooksAllowPrivate),
        integer("webhooks.give_up_hours", \.webhooksGiveUpHours, 1...168),
        text("wallet.top_up_url", \.walletTopUpURL),
        integer("store.retention_days", \.storeRetentionDays, 0...36_500),
        choice("log.level", \.logLevel, ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        choice("log.format", \.logFormat, ["auto", "text", "json"]),
        text("metrics.host", \.metricsHost), integer("metrics.port", \.metricsPort, 0...65535),
    ]

    package static func named(_ name: String) -> SettingKey? { all.first { $0.name == name } }

    private typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable

    private static func text(_ name: String, _ path: Path<String>) -> SettingKey {
        SettingKey(
            name: name, kind: "a text",
            set: { settings, values in
                guard values.count == 1 else { return false }
                settings[keyPath: path] = values[0]
                return true
            },
            values: { [$0[keyPath: path]] })
    }

    private static func list(_ name: String, _ path: Path<[String]>) -> SettingKey {
        SettingKey(
            name: name, kind: "a list of texts",
            set: { settings, values in
                settings[keyPath: path] = values
                return true
            },
            values: { $0[keyPath: path] }, isList: true)
    }

    private static func integer(_ name: String, _ path: Path<Int>, _ range: ClosedRange<Int>) -> SettingKey {
        SettingKey(
            name: name, kind: "a number from \(range.lowerBound) to \(range.upperBound)",
            set: { settings, values in
                guard values.count == 1, let value = Int(values[0]), range.contains(value) else { return false }
                settings[keyPath: path] = value
                return true
            },
            values: { [String($0[keyPath: path])] })
    }

    private static func flag(_ name: String, _ path: Path<Bool>) -> SettingKey {
        SettingKey(
            name: name, kind: "true or false",
            set: { settings, values in
                guard values.count == 1, let value = Bool(values[0].lowercased()) else { return false }
                settings[keyPath: path] = value
                return true
            },
            values: { [String($0[keyPath: path])] })
    }

    private static func choice(_ name: String, _ path: Path<String>, _ choices: [String]) -> SettingKey {
        SettingKey(
            name: name, kind: "one of \(choices.joined(separator: ", "))",
            set: { settings, values in
                guard values.count == 1, choices.contains(values[0]) else { return false }
                settings[keyPath: path] = values[0]
                return true
            },
            values: { [$0[keyPath: path]] })
    }
}
