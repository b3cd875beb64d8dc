import ArgumentParser
import ServerApp

/// `ovation webhook`: where your server tells your programs what happens.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Manage the webhooks that tell your programs what happens.",
        discussion: """
            ovation webhook add --app 1400000002 --url https://shop.example/hook --event 'seat.*' --event message

            Stop the server that uses the data folder first. While it runs, the REST API does the same.
            """,
        subcommands: [List.self, Add.self, Remove.self, On.self, Off.self, Dead.self, Replay.self])

    struct Place: ParsableArguments {
        @Option(help: "Application (SDKAppID).")
        var app: UInt32
        @OptionGroup var folder: DataFolder

        var admin: WebhookAdmin { WebhookAdmin(data: folder.data, application: app) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the webhooks.",
            discussion: """
                One line each, with tabs between: number, format, what for, on or off, how much waits, how much was given up, url.
                """)
        @OptionGroup var place: Place

        func run() async throws { try await reporting { for line in try await place.admin.list() { print(line) } } }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a webhook. The secret by which its requests are signed is printed this once.")
        @Option(help: "Where requests go, http: or https:.")
        var url: String
        @Option(help: "\(WebhookAdmin.formats.joined(separator: " or ")). [default: standard]")
        var format: String?
        @Option(help: "A type of events, or seat.* for all of a kind; can be given several times. [default: all]")
        var event: [String] = []
        @Option(
            help:
                "It reviews messages before they are told; without an answer they are: \(WebhookAdmin.fallbacks.joined(separator: " or "))."
        )
        var reviewElse: String?
        @OptionGroup var place: Place

        func validate() throws {
            if let format, !WebhookAdmin.formats.contains(format) {
                throw ValidationError("--format is \(WebhookAdmin.formats.joined(separator: " or "))")
            }
            if let reviewElse, !WebhookAdmin.fallbacks.contains(reviewElse) {
                throw ValidationError("--review-else is \(WebhookAdmin.fallbacks.joined(separator: " or "))")
            }
            if reviewElse != nil, !event.isEmpty {
                throw ValidationError(
                    "a webhook is told events, or reviews messages: leave out --event or --review-else")
            }
        }

        func run() async throws {
            try await reporting {
                let (id, secret) = try await place.admin.add(
                    url: url, format: format, events: event, reviewElse: reviewElse)
                print("id      \(id)\nsecret  \(secret)")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a webhook, with what waits for it.")
        @Argument(help: "Its number.")
        var id: Int64
        @OptionGroup var place: Place

        func run() async throws { try await reporting { try await place.admin.remove(id) } }
    }

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Switch a webhook on: what waits goes on.")
        @Argument(help: "Its number.")
        var id: Int64
        @OptionGroup var place: Place

        func run() async throws { try await reporting { try await place.admin.set(id, on: true) } }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Switch a webhook off: it is told nothing.")
        @Argument(help: "Its number.")
        var id: Int64
        @OptionGroup var place: Place

        func run() async throws { try await reporting { try await place.admin.set(id, on: false) } }
    }

    struct Dead: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was given up, the newest first.",
            discussion:
                "One line each, with tabs between: number, when it happened in milliseconds since 1970, type, why.")
        @Argument(help: "Its number.")
        var id: Int64
        @Option(help: "How many, at most 10,000.")
        var limit = 50
        @OptionGroup var place: Place

        func validate() throws {
            guard (1...10_000).contains(limit) else { throw ValidationError("--limit is 1…10,000") }
        }

        func run() async throws {
            try await reporting { for line in try await place.admin.dead(id, limit: limit) { print(line) } }
        }
    }

    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let everything that was given up wait again.",
            discussion: "It is delivered from the server's next start on, after newer news maybe. Prints how many.")
        @Argument(help: "Its number.")
        var id: Int64
        @OptionGroup var place: Place

        func run() async throws { try await reporting { print(try await place.admin.replay(id)) } }
    }
}
