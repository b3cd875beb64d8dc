package import Foundation

/// The built executable as a process of its own, which can be killed.
package final class ServerProcess {
    struct Ended: Error {}

    private let process = Process()
    package let port: Int
    package var identifier: Int32 { process.processIdentifier }
    private let output: Pipe

    /// Beside the test bundle: SwiftPM builds it with the tests.
    package static var executable: URL {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0])
        return bundle.deletingLastPathComponent().appendingPathComponent("ovation")
    }

    /// Returns when it serves. Port 0: the system chooses.
    package init(data: String, port: Int, mediaPort: Int, flags: [String] = []) throws {
        output = Pipe()
        process.executableURL = Self.executable
        process.arguments =
            [
                "serve", "--dev", "--data", data, "--port", String(port), "--media-port", String(mediaPort), "--host",
                "127.0.0.1",
            ] + flags
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

    /// kill -9: no goodbye, no flush.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// It says nothing until it goes on, and takes what comes.
    package func hold() { Foundation.kill(process.processIdentifier, SIGSTOP) }

    package func goOn() { Foundation.kill(process.processIdentifier, SIGCONT) }

    deinit { if process.isRunning { kill() } }
}
