package import RoomPorts
import Synchronization

/// A bus that keeps what is sent until a test takes it, and gives it to whoever consumes it if nobody does.
package final class RecordingBus: EventBus {
    private let waiting = Mutex<[RoomParcel]>([])
    package let parcels: AsyncStream<RoomParcel>
    private let continuation: AsyncStream<RoomParcel>.Continuation

    package init() { (parcels, continuation) = AsyncStream.makeStream() }

    package func send(_ parcel: RoomParcel) {
        waiting.withLock { $0.append(parcel) }
        continuation.yield(parcel)
    }

    /// What was sent since the last time, in its order.
    package func take() -> [RoomParcel] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
