import ArgumentParser
import Foundation
import ServerApp

@main
struct OvationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ovation",
        abstract: "Live rooms on your own server.",
        discussion: """
            Try it:            ovation serve --dev
            On your network:   ovation serve --lan
            In production:     ovation app create --name "My salon", then ovation serve --config ovation.yml
            What is wrong:     ovation doctor
            From a terminal:   ovation join --name Mina --create Evening --seat 0 --tone 440
            """,
        version: ServerApplication.version,
        subcommands: [
            Serve.self, Doctor.self, Join.self, App.self, GiftCommand.self, WalletCommand.self, SongCommand.self,
            WordsCommand.self, AuditCommand.self, ReportCommand.self, KeyCommand.self, RESTCommand.self,
            WebhookCommand.self,
            ConfigCommand.self, UserCommand.self, BackupCommand.self,
            RestoreCommand.self,
            UserSigCommand.self, Bench.self,
            Version.self,
        ])

    /// `inspect` is for the server itself: it comes before everything else, while the process has one thread and nothing open.
    static func main() async {
        if CommandLine.arguments.dropFirst().first == "inspect" {
            Foundation.exit(ServerApplication.inspect(Array(CommandLine.arguments.dropFirst(2))))
        }
        await main(nil)
    }
}

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    func run() { print("ovation \(ServerApplication.version)") }
}
