import ArgumentParser
import ServerApp

/// `ovation user`: people of an application.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Erase what the server knows of a person.", subcommands: [Erase.self])

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erase somebody's profile, songs, pictures, and their names and words wherever they stand.",
            discussion: """
                ovation user erase --app 1400000002 --user mina --data /var/lib/ovation

                Stop the server first. While it runs, DELETE /v1/users/{user} of the REST API does the same. Ids, sums of money and bans \
                stay. Rooms of their own end. Copies that were made earlier have everything as it was then: those that are known are \
                listed. Erase again after a restore.
                """)

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "Whom.")
        var user: String
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                let erased = try await PeopleAdmin(data: folder.data, application: app).erase(user)
                print(
                    "erased \(erased.rows) rows, \(erased.songs) songs and \(erased.faces) pictures; ended \(erased.rooms) rooms"
                )
                if !erased.copies.isEmpty {
                    print("These copies were made earlier and have everything as it was then:")
                    for copy in erased.copies { print("  \(copy)") }
                }
            }
        }
    }
}
