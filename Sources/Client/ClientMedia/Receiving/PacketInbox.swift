internal import Platform
internal import Timing

/// Packets between the thread that receives and the one that plays. Memory is taken once; when nobody plays, the oldest
/// go.
package final class PacketInbox: Sendable {
    /// A burst after a hold-up of half a second: ten speakers at 20 ms a packet.
    static let capacity = 256
    static let maximumPayload = PacketStore.maximumPayload

    private struct State {
        var packets: [IncomingPacket]
        var lengths: [Int]
        var bytes: [UInt8]
        var first = 0
        var count = 0
        var isOpen = true
    }

    /// Held for the copy of one packet.
    private let state: Mutex<State>

    package init() {
        let none = IncomingPacket(slot: 0, sequence: 0, timestamp: 0, ssrc: 0, arrival: .distantPast)
        state = Mutex(
            State(
                packets: Array(repeating: none, count: Self.capacity),
                lengths: Array(repeating: 0, count: Self.capacity),
                bytes: Array(repeating: 0, count: Self.capacity * Self.maximumPayload)))
    }

    package func push(_ packet: IncomingPacket, _ payload: UnsafeRawBufferPointer) {
        guard payload.count <= Self.maximumPayload else { return }
        state.withLock { state in
            guard state.isOpen else { return }
            if state.count == Self.capacity {
                state.first = (state.first + 1) % Self.capacity
                state.count -= 1
            }
            let place = (state.first + state.count) % Self.capacity
            state.packets[place] = packet
            state.lengths[place] = payload.count
            state.bytes.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[(place * Self.maximumPayload)...]).copyMemory(from: payload)
            }
            state.count += 1
        }
    }

    /// The oldest packet; its payload is copied to `buffer`, which has room for `maximumPayload`.
    func pop(into buffer: UnsafeMutableRawBufferPointer) -> (packet: IncomingPacket, length: Int)? {
        state.withLock { state in
            guard state.count > 0 else { return nil }
            let place = state.first
            state.first = (state.first + 1) % Self.capacity
            state.count -= 1
            let length = state.lengths[place]
            let start = place * Self.maximumPayload
            state.bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + length]))
            }
            return (state.packets[place], length)
        }
    }

    /// Nothing is taken any more: the path that fills it is given up.
    func close() {
        state.withLock { state in
            state.isOpen = false
            state.count = 0
        }
    }
}
