internal import Dispatch
internal import Foundation
internal import Glibc
package import RoomPorts
internal import Synchronization

/// Finds out what strangers' files are, each in a process of its own that can do nothing else.
package final class Inspector: Sendable {
    /// Half of the cores: the other half is the server's, whatever strangers send. Each takes up to 256 MiB and forty seconds of a
    /// processor.
    private static let atOnce = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    /// Looking at a song of four minutes takes half a second. More than these are a flood, whose senders are told to come again.
    private static let mostWaiting = 16
    /// In milliseconds. On a busy machine the seconds of a processor take longer. Then it is ended, and the sender comes again: that the
    /// machine has no time says nothing of the file.
    private let patience: Int32

    /// Nobody in a room waits for a file that somebody uploads: it is looked at with what the server leaves.
    static let niceness: Int32 = 19

    package let executable: String
    private struct Line {
        var running = 0
        var waiting: [Request] = []
    }

    private struct Request {
        var path: String
        var answer: CheckedContinuation<SoundFinding, Never>
    }

    private let line = Mutex(Line())
    private let queue = DispatchQueue(label: "ovation.inspector", attributes: .concurrent)

    /// - Parameter executable: the program whose `inspect` is started.
    package init(executable: String = "/proc/self/exe", patience: Int32 = 45_000) {
        self.executable = executable
        self.patience = patience
    }

    package func look(at path: String) async -> SoundFinding {
        await withCheckedContinuation { answer in
            enum Place { case first, waiting, tooMany }
            let request = Request(path: path, answer: answer)
            let place = line.withLock { line -> Place in
                if line.running < Self.atOnce {
                    line.running += 1
                    return .first
                }
                guard line.waiting.count < Self.mostWaiting else { return .tooMany }
                line.waiting.append(request)
                return .waiting
            }
            switch place {
            case .first: start(request)
            case .waiting: break
            case .tooMany: answer.resume(returning: .busy)
            }
        }
    }

    private func start(_ request: Request) {
        // A thread that may wait: none of the cooperative ones.
        queue.async {
            request.answer.resume(returning: self.inspect(request.path))
            let next = self.line.withLock { line -> Request? in
                guard line.waiting.isEmpty else { return line.waiting.removeFirst() }
                line.running -= 1
                return nil
            }
            if let next { self.start(next) }
        }
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
        case .ended(.done), .ended(.unreadable), .broken: return .unreadable
        case .outOfTime: return .busy
        }
    }
}
