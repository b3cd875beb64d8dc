/// What the owner of a peer is to be told, in its order.
struct PeerEventQueue {
    /// Further events are left out. The owner drains after each call, so that only a flood of requests reaches this number.
    private static let capacity = 256

    private var events: [PeerEvent] = []
    private var taken = 0

    mutating func add(_ event: PeerEvent) {
        guard events.count < Self.capacity else { return }
        events.append(event)
    }

    /// Nothing comes behind it, and it is told in any case.
    mutating func addLast(_ reason: CloseReason) { events.append(.closed(reason)) }

    mutating func next() -> PeerEvent? {
        guard taken < events.count else { return nil }
        let event = events[taken]
        taken += 1
        if taken == events.count {
            events.removeAll(keepingCapacity: true)
            taken = 0
        }
        return event
    }
}
