import RoomModel

/// What the text of a frame says it is, read from its first bytes without decoding it: enough to refuse the call under its own `id`, and
/// to know how large it may be, at a cost that does not depend on what else it says.
///
/// What cannot be found in this way is absent. A decoded call counts where the two differ.
package struct CallOutline: Sendable, Hashable {
    /// Clients write `id` and `method` before `params`.
    package static let bytesRead = 4 << 10
    /// The longest method's name has 19.
    private static let methodBytes = 32

    package private(set) var id: CallID?
    package private(set) var method: Method?

    package init(_ text: UnsafeRawBufferPointer) {
        var reader = Reader(bytes: UnsafeRawBufferPointer(rebasing: text.prefix(Self.bytesRead)))
        guard reader.take(UInt8(ascii: "{")) else { return }
        repeat {
            guard let key = reader.string(), reader.take(UInt8(ascii: ":")) else { return }
            if key.elementsEqual("id".utf8) {
                id = reader.callID()
            } else if key.elementsEqual("method".utf8), let name = reader.string(), name.count <= Self.methodBytes {
                method = Method(rawValue: String(decoding: name, as: UTF8.self))
            } else {
                reader.skipValue()
            }
        } while (id == nil || method == nil) && reader.take(UInt8(ascii: ","))
    }

    package init(_ text: [UInt8]) { self = text.withUnsafeBytes { CallOutline($0) } }

    /// The tokens of JSON (RFC 8259 §2), as far as it takes to find members of the outermost object.
    private struct Reader {
        private static let spaces: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]
        /// Those of the smallest number of 64 bits, with its sign.
        private static let digits = 20

        let bytes: UnsafeRawBufferPointer
        var position = 0

        init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skipSpace() {
            while let byte = current, Self.spaces.contains(byte) { position += 1 }
        }

        /// Whether that sign comes next; then it is behind us.
        mutating func take(_ sign: UInt8) -> Bool {
            skipSpace()
            guard current == sign else { return false }
            position += 1
            return true
        }

        /// What stands between quotation marks, as it is written; `nil` if none begins here, or ends.
        mutating func string() -> Slice<UnsafeRawBufferPointer>? {
            guard take(UInt8(ascii: "\"")) else { return nil }
            let start = position
            while let byte = current {
                position += 1
                if byte == UInt8(ascii: "\\") { position += 1 }
                if byte == UInt8(ascii: "\"") { return bytes[start..<position - 1] }
            }
            position = bytes.count
            return nil
        }

        mutating func callID() -> CallID? {
            skipSpace()
            if current == UInt8(ascii: "\"") {
                guard let text = string(), text.count <= CallID.maximumLength,
                    // An id with an escape is one that our clients do not write.
                    text.allSatisfy({ (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "\\") })
                else { return nil }
                return .string(String(decoding: text, as: UTF8.self))
            }
            let start = position
            skipValue()
            let number = bytes[start..<position].prefix { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
            guard number.count <= Self.digits,
                bytes[number.endIndex..<position].allSatisfy({ Self.spaces.contains($0) })
            else { return nil }
            return Int64(String(decoding: number, as: UTF8.self)).map(CallID.number)
        }

        /// Goes behind the value that begins here.
        mutating func skipValue() {
            var depth = 0
            while let byte = current {
                switch byte {
                case UInt8(ascii: "\""): _ = string()
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    position += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return }
                    depth -= 1
                    position += 1
                case UInt8(ascii: ",") where depth == 0: return
                default: position += 1
                }
            }
        }
    }
}
