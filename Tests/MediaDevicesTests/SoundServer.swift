import Foundation
import Glibc

/// A sound server of our own, without hardware: what is played into its sink "ears" can be heard at "ears.monitor".
final class SoundServer {
    static let executable = ["/usr/bin/pulseaudio", "/usr/local/bin/pulseaudio"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// As in PULSE_SERVER.
    let address: String
    private let process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "ovation-pulse-\(UUID().uuidString)")

    struct DidNotStart: Error {
        let log: String
    }

    /// Returns when it is ready.
    init() throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let socket = folder.appending(path: "native").path
        address = "unix:" + socket
        process.executableURL = URL(fileURLWithPath: Self.executable ?? "/nowhere")
        process.arguments = [
            "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes",
            "--high-priority=no",
            "-v", "--log-target=stderr",
            "--load=module-native-protocol-unix socket=\(socket) auth-anonymous=1",
            "--load=module-null-sink sink_name=ears rate=48000 norewinds=1 sink_properties=device.description=Ears",
        ]
        process.environment = [
            "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C",
        ]
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("Daemon startup complete") {
            let more = log.fileHandleForReading.availableData
            if more.isEmpty { throw DidNotStart(log: text) }
            text += String(decoding: more, as: UTF8.self)
        }
        // What it says later must not fill the pipe.
        log.fileHandleForReading.readabilityHandler = { _ = $0.availableData }
    }

    /// Ends it at once, as a crash would.
    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }
}
