import ArgumentParser
import ServerApp

/// `ovation user`: people of an application.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Erase what the server knows of a person.", subcommands: [Erase.self])

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erase somebody's profile, songs, and their names and words in reports, audit and gifts.",
            discussion: """
                ovation user erase --app 1400000002 --user mina --data /var/lib/ovation

                Stop the server first. While it runs, DELETE /v1/users/{user} of the REST API does the same, and deletes what they wrote in \
                open rooms. Ids, sums of money and bans stay. Ended rooms have names until store.retention_days are over, backups as long as \
                you keep them: erase again after a restore.
                """)

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "Whom.")
        var user: String
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                let (rows, songs) = try await PeopleAdmin(data: folder.data, application: app).erase(user)
                print("erased \(rows) rows and \(songs) songs")
            }
        }
    }
}
