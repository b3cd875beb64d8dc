/// Counts pictures, in 7 or 15 bits: VP8 (RFC 7741 §4.2) and VP9 (RFC 9628 §4.2) write it alike.
package struct PictureID: Hashable, Sendable {
    package var value: UInt16
    package var isLong: Bool
}

/// What is added to the numbers in the descriptors of one layer, whose picture ids have 15 bits (`PictureIDUnwrapper`), so that a receiver
/// that is switched between layers sees them go on by one.
package struct DescriptorOffsets: Hashable, Sendable {
    /// In 15 bits.
    package var pictureID: UInt16 = 0
    package var baseIndex: UInt8 = 0
    /// In five bits. VP8 alone has one.
    package var keyIndex: UInt8 = 0

    package init() {}

    /// What makes `first` go on after `last`, the newest descriptor that was sent.
    package init(from first: PayloadDescriptor, after last: PayloadDescriptor) {
        if let next = first.pictureID, let before = last.pictureID {
            pictureID = (before.value &+ 1 &- next.value) & 0x7fff
        }
        if let next = first.baseIndex, let before = last.baseIndex { baseIndex = before &+ 1 &- next }
        if case .vp8(let first) = first, case .vp8(let last) = last, let next = first.keyIndex,
            let before = last.keyIndex
        {
            keyIndex = (before &+ 1 &- next) & 0x1f
        }
    }

    package func applied(to descriptor: PayloadDescriptor) -> PayloadDescriptor {
        var result = descriptor
        if let id = descriptor.pictureID {
            result.pictureID = PictureID(value: (id.value &+ pictureID) & 0x7fff, isLong: true)
        }
        switch result {
        case .vp8(var vp8):
            vp8.baseIndex = vp8.baseIndex.map { $0 &+ baseIndex }
            vp8.keyIndex = vp8.keyIndex.map { ($0 &+ keyIndex) & 0x1f }
            result = .vp8(vp8)
        case .vp9(var vp9):
            vp9.baseIndex = vp9.baseIndex.map { $0 &+ baseIndex }
            result = .vp9(vp9)
        }
        return result
    }
}

/// Makes one counter of 15 bits of a layer's picture ids, which may come in 7 or 15 bits and change their width.
package struct PictureIDUnwrapper: Hashable, Sendable {
    private var newest: UInt16?

    package init() {}

    /// The id in 15 bits, near to the newest.
    package mutating func unwrap(_ id: PictureID) -> PictureID {
        guard let newest else {
            self.newest = id.value
            return PictureID(value: id.value, isLong: true)
        }
        let value: UInt16
        if id.isLong {
            value = id.value
        } else {
            // −64…63 from the newest.
            let step = Int16(Int8(truncatingIfNeeded: UInt8(truncatingIfNeeded: id.value &- newest) << 1) >> 1)
            value = UInt16(truncatingIfNeeded: Int32(newest) + Int32(step)) & 0x7fff
        }
        if (value &- newest) & 0x7fff < 0x4000 { self.newest = value }
        return PictureID(value: value, isLong: true)
    }
}
