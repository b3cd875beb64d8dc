/// The formats in which pictures come: those that a payload can be read of.
package enum VideoFormat: Hashable, Sendable {
    case vp8
    case h264
}

/// What forwarding must know of one packet of a picture. Read once, when the packet comes.
package struct VideoPayload: Hashable, Sendable {
    /// The first packet of a frame, as far as the format tells.
    package var startsFrame: Bool
    /// The frame can be shown without any other.
    package var isKeyFrame: Bool
    /// VP8's descriptor, which is rewritten for each receiver.
    package var vp8: VP8Descriptor?

    /// nil for what is no payload of the format.
    package init?(_ payload: UnsafeRawBufferPointer, _ format: VideoFormat) {
        switch format {
        case .vp8:
            guard let descriptor = VP8Descriptor(payload) else { return nil }
            vp8 = descriptor
            startsFrame = descriptor.startsFrame
            isKeyFrame = descriptor.isKeyFrame(in: payload)
        case .h264:
            guard let content = H264Payload(payload) else { return nil }
            startsFrame = content.hasParameters
            isKeyFrame = content.startsKeyFrame
        }
    }
}
