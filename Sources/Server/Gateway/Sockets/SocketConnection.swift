import DequeModule
import NIOCore
import RoomPorts
import Synchronization
import Timing

/// One client's connection as the rest of the gateway sees it, from any thread: an outbox, and a way to end it.
/// What comes in is put into an inbox and handed to the conversation one by one, so that a client's calls keep their order;
/// an idle connection has no task.
final class SocketConnection: Sendable {
    /// What happens to a conversation.
    enum Input: Sendable {
        case text(ByteBuffer)
        /// A call beyond the budget: it is answered with a refusal.
        case overBudget(ByteBuffer, retryAfterMs: Int)
        case alarm(Alarm)
        /// The connection is gone; the last input.
        case ended
    }

    /// Set by the conversation itself.
    enum Alarm: Sendable, Hashable {
        case signInDeadline
        /// The ticket's end comes near, or is there; of the ticket with that number, so that an older ticket's alarm is void.
        case ticket(number: Int, remaining: TimeAmount)
    }

    private struct Inbox {
        var waiting = Deque<Input>()
        /// A task is handing inputs over.
        var serving = false
        var ended = false
    }

    /// Calls that wait for earlier ones; rooms answer in microseconds, so more than this means that the client does not wait for us.
    private static let inboxLimit = 512

    let address: ClientAddress
    let outbox: ConnectionOutbox
    private let loop: any EventLoop
    private let handler: NIOLoopBoundBox<ConnectionHandler?>
    private let inbox = Mutex(Inbox())
    private let budget: Mutex<FloodBudget>
    private let clock: any RoomClock
    private let serve: @Sendable (SocketConnection) -> (@Sendable (Input) async -> Void)
    private let conversation: Mutex<(@Sendable (Input) async -> Void)?> = Mutex(nil)

    /// On the connection's event loop.
    /// - Parameter conversation: makes the receiver of the inputs, which come one at a time.
    init(
        address: ClientAddress, loop: any EventLoop, clock: any RoomClock,
        conversation: @escaping @Sendable (SocketConnection) -> (@Sendable (Input) async -> Void)
    ) {
        self.address = address
        self.loop = loop
        self.clock = clock
        self.budget = Mutex(FloodBudget(now: clock.now))
        self.serve = conversation
        let handler = NIOLoopBoundBox<ConnectionHandler?>(nil, eventLoop: loop)
        self.handler = handler
        self.outbox = ConnectionOutbox(
            wake: { loop.execute { handler.value?.drain() } },
            overflow: { loop.execute { handler.value?.close(.tooSlow) } })
    }

    /// Puts what is addressed to this client alone into the outbox.
    func send(_ text: [UInt8]) { outbox.enqueue(EncodedFrame(text: text), lane: .control) }

    /// Says why, then closes; from any thread. What was put into the outbox before still goes out.
    func close(_ reason: CloseReason) {
        loop.execute { [handler] in handler.value?.close(reason) }
    }

    /// Puts an alarm into the inbox later.
    func schedule(_ alarm: Alarm, in delay: TimeAmount) {
        loop.scheduleTask(in: delay) { [weak self] in self?.post(.alarm(alarm)) }
    }

    // From the handler, on the event loop.

    func attach(_ handler: ConnectionHandler) {
        self.handler.value = handler
        conversation.withLock { $0 = serve(self) }
    }

    func received(_ text: ByteBuffer) {
        switch budget.withLock({ $0.receive(now: clock.now) }) {
        case .pass: post(.text(text))
        case .refuse(let wait): post(.overBudget(text, retryAfterMs: wait))
        case .flood: handler.value?.close(.flood)
        }
    }

    func ended() {
        handler.value = nil
        post(.ended)
    }

    private func post(_ input: Input) {
        enum Next { case nothing, serve, flood }
        let next = inbox.withLock { inbox -> Next in
            guard !inbox.ended else { return .nothing }
            if case .ended = input {
                inbox.ended = true
            } else if inbox.waiting.count >= Self.inboxLimit {
                return .flood
            }
            inbox.waiting.append(input)
            guard !inbox.serving else { return .nothing }
            inbox.serving = true
            return .serve
        }
        switch next {
        case .nothing: break
        case .serve: Task { await self.handOver() }  // ends when the inbox is empty
        case .flood: close(.flood)
        }
    }

    private func handOver() async {
        let receive = conversation.withLock { $0 }
        while true {
            let input = inbox.withLock { inbox -> Input? in
                guard let input = inbox.waiting.popFirst() else {
                    inbox.serving = false
                    return nil
                }
                return input
            }
            guard let input else { return }
            await receive?(input)
            if case .ended = input { conversation.withLock { $0 = nil } }
        }
    }
}
