import ArgumentParser

/// `ovation bench`: loads for a server, and what they cost it.
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a server under load, and measure what it does.",
        discussion: "Run it beside a server of your own: a load takes what it can get.",
        subcommands: [BenchMedia.self, BenchChat.self])
}
