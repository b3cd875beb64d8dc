import AudioGraph
import Foundation
import Ovation
import ServerTestSupport
import Synchronization
import Testing

@testable import TRTCCompat

/// V17: what is told of the sound, and in which order.
@Suite struct SoundLogTests {
    @Test("V17-C the log tells how the sound does: its connection, the end of an input, and events that nobody took")
    func log() async throws {
        let (person, _, paper) = paperStage()
        let log = LogReader()
        person.room.setDelegate(delegate: log)
        person.room.controller.sound.attach(paper)
        paper.tell(.connectionChanged(.connected))
        paper.tell(.inputEnded(nil))
        paper.lose("too many")
        try await log.notes.line("sound events were lost: too many")
        #expect(log.notes.lines.prefix(2) == ["sound connection: connected", "the input has ended"])
    }

    @Test("V17-C what is told is told in order, however often the queue is changed meanwhile")
    func queues() async {
        let queue = CallbackQueue()
        let heard = Mutex<[Int]>([])
        let (done, finish) = AsyncStream.makeStream(of: Void.self)
        let queues = (0..<4).map { DispatchQueue(label: "app \($0)", attributes: $0 == 2 ? .concurrent : []) }
        queue.use(queues[0])
        // The first queue is busy; what comes after it goes to others.
        let gate = DispatchSemaphore(value: 0)
        queues[0].async { gate.wait() }
        for number in 0..<400 {
            if number % 7 == 3 { queue.use(queues[number % 4]) }
            queue.run { heard.withLock { $0.append(number) } }
        }
        queue.run { finish.finish() }
        #expect(heard.withLock { $0 }.isEmpty)
        gate.signal()
        for await _ in done {}
        #expect(heard.withLock { $0 } == Array(0..<400))
    }
}
