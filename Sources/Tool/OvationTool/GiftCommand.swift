import ArgumentParser
import Foundation
import Ovation
import ServerApp

/// `ovation gift`: the catalogue of an application.
struct GiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gift", abstract: "Manage the gifts that people can send.",
        discussion: """
            ovation gift set --app 1400000002 --id rose --name Rose --price 10 --picture https://example.org/rose.svg

            Stop the server that uses the data folder first.
            """,
        subcommands: [List.self, Set.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the gifts, the cheapest first.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                for gift in try await GiftAdmin(data: folder.data, application: app).list() {
                    let names = gift.names.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                    let more = names + [gift.picture, gift.isLarge ? "large" : ""].filter { !$0.isEmpty }
                    print(([gift.id, "\(gift.price)", gift.name] + more).joined(separator: "\t"))
                }
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a gift, or change the one with that id.",
            discussion: "What was sent before keeps its name and price. The server offers it from its next start on.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "1…32 of A-Z a-z 0-9 _ -.")
        var id: String
        @Option(help: "As people read it, up to 64 characters.")
        var name: String
        @Option(
            help: ArgumentHelp(
                "What it is called in another language (ko, zh-Hans); can be given several times.",
                valueName: "language=name"))
        var nameIn: [String] = []
        @Option(help: "Coins.")
        var price: Int64
        @Option(help: "Address of its picture, https: or relative to the web app.")
        var picture = ""
        @Flag(help: "Show it large, one at a time.")
        var large = false
        @OptionGroup var folder: DataFolder

        func validate() throws { _ = try names() }

        func run() async throws {
            try await reporting {
                try await GiftAdmin(data: folder.data, application: app).set(
                    Gift(id: id, name: name, names: try names(), price: price, picture: picture, isLarge: large))
            }
        }

        private func names() throws -> [String: String] {
            var names: [String: String] = [:]
            for text in nameIn {
                let parts = text.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, names.updateValue(String(parts[1]), forKey: String(parts[0])) == nil else {
                    throw ValidationError("--name-in is a language and a name, once for each language: ko=장미")
                }
            }
            return names
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Offer a gift no longer.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "The gift.")
        var id: String
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting { try await GiftAdmin(data: folder.data, application: app).remove(id) }
        }
    }
}

/// `ovation wallet`: people's coins.
struct WalletCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet", abstract: "Look into people's wallets, credit coins that were sold, take coins back.",
        discussion: """
            ovation wallet credit --app 1400000002 --user mina --coins 500 --key order-4711

            The key is your own number of the sale: the same call again counts once. Stop the server that uses the data folder first.
            """,
        subcommands: [Show.self, Credit.self, Refund.self, Check.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print what somebody can spend and has received.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "The user's id.")
        var user: String
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                show(try await GiftAdmin(data: folder.data, application: app).balance(of: user))
            }
        }
    }

    struct Credit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Credit coins that were sold.")

        @OptionGroup var movement: Movement

        func run() async throws {
            try await reporting {
                show(
                    try await movement.admin.credit(
                        movement.user, coins: movement.coins, key: movement.key, reason: movement.reason))
            }
        }
    }

    struct Refund: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take coins back from a wallet.")

        @OptionGroup var movement: Movement

        func run() async throws {
            try await reporting {
                show(
                    try await movement.admin.refund(
                        movement.user, coins: movement.coins, key: movement.key, reason: movement.reason))
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add up all accounts of an application: they are nought together. Exit code 1 if not.")

        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @OptionGroup var folder: DataFolder

        func run() async throws {
            try await reporting {
                let sum = try await GiftAdmin(data: folder.data, application: app).sum()
                print("all accounts together: \(sum)")
                if sum != 0 { throw ExitCode.failure }
            }
        }
    }

    struct Movement: ParsableArguments {
        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @Option(help: "The user's id.")
        var user: String
        @Option(help: "How many, from 1 on.")
        var coins: Int64
        @Option(help: "Your own number of this: the same again counts once.")
        var key: String
        @Option(help: "Why, for the audit trail; up to 200 characters.")
        var reason: String?
        @OptionGroup var folder: DataFolder

        var admin: GiftAdmin { GiftAdmin(data: folder.data, application: app) }
    }

    private static func show(_ balance: GiftAdmin.Balance) {
        print("coins     \(balance.coins)\nearnings  \(balance.earnings)")
    }
}
