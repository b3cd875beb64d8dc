import Ovation
import SeededRandom
import Synchronization
import Testing

@testable import TRTCCompat

/// A mute that a lost connection swallows.
@Suite struct MuteStatementTests {
    /// A room that fails like this, call by call, and then hears.
    private final class Room: Sendable {
        let said = Mutex<[Bool]>([])
        let warned = Mutex<[OvationError.Code]>([])
        let wish = Mutex<Bool?>(true)
        let pauses = Mutex<[Duration]>([])
        private let failures: Mutex<[OvationError.Code]>
        private let meanwhile: @Sendable (Room) -> Void
        private let statement = MuteStatement()

        init(_ failures: [OvationError.Code], meanwhile: @escaping @Sendable (Room) -> Void = { _ in }) {
            self.failures = Mutex(failures)
            self.meanwhile = meanwhile
        }

        func begin() {
            statement.tell(
                MuteStatement.Listener { [self] in
                    wish.withLock { $0 }
                } say: { [self] isMuted, done in
                    said.withLock { $0.append(isMuted) }
                    let code = failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                    if code != nil { meanwhile(self) }
                    done(code.map { OvationError($0, retryAfter: $0 == .unavailable ? .milliseconds(500) : nil) })
                } wait: { [self] pause, body in
                    pauses.withLock { $0.append(pause) }
                    body()
                } warn: { [self] error in
                    warned.withLock { $0.append(error.code) }
                })
        }
    }

    @Test("V11-C a mute that a lost connection swallowed is said again when it is back, with one warning")
    func saidAgain() {
        let room = Room([.offline, .connectionLost, .timeout])
        room.begin()
        #expect(room.said.withLock { $0 } == [true, true, true, true])
        #expect(room.warned.withLock { $0 } == [.offline])
    }

    @Test("V11-C a mute that meets a server at a bad time is said again after as long as it asks for, with one warning")
    func laterAgain() {
        let room = Room([.unavailable, .rateLimited, .tooManyCalls, .unavailable])
        room.begin()
        #expect(room.said.withLock { $0 } == [true, true, true, true, true])
        #expect(
            room.pauses.withLock { $0 } == [.milliseconds(500), .seconds(1), .seconds(1), .milliseconds(500)])
        #expect(room.warned.withLock { $0 } == [.unavailable])
    }

    @Test("V11-C a mute that the room refuses is not said again")
    func refused() {
        let room = Room([.seatMuted])
        room.begin()
        #expect(room.said.withLock { $0 } == [true] && room.warned.withLock { $0 } == [.seatMuted])
    }

    @Test("V11-C a refusal that comes when the connection is back is told too")
    func refusedLater() {
        let room = Room([.offline, .timeout, .seatMuted])
        room.begin()
        #expect(room.said.withLock { $0 } == [true, true, true])
        #expect(room.warned.withLock { $0 } == [.offline, .seatMuted])
    }

    /// A line to a room, on which calls are answered, or get lost, one by one.
    private final class Line: Sendable {
        private struct Call {
            var isMuted: Bool
            var done: @Sendable (OvationError?) -> Void
        }

        private let calls = Mutex<[Call]>([])
        let said = Mutex<[Bool]>([])
        let warned = Mutex(0)
        /// What the room knows.
        let isMuted = Mutex(false)
        let wish = Mutex<Bool?>(false)
        /// How long pauses are, and what goes on after them.
        let pauses = Mutex<[(Duration, @Sendable () -> Void)]>([])
        /// Otherwise pauses take no time.
        let hasPauses: Bool
        /// Comes in between the wish and what is said of it.
        let inBetween = Mutex<(@Sendable () -> Void)?>(nil)
        let statement: MuteStatement

        init(_ statement: MuteStatement = MuteStatement(), hasPauses: Bool = false) {
            self.statement = statement
            self.hasPauses = hasPauses
        }

        var waiting: Int { calls.withLock { $0.count } }

        func tell(_ isMuted: Bool) {
            wish.withLock { $0 = isMuted }
            statement.tell(
                MuteStatement.Listener { [self] in
                    let wished = wish.withLock { $0 }
                    inBetween.withLock { $0.take() }?()
                    return wished
                } say: { [self] isMuted, done in
                    said.withLock { $0.append(isMuted) }
                    calls.withLock { $0.append(Call(isMuted: isMuted, done: done)) }
                } wait: { [self] pause, body in
                    if hasPauses { pauses.withLock { $0.append((pause, body)) } } else { body() }
                } warn: { [self] _ in
                    warned.withLock { $0 += 1 }
                })
        }

        /// - Parameter isHeard: the room has heard it, whatever becomes of its answer.
        func answer(
            _ place: Int = 0, isHeard: Bool = true, _ code: OvationError.Code? = nil, retryAfter: Duration? = nil
        ) {
            let call = calls.withLock { $0.indices.contains(place) ? $0.remove(at: place) : nil }
            guard let call else {
                Issue.record("nothing was said")
                return
            }
            if isHeard { isMuted.withLock { $0 = call.isMuted } }
            call.done(code.map { OvationError($0, retryAfter: retryAfter) })
        }
    }

    @Test("V11-C of several words that a lost connection swallowed only the last is said again, once at a time")
    func lastWord() {
        let line = Line()
        for isMuted in [true, false, true] { line.tell(isMuted) }
        for _ in 0..<3 { line.answer(isHeard: false, .timeout) }
        line.answer()
        #expect(line.said.withLock { $0 } == [true, true, true, true] && line.waiting == 0)
        // For the first word, and for the last one, which was said with the second call.
        #expect(line.warned.withLock { $0 } == 2)
    }

    @Test("V11-C whatever gets lost, and whenever answers come: the room hears the last word last")
    func anyOrder() {
        for seed in 0..<500 {
            var random = SeededGenerator(seed: UInt64(seed))
            let line = Line()
            for _ in 0..<30 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: line.tell(random.chance(0.5))
                case 1:
                    // From another thread, while a word is about to be said.
                    let isMuted = random.chance(0.5)
                    line.inBetween.withLock { $0 = { line.tell(isMuted) } }
                    line.tell(random.chance(0.5))
                case _ where line.waiting > 0:
                    let isLost = random.chance(0.5)
                    line.answer(
                        Int.random(in: 0..<line.waiting, using: &random), isHeard: !isLost || random.chance(0.5),
                        isLost
                            ? [.timeout, .connectionLost, .offline, .unavailable].randomElement(using: &random) : nil)
                default: break
                }
            }
            while line.waiting > 0 { line.answer(line.waiting - 1) }
            #expect(line.isMuted.withLock { $0 } == line.wish.withLock { $0 }, "seed \(seed)")
        }
    }

    @Test(
        "V11-C what is wished while a word waits for its time is said when that has come, once, and it comes within a minute"
    )
    func meanwhile() {
        let line = Line(hasPauses: true)
        line.tell(true)
        line.answer(isHeard: false, .unavailable, retryAfter: .seconds(3_600))
        line.tell(false)
        #expect(line.said.withLock { $0 } == [true])
        let (pause, goOn) = line.pauses.withLock { $0.removeFirst() }
        #expect(pause == .seconds(60))
        goOn()
        #expect(line.said.withLock { $0 } == [true, false])
        line.answer()
        #expect(line.waiting == 0 && line.pauses.withLock { $0.isEmpty })
    }

    @Test("V11-C a pause that ends after its room was left says nothing in the next one")
    func pauseOfEarlierRoom() {
        let line = Line(hasPauses: true)
        line.tell(true)
        line.answer(isHeard: false, .unavailable)
        line.statement.end()
        line.tell(false)
        #expect(line.said.withLock { $0 } == [true, false])
        line.pauses.withLock { $0.removeFirst() }.1()
        #expect(line.said.withLock { $0 } == [true, false] && line.waiting == 1)
    }

    @Test("V11-C what was under way when a room was left holds up no word in the next one, and nobody is warned of it")
    func nextRoom() {
        let line = Line()
        line.tell(true)
        line.statement.end()
        line.tell(false)
        #expect(line.said.withLock { $0 } == [true, false])
        line.answer(isHeard: false, .timeout)
        #expect(line.said.withLock { $0 } == [true, false] && line.warned.withLock { $0 } == 0)
    }

    @Test("V11-C a word that is said in another room while one is under way reaches that room")
    func otherRoom() {
        let first = Line()
        let second = Line(first.statement)
        first.tell(true)
        second.tell(false)
        first.wish.withLock { $0 = nil }
        first.answer(isHeard: false, .timeout)
        #expect(first.said.withLock { $0 } == [true] && second.said.withLock { $0 } == [false])
    }

    @Test("V11-C a mute that was taken back, or whose room was left, is not said again", arguments: [false, nil])
    func takenBack(_ wish: Bool?) {
        let room = Room([.offline]) { room in
            room.wish.withLock { $0 = wish }
            if wish != nil { room.begin() }
        }
        room.begin()
        #expect(room.said.withLock { $0 } == (wish == nil ? [true] : [true, false]))
    }
}
