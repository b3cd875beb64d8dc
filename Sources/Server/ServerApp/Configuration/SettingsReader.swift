import Foundation
import Signalling
import Yams

/// What is wrong with the configuration, in a sentence that says where.
package struct ConfigurationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// Settings from a file, then the environment, then flags; each overrides the one before. A key that nobody knows is an error:
/// a misspelt limit would otherwise be no limit.
package enum SettingsReader {
    /// - Parameters:
    ///   - file: path of a YAML file, if there is one.
    ///   - environment: all variables; those that begin with `OVATION_` and are a setting's are read.
    ///   - flags: values by setting name.
    package static func read(
        file: String?, environment: [String: String], flags: [String: [String]],
        over base: ServerSettings = ServerSettings()
    ) throws(ConfigurationFailure) -> ServerSettings {
        var settings = base
        if let file {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw ConfigurationFailure("cannot read the configuration file \(file)")
            }
            try read(yaml: String(decoding: data, as: UTF8.self), name: file, into: &settings)
        }
        for key in SettingKey.all {
            if let value = environment[key.environmentName] {
                try set(
                    key, key.isList ? split(value) : [value], in: &settings,
                    source: "environment variable \(key.environmentName)")
            }
        }
        for (variable, _) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("OVATION_") {
            guard known.contains(variable) else {
                throw ConfigurationFailure(
                    "unknown setting: environment variable \(variable)\(suggestion(for: variable, among: known))")
            }
        }
        for (name, values) in flags {
            guard let key = SettingKey.named(name) else { throw ConfigurationFailure("unknown setting \(name)") }
            try set(key, key.isList ? values.flatMap(split) : values, in: &settings, source: key.flagName)
        }
        try check(settings)
        return settings
    }

    /// Beside the settings: `OVATION_CONFIG` names the file, `OVATION_ROOT` is set by our Makefile for the scripts, and the others stand
    /// in the manual for other commands and for ticket servers, in shells where a server is started too.
    private static let known = Set(
        SettingKey.all.map(\.environmentName) + [
            "OVATION_CONFIG", "OVATION_ROOT", "OVATION_SERVER", "OVATION_KEY", "OVATION_OPERATOR_KEY", "OVATION_APP",
            "OVATION_ORIGIN",
        ])

    static func read(yaml: String, name: String, into settings: inout ServerSettings) throws(ConfigurationFailure) {
        let root: Node?
        do { root = try Yams.compose(yaml: yaml) } catch let error as YamlError {
            throw ConfigurationFailure("\(name): \(error)")
        } catch {
            throw ConfigurationFailure("\(name): \(error)")
        }
        guard let root else { return }  // an empty file
        if case .scalar(let scalar) = root, scalar.string.isEmpty { return }
        try read(root, prefix: "", file: name, into: &settings)
    }

    private static func read(
        _ node: Node, prefix: String, file: String, into settings: inout ServerSettings
    ) throws(ConfigurationFailure) {
        guard case .mapping(let mapping) = node else {
            throw ConfigurationFailure(
                "\(place(file, node)): \(prefix.isEmpty ? "the file" : prefix) must be a mapping of settings")
        }
        var seen: Set<String> = []
        for (keyNode, value) in mapping {
            let name = prefix.isEmpty ? keyNode.string ?? "" : prefix + "." + (keyNode.string ?? "")
            guard seen.insert(name).inserted else {
                throw ConfigurationFailure("\(place(file, keyNode)): \(name) stands twice")
            }
            if let key = SettingKey.named(name) {
                let values: [String]
                switch value {
                case .scalar(let scalar): values = isNull(scalar) && key.isList ? [] : [scalar.string]
                case .sequence(let sequence) where key.isList: values = sequence.compactMap(\.string)
                default: throw ConfigurationFailure("\(place(file, value)): \(name) must be \(key.kind)")
                }
                try set(key, values, in: &settings, source: "\(place(file, value)): \(name)")
            } else if SettingKey.all.contains(where: { $0.name.hasPrefix(name + ".") }) {
                if case .scalar(let scalar) = value, isNull(scalar) { continue }
                try read(value, prefix: name, file: file, into: &settings)
            } else {
                throw ConfigurationFailure(
                    "\(place(file, keyNode)): unknown setting \(name)\(suggestion(for: name, among: SettingKey.all.map(\.name)))"
                )
            }
        }
    }

    private static func isNull(_ scalar: Node.Scalar) -> Bool { ["", "~", "null"].contains(scalar.string) }

    private static func place(_ file: String, _ node: Node) -> String {
        node.mark.map { "\(file):\($0.line):\($0.column)" } ?? file
    }

    private static func split(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    private static func set(
        _ key: SettingKey, _ values: [String], in settings: inout ServerSettings, source: String
    ) throws(ConfigurationFailure) {
        guard key.set(&settings, values) else {
            throw ConfigurationFailure("\(source) must be \(key.kind), and is \(values.joined(separator: ", "))")
        }
    }

    /// What no single value shows.
    private static func check(_ settings: ServerSettings) throws(ConfigurationFailure) {
        guard settings.tlsCertificate.isEmpty == settings.tlsKey.isEmpty else {
            throw ConfigurationFailure("tls.certificate and tls.key go together: one of them is missing")
        }
        for (name, url) in [("public_url", settings.publicURL), ("sign_in.tickets_url", settings.signInTicketsURL)]
        where !url.isEmpty && !(url.hasPrefix("https://") || url.hasPrefix("http://")) {
            throw ConfigurationFailure("\(name) must begin with https:// or http://, and is \(url)")
        }
        guard settings.mediaPlayoutLeast <= settings.mediaPlayoutMost else {
            throw ConfigurationFailure(
                "media.playout_least_ms is \(settings.mediaPlayoutLeast), more than media.playout_most_ms: \(settings.mediaPlayoutMost)"
            )
        }
        for url in settings.mediaRelays where !RelayServers.isURL(url) {
            throw ConfigurationFailure(
                "media.relays must be addresses such as turn:relay.example:3478?transport=udp, and one is \(url)")
        }
        // With addresses of its own, media may have the same port as the pages on theirs.
        if settings.port != 0, settings.mediaBind.isEmpty {
            guard settings.mediaTCPPort != settings.port else {
                throw ConfigurationFailure(
                    "media.tcp_port and port are both \(settings.port): choose two, or set media.bind")
            }
            guard !settings.mediaTCP || settings.mediaPort != settings.port else {
                throw ConfigurationFailure(
                    "media.port and port are both \(settings.port): choose two, or set media.tcp to false")
            }
        }
        if settings.mediaRelaySecret.isEmpty, settings.mediaRelays.contains(where: RelayServers.wantsPassword) {
            throw ConfigurationFailure(
                "media.relay_secret is missing: the static-auth-secret of the servers in media.relays")
        }
        if settings.signInGuests && !settings.signInTicketsURL.isEmpty {
            throw ConfigurationFailure("sign_in.guests and sign_in.tickets_url are two ways in: choose one")
        }
        if settings.signInApplication == 0 && (settings.signInGuests || !settings.signInTicketsURL.isEmpty) {
            throw ConfigurationFailure(
                "sign_in.application must name the application that the web app's people belong to (see: ovation app list)"
            )
        }
    }

    /// A known name at most two letters away.
    private static func suggestion(for name: String, among names: some Sequence<String>) -> String {
        let near = names.map { (name: $0, distance: distance(name, $0)) }.min {
            ($0.distance, $0.name) < ($1.distance, $1.name)
        }
        guard let near, near.distance <= 2 else { return "" }
        return " (did you mean \(near.name)?)"
    }

    /// Levenshtein's.
    private static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b.utf8)
        var row = Array(0...b.count)
        for (i, x) in a.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (x == y ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}
