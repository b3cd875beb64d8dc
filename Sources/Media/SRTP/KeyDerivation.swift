internal import COpenSSL
internal import COpenSSLSetup

/// The session keys of one direction, for RTP or for RTCP (RFC 3711 §4.3, RFC 7714 §11), at key derivation rate zero.
struct SessionKeys {
    /// Which keys: the label of the first, the other two follow (RFC 3711 §4.3.1 and §4.3.2).
    enum Use: UInt8 {
        case media = 0
        case control = 3
    }

    /// RFC 3711 §4.2.1: the authentication key of HMAC-SHA1 has 160 bits.
    static let authenticationKeyLength = 20

    var encryption: [UInt8]
    /// Empty with GCM, which needs none.
    var authentication: [UInt8]
    var salt: [UInt8]

    init(encryption: [UInt8], authentication: [UInt8], salt: [UInt8]) {
        self.encryption = encryption
        self.authentication = authentication
        self.salt = salt
    }

    /// nil if the master key does not have the profile's lengths, or OpenSSL has no memory.
    init?(_ master: SRTPMasterKey, profile: SRTPProfile, use: Use) {
        guard master.key.count == profile.keyLength, master.salt.count == profile.saltLength else { return nil }
        func derive(_ offset: UInt8, _ length: Int) -> [UInt8]? {
            SessionKeys.derive(master, label: use.rawValue + offset, length: length)
        }
        guard let encryption = derive(0, profile.keyLength), let salt = derive(2, profile.saltLength) else {
            return nil
        }
        self.encryption = encryption
        self.salt = salt
        switch profile {
        case .aeadAES128GCM:
            authentication = []
        case .aes128CMHMACSHA1_80:
            guard let key = derive(1, SessionKeys.authenticationKeyLength) else { return nil }
            authentication = key
        }
    }

    /// AES in counter mode over zeros; the start counter is the master salt, filled with zeros to 112 bits (RFC 7714
    /// §11), xored with the label at byte 7, times 2^16 (RFC 3711 §4.3.3).
    static func derive(_ master: SRTPMasterKey, label: UInt8, length: Int) -> [UInt8]? {
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var counter = master.salt + [UInt8](repeating: 0, count: 16 - master.salt.count)
        counter[7] ^= label
        let zeros = [UInt8](repeating: 0, count: length)
        var output = zeros
        var written: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_128_ctr(), nil, master.key, counter) == 1,
            EVP_EncryptUpdate(context, &output, &written, zeros, Int32(length)) == 1
        else { return nil }
        return output
    }
}
