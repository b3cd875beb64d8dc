internal import Glibc
package import Wire

extension IPAddress {
    /// Reads "192.0.2.1" or "2001:db8::1"; nil for anything else, names and zones included.
    package init?(text: String) {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(high: 0, low: 0xffff_0000_0000 | UInt64(UInt32(bigEndian: v4.s_addr)))
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self = withUnsafeBytes(of: &v6) { bytes in
            IPAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// "192.0.2.1" or "2001:db8::1" (RFC 5952).
    package var text: String {
        if isIPv4 {
            return (0..<4).map { String(UInt8(truncatingIfNeeded: low >> (24 - 8 * $0))) }.joined(separator: ".")
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let bytes = [high.bigEndian, low.bigEndian]
            guard let start = buffer.baseAddress,
                inet_ntop(AF_INET6, bytes, start, socklen_t(buffer.count)) != nil
            else { return "" }
            return String(cString: start)
        }
    }
}
