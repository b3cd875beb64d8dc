import ArgumentParser
import Foundation
import ServerApp

struct App: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applications: each is a world of its own, with its key and its users.",
        subcommands: [Create.self, List.self, RotateKey.self, RetireKey.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an application and print its number (SDKAppID) and its secret key.",
            discussion: "The server of that data folder must not be running.")

        @Option(help: "What people call it.")
        var name: String
        @Option(help: "The number to give it; by default the next free one.")
        var id: UInt32?
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                let application = try await ApplicationAdmin(data: folder.data).create(name: name, id: id)
                print("application  \(application.id)\nsecret key   \(application.keys.joined(separator: " "))")
            }
        }
    }

    struct RotateKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a second secret key; the old one stays good until it is retired.",
            discussion: "Tickets of both keys are accepted. The server of that data folder must not be running.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                let application = try await ApplicationAdmin(data: folder.data).rotateKey(of: app)
                print("new key      \(application.keys[0])\nstill good   \(application.keys[1])")
            }
        }
    }

    struct RetireKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drop the older of two secret keys: its tickets are refused from the next start on.",
            discussion: "The server of that data folder must not be running.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                let application = try await ApplicationAdmin(data: folder.data).retireKey(of: app)
                print("secret key   \(application.keys.joined(separator: " "))")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the applications.", discussion: "The server of that data folder must not be running.")

        @Flag(help: "Print the secret keys too.")
        var keys = false
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                for application in try await ApplicationAdmin(data: folder.data).list() {
                    let secret = keys ? "\t" + application.keys.joined(separator: " ") : ""
                    print("\(application.id)\t\(application.name)\(secret)")
                }
            }
        }
    }
}

/// Where the database is, the same for every command that opens it.
struct DataFolder: ParsableArguments {
    @Option(help: "Folder of the database.")
    var data = ServerSettings().data
}

/// Prints what is wrong as a sentence, and ends with the code of a wrong configuration.
func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let failure as ConfigurationFailure {
        FileHandle.standardError.write(Data("ovation: \(failure)\n".utf8))
        throw ExitCode(78)  // EX_CONFIG
    }
}
