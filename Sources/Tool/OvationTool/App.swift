import ArgumentParser
import Foundation
import ServerApp

struct App: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage applications. Each has its own keys, users and rooms.",
        subcommands: [Create.self, List.self, Configure.self, RotateKey.self, RetireKey.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an application. Prints its number (SDKAppID) and its secret key.",
            discussion: "Stop the server that uses the data folder first.")

        @Option(help: "Its display name.")
        var name: String
        @Option(help: "Its number. [default: the next free one]")
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
            abstract: "Add a second secret key. The old one stays valid until you retire it.",
            discussion: "The server accepts tickets of both keys. Stop the server that uses the data folder first.")

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
            abstract: "Remove the older of two secret keys. From its next start, the server refuses the key's tickets.",
            discussion: "Stop the server that uses the data folder first.")

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

    struct Configure: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change an application's rules.",
            discussion: """
                --consent: in rooms where listeners must ask before they speak, the server refuses a seat without an accepted \
                request (enforced, the default), or it leaves that to the clients (advisory).
                --second-session: when a user signs in twice, the newer session replaces the older one (replaces, the \
                default), or both stay (allowed).
                --room-keys: a privateMapKey is checked if one is given (unused, the default), or nobody creates or enters a room \
                without one (required). Programs and players by HTTP bring none, and are refused then.
                --admin: whose tickets open the compatible REST API (v4/…); administrator unless you say so.

                Stop the server that uses the data folder first.
                """)

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "Whether the server enforces requests to speak.")
        var consent: ApplicationAdmin.Consent?
        @Option(help: "What happens when a user signs in twice.")
        var secondSession: ApplicationAdmin.SecondSession?
        @Option(help: "Whether rooms are entered without a privateMapKey.")
        var roomKeys: ApplicationAdmin.RoomKeys?
        @Option(help: "An admin; can be given several times, and replaces those before.")
        var admin: [String] = []
        @OptionGroup var folder: DataFolder

        func validate() throws {
            if consent == nil, secondSession == nil, roomKeys == nil, admin.isEmpty {
                throw ValidationError(
                    "nothing to change: add --consent, --second-session, --room-keys or --admin")
            }
        }

        func run() async throws {
            try await reporting {
                let application = try await ApplicationAdmin(data: folder.data).configure(
                    app, consent: consent, secondSession: secondSession, roomKeys: roomKeys,
                    admins: admin.isEmpty ? nil : admin)
                print("consent         \(application.consent.rawValue)")
                print("second session  \(application.secondSession.rawValue)")
                print("room keys       \(application.roomKeys.rawValue)")
                print("admins          \(application.admins.joined(separator: " "))")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List applications.", discussion: "Stop the server that uses the data folder first.")

        @Flag(help: "Also print the secret keys.")
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

extension ApplicationAdmin.Consent: ExpressibleByArgument {}
extension ApplicationAdmin.SecondSession: ExpressibleByArgument {}
extension ApplicationAdmin.RoomKeys: ExpressibleByArgument {}

/// Where the database is, the same for every command that opens it.
struct DataFolder: ParsableArguments {
    @Option(help: "Folder for the database, uploaded songs and pictures.")
    var data = ServerSettings().data
}

/// Prints what is wrong as a sentence, and ends with the code of a wrong configuration.
func reporting(_ body: () async throws -> Void) async throws {
    do { try await body() } catch let failure as ConfigurationFailure {
        FileHandle.standardError.write(Data("ovation: \(failure)\n".utf8))
        throw ExitCode(78)  // EX_CONFIG
    }
}
