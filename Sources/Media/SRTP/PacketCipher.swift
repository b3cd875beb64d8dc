internal import COpenSSL

/// Encrypts and authenticates with one set of session keys, in one direction, RTP and RTCP alike: an initialisation
/// vector from source and index, some bytes in clear, some encrypted, a tag. It knows nothing of packets and indices.
struct PacketCipher: ~Copyable {
    enum Direction: Int32 {
        case open = 0
        case seal = 1
    }

    /// RFC 3711 §4.2: what is left of an HMAC.
    private static let truncatedTagLength = 10

    private let context: OpaquePointer
    private let profile: SRTPProfile
    /// The session salt as two big-endian numbers, filled with zeros at the end.
    private let saltHigh: UInt64
    private let saltLow: UInt64
    /// nil with GCM.
    private let hmac: HMACSHA1?

    /// nil if the master key does not fit the profile, or OpenSSL has no memory.
    init?(_ master: SRTPMasterKey, profile: SRTPProfile, use: SessionKeys.Use, direction: Direction) {
        guard let keys = SessionKeys(master, profile: profile, use: use) else { return nil }
        self.init(keys, profile: profile, direction: direction)
    }

    /// nil if OpenSSL has no memory.
    init?(_ keys: SessionKeys, profile: SRTPProfile, direction: Direction) {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        let cipher = profile == .aeadAES128GCM ? EVP_aes_128_gcm() : EVP_aes_128_ctr()
        guard EVP_CipherInit_ex(context, cipher, nil, keys.encryption, nil, direction.rawValue) == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        self.context = context
        self.profile = profile
        let salt = keys.salt + [UInt8](repeating: 0, count: 16 - keys.salt.count)
        saltHigh = salt[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        saltLow = salt[8...].reduce(0) { $0 << 8 | UInt64($1) }
        hmac = keys.authentication.isEmpty ? nil : HMACSHA1(key: keys.authentication)
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// RFC 3711 §4.1.1 and RFC 7714 §8.1, §9.1. `index` has 48 bits with RTP, 31 with RTCP.
    private func setVector(source: UInt32, index: UInt64) -> Bool {
        let high: UInt64
        let low: UInt64
        switch profile {
        case .aeadAES128GCM:
            high = saltHigh ^ UInt64(source) << 16 ^ index >> 32
            low = saltLow ^ index << 32
        case .aes128CMHMACSHA1_80:
            high = saltHigh ^ UInt64(source)
            low = saltLow ^ index << 16
        }
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            EVP_CipherInit_ex(context, nil, nil, nil, $0.bindMemory(to: UInt8.self).baseAddress, -1) == 1
        }
    }

    /// Runs bytes through the cipher; without `output` they are authenticated only (GCM).
    private func update(_ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>?) -> Bool {
        guard !input.isEmpty else { return true }
        guard let count = Int32(exactly: input.count) else { return false }
        var written: Int32 = 0
        let result = EVP_CipherUpdate(
            context, output, &written, input.bindMemory(to: UInt8.self).baseAddress, count)
        return result == 1 && written == count
    }

    // MARK: GCM

    /// Encrypts `patch`, which stands at `output` already, and `payload` to the place behind it, which may be its own; writes the tag.
    /// `clear` and then `trailer` are authenticated too.
    func sealGCM(
        source: UInt32, index: UInt64, clear: UnsafeRawBufferPointer, trailer: UInt32? = nil,
        patch: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0), payload: UnsafeRawBufferPointer,
        output: UnsafeMutablePointer<UInt8>, tag: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var written: Int32 = 0
        return setVector(source: source, index: index) && authenticate(clear, trailer)
            && update(patch, into: output) && update(payload, into: output + patch.count)
            && EVP_CipherFinal_ex(context, tag, &written) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(profile.tagLength), tag) == 1
    }

    /// Decrypts `payload` in place; false if the tag does not fit, and then the payload is spoilt.
    func openGCM(
        source: UInt32, index: UInt64, clear: UnsafeRawBufferPointer, trailer: UInt32? = nil,
        payload: UnsafeMutableRawBufferPointer, tag: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard let output = payload.bindMemory(to: UInt8.self).baseAddress else { return false }
        var written: Int32 = 0
        return setVector(source: source, index: index) && authenticate(clear, trailer)
            && update(UnsafeRawBufferPointer(payload), into: output)
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(profile.tagLength), tag) == 1
            && EVP_CipherFinal_ex(context, output, &written) == 1
    }

    private func authenticate(_ clear: UnsafeRawBufferPointer, _ trailer: UInt32?) -> Bool {
        guard update(clear, into: nil) else { return false }
        guard let trailer else { return true }
        return withUnsafeBytes(of: trailer.bigEndian) { update($0, into: nil) }
    }

    // MARK: Counter mode with HMAC

    /// Encrypts or decrypts `patch`, which stands at `output` already, and `payload` to the place behind it, which may be its own.
    func applyKeystream(
        source: UInt32, index: UInt64, patch: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        payload: UnsafeRawBufferPointer, output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        setVector(source: source, index: index) && update(patch, into: output)
            && update(payload, into: output + patch.count)
    }

    /// Writes the ten bytes of the tag over `message` and then `trailer`.
    func writeTag(
        over message: UnsafeRawBufferPointer, trailer: UInt32? = nil, into tag: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        withTag(over: message, trailer: trailer) { tag.update(from: $0, count: PacketCipher.truncatedTagLength) } != nil
    }

    /// Compares in constant time.
    func hasTag(
        _ tag: UnsafePointer<UInt8>, over message: UnsafeRawBufferPointer, trailer: UInt32? = nil
    ) -> Bool {
        withTag(over: message, trailer: trailer) {
            CRYPTO_memcmp($0, tag, PacketCipher.truncatedTagLength) == 0
        } ?? false
    }

    /// nil with GCM, which has no such tag.
    private func withTag<Result>(
        over message: UnsafeRawBufferPointer, trailer: UInt32?, _ body: (UnsafePointer<UInt8>) -> Result
    ) -> Result? {
        guard let hmac else { return nil }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: HMACSHA1.length) { full in
            guard let start = full.baseAddress else { return nil }
            hmac.authenticate(message, trailer: trailer, into: start)
            return body(UnsafePointer(start))
        }
    }
}
