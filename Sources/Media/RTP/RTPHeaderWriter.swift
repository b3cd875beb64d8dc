package import Wire

/// Writes an RTP header straight into a packet buffer: the fixed part at once, then contributing sources, then header
/// extensions in the one-byte form of RFC 8285, or the two-byte form where `form` says so.
///
/// A view: it must not outlive the buffer. Everything that does not fit makes `finish()` nil.
package struct RTPHeaderWriter {
    package enum ExtensionForm: Sendable {
        case oneByte
        case twoByte
    }

    private var writer: ByteWriter
    private var csrcCount: UInt8 = 0
    /// Where the extension's profile word lies, once one was added.
    private var extensionStart: Int?
    private var isValid = true
    private let form: ExtensionForm

    package init(
        into buffer: UnsafeMutableRawBufferPointer, marker: Bool = false, payloadType: PayloadType,
        sequenceNumber: SequenceNumber16, timestamp: RTPTimestamp, ssrc: SSRC, form: ExtensionForm = .oneByte
    ) {
        self.form = form
        writer = ByteWriter(buffer)
        writer.write(UInt8(0x80))
        writer.write(payloadType.rawValue | (marker ? 0x80 : 0))
        writer.write(sequenceNumber.rawValue)
        writer.write(timestamp.rawValue)
        writer.write(ssrc.rawValue)
    }

    /// At most 15, before any extension.
    package mutating func add(csrc: SSRC) {
        guard csrcCount < 15, extensionStart == nil else {
            isValid = false
            return
        }
        writer.write(csrc.rawValue)
        csrcCount += 1
    }

    package mutating func add(_ level: AudioLevel, id: UInt8) {
        guard begin(id: id, length: 1) else { return }
        writer.write(level.byte)
    }

    package mutating func add(_ mid: Mid, id: UInt8) {
        guard begin(id: id, length: mid.count) else { return }
        for index in 0..<mid.count { writer.write(mid[index]) }
    }

    package mutating func add(extension value: UnsafeRawBufferPointer, id: UInt8) {
        guard begin(id: id, length: value.count) else { return }
        writer.write(bytes: value)
    }

    /// The length of the header, nil if it did not fit or an extension's id or length cannot be written in this form.
    package mutating func finish() -> Int? {
        var firstByte = 0x80 | csrcCount
        if let extensionStart {
            let body = writer.count - extensionStart - 4
            writer.writeZeros((4 - body % 4) % 4)
            let words = (writer.count - extensionStart - 4) / 4
            guard words <= Int(UInt16.max) else { return nil }
            writer.overwrite(at: extensionStart + 2, with: UInt16(words))
            firstByte |= 0x10
        }
        guard isValid, !writer.overflowed else { return nil }
        writer.bytes[0] = firstByte
        return writer.count
    }

    /// Writes an element's head. RFC 8285 §4.2: ids 1…14, 1…16 bytes; §4.3: ids 1…255, 0…255 bytes.
    private mutating func begin(id: UInt8, length: Int) -> Bool {
        switch form {
        case .oneByte: isValid = isValid && (1...14).contains(id) && (1...16).contains(length)
        case .twoByte: isValid = isValid && id >= 1 && (0...255).contains(length)
        }
        guard isValid else { return false }
        if extensionStart == nil {
            extensionStart = writer.count
            writer.write(form == .oneByte ? HeaderExtensions.oneByteProfile : HeaderExtensions.twoByteProfile)
            writer.write(UInt16(0))
        }
        switch form {
        case .oneByte:
            writer.write(id << 4 | UInt8(length - 1))
        case .twoByte:
            writer.write(id)
            writer.write(UInt8(length))
        }
        return true
    }
}
