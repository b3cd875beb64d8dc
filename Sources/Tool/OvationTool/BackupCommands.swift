import ArgumentParser
import ServerApp

/// `ovation backup`: a copy of everything but songs.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the server's file and people's pictures, while it runs or not.",
        discussion: """
            ovation backup /backup/ovation-$(date +%F).sqlite --data /var/lib/ovation

            The copy is consistent, holds secret keys, and can be read by you alone. Pictures that people keep are copied to a folder beside \
            it, which has the same name and ends with .faces. Uploaded songs are files of their own in the data folder (songs/): copy them \
            with any tool.
            """)

    @Argument(help: "Where the copy goes; nothing may be there yet.")
    var file: String
    @OptionGroup var folder: DataFolder

    func run() async throws {
        try await reporting {
            try BackupAdmin(data: folder.data).make(file)
            print(file)
        }
    }
}

/// `ovation restore`: the way back.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a copy of 'ovation backup' in the place of the server's file.",
        discussion: """
            ovation restore /backup/ovation-2026-11-29.sqlite --data /var/lib/ovation

            Stop the server first. The copy is checked before anything is moved, and what was there is kept beside it. What happened after \
            the copy was made is not in it: people who were in rooms since enter anew.
            """)

    @Argument(help: "The copy.")
    var file: String
    @OptionGroup var folder: DataFolder

    func run() async throws {
        try await reporting {
            for former in try BackupAdmin(data: folder.data).restore(file) { print("kept beside it: \(former)") }
            print("restored")
        }
    }
}
