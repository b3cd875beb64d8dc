internal import COpenSSL
internal import Wire

/// A DTLS 1.2 record as it stands on the wire (RFC 6347 §4.1).
struct DTLSRecord {
    static let headerLength = 13

    enum ContentType {
        static let changeCipherSpec: UInt8 = 20
        static let alert: UInt8 = 21
        static let handshake: UInt8 = 22
    }

    var contentType: UInt8
    var epoch: UInt16
    /// 48 bits, counted per epoch.
    var sequence: UInt64
    /// Header and fragment, in the bytes that were parsed.
    var range: Range<Int>

    /// The record at `offset`; nil if there is no whole one.
    static func parse(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> DTLSRecord? {
        guard offset >= 0, bytes.count - offset >= headerLength else { return nil }
        let length = Int(bytes.bigEndianUInt16(at: offset + 11))
        guard bytes.count - offset >= headerLength + length else { return nil }
        let counters = bytes.bigEndianUInt64(at: offset + 3)
        return DTLSRecord(
            contentType: bytes[offset], epoch: UInt16(counters >> 48), sequence: counters & 0xffff_ffff_ffff,
            range: offset..<offset + headerLength + length)
    }
}

/// Seals and opens records of epoch 1 with AES-128-GCM (RFC 5288) once the handshake has made the keys, so that
/// repeats of the last flight, and goodbyes, need no OpenSSL session any more.
struct RecordProtection {
    private static let keyLength = 16
    private static let saltLength = 4
    private static let explicitNonceLength = 8
    private static let tagLength = 16
    /// What a record is longer than its content.
    static let overhead = DTLSRecord.headerLength + explicitNonceLength + tagLength
    /// The only epoch under these keys, as nothing is renegotiated.
    static let epoch: UInt16 = 1

    private let writeKey: [UInt8]
    private let writeSalt: [UInt8]
    private let readKey: [UInt8]
    private let readSalt: [UInt8]
    /// Record 0 is the Finished that OpenSSL seals.
    private var writeSequence: UInt64 = 1

    /// Derives the keys as RFC 5246 §6.3 says, from a session whose master secret is known; nil otherwise.
    init?(_ ssl: OpaquePointer, isClient: Bool) {
        guard let session = SSL_get_session(ssl) else { return nil }
        var secret = [UInt8](repeating: 0, count: 48)
        guard SSL_SESSION_get_master_key(session, &secret, secret.count) == secret.count else { return nil }
        // "key expansion", server random, client random.
        var seed = Array("key expansion".utf8)
        var random = [UInt8](repeating: 0, count: Int(SSL3_RANDOM_SIZE))
        guard SSL_get_server_random(ssl, &random, random.count) == random.count else { return nil }
        seed += random
        guard SSL_get_client_random(ssl, &random, random.count) == random.count else { return nil }
        seed += random
        let length = 2 * (RecordProtection.keyLength + RecordProtection.saltLength)
        guard let block = RecordProtection.expand(secret: secret, seed: seed, length: length) else { return nil }
        let keys = (Array(block[0..<16]), Array(block[16..<32]))
        let salts = (Array(block[32..<36]), Array(block[36..<40]))
        (writeKey, readKey) = isClient ? keys : (keys.1, keys.0)
        (writeSalt, readSalt) = isClient ? salts : (salts.1, salts.0)
    }

    /// P_SHA256 of RFC 5246 §5.
    private static func expand(secret: [UInt8], seed: [UInt8], length: Int) -> [UInt8]? {
        func hmac(_ message: [UInt8]) -> [UInt8]? {
            var code = [UInt8](repeating: 0, count: 32)
            let done = HMAC(EVP_sha256(), secret, CInt(secret.count), message, message.count, &code, nil)
            return done == nil ? nil : code
        }
        var output: [UInt8] = []
        var a = seed
        while output.count < length {
            guard let next = hmac(a), let part = hmac(next + seed) else { return nil }
            a = next
            output += part
        }
        return output
    }

    /// Seals `content` under a number that was not used before. nil only if OpenSSL is out of memory.
    mutating func seal(_ contentType: UInt8, _ content: [UInt8]) -> [UInt8]? {
        let counters = UInt64(RecordProtection.epoch) << 48 | writeSequence
        writeSequence += 1
        // The explicit part of the nonce is the record number, as RFC 5288 §3 suggests. OpenSSL began its own at a
        // random number and used it once, so that the two do not meet.
        let nonce = writeSalt + bigEndian(counters)
        var ciphertext = [UInt8](repeating: 0, count: content.count + RecordProtection.tagLength)
        let associated = bigEndian(counters) + [contentType, 0xfe, 0xfd] + bigEndian16(content.count)
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var length: CInt = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, writeKey, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &length, associated, CInt(associated.count)) == 1,
            EVP_EncryptUpdate(context, &ciphertext, &length, content, CInt(content.count)) == 1,
            ciphertext.withUnsafeMutableBytes({ bytes in
                EVP_EncryptFinal_ex(context, nil, &length) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, CInt(RecordProtection.tagLength),
                        bytes.baseAddress.map { $0 + content.count }) == 1
            })
        else { return nil }
        return [contentType, 0xfe, 0xfd] + bigEndian(counters)
            + bigEndian16(RecordProtection.explicitNonceLength + ciphertext.count) + bigEndian(counters) + ciphertext
    }

    /// The content of a record of the other side; nil if it is not authentic.
    func open(_ record: DTLSRecord, in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        decrypt(record, in: bytes, key: readKey, salt: readSalt)
    }

    /// The content of a record that OpenSSL sealed for us, to be sealed anew.
    func openOwn(_ record: DTLSRecord, in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        decrypt(record, in: bytes, key: writeKey, salt: writeSalt)
    }

    private func decrypt(
        _ record: DTLSRecord, in bytes: UnsafeRawBufferPointer, key: [UInt8], salt: [UInt8]
    ) -> [UInt8]? {
        guard record.epoch == RecordProtection.epoch, record.range.upperBound <= bytes.count,
            record.range.count >= RecordProtection.overhead
        else { return nil }
        let fragment = bytes[record.range].dropFirst(DTLSRecord.headerLength)
        let nonce = salt + fragment.prefix(RecordProtection.explicitNonceLength)
        let ciphertext = Array(
            fragment.dropFirst(RecordProtection.explicitNonceLength).dropLast(RecordProtection.tagLength))
        var tag = Array(fragment.suffix(RecordProtection.tagLength))
        let header = bytes[record.range].prefix(DTLSRecord.headerLength)
        // Epoch and number, type, version, length of the content (RFC 5246 §6.2.3.3).
        let associated =
            Array(header[(header.startIndex + 3)..<(header.startIndex + 11)])
            + header.prefix(3) + bigEndian16(ciphertext.count)
        var content = [UInt8](repeating: 0, count: ciphertext.count)
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var length: CInt = 0
        guard EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &length, associated, CInt(associated.count)) == 1,
            EVP_DecryptUpdate(context, &content, &length, ciphertext, CInt(ciphertext.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(RecordProtection.tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(context, nil, &length) == 1
        else { return nil }
        return content
    }
}

private func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
}

private func bigEndian16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
}
