internal import Wire

/// Cuts the bytes that a connection brings into the datagrams that they carry: two bytes of length stand before each (RFC 4571 §2).
struct InboundFrames {
    static let headerLength = 2
    /// No datagram is longer: a longer one says that whoever sends does not speak this.
    static let maximumLength = DatagramSocket.slotBytes

    /// The beginning of a datagram whose rest has not come.
    private var partial: [UInt8] = []

    /// Hands on each datagram that is whole, until `body` says that it wants no more. False: nothing after this can be understood.
    mutating func take(_ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        var rest = chunk
        while !rest.isEmpty {
            if partial.isEmpty, rest.count >= Self.headerLength {
                let end = Self.headerLength + Int(rest.bigEndianUInt16(at: 0))
                guard end <= Self.headerLength + Self.maximumLength else { return false }
                if rest.count >= end {
                    let datagram = UnsafeRawBufferPointer(rebasing: rest[Self.headerLength..<end])
                    rest = UnsafeRawBufferPointer(rebasing: rest[end...])
                    // An empty one only keeps the connection alive (RFC 4571 §2).
                    if !datagram.isEmpty, !body(datagram) { return true }
                    continue
                }
            }
            let missing = partial.count < Self.headerLength ? Self.headerLength - partial.count : lack
            let taken = min(missing, rest.count)
            partial.append(contentsOf: rest[..<taken])
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            guard partial.count >= Self.headerLength else { continue }
            guard length <= Self.maximumLength else { return false }
            guard lack == 0 else { continue }
            defer { partial.removeAll(keepingCapacity: true) }
            guard length > 0 else { continue }
            let goesOn = partial.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[Self.headerLength...])) }
            if !goesOn { return true }
        }
        return true
    }

    /// Of the datagram that has begun.
    private var length: Int { Int(partial[0]) << 8 | Int(partial[1]) }
    private var lack: Int { Self.headerLength + length - partial.count }
}
