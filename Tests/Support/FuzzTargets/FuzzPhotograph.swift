import MediaCodecs

/// The heads of pictures as cameras and programs write them: any bytes are no picture, or one that begins with its format's mark, has a size,
/// and does not change by what stands behind it.
package func fuzzPhotograph(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let head = PictureHead(bytes) else { return 0 }
    precondition(head.width > 0 && head.height > 0)
    switch head.format {
    case .jpeg: precondition(bytes.starts(with: [0xFF, 0xD8]) && max(head.width, head.height) <= 65_535)
    case .png: precondition(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    case .webp: precondition(bytes.starts(with: Array("RIFF".utf8)) && max(head.width, head.height) <= 1 << 24)
    }
    precondition(head.format == .webp || !head.isAnimated)
    precondition(PictureHead(bytes + [0xFF, 0xD9, 0]) == head)
    return 0
}
