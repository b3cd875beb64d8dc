internal import ClientMedia
internal import Dispatch
internal import Platform
internal import Timing

/// Looks at the network of a room's media path every now and then, as long as it lives.
final class NetworkMonitor: Sendable {
    private let engine: AudioEngine
    /// Looks wait there behind whatever device is being opened.
    private let queue: DispatchQueue
    private let clock: RoomClock
    private let broadcast: EventBroadcast<RoomAudio.Event>
    private let connection: StateBox<RoomAudio.Connection>
    private let observer = Mutex(NetworkObserver())
    private let observed = Mutex<Callback<NetworkObserver.Counts>?>(nil)

    init(
        _ engine: AudioEngine, queue: DispatchQueue, clock: RoomClock, broadcast: EventBroadcast<RoomAudio.Event>,
        connection: StateBox<RoomAudio.Connection>
    ) {
        self.engine = engine
        self.queue = queue
        self.clock = clock
        self.broadcast = broadcast
        self.connection = connection
    }

    var reading: NetworkReading { observer.withLock { $0.reading } }

    /// Calls `look` with each look at an open path.
    func onLook(_ look: @escaping @Sendable (NetworkObserver.Counts) -> Void) {
        observed.withLock { $0 = Callback(look) }
    }

    /// From now on, until the path is closed.
    func start() {
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .milliseconds(Int(NetworkObserver.interval.milliseconds))
        ) { [weak self] in
            guard let self, connection.value != .closed else { return }
            queue.async { [weak self] in
                self?.look()
                self?.start()
            }
        }
    }

    private func look() {
        let told = engine.statistics()
        var counts = NetworkObserver.Counts()
        counts.isConnected = connection.value == .connected
        if let path = told.path {
            counts.received = path.packetsReceived
            counts.missing = path.packetsMissing
            counts.lossSent = path.lossSent
            // The signalling's way is measured from the start, and nearly the same.
            counts.roundTrip = path.roundTrip ?? clock.estimator.roundTrip
        }
        counts.wait = told.slots.filter { $0.received > 0 }.map(\.targetDelay).max()
        let changed = observer.withLock { observer -> NetworkReading? in
            observer.take(counts) ? observer.reading : nil
        }
        if let changed { broadcast.send(.networkChanged(changed)) }
        if counts.isConnected { observed.withLock { $0 }?(counts) }
    }
}
