internal import Timing

/// A device that was chosen for one direction of the sound.
struct LineDevice: Sendable {
    /// Grows with each choice.
    let choice: Int
    /// Whether the instants of its blocks are computed (`AudioInputDevice.hasExactTimes`).
    var hasExactTimes = false
    /// Returns when it runs, which may take seconds. What it delivers is of the run with that number.
    let start: @Sendable (_ framesPerBlock: Int, _ run: Int) throws(RoomAudioError) -> Void
    let stop: @Sendable () -> Void
}

/// Decides what becomes of the device of one direction: when it is opened and closed, and what keeps the time while it does not run.
/// Pure: it is told what happened and says what to do.
///
/// Opening and closing take their time and happen aside, one after the other. What is ordered meanwhile holds when they are done: a
/// device that nobody wants any more by then is closed, and nothing of it is heard.
struct DeviceMachine: Sendable {
    /// What is to run.
    struct Order: Sendable {
        /// nil: none.
        var device: LineDevice?
        var framesPerBlock = 480
        /// Without the device blocks come all the same, silent ones: music and buffers go by them.
        var keepsTime = false
        /// How often the microphone had been stopped by then.
        var stops = 0
    }

    /// A device that runs, or is about to; without one, what stands in for it.
    struct Run: Sendable, Equatable {
        var number: Int
        /// Of the device; nil: a stand-in.
        var choice: Int?
        var framesPerBlock: Int
    }

    /// A device that does not run although it is wanted.
    struct Outage: Sendable, Equatable {
        var choice: Int
        var error: RoomAudioError
        /// The run that failed.
        var number: Int
        var framesPerBlock: Int
        /// How often it was opened in vain since, or went away again at once.
        var attempts = 0
        /// It is tried again by itself.
        var isTriedAgain: Bool
        /// People know that it is away: they were told, or asked and heard so. Who asked and got it believes that it is there.
        var isKnown = true
    }

    enum Phase: Sendable, Equatable {
        /// No device is wanted. → opening
        case idle(standIn: Run?)
        /// A device's start is under way. `loss`: it went away before that was known. → opening (another one), running, failed, idle
        case opening(Run, standIn: Run?, after: Outage?, loss: RoomAudioError?)
        /// `after`: what it came back from, until it has run for a while. → failed, opening, idle
        case running(Run, after: Outage?)
        /// → opening, idle
        case failed(Outage, standIn: Run?)
    }

    enum Input: Sendable {
        /// `asked`: by somebody who waits for what becomes of it.
        case order(Order, asked: Int?)
        case opened
        case notOpened(RoomAudioError)
        /// The device went away in the run with that number.
        case lost(run: Int, RoomAudioError)
        /// The run with that number has lasted for `steadyTime`.
        case steady(Int)
        /// The stand-in has no thread.
        case standInFailed(Int)
        /// The time before another try of the outage with that number is over.
        case again(Int)
    }

    enum Action: Sendable {
        case open(LineDevice, Run)
        case openStandIn(Run)
        case close(Run)
        /// From now on the blocks of that run count, and no others. `stops`: of the order that it follows from.
        case select(Run?, stops: Int)
        case answer(Int, Outcome)
        case tellLoss(RoomAudioError)
        case tellReturn
        case tryAgain(Int, after: Interval)
        /// Say when the run with that number has lasted so long.
        case prove(Int, for: Interval)
    }

    /// What became of an order that somebody waits for.
    enum Outcome: Sendable, Equatable {
        case done
        /// Nothing is tried before somebody asks again.
        case failed(RoomAudioError)
        /// The device has been away, and is tried again until it is there.
        case lost(RoomAudioError)
        /// Another order took its place.
        case withdrawn
    }

    /// A device that comes back and goes away sooner was not there: its return is not told, and the next try waits longer.
    static let steadyTime = Interval.seconds(3)

    private(set) var phase = Phase.idle(standIn: nil)
    private var order = Order()
    private var asked: [Int] = []
    /// What the last device that was wanted had not come back from when it was not wanted any more. It is still away when it is
    /// wanted anew.
    private var away: Outage?
    private var runs = 0
    /// Whether a device that went away is opened again as soon as it is there.
    private let returns: Bool
    /// Whether blocks come from the first opening on. What is to be heard waits for its first loudspeaker.
    private let hasTimeAtOnce: Bool

    init(returns: Bool, hasTimeAtOnce: Bool) {
        self.returns = returns
        self.hasTimeAtOnce = hasTimeAtOnce
    }

    var isOpening: Bool { if case .opening = phase { true } else { false } }

    /// Whether blocks come.
    var hasTime: Bool {
        switch phase {
        case .idle(let standIn), .opening(_, let standIn, _, _), .failed(_, let standIn): standIn != nil
        case .running: true
        }
    }

    /// Whether the device that is wanted runs, or none is wanted.
    var isSettled: Bool {
        switch phase {
        case .idle, .running: true
        case .opening, .failed: false
        }
    }

    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .order(let order, let number): return take(order, number)
        case .opened: return opened()
        case .notOpened(let error): return notOpened(error)
        case .lost(let number, let error): return lost(number, error)
        case .steady(let number):
            guard case .running(let run, _?) = phase, run.number == number else { return [] }
            phase = .running(run, after: nil)
            return [.tellReturn]
        case .standInFailed(let number):
            standIn = standIn?.number == number ? nil : standIn
            return []
        case .again(let number):
            guard case .failed(let outage, let standIn) = phase, outage.number == number,
                let device = order.device, device.choice == outage.choice
            else { return [] }
            return open(device, standIn: standIn, after: outage)
        }
    }

    // MARK: - Orders

    private mutating func take(_ next: Order, _ number: Int?) -> [Action] {
        var actions: [Action] = []
        if next.device?.choice != order.device?.choice {
            actions = asked.map { .answer($0, .withdrawn) }
            asked = []
        }
        order = next
        if let device = next.device, device.choice != away?.choice { away = nil }
        guard let number else { return actions + settle() }
        if isOpening, next.device == nil {
            // Nothing is to be waited for: what opens is closed by itself.
            return actions + [.answer(number, .withdrawn)] + settle()
        }
        asked.append(number)
        // Whoever asks has it tried at once.
        if case .failed(let outage, _) = phase, let device = next.device, device.choice == outage.choice {
            return actions + reopen(device, after: outage)
        }
        return actions + settle()
    }

    /// Goes where the order wants it, as far as nothing has to be waited for.
    private mutating func settle() -> [Action] {
        switch phase {
        case .opening(_, let standIn, _, _): return standIn != nil || hasTimeAtOnce ? keepTime() : []
        case .running(let run, let outage):
            if run.choice == order.device?.choice, run.framesPerBlock == order.framesPerBlock {
                if var outage, !asked.isEmpty {
                    outage.isKnown = false
                    phase = .running(run, after: outage)
                }
                return answer(.done)
            }
            rest(standIn: nil, after: outage)
            // While another one is opened the time goes on.
            return [.close(run)] + keepTime() + settle()
        case .idle:
            if let device = order.device {
                let bridge = hasTimeAtOnce ? keepTime() : []
                let outage = away
                away = nil
                return bridge + open(device, standIn: standIn, after: outage)
            }
            return keepTime() + answer(.done)
        case .failed(let outage, _):
            guard order.device?.choice == outage.choice else {
                rest(standIn: standIn, after: outage)
                return settle()
            }
            // Other blocks mean that devices start anew.
            if let device = order.device, outage.framesPerBlock != order.framesPerBlock {
                return reopen(device, after: outage)
            }
            return keepTime() + answer(outage.isTriedAgain ? .lost(outage.error) : .failed(outage.error))
        }
    }

    /// The device is not wanted, or is about to be opened anew.
    private mutating func rest(standIn: Run?, after outage: Outage?) {
        phase = .idle(standIn: standIn)
        guard let outage, outage.isTriedAgain else { return }
        if order.device == nil || order.device?.choice == outage.choice { away = outage }
    }

    private mutating func reopen(_ device: LineDevice, after outage: Outage) -> [Action] {
        let time = keepTime()
        return time + open(device, standIn: standIn, after: outage.isTriedAgain ? outage : nil)
    }

    private mutating func open(_ device: LineDevice, standIn: Run?, after outage: Outage?) -> [Action] {
        let run = nextRun(of: device.choice)
        phase = .opening(run, standIn: standIn, after: outage, loss: nil)
        return [.open(device, run)]
    }

    private mutating func nextRun(of choice: Int?) -> Run {
        runs += 1
        return Run(number: runs, choice: choice, framesPerBlock: order.framesPerBlock)
    }

    private mutating func answer(_ outcome: Outcome) -> [Action] {
        defer { asked = [] }
        return asked.map { .answer($0, outcome) }
    }

    // MARK: - The stand-in

    private var standIn: Run? {
        get {
            switch phase {
            case .idle(let standIn), .opening(_, let standIn, _, _), .failed(_, let standIn): standIn
            case .running: nil
            }
        }
        set {
            switch phase {
            case .idle: phase = .idle(standIn: newValue)
            case .opening(let run, _, let outage, let loss):
                phase = .opening(run, standIn: newValue, after: outage, loss: loss)
            case .failed(let outage, _): phase = .failed(outage, standIn: newValue)
            case .running: break
            }
        }
    }

    /// Begins, changes or ends the stand-in, as the order has it.
    private mutating func keepTime() -> [Action] {
        let former = standIn
        if order.keepsTime, former?.framesPerBlock == order.framesPerBlock { return [] }
        let close: [Action] = former.map { [.close($0)] } ?? []
        guard order.keepsTime else {
            standIn = nil
            return close + [select(nil)]
        }
        let run = nextRun(of: nil)
        standIn = run
        return close + [.openStandIn(run), select(run)]
    }

    private func select(_ run: Run?) -> Action { .select(run, stops: order.stops) }

    // MARK: - What happens

    private mutating func opened() -> [Action] {
        guard case .opening(let run, let standIn, let outage, let loss) = phase else { return [] }
        guard order.device?.choice == run.choice else {
            rest(standIn: standIn, after: outage)
            return [.close(run)] + settle()
        }
        phase = .running(run, after: outage)
        var actions = [select(run)]
        if let standIn { actions.append(.close(standIn)) }
        if let loss { return actions + lost(run.number, loss) }
        if outage != nil { actions.append(.prove(run.number, for: Self.steadyTime)) }
        return actions + settle()
    }

    private mutating func notOpened(_ error: RoomAudioError) -> [Action] {
        guard case .opening(let run, let standIn, let former, _) = phase, let choice = run.choice else { return [] }
        guard order.device?.choice == choice else {
            rest(standIn: standIn, after: former)
            return settle()
        }
        // Whoever asks hears of it and may ask again; what was only needed anew is as good as lost.
        return fail(run, of: choice, error, after: former, isTriedAgain: returns && asked.isEmpty, standIn: standIn)
    }

    private mutating func lost(_ number: Int, _ error: RoomAudioError) -> [Action] {
        switch phase {
        case .opening(let run, let standIn, let outage, _) where run.number == number:
            phase = .opening(run, standIn: standIn, after: outage, loss: error)
            return []
        case .running(let run, let former) where run.number == number:
            guard let choice = run.choice else { return [] }
            return [.close(run)] + fail(run, of: choice, error, after: former, isTriedAgain: returns, standIn: nil)
        default: return []
        }
    }

    /// The device does not run although it is wanted. Whoever asks hears it in the answer; else it is told of once.
    private mutating func fail(
        _ run: Run, of choice: Int, _ error: RoomAudioError, after former: Outage?, isTriedAgain: Bool, standIn: Run?
    ) -> [Action] {
        let isTold = asked.isEmpty && former?.isKnown != true
        let outage = Outage(
            choice: choice, error: error, number: run.number, framesPerBlock: run.framesPerBlock,
            attempts: former.map { $0.attempts + 1 } ?? 0, isTriedAgain: former?.isTriedAgain ?? isTriedAgain)
        phase = .failed(outage, standIn: standIn)
        return (isTold ? [.tellLoss(error)] : []) + settle() + tryAgain(outage)
    }

    private func tryAgain(_ outage: Outage) -> [Action] {
        guard outage.isTriedAgain else { return [] }
        return [.tryAgain(outage.number, after: .seconds(1 << Int64(min(outage.attempts, 4))))]
    }
}
