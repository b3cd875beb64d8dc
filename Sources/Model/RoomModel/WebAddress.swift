/// Addresses of pictures, as people may give them.
package enum WebAddress {
    /// Whether browsers may be told to load it: empty, `https:`, `http:`, or relative; no other scheme (`javascript:`,
    /// `data:`), no control characters, no spaces.
    package static func isAcceptable(_ text: String, bytes limit: Int) -> Bool {
        guard text.utf8.count <= limit, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != 0x5c }) else {
            return false
        }
        // A scheme is what stands before a colon, unless a slash, question mark or number sign comes first (RFC 3986
        // §4.1).
        let head = text.utf8.prefix { $0 != 0x3a && $0 != 0x2f && $0 != 0x3f && $0 != 0x23 }
        guard head.endIndex < text.utf8.endIndex, text.utf8[head.endIndex] == 0x3a else { return true }
        let scheme = String(decoding: head, as: UTF8.self).lowercased()
        return scheme == "https" || scheme == "http"
    }
}
