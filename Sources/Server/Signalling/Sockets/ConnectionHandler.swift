package import NIOCore
package import NIOWebSocket
import RoomModel
import Timing

/// One client's WebSocket on its event loop: frames in, liveness, the outbox out, and an orderly close.
///
/// A plain handler instead of an async channel, because ten thousand idle sockets should cost little more than their buffers.
package final class ConnectionHandler: ChannelInboundHandler {
    package typealias InboundIn = WebSocketFrame

    /// RFC 6455 allows pings at any time; with these two a dead path is found within 10 s (V19).
    static let pingInterval = TimeAmount.seconds(5)
    static let silenceLimit = TimeAmount.seconds(10)
    /// How long we wait for the other side's close frame before we close the socket.
    static let closePatience = TimeAmount.seconds(1)
    /// Frames written before the loop looks after other connections.
    private static let batch = 64
    /// Frames that wait together leave together, up to so many bytes.
    private static let gatheredBytes = 64 << 10
    /// The largest message, `media.offer`; the limit of other calls is checked once the method is known.
    package static let messageLimit = 256 << 10
    /// Browsers do not fragment; a message in more pieces than this is made to cost us work.
    private static let fragmentLimit = 64
    /// What may come before the session is open: a ticket and a name, with room to spare. Whoever has not shown a ticket shall not fill
    /// our memory.
    static let strangerLimit = 16 << 10
    /// The client's own pings. Nobody needs more than one a second; each costs an answer.
    private static let pingAllowance = Allowance(burst: 30, perSecond: 2)

    /// Why nothing is read from the socket at the moment.
    enum Obstacle: Hashable {
        /// The inbox is full: what was read before has not been handled yet.
        case inbox
        /// The client does not read what it is sent: it shall not make us write more.
        case outbound
    }

    /// How far the connection is.
    private enum Phase {
        /// Without a session; so many bytes have come.
        case stranger(bytes: Int)
        case signedIn
        /// The close frame is sent, and the other side's awaited.
        case closing
        case ended
    }

    /// The pieces of a message that have come (RFC 6455 §5.4).
    private struct Pieces {
        var bytes = ByteBuffer()
        var count = 0
    }

    private let connection: SocketConnection
    private let isDirect: Bool
    private var context: ChannelHandlerContext?
    private var output: SocketOutput?
    private var waiting = WaitingFrames()
    /// The hub has been told that something waits.
    private var isNoted = false
    private var pings: RepeatedTask?
    private var lastHeard: NIODeadline = .uptimeNanoseconds(0)
    private var pieces: Pieces?
    private var obstacles: Set<Obstacle> = []
    /// The payload of the newest ping that has not been answered, since the socket takes nothing (RFC 6455 §5.5.3: the newest is enough).
    private var pendingPong: [UInt8]?
    private var pingBudget: TokenBucket
    private var phase = Phase.stranger(bytes: 0)

    /// - Parameter isSecure: what is written is enciphered on its way through the pipeline.
    package init(_ connection: SocketConnection, isSecure: Bool = false) {
        self.connection = connection
        isDirect = !isSecure
        pingBudget = TokenBucket(Self.pingAllowance, now: connection.now)
    }

    private var isOpen: Bool {
        switch phase {
        case .stranger, .signedIn: true
        case .closing, .ended: false
        }
    }

    private var isEnded: Bool { if case .ended = phase { true } else { false } }

    package func handlerAdded(context: ChannelHandlerContext) {
        if let place = try? context.pipeline.syncOperations.context(handlerType: WebSocketFrameEncoder.self) {
            output = SocketOutput(place, isDirect: isDirect) { [weak self] in self?.goOn() }
        }
        self.context = context
        lastHeard = context.eventLoop.now
        connection.attach(self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        pings = context.eventLoop.scheduleRepeatedTask(
            initialDelay: Self.pingInterval, delay: Self.pingInterval
        ) { _ in
            let (handler, context) = bound.value
            handler.tick(context)
        }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastHeard = context.eventLoop.now
        guard !isEnded else { return }
        if case .stranger(let before) = phase {
            let bytes = before + frame.data.readableBytes
            phase = .stranger(bytes: bytes)
            guard bytes <= Self.strangerLimit else { return close(.tooLarge, context: context) }
        }
        // RFC 6455 §5.1: a server must close on an unmasked frame; §5.2: reserved bits are zero without an extension.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
            return close(.protocolError, context: context)
        }
        switch frame.opcode {
        case _ where !isOpen && frame.opcode != .connectionClose:
            break
        case .text, .continuation:
            reassemble(frame, context: context)
        case .binary:
            close(.binaryFrame, context: context)
        case .ping:
            guard pingBudget.take(now: connection.now) else { return close(.flood, context: context) }
            pendingPong = Array(frame.unmaskedData.readableBytesView)
            sendPong()
        case .connectionClose:
            if isOpen {
                phase = .closing
                // The echo of the code alone (RFC 6455 §5.5.1).
                let code = Array(frame.unmaskedData.readableBytesView.prefix(2))
                write(EncodedFrame.control(opcode: 0x8, payload: code.count == 2 ? code : []))
            }
            context.close(promise: nil)
        case .pong:
            break
        default:
            close(.protocolError, context: context)
        }
    }

    /// RFC 6455 §5.4: a text frame, then continuations up to the final one; control frames may stand between.
    private func reassemble(_ frame: WebSocketFrame, context: ChannelHandlerContext) {
        guard (frame.opcode == .text) == (pieces == nil) else { return close(.protocolError, context: context) }
        if frame.opcode == .text, frame.fin { return connection.received(frame.unmaskedData) }
        var message = pieces ?? Pieces()
        var data = frame.unmaskedData
        message.bytes.writeBuffer(&data)
        message.count += 1
        guard message.bytes.readableBytes <= Self.messageLimit, message.count <= Self.fragmentLimit else {
            return close(.tooLarge, context: context)
        }
        pieces = frame.fin ? nil : message
        if frame.fin { connection.received(message.bytes) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength:
            close(.tooLarge, context: context)
        case is NIOWebSocketError:
            close(.protocolError, context: context)
        default:
            context.close(promise: nil)
        }
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            close(.goingDown, context: context)
        case ChannelEvent.inputClosed:
            // The other side will say nothing more; half a connection is of no use.
            context.close(promise: nil)
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        goOn()
    }

    /// The socket takes bytes again, or takes none any more.
    private func goOn() {
        guard let output else { return }
        setReading(output.isFree, for: .outbound)
        sendPong()
        writeOut()
    }

    private func sendPong() {
        guard isOpen, output?.isFree == true, let payload = pendingPong else { return }
        pendingPong = nil
        write(EncodedFrame.control(opcode: 0xa, payload: payload))
    }

    /// The socket is read while nothing stands against it: what is not read waits at the sender.
    func setReading(_ isClear: Bool, for obstacle: Obstacle) {
        guard let context else { return }
        let former = obstacles.isEmpty
        if isClear { obstacles.remove(obstacle) } else { obstacles.insert(obstacle) }
        guard obstacles.isEmpty != former else { return }
        // What is not read cannot be heard: the silence counts from when reading goes on, and a client that takes nothing is found by
        // the outbox.
        lastHeard = context.eventLoop.now
        context.channel.setOption(.autoRead, value: obstacles.isEmpty).whenFailure { _ in }
    }

    /// The session is open: calls may be as large as the protocol says.
    func signedIn() {
        if case .stranger = phase { phase = .signedIn }
    }

    // MARK: What goes out, from the hub

    func wait(_ control: WaitingFrames.Control) {
        guard isOpen else { return }
        if !waiting.append(control) {
            waiting = WaitingFrames()
            close(.tooSlow)
        }
    }

    func wait(chatter frame: EncodedFrame) {
        if isOpen { waiting.append(chatter: frame) }
    }

    func forgetChatter(of room: RoomID) { waiting.forgetChatter(of: room) }

    /// The room's end is next: what waits of its chatter goes before.
    private func hurry(_ room: RoomID) {
        for frame in waiting.takeChatter(of: room) { wait(.frame(frame)) }
    }

    /// A room's news: written at once if nothing stands before them.
    func deliver(_ news: PublishedNews) {
        guard isOpen, let output else { return }
        if waiting.isEmpty, output.isFree {
            output.write(news.bytes)
            output.flush()
            noteObstacle()
        } else {
            if let control = news.control {
                if control.isEnd, let room = control.room { hurry(room) }
                wait(.frame(control.bytes))
            }
            if let chatter = news.chatter { wait(chatter: chatter) }
        }
    }

    /// Whether something waits that the hub has not been told of.
    func noteFilled() -> Bool {
        guard !isNoted, !waiting.isEmpty else { return false }
        isNoted = true
        return true
    }

    /// Writes what waits, as far as the socket takes it; `goOn` goes on.
    func writeOut() {
        isNoted = false
        guard isOpen, let output else { return }
        var count = 0
        while output.isFree, let bytes = nextBytes(&count) {
            output.write(bytes)
            if count >= Self.batch {
                output.flush()
                noteObstacle()
                guard !waiting.isEmpty, let context else { return }
                let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
                return context.eventLoop.execute { bound.value.writeOut() }
            }
        }
        output.flush()
        noteObstacle()
    }

    /// Frames that wait, as bytes that leave together.
    private func nextBytes(_ count: inout Int) -> ByteBuffer? {
        guard var bytes = waiting.next() else { return nil }
        count += 1
        while bytes.readableBytes < Self.gatheredBytes, count < Self.batch, var next = waiting.next() {
            bytes.writeBuffer(&next)
            count += 1
        }
        return bytes
    }

    /// Who does not read what it is sent is not read either.
    private func noteObstacle() {
        if output?.isFree == false { setReading(false, for: .outbound) }
    }

    /// Says why, then closes. Later reasons are ignored.
    func close(_ reason: SocketCloseReason) {
        if let context { close(reason, context: context) }
    }

    private func close(_ reason: SocketCloseReason, context: ChannelHandlerContext) {
        guard isOpen else { return }
        // Answers and news that were released before the reason arose still go out.
        while let bytes = waiting.next() { output?.write(bytes) }
        phase = .closing
        if let notice = reason.notice { output?.write(notice.bytes) }
        write(EncodedFrame.control(opcode: 0x8, payload: [UInt8(reason.code >> 8), UInt8(reason.code & 0xff)]))
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.closePatience) { bound.value.close(promise: nil) }
    }

    private func write(_ bytes: ByteBuffer) {
        output?.write(bytes)
        output?.flush()
        noteObstacle()
    }

    private func tick(_ context: ChannelHandlerContext) {
        guard !isEnded else { return }
        if context.eventLoop.now - lastHeard >= Self.silenceLimit {
            // Nobody reads a close frame on a dead path; a client that has not read for so long is one too.
            context.close(promise: nil)
        } else if isOpen {
            write(EncodedFrame.control(opcode: 0x9, payload: []))
        }
    }

    private func end() {
        guard !isEnded else { return }
        phase = .ended
        pings?.cancel()
        output = nil
        context = nil
        waiting = WaitingFrames()
        connection.ended()
    }
}
