internal import ClientMedia
internal import Dispatch
internal import Synchronization
internal import Timing

extension RoomAudio {
    /// The network quality of the last seconds, measured on the media path. For the other singers see `RoomState.network`.
    public var networkReading: NetworkReading { network.withLock { $0.reading } }

    /// Looks at the network every now and then, as long as this object lives and is not closed.
    func observeNetwork() {
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .milliseconds(Int(NetworkObserver.interval.milliseconds))
        ) { [weak self] in
            guard let self, connection != .closed else { return }
            // On the engine's queue, behind whatever device is being opened there.
            work { [weak self] engine in
                self?.observeNetwork(engine)
                self?.observeNetwork()
            }
        }
    }

    private func observeNetwork(_ engine: AudioEngine) {
        let told = engine.statistics()
        var counts = NetworkObserver.Counts()
        counts.isConnected = connection == .connected
        if let path = told.path {
            counts.received = path.packetsReceived
            counts.missing = path.packetsMissing
            counts.lossSent = path.lossSent
            // The signalling's way is measured from the start, and nearly the same.
            counts.roundTrip = path.roundTrip ?? signallingRoundTrip
        }
        counts.wait = told.slots.filter { $0.received > 0 }.map(\.targetDelay).max()
        let changed = network.withLock { observer -> NetworkReading? in
            observer.take(counts) ? observer.reading : nil
        }
        if let changed { broadcast.send(.networkChanged(changed)) }
        if counts.isConnected { lookedAt.withLock { $0 }?(counts) }
    }

    /// With each look at an open way.
    func lookAtNetwork(_ look: @escaping @Sendable (NetworkObserver.Counts) -> Void) {
        lookedAt.withLock { $0 = Callback(look) }
    }
}
