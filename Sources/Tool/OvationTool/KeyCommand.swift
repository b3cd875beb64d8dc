import ArgumentParser
import Foundation
import ServerApp

/// `ovation key`: keys by which programs call the REST API.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Manage the keys by which your programs call the REST API.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key. Its text and its secret are printed this once.",
            discussion: """
                A key may do what its scopes say, in one application or, without --app, in all of them:
                \(OperatorKeyAdmin.scopes.map { "  " + $0 }.joined(separator: "\n"))
                'all' stands for all of these.
                People see its name beside what it does, and so does 'ovation audit'.
                Programs show the key. Client libraries of the room API sign instead: SecretId is the id, SecretKey the secret.

                ovation key create --name console --scope all
                ovation key create --app 1400000002 --name shop --scope rooms:read --scope messages:write

                Stop the server that uses the data folder first.
                """)

        @Option(help: "Application (SDKAppID). [default: all of them]")
        var app: UInt32?
        @Option(help: "Its name: 1…32 of A-Z a-z 0-9 _ -")
        var name: String
        @Option(help: "What it may do, or all; can be given several times.")
        var scope: [String]
        @Option(help: "For how many days it is good. [default: until you revoke it]")
        var days: Int?
        @OptionGroup var folder: DataFolder

        func validate() throws {
            if let days, !(1...36_500).contains(days) { throw ValidationError("--days is 1…36,500") }
            if scope.isEmpty { throw ValidationError("a key needs a --scope") }
        }

        func run() async throws {
            try await reporting {
                let (text, secret, entry) = try await OperatorKeyAdmin(data: folder.data).create(
                    name: name, application: app, scopes: scope, days: days)
                print("id      \(entry.id)\nkey     \(text)\nsecret  \(secret)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys, the oldest first.",
            discussion: """
                One line each, with tabs between: id, application, name, scopes, the day it was made, the day it ends.

                Stop the server that uses the data folder first.
                """)

        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                for key in try await OperatorKeyAdmin(data: folder.data).list() {
                    let fields = [
                        key.id, key.application.map(String.init) ?? "all", key.name, key.scopes.joined(separator: " "),
                        day(key.createdAt), key.expiresAt.map(day) ?? "-",
                    ]
                    print(fields.joined(separator: "\t"))
                }
            }
        }

        private func day(_ milliseconds: Int64) -> String {
            Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601.year().month().day())
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key. From its next start, the server refuses it.",
            discussion: "Stop the server that uses the data folder first.")

        @Argument(help: "The key's id (see: ovation key list).")
        var id: String
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting { try await OperatorKeyAdmin(data: folder.data).revoke(id) }
        }
    }
}
