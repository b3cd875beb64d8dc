internal import RTP

/// Keeps the last frame that was sent, so that the next one can carry a copy of it (RFC 2198). Takes its memory once.
final class FrameDoubler {
    let payloadType: PayloadType
    private let kept = UnsafeMutableRawPointer.allocate(
        byteCount: RedundantPayload.maximumCopyLength, alignment: 16)
    private let joined = UnsafeMutableRawPointer.allocate(
        byteCount: RedundantPayload.headerLength + RedundantPayload.maximumLength, alignment: 16)
    /// 0: none.
    private var keptLength = 0
    private var keptTimestamp: UInt32 = 0

    init(payloadType: PayloadType) { self.payloadType = payloadType }

    deinit {
        kept.deallocate()
        joined.deallocate()
    }

    /// The frame with a copy of the one before, and the payload type to send that under; nil if it carries none. Valid until the next call.
    func doubled(
        _ frame: OutgoingFrame, _ payload: UnsafeRawBufferPointer, _ content: PayloadType
    ) -> (UnsafeRawBufferPointer, PayloadType)? {
        let offset = frame.timestamp &- keptTimestamp
        guard RedundantPayload.takesCopy(of: keptLength, offset: offset, besides: payload.count),
            let own = payload.baseAddress
        else { return nil }
        let header = RedundantPayload.header(copyOf: keptLength, offset: offset, payloadType: content)
        // A patch is written as 16 bytes: what follows it comes after.
        header.write(to: joined)
        (joined + header.count).copyMemory(from: kept, byteCount: keptLength)
        (joined + header.count + keptLength).copyMemory(from: own, byteCount: payload.count)
        return (UnsafeRawBufferPointer(start: joined, count: header.count + keptLength + payload.count), payloadType)
    }

    /// The frame has been sent.
    func keep(_ frame: OutgoingFrame, _ payload: UnsafeRawBufferPointer) {
        keptLength = 0
        guard payload.count <= RedundantPayload.maximumCopyLength, let base = payload.baseAddress else { return }
        kept.copyMemory(from: base, byteCount: payload.count)
        keptLength = payload.count
        keptTimestamp = frame.timestamp
    }
}
