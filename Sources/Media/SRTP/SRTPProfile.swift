/// The protection profiles that we speak, with their DTLS-SRTP numbers (RFC 5764 §4.1.2, RFC 7714 §14.2).
package enum SRTPProfile: UInt16, CaseIterable, Sendable {
    case aeadAES128GCM = 0x0007
    case aes128CMHMACSHA1_80 = 0x0001

    /// Best first: GCM needs half the time of CM with HMAC at 1,200 bytes and less at every size.
    package static let preference: [SRTPProfile] = [.aeadAES128GCM, .aes128CMHMACSHA1_80]

    /// The preference as OpenSSL's `SSL_CTX_set_tlsext_use_srtp` wants it.
    package static let openSSLNames = preference.map(\.openSSLName).joined(separator: ":")

    /// The label of the TLS exporter that yields the keys (RFC 5764 §4.2).
    package static let exporterLabel = "EXTRACTOR-dtls_srtp"

    package var openSSLName: String {
        switch self {
        case .aeadAES128GCM: "SRTP_AEAD_AES_128_GCM"
        case .aes128CMHMACSHA1_80: "SRTP_AES128_CM_SHA1_80"
        }
    }

    /// Bytes of the master key.
    package var keyLength: Int { 16 }

    /// Bytes of the master salt.
    package var saltLength: Int {
        switch self {
        case .aeadAES128GCM: 12
        case .aes128CMHMACSHA1_80: 14
        }
    }

    /// Bytes that sealing adds to an RTP packet.
    package var tagLength: Int {
        switch self {
        case .aeadAES128GCM: 16
        case .aes128CMHMACSHA1_80: 10
        }
    }

    /// Bytes that sealing adds to an RTCP packet: the tag, and the word with the E flag and the index.
    package var controlOverhead: Int { tagLength + 4 }

    /// Bytes to ask of the exporter: key and salt of both sides.
    package var exporterLength: Int { 2 * (keyLength + saltLength) }
}

/// The master key and salt of one direction.
package struct SRTPMasterKey: Sendable {
    package var key: [UInt8]
    package var salt: [UInt8]

    package init(key: [UInt8], salt: [UInt8]) {
        self.key = key
        self.salt = salt
    }

    /// Cuts the exporter's output into what the DTLS client and the DTLS server seal with: client key, server key,
    /// client salt, server salt (RFC 5764 §4.2). nil unless there are exactly `exporterLength` bytes.
    package static func split(
        exported: [UInt8], profile: SRTPProfile
    ) -> (client: SRTPMasterKey, server: SRTPMasterKey)? {
        guard exported.count == profile.exporterLength else { return nil }
        let (key, salt) = (profile.keyLength, profile.saltLength)
        let salts = exported[(2 * key)...]
        return (
            SRTPMasterKey(key: Array(exported[..<key]), salt: Array(salts.prefix(salt))),
            SRTPMasterKey(key: Array(exported[key..<2 * key]), salt: Array(salts.suffix(salt)))
        )
    }
}
