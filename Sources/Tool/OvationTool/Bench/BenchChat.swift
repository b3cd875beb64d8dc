import ArgumentParser
import Foundation
import LoadTools
import Ovation
import UserSig

/// `ovation bench chat`: a room full of people, and messages.
struct BenchChat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "A room full of people: what messages cost, and how late they come.",
        discussion: """
            A room:         OVATION_KEY=… ovation bench chat --app 1400000002 --members 1000 --rates 20
            How many?       OVATION_KEY=… ovation bench chat --app 1400000002 --rates 100,200,400,800 --until-late
            Idle lines:     OVATION_KEY=… ovation bench chat --app 1400000002 --members 10000 --lines
            A flood:        OVATION_KEY=… ovation bench chat --app 1400000002 --members 1000 --rates 400 --seconds 30 --flood
            Coming back:    OVATION_KEY=… ovation bench chat --app 1400000002 --members 5000 --comeback
            nginx, nchan:   ovation bench chat --channel ws://127.0.0.1:8090 --members 1000

            The room is new; the server ends it two minutes after the load. Each message tells its number and when it was to be said; a member must get each \
            exactly once. The server must accept as many calls as are made: set limits.calls_per_second, and rooms.messages_per_second but for --flood. With --comeback, end the \
            server by force while the load runs, and start it again. Lines come from --addresses on, some hundred from each: \
            loopback addresses for a server on this machine, or a range that is routed to this machine's lo. Exit code: 0 when it \
            could measure, 1 when not, with the reason.
            """)

    @Option(help: "The server, http: without TLS. [default: OVATION_SERVER, else http://127.0.0.1:8080]")
    var server: String?
    @Option(help: "Application (SDKAppID).")
    var app: UInt32?
    @Option(help: "Secret key of the application. [default: OVATION_KEY]")
    var key: String?
    @Option(help: "Instead, a server whose WebSockets /sub and /pub read and write a channel, as nchan's do.")
    var channel: String?

    @Option(help: "How many are in the room.")
    var members = 1_000
    @Option(help: "How many of them speak, by turns.")
    var publishers = 10
    @Option(help: "Messages a second. Several numbers are measured one after the other.")
    var rates = "20"
    @Flag(help: "Stop after three rates in a row where something is missing or later than 50 ms (p99).")
    var untilLate = false
    @Flag(help: "Instead, measure what lines cost that are in no room and say nothing.")
    var lines = false
    @Flag(help: "Instead, wait until the server goes, and measure how everybody comes back. The first rate is said.")
    var comeback = false
    @Flag(
        help:
            "Instead, say more than the room lets through (the first rate), and measure how late changes of a seat come."
    )
    var flood = false
    @Option(help: "Bytes of a message's text.")
    var size = 200
    @Option(help: "Seconds to measure, for each rate.")
    var seconds = 10.0
    @Option(help: "Seconds before measuring, for each rate.")
    var warmUp = 1.0
    @Option(help: "The first member's IPv4 address.")
    var addresses = "127.64.0.1"
    @Option(help: "How many lines come from one address.")
    var perAddress = 500
    @Option(help: "Number of the server's process on this machine, to measure what it uses.")
    var serverProcess: Int32?
    @Flag(help: "Print one line of JSON per measurement.")
    var json = false

    private var numbers: [Double] { rates.split(separator: ",").compactMap { Double($0) } }

    func validate() throws {
        guard numbers.count == rates.split(separator: ",").count, !numbers.isEmpty,
            numbers.allSatisfy({ (0.1...1_000_000).contains($0) })
        else { throw ValidationError("--rates is a number from 0.1 to 1000000, or several with commas") }
        guard (1...200_000).contains(members), (1...10_000).contains(publishers), (1...10_000).contains(perAddress)
        else {
            throw ValidationError("--members is 1…200000, --publishers and --per-address 1…10000")
        }
        guard (ChatLoad.sizes).contains(size) else {
            throw ValidationError("--size is \(ChatLoad.sizes.lowerBound)…\(ChatLoad.sizes.upperBound)")
        }
        guard (0.1...86_400).contains(seconds), (0...3_600).contains(warmUp) else {
            throw ValidationError("--seconds is 0.1…86400, --warm-up 0…3600")
        }
        guard [lines, comeback, flood].count(where: \.self) <= 1 else {
            throw ValidationError("one of --lines, --comeback and --flood")
        }
        if channel == nil {
            guard app != nil else { throw ValidationError("--app says which application's users to be") }
            guard secret != nil else { throw ValidationError("give the application's key: --key or OVATION_KEY") }
        } else if comeback || flood {
            throw ValidationError("--comeback and --flood are for an Ovation server")
        }
    }

    private var secret: String? { key ?? ProcessInfo.processInfo.environment["OVATION_KEY"] }

    func run() async throws {
        do {
            var plan = ChatLoad.Plan()
            plan.members = members
            plan.publishers = publishers
            plan.size = size
            plan.addresses = addresses
            plan.perAddress = perAddress
            plan.serverProcess = serverProcess
            plan.warmUp = warmUp
            try await ChatLoad.run(work, to: target, plan) { [json] report in
                print(json ? report.json : report.text)
                fflush(nil)
            }
        } catch let error as OvationError {
            try fail(error.message)
        } catch let error as LoadFailure {
            try fail(error.description)
        }
    }

    private var work: ChatLoad.Work {
        if lines { return .lines }
        if comeback { return .comeback(numbers[0]) }
        if flood { return .flood(numbers[0], seconds: seconds) }
        return .messages(numbers, seconds: seconds, untilLate: untilLate)
    }

    private var target: ChatLoad.Server {
        get throws {
            if let channel { return .channel(try ServerAddress(channel)) }
            return .ovation(
                try server.map { try ServerAddress($0) } ?? .fromEnvironment(),
                TicketSigner(application: app ?? 0, key: secret ?? ""))
        }
    }

    private func fail(_ message: String) throws -> Never {
        FileHandle.standardError.write(Data("ovation: \(message)\n".utf8))
        throw ExitCode.failure
    }
}
