/// The formats in which pictures come: those that a payload can be read of.
package enum VideoFormat: Hashable, Sendable, CaseIterable {
    case vp8
    case h264
    case vp9
    case av1
}

/// The descriptor in front of a payload, of the formats whose numbers are rewritten for each receiver.
package enum PayloadDescriptor: Hashable, Sendable {
    case vp8(VP8Descriptor)
    case vp9(VP9Descriptor)

    package var pictureID: PictureID? {
        get {
            switch self {
            case .vp8(let descriptor): descriptor.pictureID
            case .vp9(let descriptor): descriptor.pictureID
            }
        }
        set {
            switch self {
            case .vp8(var descriptor):
                descriptor.pictureID = newValue
                self = .vp8(descriptor)
            case .vp9(var descriptor):
                descriptor.pictureID = newValue
                self = .vp9(descriptor)
            }
        }
    }

    package var baseIndex: UInt8? {
        switch self {
        case .vp8(let descriptor): descriptor.baseIndex
        case .vp9(let descriptor): descriptor.baseIndex
        }
    }

    /// How much of the payload it stands for.
    package var length: Int {
        switch self {
        case .vp8(let descriptor): descriptor.length
        case .vp9(let descriptor): descriptor.length
        }
    }

    /// Writes what takes the place of the payload's first `length` bytes: 6 at most. Returns how much that is.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch self {
        case .vp8(let descriptor): descriptor.write(into: buffer)
        case .vp9(let descriptor): descriptor.write(into: buffer)
        }
    }
}

/// What forwarding must know of one packet of a picture. Read once, when the packet comes.
package struct VideoPayload: Hashable, Sendable {
    /// H.264: parameters, with which a key frame of the same timestamp begins.
    package private(set) var hasParameters = false
    /// The packet is the first that shows that its frame needs no other.
    package private(set) var isKeyFrame: Bool
    package var descriptor: PayloadDescriptor?

    /// nil for what is no payload of the format.
    package init?(_ payload: UnsafeRawBufferPointer, _ format: VideoFormat) {
        switch format {
        case .vp8:
            guard let vp8 = VP8Descriptor(payload) else { return nil }
            descriptor = .vp8(vp8)
            isKeyFrame = vp8.isKeyFrame(in: payload)
        case .h264:
            guard let content = H264Payload(payload) else { return nil }
            hasParameters = content.hasParameters
            isKeyFrame = content.startsKeyFrame
        case .vp9:
            guard let vp9 = VP9Descriptor(payload) else { return nil }
            descriptor = .vp9(vp9)
            isKeyFrame = vp9.startsKeyFrame
        case .av1:
            guard let content = AV1Payload(payload) else { return nil }
            isKeyFrame = content.startsKeyFrame
        }
    }
}
