internal import RoomPorts

/// Hands facts to the room core. If it does not keep up, measurements are left out first, since the next ones replace them;
/// who came and who went is told as long as there is any room.
struct FactPublisher: Sendable {
    /// Far more than a room core that is alive ever leaves lying.
    static let capacity = 65_536
    /// Measurements stop when only this much room is left.
    static let reserve = capacity / 2

    let stream: AsyncStream<MediaFact>
    private let continuation: AsyncStream<MediaFact>.Continuation
    private var room = capacity
    private var leftOut = 0

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    mutating func publish(_ fact: MediaFact) {
        if fact.isMeasurement, room < Self.reserve {
            leftOut &+= 1
            // One in 64 goes through, to find out whether the consumer has caught up.
            guard leftOut % 64 == 0 else { return }
        }
        yield(fact)
    }

    private mutating func yield(_ fact: MediaFact) {
        switch continuation.yield(fact) {
        case .enqueued(let remaining): room = remaining
        case .dropped: room = 0
        case .terminated: break
        @unknown default: break
        }
    }

    func finish() { continuation.finish() }
}

extension MediaFact {
    fileprivate var isMeasurement: Bool {
        switch self {
        case .levels, .network: true
        case .connected, .lost, .recovered, .closed: false
        }
    }
}
