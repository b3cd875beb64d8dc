import SeededRandom
import Testing
import Timing

@testable import ClientMedia

/// What becomes of the device of one direction, step by step.
@Suite struct DeviceMachineTests {
    private static func device(_ choice: Int) -> LineDevice {
        LineDevice(choice: choice) { (_, _) throws(RoomAudioError) in
        } stop: {
        }
    }

    private static func order(_ choice: Int?, frames: Int = 480, keepsTime: Bool = false) -> DeviceMachine.Order {
        DeviceMachine.Order(device: choice.map { device($0) }, framesPerBlock: frames, keepsTime: keepsTime)
    }

    private static let unplugged = RoomAudioError.device("unplugged")

    /// An input, with what it was told to do so far.
    private struct Told {
        var machine = DeviceMachine(returns: true, hasTimeAtOnce: true)
        var log: [String] = []
        /// The runs of devices and stand-ins that were opened and not closed.
        var open: Set<Int> = []
        /// What was closed without being open, or selected so.
        var faults: [String] = []

        /// The device's run that is under way; 0: none.
        var run: Int {
            switch machine.phase {
            case .opening(let run, _, _, _), .running(let run, _): run.number
            case .idle, .failed: 0
            }
        }

        /// The time before the next try is over.
        @discardableResult
        mutating func again() -> [String] {
            guard case .failed(let outage, _) = machine.phase else { return ["no outage"] }
            return take(.again(outage.number))
        }

        /// It goes away.
        @discardableResult
        mutating func lose() -> [String] { take(.lost(run: run, DeviceMachineTests.unplugged)) }

        /// The run of what stands in for the device; 0: none.
        var standIn: Int {
            switch machine.phase {
            case .idle(let standIn), .opening(_, let standIn, _, _), .failed(_, let standIn): standIn?.number ?? 0
            case .running: 0
            }
        }

        @discardableResult
        mutating func take(_ input: DeviceMachine.Input) -> [String] {
            switch input {
            case .opened: if machine.isOpening { open.insert(run) }
            case .standInFailed(let number): open.remove(number)
            default: break
            }
            let actions = machine.handle(input)
            for action in actions { follow(action) }
            let said = actions.map(DeviceMachineTests.word)
            log += said
            return said
        }

        private mutating func follow(_ action: DeviceMachine.Action) {
            switch action {
            case .openStandIn(let run): open.insert(run.number)
            case .close(let run): if open.remove(run.number) == nil { faults.append("close \(run)") }
            case .select(let run?, _): if !open.contains(run.number) { faults.append("select \(run)") }
            default: break
            }
        }
    }

    private static func word(_ action: DeviceMachine.Action) -> String {
        func name(_ run: DeviceMachine.Run) -> String { run.choice.map { "\($0)" } ?? "stand-in" }
        return switch action {
        case .open(let device, let run): "open \(device.choice) \(run.framesPerBlock)"
        case .openStandIn: "open stand-in"
        case .close(let run): "close \(name(run))"
        case .select(let run, _): "select \(run.map(name) ?? "none")"
        case .answer(let number, let outcome): "answer \(number) \(outcome)"
        case .tellLoss: "lost"
        case .tellReturn: "returned"
        case .tryAgain(_, let time): "again in \(time.seconds)"
        case .prove(_, let time): "steady in \(time.seconds)"
        }
    }

    @Test("V11-K a microphone that nobody wants any more when it is open is closed, and nothing of it is heard")
    func withdrawn() {
        var told = Told()
        #expect(told.take(.order(Self.order(1), asked: 1)) == ["select none", "open 1 480"])
        #expect(told.take(.order(Self.order(nil), asked: nil)) == ["answer 1 withdrawn", "select none"])
        #expect(told.take(.opened) == ["close 1", "select none"])
        #expect(told.machine.phase == .idle(standIn: nil))
    }

    @Test("V11-K what is ordered while a device opens holds when it is open: other blocks, another device")
    func meanwhile() {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        #expect(told.take(.order(Self.order(1, frames: 240), asked: nil)).allSatisfy { $0 == "select none" })
        #expect(told.take(.opened) == ["select 1", "close 1", "select none", "select none", "open 1 240"])
        #expect(told.take(.order(Self.order(2, frames: 240), asked: 7)).allSatisfy { $0 == "select none" })
        #expect(told.take(.opened) == ["close 1", "select none", "open 2 240"])
        #expect(told.take(.opened) == ["select 2", "answer 7 done"])
    }

    @Test("V11-K an error reaches whoever asked; a device that was asked for is not tried again by itself")
    func asked() {
        var told = Told()
        told.take(.order(Self.order(1), asked: 3))
        #expect(told.take(.notOpened(Self.unplugged)).last == "answer 3 failed(unplugged)")
        #expect(!told.log.contains("lost") && !told.log.contains { $0.hasPrefix("again") })
        // Whoever asks once more has it tried once more.
        #expect(told.take(.order(Self.order(1), asked: 4)).last == "open 1 480")
        #expect(told.take(.opened) == ["select 1", "answer 4 done"])
    }

    @Test("V11-K a microphone that goes away is told of once, and tried again until it is there, ever less often")
    func lost() {
        var told = Told()
        told.take(.order(Self.order(1, keepsTime: true), asked: nil))
        told.take(.opened)
        #expect(told.lose() == ["close 1", "lost", "open stand-in", "select stand-in", "again in 1.0"])
        for wait in [2.0, 4, 8, 16, 16] {
            #expect(told.again() == ["open 1 480"])
            #expect(told.take(.notOpened(Self.unplugged)) == ["again in \(wait)"])
        }
        told.again()
        #expect(told.take(.opened) == ["select 1", "close stand-in", "steady in 3.0"])
        #expect(told.take(.steady(told.run)) == ["returned"])
        #expect(told.log.count { $0 == "lost" } == 1)
    }

    @Test("V11-K a microphone that dies each time it has come back is told of once, and tried ever less often")
    func flickering() {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        told.take(.opened)
        told.lose()
        for wait in [2.0, 4, 8, 16, 16] {
            told.again()
            // Before it is known that it is open, or right after.
            if wait == 4 { told.lose() }
            told.take(.opened)
            let early = told.run
            if wait != 4 { told.lose() }
            #expect(told.log.last == "again in \(wait)")
            #expect(told.take(.steady(early)).isEmpty, "what has ended is not there")
        }
        // Other blocks have it opened anew: it has still to show that it stays.
        told.again()
        told.take(.opened)
        told.take(.order(Self.order(1, frames: 240), asked: nil))
        told.take(.opened)
        #expect(!told.log.contains("returned"))
        #expect(told.take(.steady(told.run)) == ["returned"])
        #expect(told.log.count { $0 == "lost" } == 1)
        // It has been there: its next loss is news.
        #expect(told.lose().contains("lost") && told.log.last == "again in 1.0")
    }

    @Test(
        "V11-K whoever asks for a lost microphone has it tried at once, and it goes on being tried if it is still away")
    func askedWhileLost() {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        told.take(.opened)
        told.lose()
        #expect(told.take(.order(Self.order(1), asked: 5)).last == "open 1 480")
        #expect(
            told.take(.notOpened(Self.unplugged)) == ["select none", "answer 5 lost(unplugged)", "again in 2.0"])
        told.take(.order(Self.order(1), asked: 6))
        #expect(told.take(.opened) == ["select 1", "steady in 3.0", "answer 6 done"])
        #expect(told.take(.steady(told.run)) == ["returned"])
    }

    @Test("V11-K one that dies while somebody waits for it is told to them, and tried again")
    func diedWhileAsked() {
        var told = Told()
        told.take(.order(Self.order(1), asked: 1))
        told.lose()
        #expect(
            told.take(.opened) == ["select 1", "close 1", "select none", "answer 1 lost(unplugged)", "again in 1.0"])
    }

    @Test("V11-K a microphone that is away when one sits down again is tried until it is there, and its return is told")
    func awayWhileNotWanted() {
        var told = Told()
        told.take(.order(Self.order(1), asked: 1))
        told.take(.opened)
        #expect(told.lose().contains("lost"))
        told.take(.order(Self.order(nil), asked: nil))
        #expect(told.take(.order(Self.order(1), asked: 2)).last == "open 1 480")
        #expect(told.take(.notOpened(Self.unplugged)).suffix(2) == ["answer 2 lost(unplugged)", "again in 2.0"])
        #expect(told.again() == ["open 1 480"])
        // Not wanted while it opens, nor in its first seconds.
        told.take(.order(Self.order(nil), asked: nil))
        told.take(.opened)
        told.take(.order(Self.order(1), asked: nil))
        told.take(.opened)
        told.take(.order(Self.order(nil), asked: nil))
        told.take(.order(Self.order(1), asked: nil))
        #expect(told.take(.opened).last == "steady in 3.0")
        #expect(told.take(.steady(told.run)) == ["returned"])
        // Another one is another matter.
        told.lose()
        told.take(.order(Self.order(nil), asked: nil))
        told.take(.order(Self.order(2), asked: 3))
        #expect(told.take(.notOpened(Self.unplugged)).last == "answer 3 failed(unplugged)")
    }

    @Test("V11-K whoever asked for a microphone, got it and loses it at once is told so, once")
    func lostAfterAnAnswer() {
        var told = Told()
        told.take(.order(Self.order(1), asked: 1))
        told.take(.opened)
        told.lose()
        told.take(.order(Self.order(1), asked: 2))
        #expect(told.take(.opened).last == "answer 2 done")
        #expect(told.lose().contains("lost") && told.log.last == "again in 2.0")
        told.again()
        told.take(.opened)
        told.lose()
        #expect(told.log.count { $0 == "lost" } == 2 && told.log.last == "again in 4.0")
    }

    @Test("V11-K that an earlier run of a microphone has gone away says nothing of the one that is opened anew")
    func earlierRun() {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        told.take(.opened)
        let earlier = told.run
        told.take(.order(Self.order(1, frames: 240), asked: nil))
        #expect(told.take(.lost(run: earlier, Self.unplugged)).isEmpty)
        #expect(told.take(.opened) == ["select 1"])
        #expect(told.take(.lost(run: earlier, Self.unplugged)).isEmpty && told.machine.isSettled)
        #expect(told.lose().contains("lost"))
    }

    @Test("V11-K blocks are selected for the wish that they were ordered for, however late the microphone opens")
    func wishes() {
        func stops(_ actions: [DeviceMachine.Action]) -> [Int] {
            actions.compactMap { if case .select(_?, let stops) = $0 { stops } else { nil } }
        }
        var machine = DeviceMachine(returns: true, hasTimeAtOnce: true)
        var order = Self.order(1)
        _ = machine.handle(.order(order, asked: nil))
        // It is stopped and started while it opens: it is opened for the second wish.
        _ = machine.handle(.order(DeviceMachine.Order(), asked: nil))
        order.stops = 1
        _ = machine.handle(.order(order, asked: nil))
        #expect(stops(machine.handle(.opened)) == [1])
    }

    @Test("V11-K another device ends the wait for the one that went away")
    func another() throws {
        var told = Told()
        told.take(.order(Self.order(1), asked: nil))
        told.take(.opened)
        let former = told.run
        told.lose()
        guard case .failed(let outage, _) = told.machine.phase else { throw Self.unplugged }
        #expect(told.take(.order(Self.order(2), asked: nil)).last == "open 2 480")
        told.take(.opened)
        #expect(told.take(.again(outage.number)).isEmpty)
        #expect(told.take(.lost(run: former, Self.unplugged)).isEmpty)
        #expect(told.machine.isSettled)
    }

    @Test("V11-K a loudspeaker that went away gives way to none, and is not tried again")
    func output() {
        var machine = DeviceMachine(returns: false, hasTimeAtOnce: false)
        _ = machine.handle(.order(Self.order(1, keepsTime: true), asked: nil))
        _ = machine.handle(.opened)
        #expect(
            machine.handle(.lost(run: 1, Self.unplugged)).map(Self.word)
                == ["close 1", "lost", "open stand-in", "select stand-in"])
    }

    @Test(
        "V11-K whatever is ordered and happens: all that was opened is closed once, and every question is answered once"
    )
    func anyOrder() {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            // Of an input, an output, and those that nobody has.
            var told = Told()
            told.machine = DeviceMachine(returns: seed % 2 == 0, hasTimeAtOnce: seed % 4 < 2)
            var questions = 0
            for _ in 0..<40 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0...1:
                    let isAsked = random.chance(0.5)
                    if isAsked { questions += 1 }
                    told.take(
                        .order(
                            Self.order(
                                random.chance(0.3) ? nil : Int.random(in: 1...3, using: &random),
                                frames: random.chance(0.5) ? 480 : 240, keepsTime: random.chance(0.5)),
                            asked: isAsked ? questions : nil))
                case 2...3 where told.machine.isOpening:
                    told.take(random.chance(0.6) ? .opened : .notOpened(Self.unplugged))
                case 4: told.take(.lost(run: max(1, told.run - (random.chance(0.7) ? 0 : 1)), Self.unplugged))
                case 5: if case .failed = told.machine.phase { told.again() }
                case 6: told.take(.steady(told.run))
                case 7 where random.chance(0.3): told.take(.standInFailed(told.standIn))
                default: break
                }
                // The device, or what stands in for it.
                #expect(told.open.count <= 1, "seed \(seed)")
            }
            told.take(.order(DeviceMachine.Order(), asked: nil))
            if told.machine.isOpening { told.take(.opened) }
            #expect(told.machine.phase == .idle(standIn: nil), "seed \(seed)")
            #expect(told.open.isEmpty && told.faults.isEmpty, "seed \(seed): \(told.open) \(told.faults)")
            let answers = told.log.filter { $0.hasPrefix("answer") }.compactMap { Int($0.split(separator: " ")[1]) }
            #expect(answers.sorted() == Array(1..<(questions + 1)), "seed \(seed): \(told.log)")
        }
    }
}
