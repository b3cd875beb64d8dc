package import RoomPorts

/// The event bus of a server that has all rooms to itself: a queue.
///
/// It has no bound of its own. What a room has on its way is bounded by its state, and repeats wait a second.
package final class LocalBus: EventBus {
    package let parcels: AsyncStream<RoomParcel>
    private let continuation: AsyncStream<RoomParcel>.Continuation

    package init() { (parcels, continuation) = AsyncStream.makeStream() }

    package func send(_ parcel: RoomParcel) { continuation.yield(parcel) }
}
