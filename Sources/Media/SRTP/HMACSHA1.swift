internal import COpenSSL

/// HMAC-SHA1 (RFC 2104) with a fixed key. It keeps the two hash states that only depend on the key and copies them by
/// value, so that a tag costs no allocation; OpenSSL's own HMAC duplicates its state on the heap for each message.
struct HMACSHA1 {
    static let length = 20
    private static let blockLength = 64

    private var inner = SHA_CTX()
    private var outer = SHA_CTX()

    /// `key` has at most one block (64 bytes).
    init(key: [UInt8]) {
        precondition(key.count <= HMACSHA1.blockLength)
        let padded = key + [UInt8](repeating: 0, count: HMACSHA1.blockLength - key.count)
        SHA1_Init(&inner)
        SHA1_Update(&inner, padded.map { $0 ^ 0x36 }, padded.count)
        SHA1_Init(&outer)
        SHA1_Update(&outer, padded.map { $0 ^ 0x5c }, padded.count)
    }

    /// Writes the 20 bytes of the tag over `message`, followed by `trailer` in network order if there is one.
    func authenticate(
        _ message: UnsafeRawBufferPointer, trailer: UInt32?, into tag: UnsafeMutablePointer<UInt8>
    ) {
        var state = inner
        SHA1_Update(&state, message.baseAddress, message.count)
        if let trailer {
            withUnsafeBytes(of: trailer.bigEndian) { _ = SHA1_Update(&state, $0.baseAddress, $0.count) }
        }
        SHA1_Final(tag, &state)
        state = outer
        SHA1_Update(&state, tag, HMACSHA1.length)
        SHA1_Final(tag, &state)
    }
}
