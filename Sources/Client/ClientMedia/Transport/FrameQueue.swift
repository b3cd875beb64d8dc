package import Timing

/// One encoded frame on its way out; its payload travels beside it.
package struct OutgoingFrame: Sendable, Hashable {
    /// 48 kHz; the transport adds a random start.
    package var timestamp: UInt32
    /// The first after silence (RFC 7587 §4.2).
    package var marker: Bool
    /// −dBov, 0…127 (RFC 6464).
    package var level: UInt8
    /// When its first sample was captured.
    package var captured: Instant
    /// The place in the song that was heard then, in 48 kHz ticks since its start: what a duet is put together by.
    package var songPosition: UInt32?
    /// Goes out with a copy of the frame before, where the other side takes that.
    package var carriesCopy = false

    package init(timestamp: UInt32, marker: Bool, level: UInt8, captured: Instant, songPosition: UInt32? = nil) {
        self.timestamp = timestamp
        self.marker = marker
        self.level = level
        self.captured = captured
        self.songPosition = songPosition
    }
}

/// Frames between the thread that encodes and the one that sends. Memory is taken once. Guarded by its owner's lock.
struct FrameQueue {
    /// Twenty frames of 5 ms: what waits longer than 100 ms is not worth sending.
    static let capacity = 20
    /// See `PacketStore.maximumPayload`; more does not fit a datagram with header and tag.
    static let maximumPayload = 1_275

    private var frames: [OutgoingFrame]
    private var lengths: [Int]
    private var bytes: [UInt8]
    private var first = 0
    private(set) var count = 0

    init() {
        frames = Array(
            repeating: OutgoingFrame(timestamp: 0, marker: false, level: 127, captured: .distantPast),
            count: Self.capacity)
        lengths = Array(repeating: 0, count: Self.capacity)
        bytes = Array(repeating: 0, count: Self.capacity * Self.maximumPayload)
    }

    /// False if there was no room: the oldest has made place.
    mutating func push(_ frame: OutgoingFrame, payload: UnsafeRawBufferPointer) -> Bool {
        guard payload.count <= Self.maximumPayload else { return false }
        let hasRoom = count < Self.capacity
        if !hasRoom {
            first = (first + 1) % Self.capacity
            count -= 1
        }
        let place = (first + count) % Self.capacity
        frames[place] = frame
        lengths[place] = payload.count
        bytes.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[(place * Self.maximumPayload)...]).copyMemory(from: payload)
        }
        count += 1
        return hasRoom
    }

    /// The oldest frame; its payload is copied to `buffer`.
    mutating func pop(into buffer: UnsafeMutableRawBufferPointer) -> (frame: OutgoingFrame, length: Int)? {
        guard count > 0 else { return nil }
        let place = first
        first = (first + 1) % Self.capacity
        count -= 1
        let length = min(lengths[place], buffer.count)
        bytes.withUnsafeBytes {
            buffer.copyMemory(
                from: UnsafeRawBufferPointer(
                    rebasing: $0[(place * Self.maximumPayload)..<(place * Self.maximumPayload + length)]))
        }
        return (frames[place], length)
    }
}
