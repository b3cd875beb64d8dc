/// What an AV1 payload says of itself in its first byte, the aggregation header ("RTP Payload Format For AV1", §4.4). What follows is
/// forwarded as it is.
package struct AV1Payload: Hashable, Sendable {
    /// The first unit goes on from the packet before.
    package let continuesUnit: Bool
    /// A coded video sequence begins: a key frame, with the header that it needs.
    package let startsKeyFrame: Bool

    /// nil for what is no payload of AV1.
    package init?(_ payload: UnsafeRawBufferPointer) {
        guard payload.count > 1, let head = payload.first else { return nil }
        continuesUnit = head & 0x80 != 0
        startsKeyFrame = head & 0x08 != 0
        // §4.4: what begins a sequence goes on from nothing.
        guard !(continuesUnit && startsKeyFrame) else { return nil }
    }
}
