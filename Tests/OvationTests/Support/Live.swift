import Foundation
import NIOCore
import NIOPosix
import RoomModel
import ServerTestSupport
import Synchronization
import Testing

@testable import Ovation

/// Tests against whole servers: one after the other, so that they do not wait for each other's processor time.
@Suite(.serialized, .timeLimit(.minutes(3))) struct LiveServerTests {}

extension TestServer {
    /// A client that has not signed in.
    func sdk(
        _ configure: (inout OvationClient.Configuration) -> Void = { _ in }
    ) throws -> OvationClient {
        var configuration = OvationClient.Configuration(callTimeout: .seconds(60))
        configuration.audio = .off
        configure(&configuration)
        return OvationClient(server: try ServerAddress("127.0.0.1:\(port)"), configuration: configuration)
    }

    /// A client that is signed in.
    func signIn(
        _ user: UserID, lifetime: Int64 = 86_400,
        renewTicket: (@Sendable () async throws -> String)? = nil
    ) async throws -> OvationClient {
        let client = try sdk { $0.renewTicket = renewTicket }
        try await client.signIn(
            app: ApplicationID(TestServer.application), user: user,
            ticket: try ticket(user.rawValue, lifetime: lifetime), name: user.rawValue.capitalized)
        return client
    }
}

extension EventStream {
    /// The events up to the first that fits, that one included.
    func upTo(_ fits: (Element) -> Bool) async throws -> [Element] {
        var heard: [Element] = []
        for try await event in self {
            heard.append(event)
            if fits(event) { break }
        }
        return heard
    }
}

extension StateChanges {
    /// The first state that fits.
    func first(where fits: (Element) -> Bool) async -> Element? {
        for await state in self where fits(state) { return state }
        return nil
    }
}

/// The name of the error that a call must lead to.
func refusal(_ call: () async throws -> Void) async -> String {
    do {
        try await call()
        return "accepted"
    } catch {
        return (error as? OvationError)?.name ?? "\(error)"
    }
}

/// The built executable as a process of its own, which can be killed.
final class ServerProcess {
    struct Ended: Error {}

    private let process = Process()
    let port: Int
    private let output: Pipe

    /// Beside the test bundle: SwiftPM builds it with the tests.
    private static var executable: URL {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0])
        return bundle.deletingLastPathComponent().appendingPathComponent("ovation")
    }

    /// Returns when it serves. Port 0: the system chooses.
    init(data: String, port: Int, mediaPort: Int) throws {
        output = Pipe()
        process.executableURL = Self.executable
        process.arguments = [
            "serve", "--dev", "--data", data, "--port", String(port), "--media-port", String(mediaPort), "--host",
            "127.0.0.1",
        ]
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OVATION_") }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        self.port = port
        try process.run()
        // Its first line on the standard output is the address, told once it serves.
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Ended() }
            said += more
        }
    }

    /// A port that was free a moment ago.
    static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        return channel.localAddress?.port ?? 0
    }

    /// kill -9: no goodbye, no flush.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { if process.isRunning { kill() } }
}
