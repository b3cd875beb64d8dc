import ArgumentParser
import Foundation
import ServerApp

/// `ovation config`: what the settings are, before a server starts with them.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the settings, or print those that hold.",
        discussion: """
            Settings come from a file (--config, OVATION_CONFIG), the environment and flags, as for 'ovation serve'.
            """,
        subcommands: [Check.self, Print.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say what is wrong with the settings, with file, line and column.",
            discussion: """
                ovation config check --config /etc/ovation/ovation.yml

                Ends with status 78 if something is. Files that settings name are not opened; 'ovation doctor' does that.
                """)
        @OptionGroup var options: SettingsOptions

        func run() throws {
            _ = try read(options)
            print("the settings are good")
        }
    }

    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every setting that holds, as a settings file.",
            discussion: "Secrets are left out. What is not the default has a remark.")
        @OptionGroup var options: SettingsOptions
        @Flag(help: "Only what is not the default.")
        var changed = false

        func run() throws { print(SettingsFile.text(of: try read(options), onlyChanged: changed), terminator: "") }
    }
}

private func read(_ options: SettingsOptions) throws -> ServerSettings {
    do { return try options.settings() } catch let failure as ConfigurationFailure {
        FileHandle.standardError.write(Data("ovation: \(failure)\n".utf8))
        throw ExitCode(78)
    }
}
