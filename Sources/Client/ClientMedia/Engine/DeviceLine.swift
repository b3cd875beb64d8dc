internal import Dispatch
internal import Platform
internal import Timing

/// One direction of an engine's sound, with its devices: carries out what the `DeviceMachine` says, on a queue of its own.
///
/// Whoever orders something never waits, except who asks to.
final class DeviceLine: Sendable {
    typealias Reply = @Sendable (DeviceMachine.Outcome) -> Void
    typealias Later =
        @Sendable (_ after: Interval, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> Void

    /// What a line does to the side of the engine that works on its blocks.
    struct Ends: Sendable {
        /// What stands in for a device.
        let standIn: LineDevice
        /// From now on the blocks of that run count, and no others.
        let select: @Sendable (DeviceMachine.Run?, LineDevice?, _ stops: Int) -> Void
        let tell: @Sendable (News) -> Void
    }

    enum News: Sendable {
        /// The device did not start when it was needed, or went away.
        case lost(RoomAudioError)
        /// It is there again.
        case returned
    }

    private struct State {
        var machine: DeviceMachine
        var replies: [Int: Reply] = [:]
        var lastReply = 0
    }

    private let ends: Ends
    private let queue: DispatchQueue
    private let later: Later
    /// Held for a step of the machine.
    private let state: Mutex<State>
    /// The devices that are to be closed.
    private let closing = DispatchGroup()
    /// What was started and not stopped, by the numbers of the runs.
    private let running = Mutex<[Int: LineDevice]>([:])

    init(_ name: String, _ machine: DeviceMachine, later: @escaping Later = DeviceLine.later, _ ends: Ends) {
        queue = DispatchQueue(label: "ovation.audio.\(name)")
        state = Mutex(State(machine: machine))
        self.later = later
        self.ends = ends
    }

    static let later: Later = { time, queue, body in
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(time.nanoseconds)), execute: body)
    }

    var machine: DeviceMachine { state.withLock { $0.machine } }

    /// - Parameter reply: hears once what became of the order, on the line's queue; that it was withdrawn, from whoever withdrew it.
    /// - Returns: who waited for what is not wanted any more. They need not wait until a device is open: the caller tells them so, without
    ///   a lock.
    func order(_ order: DeviceMachine.Order, _ reply: Reply? = nil) -> [Reply] {
        step { state in
            guard let reply else { return .order(order, asked: nil) }
            state.lastReply += 1
            state.replies[state.lastReply] = reply
            return .order(order, asked: state.lastReply)
        }
    }

    /// The device has gone in that run; from any thread.
    func lost(run: Int, _ error: RoomAudioError) { handle(.lost(run: run, error)) }

    /// Returns when everything that was ordered is done, but for a device that is being opened.
    func drain() {
        // The one that opens may be the next after another, which has yet to be closed.
        closing.wait()
        if !machine.isOpening { queue.sync {} }
    }

    /// Returns when everything that was ordered is done.
    func settle() {
        repeat { queue.sync {} } while machine.isOpening
        // What followed from the last opening.
        queue.sync {}
    }

    private func handle(_ input: DeviceMachine.Input) {
        for reply in step({ _ in input }) { reply(.withdrawn) }
    }

    private func step(_ input: (inout State) -> DeviceMachine.Input) -> [Reply] {
        state.withLock { state in
            let input = input(&state)
            var withdrawn: [Reply] = []
            var actions: [DeviceMachine.Action] = []
            for action in state.machine.handle(input) {
                if case .answer(let number, .withdrawn) = action {
                    if let reply = state.replies.removeValue(forKey: number) { withdrawn.append(reply) }
                    continue
                }
                // No device is closed behind one that opens, as a stand-in may be.
                if case .close(let run) = action, run.choice != nil { closing.enter() }
                actions.append(action)
            }
            // Under the lock, so that they follow each other as the machine has them.
            if !actions.isEmpty { queue.async { [self, actions] in for action in actions { carryOut(action) } } }
            return withdrawn
        }
    }

    /// On the queue.
    private func carryOut(_ action: DeviceMachine.Action) {
        switch action {
        case .open(let device, let run):
            do throws(RoomAudioError) {
                try device.start(run.framesPerBlock, run.number)
                running.withLock { $0[run.number] = device }
                handle(.opened)
            } catch {
                handle(.notOpened(error))
            }
        case .openStandIn(let run):
            do throws(RoomAudioError) {
                try ends.standIn.start(run.framesPerBlock, run.number)
                running.withLock { $0[run.number] = ends.standIn }
            } catch {
                handle(.standInFailed(run.number))
            }
        case .close(let run):
            running.withLock { $0.removeValue(forKey: run.number) }?.stop()
            if run.choice != nil { closing.leave() }
        case .select(let run, let stops):
            ends.select(run, run.flatMap { run in running.withLock { $0[run.number] } }, stops)
        case .answer(let number, let outcome): state.withLock { $0.replies.removeValue(forKey: number) }?(outcome)
        case .tellLoss(let error): ends.tell(.lost(error))
        case .tellReturn: ends.tell(.returned)
        case .tryAgain(let number, let time): later(time, queue) { [weak self] in self?.handle(.again(number)) }
        case .prove(let number, let time): later(time, queue) { [weak self] in self?.handle(.steady(number)) }
        }
    }
}
