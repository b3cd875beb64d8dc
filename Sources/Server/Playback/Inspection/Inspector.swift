internal import Dispatch
internal import Glibc
package import RoomPorts
internal import Synchronization

/// Finds out what strangers' files are, each in a process of its own that can do nothing else.
package final class Inspector: Sendable {
    /// Two cores' worth. Each takes up to 256 MiB and three seconds of a processor.
    private static let atOnce = 2
    /// On a busy machine three seconds of a processor take longer; then it is ended.
    private static let patience: Int32 = 15_000

    package let executable: String
    private let running = Mutex(0)
    private let queue = DispatchQueue(label: "ovation.inspector", attributes: .concurrent)

    /// - Parameter executable: the program whose `inspect` is started.
    package init(executable: String = "/proc/self/exe") { self.executable = executable }

    package func look(at path: String) async -> SoundFinding {
        let isFree = running.withLock { running in
            guard running < Self.atOnce else { return false }
            running += 1
            return true
        }
        guard isFree else { return .busy }
        return await withCheckedContinuation { continuation in
            // A thread that may wait: none of the cooperative ones.
            queue.async {
                let finding = self.inspect(path)
                self.running.withLock { $0 -= 1 }
                continuation.resume(returning: finding)
            }
        }
    }

    private func inspect(_ path: String) -> SoundFinding {
        let process: InspectorProcess
        do { process = try InspectorProcess(executable: executable, ["look"], file: path) } catch {
            return error == .cannotOpen ? .unreadable : .unavailable
        }
        guard process.waits(atMost: Self.patience) else {
            process.end()
            return .unreadable
        }
        var milliseconds: Int64 = 0
        let count = withUnsafeMutableBytes(of: &milliseconds) { process.read(into: $0) }
        switch process.result() {
        case .done where count == MemoryLayout<Int64>.size:
            let length = Int64(littleEndian: milliseconds)
            return .sound(milliseconds: length > 0 ? length : nil)
        case .noLibrary: return .noLibrary
        case .unconfined, .usage: return .unavailable
        case .done, .unreadable, nil: return .unreadable
        }
    }
}
