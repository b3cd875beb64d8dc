import ArgumentParser
import Foundation
import LoadTools
import Ovation
import UserSig

/// `ovation bench media`: speakers and listeners without devices.
struct BenchMedia: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media", abstract: "Speakers and listeners in one room: what is lost, how late, at what cost.",
        discussion: """
            A new room:     OVATION_KEY=… ovation bench media --app 1400000002 --listeners 200
            Pictures:       OVATION_KEY=… ovation bench media --app 1400000002 --listeners 200 --pictures
            How many?       OVATION_KEY=… ovation bench media --app 1400000002 --listeners 100,200,400 --until-loss
            Janus:          ovation bench media --janus ws://127.0.0.1:8188 --listeners 100

            The room is new; the server ends it two minutes after the load. Every participant has an address of its own, from --addresses on: loopback \
            addresses for a server on this machine, or a range that is routed to this machine's lo. With --server-process, the \
            server's processor time and memory are measured too. A copy counts as lost when it is missing or comes only after it was \
            asked for again; one packet in 16 is opened, and tells the delay. Exit code: 0 when it could measure, 1 when not, with \
            the reason.
            """)

    @Option(help: "The server, http: or https:. [default: OVATION_SERVER, else http://127.0.0.1:8080]")
    var server: String?
    @Option(help: "Certificates to trust (PEM), for a server with a self-signed certificate.")
    var trust: String?
    @Option(help: "Application (SDKAppID).")
    var app: UInt32?
    @Option(help: "Secret key of the application. [default: OVATION_KEY]")
    var key: String?
    @Option(help: "Instead, a Janus server with VideoRoom, by its WebSocket transport; it must be ICE-lite.")
    var janus: String?
    @Option(help: .hidden)
    var floor: String?
    @Option(help: .hidden)
    var floorKey: String?

    @Option(help: "How many speak, 1 to 16.")
    var speakers = 10
    @Option(
        help: "How many listen. Several numbers, each larger than the one before, are measured one after the other.")
    var listeners = "100"
    @Flag(help: "Stop at the first number with losses.")
    var untilLoss = false
    @Option(help: "Seconds to measure, for each number.")
    var seconds = 10.0
    @Option(help: "Seconds before measuring, for each number.")
    var warmUp = 2.0
    @Option(help: "Packets a second of each speaker, 1 to 50; below 50 to measure memory rather than work.")
    var packetsPerSecond = 50
    @Flag(
        help:
            "Instead, one films: 720p, 30 frames a second, 2 Mbit/s, a larger key frame every three seconds and when asked for."
    )
    var pictures = false
    @Option(help: "The first participant's IPv4 address.")
    var addresses = "127.64.0.1"
    @Option(help: "The UDP port of all participants. [default: any]")
    var port: UInt16 = 0
    @Option(help: "Number of the server's process on this machine, to measure what it uses.")
    var serverProcess: Int32?
    @Flag(help: "Print one line of JSON per measurement.")
    var json = false

    private var counts: [Int] { listeners.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        guard (1...16).contains(speakers) else { throw ValidationError("--speakers is 1…16") }
        guard counts.count == listeners.split(separator: ",").count, let first = counts.first, first >= 1,
            zip(counts, counts.dropFirst()).allSatisfy({ $0 < $1 })
        else {
            throw ValidationError("--listeners is a number, or several with commas, each larger than the one before")
        }
        guard (1...50).contains(packetsPerSecond) else { throw ValidationError("--packets-per-second is 1…50") }
        guard (0.1...86_400).contains(seconds), (0...3_600).contains(warmUp) else {
            throw ValidationError("--seconds is 0.1…86400, --warm-up 0…3600")
        }
        if janus == nil, floor == nil {
            guard app != nil else { throw ValidationError("--app says which application's users to be") }
            guard secret != nil else { throw ValidationError("give the application's key: --key or OVATION_KEY") }
        }
    }

    private var secret: String? { key ?? ProcessInfo.processInfo.environment["OVATION_KEY"] }

    func run() async throws {
        do {
            try await load()
        } catch let error as OvationError {
            try fail(error.message)
        } catch let error as LoadFailure {
            try fail(error.description)
        }
    }

    private func load() async throws {
        var load = try await MediaLoad.connect(
            to: target, sending: pictures ? .picture : .sound(speakers: speakers, packetsPerSecond: packetsPerSecond),
            addresses: addresses, port: port, serverProcess: serverProcess)
        try await load.begin()
        for count in counts {
            try await load.grow(to: count)
            if pictures { try await load.awaitEverybody() }
            // What joining costs the server is over when measuring begins.
            try await Task.sleep(for: .seconds(warmUp))
            let report = try await load.measure(.seconds(seconds))
            print(json ? report.json : report.text)
            fflush(nil)
            if untilLoss, !report.isLossFree { break }
        }
    }

    private var target: MediaLoad.Server {
        get throws {
            if let floor { return try .floor(floor, key: floorKey ?? "") }
            if let janus { return .janus(try ServerAddress(janus)) }
            return .ovation(
                try server.map { try ServerAddress($0) } ?? .fromEnvironment(),
                trustRoots: trust.map { .file($0) } ?? .system,
                TicketSigner(application: app ?? 0, key: secret ?? ""))
        }
    }

    private func fail(_ message: String) throws -> Never {
        FileHandle.standardError.write(Data("ovation: \(message)\n".utf8))
        throw ExitCode.failure
    }
}
