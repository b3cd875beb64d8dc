import RoomModel
import RoomPorts
import Synchronization

/// Carries what rooms say to each other when the simulation says so, in its order, or loses it.
final class SimulatedBus: EventBus {
    let parcels: AsyncStream<RoomParcel>
    private let waiting = Mutex<[RoomParcel]>([])

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: RoomParcel.self)
        continuation.finish()
        parcels = stream
    }

    func send(_ parcel: RoomParcel) { waiting.withLock { $0.append(parcel) } }

    var hasParcels: Bool { waiting.withLock { !$0.isEmpty } }
    func take() -> RoomParcel? { waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
