internal import Dispatch
internal import Foundation
internal import Synchronization

/// Lets so many files be read at once, and others wait for their turn.
final class InspectionLine: Sendable {
    /// Half of the cores: the other half is the server's, whatever strangers send.
    static let half = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)

    private enum Place { case first, waiting, tooMany }

    private struct Line {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let atOnce: Int
    private let mostWaiting: Int
    private let line = Mutex(Line())
    private let queue: DispatchQueue

    /// - Parameter mostWaiting: more than these are a flood, whose senders are told to come again.
    init(_ name: String, atOnce: Int = half, mostWaiting: Int) {
        self.atOnce = atOnce
        self.mostWaiting = mostWaiting
        queue = DispatchQueue(label: "ovation.\(name)", attributes: .concurrent)
    }

    /// - Parameters:
    ///   - busy: the answer if too many wait already.
    ///   - work: may block its thread.
    func run<Answer: Sendable>(busy: Answer, _ work: @escaping @Sendable () -> Answer) async -> Answer {
        await withCheckedContinuation { (answer: CheckedContinuation<Answer, Never>) in
            let task: @Sendable () -> Void = { answer.resume(returning: work()) }
            let place = line.withLock { line -> Place in
                if line.running < atOnce {
                    line.running += 1
                    return .first
                }
                guard line.waiting.count < mostWaiting else { return .tooMany }
                line.waiting.append(task)
                return .waiting
            }
            switch place {
            case .first: start(task)
            case .waiting: break
            case .tooMany: answer.resume(returning: busy)
            }
        }
    }

    private func start(_ task: @escaping @Sendable () -> Void) {
        // A thread that may wait: none of the cooperative ones.
        queue.async {
            task()
            let next = self.line.withLock { line -> (@Sendable () -> Void)? in
                guard line.waiting.isEmpty else { return line.waiting.removeFirst() }
                line.running -= 1
                return nil
            }
            if let next { self.start(next) }
        }
    }
}
