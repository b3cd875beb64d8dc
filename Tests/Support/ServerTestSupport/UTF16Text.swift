/// A text as programs write it that do not write UTF-8.
package enum UTF16Text {
    package static func bytes(_ text: String, isBig: Bool = false) -> [UInt8] {
        text.utf16.flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
            return isBig ? [high, low] : [low, high]
        }
    }
}
