import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// The server's executable, as a process of its own on an empty folder.
final class ServerUnderTest {
    let data: String
    let port: Int
    let mediaPort: Int
    private let process = Process()
    private let output = Pipe()

    /// Returns when it serves. `arrange` fills the folder before.
    init(executable: URL, web: String, arrange: (_ data: String) throws -> Void) async throws {
        data = NSTemporaryDirectory() + "ovation-bench-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        try arrange(data)
        port = try await Self.freePort()
        mediaPort = try await Self.freePort()
        process.executableURL = executable
        process.arguments = [
            "serve", "--dev", "--data", data, "--port", String(port), "--media-port", String(mediaPort), "--host",
            "127.0.0.1", "--web-root", web,
        ]
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OVATION_") }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Its first line is the address, told once it serves.
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchFailure("the server did not start") }
            said += more
        }
    }

    /// A port with five digits that was free a moment ago, for TCP and very likely for UDP.
    private static func freePort() async throws -> Int {
        for _ in 0..<64 {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(host: "127.0.0.1", port: 0).get()
            let port = channel.localAddress?.port ?? 0
            try await channel.close()
            if port >= 10_000 { return port }
        }
        throw BenchFailure("no port is free")
    }

    /// User and system time of the process so far, in seconds (Linux).
    var processorSeconds: Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // Fields 14 and 15, in ticks of 10 ms; after the name comes field 3.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (user + system) / 100
    }

    func stop() {
        if process.isRunning {
            process.terminate()
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: data)
    }
}
