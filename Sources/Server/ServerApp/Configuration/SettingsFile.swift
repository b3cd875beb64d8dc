/// Settings as a file has them.
package enum SettingsFile {
    /// Not for a screen or a ticket.
    private static let secrets: Set = ["media.relay_secret"]

    /// YAML that `SettingsReader` reads back.
    package static func text(of settings: ServerSettings, onlyChanged: Bool = false) -> String {
        let defaults = ServerSettings()
        var text = ""
        var section = ""
        for key in SettingKey.all.sorted(by: { order($0) < order($1) }) {
            let values = key.values(settings)
            let isChanged = values != key.values(defaults)
            if onlyChanged, !isChanged { continue }
            let parts = key.name.split(separator: ".").map(String.init)
            if parts.count > 1, parts[0] != section {
                text += "\(parts[0]):\n"
            }
            section = parts.count > 1 ? parts[0] : ""
            let indent = parts.count > 1 ? "  " : ""
            let value: String
            if secrets.contains(key.name), isChanged {
                text += "\(indent)# \(parts.last ?? ""): a secret is set\n"
                continue
            } else if key.isList {
                value = "[" + values.map(quoted).joined(separator: ", ") + "]"
            } else {
                value = scalar(values.first ?? "", of: key)
            }
            text += "\(indent)\(parts.last ?? ""): \(value)\(isChanged && !onlyChanged ? "  # changed" : "")\n"
        }
        return text
    }

    /// Those of one section together, those of none first.
    private static func order(_ key: SettingKey) -> (Int, Int) {
        let section = key.name.split(separator: ".").dropLast().first.map(String.init) ?? ""
        let first = SettingKey.all.firstIndex { $0.name.hasPrefix(section + ".") } ?? -1
        return (section.isEmpty ? -1 : first, SettingKey.all.firstIndex { $0.name == key.name } ?? 0)
    }

    private static func scalar(_ value: String, of key: SettingKey) -> String {
        key.kind == "a text" ? quoted(value) : value
    }

    private static func quoted(_ value: String) -> String {
        "\"" + value.map { $0 == "\\" || $0 == "\"" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
