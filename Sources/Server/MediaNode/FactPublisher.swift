internal import RoomPorts

/// Hands facts to the room core. If it does not keep up, levels are left out first, since the next ones replace them;
/// who came and who went is told as long as there is any room.
struct FactPublisher: Sendable {
    /// Far more than a room core that is alive ever leaves lying.
    static let capacity = 65_536
    /// Levels stop when only this much room is left.
    static let reserve = capacity / 2

    let stream: AsyncStream<MediaFact>
    private let continuation: AsyncStream<MediaFact>.Continuation
    private var room = capacity
    private var levelsLeftOut = 0

    init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    }

    mutating func publish(_ fact: MediaFact) {
        if case .levels = fact, room < Self.reserve {
            levelsLeftOut &+= 1
            // One in 64 goes through, to find out whether the consumer has caught up.
            guard levelsLeftOut % 64 == 0 else { return }
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
