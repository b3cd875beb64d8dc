/// The beginning of a JPEG as the standard wants it, without a picture that could be drawn: what the server looks at.
package enum TestJPEG {
    /// - Parameters:
    ///   - frame: the marker of the frame; 0xC0 is baseline.
    ///   - extra: whole segments before it, and `size` bytes in all.
    package static func bytes(
        width: Int = 320, height: Int = 180, frame: UInt8 = 0xC0, extra: [UInt8] = [], size: Int = 0
    ) -> [UInt8] {
        let jfif: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]
        let dimensions = [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
        let stated: [UInt8] = [0xFF, frame, 0, 11, 8] + dimensions + [1, 1, 0x11, 0]
        let scan: [UInt8] = [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let head = [0xFF, 0xD8] + jfif + extra + stated + scan
        return head + Array(repeating: 0x55, count: max(0, size - head.count - 2)) + [0xFF, 0xD9]
    }
}
