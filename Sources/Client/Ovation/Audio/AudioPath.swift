internal import ClientMedia
internal import Dispatch
internal import NIOCore
internal import Platform
internal import RoomModel
internal import SignalProtocol
internal import Timing

/// Keeps the way of one room's sound open, on the connection's event loop: carries out what the `MediaPathMachine` says, and
/// tells the sound of seats and mutes as the room has them.
final class AudioPath {
    /// More seats have no line. In choruses one more line carries the mix, for whoever does not sit (§8).
    private static let seats = 16
    private static let offerPatience = TimeAmount.seconds(10)

    private let audio: RoomAudio
    private let room: RoomID
    private let slots: Int
    private unowned let connection: SignalConnection
    private var machine = MediaPathMachine()
    private var timer: Scheduled<Void>?
    /// Grows with each offer; an answer to an older one is dropped.
    private var offers: UInt32 = 0
    private var generation = 0

    init(_ audio: RoomAudio, of state: RoomState, in connection: SignalConnection) {
        self.audio = audio
        room = state.room
        slots = min(state.seats.count, Self.seats) + (state.info.kind == .chorus ? 1 : 0)
        self.connection = connection
    }

    /// Tells the server how the way does, as long as one sings.
    func watchNetwork() {
        let bound = NIOLoopBound(WeakPath(self), eventLoop: connection.loop)
        let loop = connection.loop
        audio.network?.onLook { counts in
            loop.execute { bound.value.path?.state(counts) }
        }
    }

    private func state(_ counts: NetworkObserver.Counts) {
        let now = connection.now
        let statement = audio.teller.withLock {
            $0.statement(roundTrip: counts.roundTrip, buffer: counts.wait, at: now)
        }
        guard let statement else { return }
        // Lost, it is told again before long.
        connection.perform(.stateLatency(StateLatency(room, statement)), timeout: Self.offerPatience) { _ in }
    }

    /// A new path: what the one before it may still tell does not count.
    private func open() {
        generation += 1
        let mine = generation
        let bound = NIOLoopBound(WeakPath(self), eventLoop: connection.loop)
        let loop = connection.loop
        audio.follow { event in
            loop.execute { bound.value.path?.hear(event, of: mine) }
        }
        offer { [slots] in try $0.openPath(slots: slots) }
    }

    func handle(_ input: MediaPathMachine.Input) {
        for action in machine.handle(input, at: connection.now) {
            switch action {
            case .open: open()
            case .restart: offer { $0.offer(restartsICE: true) }
            case .close: audio.work { $0.stop() }
            }
        }
        timer?.cancel()
        timer = machine.nextDeadline.flatMap { deadline in
            guard deadline < .distantFuture else { return nil }
            let bound = NIOLoopBound(WeakPath(self), eventLoop: connection.loop)
            return connection.loop.scheduleTask(
                in: .nanoseconds(max(0, (deadline - connection.now).nanoseconds))
            ) { bound.value.path?.handle(.deadline) }
        }
        audio.show(shown)
    }

    private var shown: RoomAudio.Connection {
        switch machine.phase {
        case .idle, .offering, .connecting: machine.error.map { .failed($0) } ?? .connecting
        case .connected: .connected
        case .waiting: machine.error.map { .failed($0) } ?? (machine.isReopening ? .connecting : .lost)
        case .closed: .closed
        }
    }

    private func hear(_ event: PathEvent, of generation: Int) {
        guard generation == self.generation else { return }
        switch event {
        case .connected, .recovered: handle(.connected)
        case .lost: handle(.lost)
        case .closed: handle(.pathClosed)
        }
    }

    /// Lets the engine make an offer (on its own queue: sockets and certificates take their time), and sends it.
    private func offer(_ make: @escaping @Sendable (AudioEngine) throws -> String?) {
        offers &+= 1
        let number = offers
        let bound = NIOLoopBound(WeakPath(self), eventLoop: connection.loop)
        let loop = connection.loop
        audio.work { engine in
            let offer: Result<String, OvationError>
            do {
                guard let sdp = try make(engine) else { throw OvationError(.mediaFailed, "there is no path") }
                offer = .success(sdp)
            } catch {
                offer = .failure(error as? OvationError ?? OvationError(.mediaFailed, "\(error)"))
            }
            loop.execute { bound.value.path?.send(offer, number) }
        }
    }

    private func send(_ offer: Result<String, OvationError>, _ number: UInt32) {
        guard number == offers else { return }
        switch offer {
        case .failure(let error): handle(.refused(error))
        case .success(let sdp):
            connection.perform(
                .offerMedia(OfferMedia(room, number: number, sdp: sdp)), timeout: Self.offerPatience
            ) { [weak self] result in self?.answered(result, number) }
        }
    }

    private func answered(_ result: Result<CallAnswer, OvationError>, _ number: UInt32) {
        guard number == offers else { return }
        switch result {
        case .failure(let error) where error.code == .connectionLost: handle(.signallingLost)
        case .failure(let error): handle(.refused(error))
        case .success(.media(let answer)):
            let bound = NIOLoopBound(WeakPath(self), eventLoop: connection.loop)
            let loop = connection.loop
            handle(.answered(mediaEpoch: answer.mediaEpoch))
            audio.work { engine in
                do { try engine.accept(answer: answer.sdp) } catch {
                    let failure = OvationError(.mediaFailed, "\(error)")
                    loop.execute { bound.value.path?.rejected(failure, number) }
                }
            }
        case .success: handle(.refused(OvationError(.invalidAnswer)))
        }
    }

    private func rejected(_ error: OvationError, _ number: UInt32) {
        guard number == offers else { return }
        handle(.pathClosed)
    }

    private struct WeakPath {
        weak var path: AudioPath?
        init(_ path: AudioPath) { self.path = path }
    }
}
