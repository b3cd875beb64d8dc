import ArgumentParser
import ServerApp

struct SongCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "song", abstract: "List and remove uploaded songs.",
        subcommands: [List.self, Remove.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the uploaded songs: application, id, length, uploader, title.",
            discussion: "You can do this while the server runs.")

        @OptionGroup var folder: DataFolder

        func run() {
            let songs = UploadedSongs(data: folder.data).list()
            if songs.isEmpty { print("nobody has uploaded a song") }
            for song in songs {
                let seconds = song.milliseconds / 1000
                let length = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
                print("\(song.application)  \(song.id)  \(length)  \(song.by)  \(song.title)")
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an uploaded song from the library at once.",
            discussion: "You can do this while the server runs. Anyone who is singing it hears what is already loaded.")

        @Argument(help: "The song's id, as `ovation song list` prints it.")
        var id: String
        @OptionGroup var folder: DataFolder

        func run() throws {
            guard try UploadedSongs(data: folder.data).remove(id) else {
                throw ConfigurationFailure("there is no uploaded song \(id) in \(folder.data)")
            }
            print("removed \(id)")
        }
    }
}
