import RoomModel
import Testing
import Timing

@testable import Ovation

@Suite struct MediaPathMachineTests {
    private var machine = MediaPathMachine()
    private var now = Instant(nanoseconds: 0)

    @discardableResult
    private mutating func tell(_ input: MediaPathMachine.Input) -> [MediaPathMachine.Action] {
        machine.handle(input, at: now)
    }

    private mutating func connect() {
        tell(.resumed(mediaEpoch: 1))
        tell(.answered(mediaEpoch: 1))
        tell(.connected)
    }

    /// Waits for the deadline, and gives back how long that was.
    private mutating func pass() -> (Interval, [MediaPathMachine.Action]) {
        guard let deadline = machine.nextDeadline else { return (.zero, []) }
        let wait = deadline - now
        now = deadline
        return (wait, machine.handle(.deadline, at: now))
    }

    @Test("entering opens the way; sound flows when the engine says so")
    mutating func opening() {
        #expect(tell(.resumed(mediaEpoch: 1)) == [.open])
        #expect(tell(.answered(mediaEpoch: 1)) == [])
        #expect(machine.phase == .connecting(until: now + .seconds(6)))
        tell(.connected)
        #expect(machine.phase == .connected && machine.nextDeadline == nil)
    }

    @Test("the first try after a loss restarts ICE, the next ones begin anew, with growing waits")
    mutating func loss() {
        connect()
        #expect(tell(.lost) == [.restart])
        tell(.answered(mediaEpoch: 1))
        #expect(pass().0 == .seconds(6))
        var waits: [Int64] = []
        for _ in 0..<7 {
            let (wait, actions) = pass()
            waits.append(wait.milliseconds)
            #expect(actions == [.open])
            tell(.refused(OvationError(.timeout)))
        }
        #expect(waits == [1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
        #expect(machine.error?.code == .timeout)
    }

    @Test("a way that comes back by itself needs nothing more")
    mutating func recovered() {
        connect()
        tell(.lost)
        tell(.connected)
        #expect(machine.phase == .connected)
        #expect(tell(.lost) == [.restart], "and the next loss begins with a restart again")
    }

    @Test("V19-K another media plane than before: the way is opened anew at once; the same one is left alone")
    mutating func epochs() {
        connect()
        tell(.signallingLost)
        #expect(machine.phase == .connected, "sound goes on without signalling")
        #expect(tell(.resumed(mediaEpoch: 1)) == [])
        tell(.signallingLost)
        #expect(tell(.resumed(mediaEpoch: 2)) == [.open])
    }

    @Test("without signalling it waits for the room to be resumed")
    mutating func noSignalling() {
        connect()
        tell(.signallingLost)
        #expect(tell(.lost) == [])
        #expect(tell(.resumed(mediaEpoch: 1)) == [.restart])
        tell(.signallingLost)
        #expect(machine.phase == .waiting(until: .distantFuture), "the answer will not come")
        #expect(tell(.resumed(mediaEpoch: 1)) == [.open])
    }

    @Test("what the server asks is waited for; a room that is over ends it")
    mutating func refusals() {
        tell(.resumed(mediaEpoch: 1))
        tell(.refused(OvationError(.mediaRefused, retryAfter: .seconds(5))))
        #expect(pass().0 == .seconds(5))
        #expect(tell(.refused(OvationError(.notInRoom))) == [.close])
        #expect(machine.phase == .closed && tell(.resumed(mediaEpoch: 5)) == [])
    }

    @Test(
        "a way that the server closes is opened anew in a moment: a failure only if that fails too, and none if the room is over"
    )
    mutating func closedByServer() {
        connect()
        #expect(tell(.pathClosed) == [])
        #expect(machine.isReopening && machine.error == nil)
        let (wait, actions) = pass()
        #expect(wait == .milliseconds(500) && actions == [.open])
        tell(.answered(mediaEpoch: 1))
        tell(.pathClosed)
        #expect(!machine.isReopening && machine.error?.code == .mediaFailed)
        #expect(pass().1 == [.open])
        tell(.answered(mediaEpoch: 1))
        tell(.connected)
        tell(.pathClosed)
        #expect(machine.isReopening, "after a way that held it begins from the front")
        #expect(tell(.stop) == [.close])
    }

    @Test("whatever happens in whatever order it is never stuck while there is signalling, and silent after the end")
    mutating func anything() {
        for seed in UInt64(1)...200 {
            var random = SplitMix64(seed: seed)
            machine = MediaPathMachine()
            now = Instant(nanoseconds: 0)
            tell(.resumed(mediaEpoch: 1))
            var hasSignalling = true
            for step in 0..<200 {
                now = now + .milliseconds(Int64((random.next() % 3_000)))
                let inputs: [MediaPathMachine.Input] = [
                    .resumed(mediaEpoch: 1 + (random.next() % 2)), .signallingLost, .answered(mediaEpoch: 1),
                    .answered(mediaEpoch: 2), .refused(OvationError(.timeout)), .connected, .lost, .pathClosed,
                    .deadline,
                    .deadline, (random.next() % 60) == 0 ? .stop : .deadline,
                ]
                let input = inputs[Int((random.next() % UInt64(inputs.count)))]
                let wasClosed = machine.phase == .closed
                let actions = tell(input)
                if wasClosed { #expect(actions.isEmpty, "seed \(seed), step \(step)") }
                if case .resumed = input { hasSignalling = true }
                if input == .signallingLost { hasSignalling = false }
                // With signalling there is an offer under way, a way, or a time at which it goes on.
                if hasSignalling, case .waiting(let until) = machine.phase {
                    #expect(until < .distantFuture, "seed \(seed), step \(step): stuck after \(input)")
                }
            }
        }
    }
}
