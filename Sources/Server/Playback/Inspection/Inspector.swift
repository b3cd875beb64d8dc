package import RoomPorts

/// Finds out what strangers' sound files are, each in a process of its own that can do nothing else.
package final class Inspector: Sendable {
    /// In milliseconds. On a busy machine the seconds of a processor take longer. Then it is ended, and the sender comes again: that the
    /// machine has no time says nothing of the file.
    private let patience: Int32

    /// Nobody in a room waits for a file that somebody uploads: it is looked at with what the server leaves.
    static let niceness: Int32 = 19

    package let executable: String
    /// Looking at a song of four minutes takes half a second. Each takes up to 256 MiB and forty seconds of a processor.
    private let line = InspectionLine("inspector", mostWaiting: 16)

    /// - Parameter executable: the program whose `inspect` is started.
    package init(executable: String = "/proc/self/exe", patience: Int32 = 45_000) {
        self.executable = executable
        self.patience = patience
    }

    package func look(at path: String) async -> SoundFinding {
        await line.run(busy: .busy) { [self] in inspect(path) }
    }

    private func inspect(_ path: String) -> SoundFinding {
        let process: InspectorProcess
        do {
            process = try InspectorProcess(executable: executable, ["look"], file: path, niceness: Self.niceness)
        } catch {
            return error == .cannotOpen ? .unreadable : .unavailable
        }
        guard process.waits(atMost: patience) else {
            process.end()
            return .busy
        }
        var milliseconds: Int64 = 0
        let count = withUnsafeMutableBytes(of: &milliseconds) { process.read(into: $0) }
        switch process.result(within: patience) {
        case .ended(.done) where count == MemoryLayout<Int64>.size:
            let length = Int64(littleEndian: milliseconds)
            return length > 0 ? .sound(milliseconds: length) : .unreadable
        case .ended(.noLibrary): return .noLibrary
        case .ended(.unconfined), .ended(.usage): return .unavailable
        case .ended(.done), .ended(.unreadable), .ended(.tooLarge), .broken: return .unreadable
        case .outOfTime: return .busy
        }
    }
}
