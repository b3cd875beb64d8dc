#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Addresses that a webhook may reach: a stranger's name must not lead into the operator's own network, or to this machine.
package enum PublicAddress {
    /// Whether the address, as text, is one of the public Internet (IANA's registries of special addresses).
    package static func isPublic(_ text: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return isPublic(four: UInt32(bigEndian: four.s_addr)) }
        var six = in6_addr()
        // A zone names a link.
        guard !text.contains("%"), inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        func word(_ index: Int) -> UInt32 { bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        // Mapped (::ffff:0:0/96), and translated (64:ff9b::/96).
        if word(0) == 0, word(4) == 0, word(8) == 0xffff { return isPublic(four: word(12)) }
        if word(0) == 0x0064_ff9b, word(4) == 0, word(8) == 0 { return isPublic(four: word(12)) }
        // 6to4 carries an address of the older kind.
        if word(0) >> 16 == 0x2002 { return isPublic(four: word(0) << 16 | word(4) >> 16) }
        // Global unicast is 2000::/3, but for Teredo and its like, and what documents use.
        guard word(0) >> 29 == 1 else { return false }
        return word(0) >> 9 != 0x2001_0000 >> 9 && word(0) != 0x2001_0db8 && word(0) >> 12 != 0x3fff_0000 >> 12
    }

    private static let special: [(UInt32, Int)] = [
        (0x0000_0000, 8), (0x0a00_0000, 8), (0x6440_0000, 10), (0x7f00_0000, 8), (0xa9fe_0000, 16), (0xac10_0000, 12),
        (0xc000_0000, 24), (0xc000_0200, 24), (0xc058_6300, 24), (0xc0a8_0000, 16), (0xc612_0000, 15),
        (0xc633_6400, 24), (0xcb00_7100, 24), (0xe000_0000, 3),
    ]

    private static func isPublic(four: UInt32) -> Bool {
        !special.contains { prefix, bits in four >> (32 - bits) == prefix >> (32 - bits) }
    }
}
