import DequeModule
package import HTTP
package import NIOCore
package import RoomModel
package import RoomPorts
package import SignalProtocol
import Synchronization
package import Timing

/// One client's connection as the rest of the gateway sees it, from any thread: what goes out, and a way to end it.
/// What comes in is put into an inbox and handed to the receiver one by one, so that a client's calls keep their order;
/// an idle connection has no task.
package final class SocketConnection: Outbox {
    /// What the receiver is told.
    package enum Input: Sendable {
        case text(ByteBuffer)
        /// A call beyond the budget: it is answered with a refusal, and nothing of it is kept but its id.
        case overBudget(CallID?, retryAfterMs: Int)
        case alarm(Alarm)
        /// The connection is gone; the last input.
        case ended
    }

    /// Set by the receiver itself.
    package enum Alarm: Sendable, Hashable {
        case signInDeadline
        /// The ticket with this number is about to expire, or has expired. An alarm of an older ticket is ignored.
        case ticket(number: Int, remaining: TimeAmount)
    }

    private struct Inbox {
        var waiting = Deque<Input>()
        /// The bytes of the texts in the inbox.
        var bytes = 0
        /// Reading from the socket has been stopped until the inbox is empty again.
        var isFull = false
        /// A task is handing inputs over.
        var serving = false
        var ended = false
    }

    /// Calls that wait for earlier ones; rooms answer in microseconds, so more than this means that the client does not wait for us.
    private static let inboxLimit = 512
    /// Texts that wait for earlier ones: one offer, or a screenful of messages. Beyond that the socket is not read until they are done
    /// with, so that the sender waits and not our memory.
    private static let inboxBytes = 256 << 10

    package let address: ClientAddress
    /// That of the connection's event loop: what goes out goes by it.
    let hub: LoopHub
    private let loop: any EventLoop
    private let attached: NIOLoopBoundBox<ConnectionHandler?>
    private let inbox = Mutex(Inbox())
    private let budget: Mutex<FloodBudget>
    private let clock: any TimeSource
    private let makeReceiver: @Sendable (SocketConnection) -> any InputReceiver
    private let receiver: Mutex<(any InputReceiver)?> = Mutex(nil)
    /// Alarms that were scheduled and have not rung. Used on the event loop.
    private let alarms: NIOLoopBoundBox<[Alarm: Scheduled<Void>]>

    /// On the connection's event loop.
    /// - Parameters:
    ///   - hub: the loop's, if other connections share it.
    ///   - receiver: makes the receiver of the inputs.
    package init(
        address: ClientAddress, loop: any EventLoop, hub: LoopHub? = nil, clock: any TimeSource,
        calls: Allowance = AdmissionLimits().calls,
        receiver makeReceiver: @escaping @Sendable (SocketConnection) -> any InputReceiver
    ) {
        self.address = address
        self.loop = loop
        self.hub = hub ?? LoopHub(loop)
        self.clock = clock
        self.budget = Mutex(FloodBudget(calls, now: clock.now))
        self.makeReceiver = makeReceiver
        alarms = NIOLoopBoundBox([:], eventLoop: loop)
        attached = NIOLoopBoundBox(nil, eventLoop: loop)
    }

    package var now: Instant { clock.now }

    /// Sends a text for this client alone.
    package func send(_ text: [UInt8]) { hub.post(.control(self, .frame(EncodedFrame(text: text).bytes))) }

    /// Sends an answer that takes long to encode. It is encoded when it is written.
    /// - Parameter size: of the text, and never less.
    package func send(size: Int, _ text: @escaping @Sendable () -> [UInt8]) {
        hub.post(.control(self, .answer(size: size, text: text)))
    }

    package func enqueue(_ news: RoomNews, lane: NewsLane) {
        let frame = EncodedFrame(news)
        switch lane {
        case .control: hub.post(.control(self, .frame(frame.bytes)))
        case .chatter: hub.post(.chatter(self, frame))
        }
    }

    /// Drops the chatter of a room that waits: the client is about to be told the whole room anew.
    func forgetChatter(of room: RoomID) { hub.post(.forgetChatter(self, of: room)) }

    /// Says why, then closes; from any thread. What was sent before still goes out.
    package func close(_ reason: SocketCloseReason) { hub.post(.close(self, reason)) }

    /// The client has proven who it is: from now on it may send more than a sign-in takes.
    func signedIn() {
        loop.execute { [attached] in attached.value?.signedIn() }
    }

    /// On the event loop; nil before the connection has one, and after its end.
    var handler: ConnectionHandler? { attached.value }

    /// Puts an alarm into the inbox later.
    func schedule(_ alarm: Alarm, in delay: TimeAmount) {
        onLoop { connection in
            guard connection.handler != nil else { return }
            let task = connection.loop.scheduleTask(in: delay) { [weak connection] in
                connection?.alarms.value[alarm] = nil
                connection?.post(.alarm(alarm))
            }
            connection.alarms.value.updateValue(task, forKey: alarm)?.cancel()
        }
    }

    /// How many alarms have been asked for and have not rung; on the event loop.
    var alarmCount: Int { alarms.value.count }

    /// Forgets what was scheduled.
    func cancelAlarms() {
        onLoop { connection in
            for alarm in connection.alarms.value.values { alarm.cancel() }
            connection.alarms.value = [:]
        }
    }

    private func onLoop(_ body: @escaping @Sendable (SocketConnection) -> Void) {
        if loop.inEventLoop { body(self) } else { loop.execute { body(self) } }
    }

    // From the handler, on the event loop.

    func attach(_ handler: ConnectionHandler) {
        attached.value = handler
        let made = makeReceiver(self)
        receiver.withLock { $0 = made }
    }

    func received(_ text: ByteBuffer) {
        switch budget.withLock({ $0.receive(text.readableBytes, now: clock.now) }) {
        case .pass: post(.text(text))
        case .refuse(let wait):
            post(.overBudget(text.withUnsafeReadableBytes { CallOutline($0).id }, retryAfterMs: wait))
        case .flood: handler?.close(.flood)
        }
    }

    func ended() {
        cancelAlarms()
        attached.value = nil
        post(.ended)
    }

    private func post(_ input: Input) {
        enum Next { case nothing, serve, flood }
        var isFull = false
        let next = inbox.withLock { inbox -> Next in
            guard !inbox.ended else { return .nothing }
            if case .ended = input {
                inbox.ended = true
            } else if inbox.waiting.count >= Self.inboxLimit {
                return .flood
            }
            inbox.waiting.append(input)
            inbox.bytes += input.bytes
            if !inbox.isFull, inbox.bytes > Self.inboxBytes {
                inbox.isFull = true
                isFull = true
            }
            guard !inbox.serving else { return .nothing }
            inbox.serving = true
            return .serve
        }
        if isFull { onLoop { $0.handler?.setReading(false, for: .inbox) } }
        switch next {
        case .nothing: break
        case .serve: Task { await self.handOver() }  // ends when the inbox is empty
        case .flood: close(.flood)
        }
    }

    private func handOver() async {
        guard let receiver = receiver.withLock({ $0 }) else { return }
        var former: Input?
        while true {
            var isEmptied = false
            let input = inbox.withLock { inbox -> Input? in
                inbox.bytes -= former?.bytes ?? 0
                if inbox.isFull, inbox.waiting.isEmpty {
                    inbox.isFull = false
                    isEmptied = true
                }
                guard let input = inbox.waiting.popFirst() else {
                    inbox.serving = false
                    return nil
                }
                return input
            }
            if isEmptied { onLoop { $0.handler?.setReading(true, for: .inbox) } }
            guard let input else { return }
            await receiver.receive(input)
            former = input
            if case .ended = input { self.receiver.withLock { $0 = nil } }
        }
    }
}

extension SocketConnection.Input {
    fileprivate var bytes: Int {
        switch self {
        case .text(let text): text.readableBytes
        case .overBudget, .alarm, .ended: 0
        }
    }
}
