internal import COpenSSL

/// One of the ways to protect media that a handshake can agree on (RFC 5764 §4.1.2, RFC 7714 §14.2).
package struct DTLSProtectionProfile: Hashable, Sendable {
    /// The number on the wire.
    package var identifier: UInt16
    /// OpenSSL's name for it.
    package var openSSLName: String
    /// Bytes of key and salt of one direction.
    package var keyAndSaltLength: Int

    package init(identifier: UInt16, openSSLName: String, keyAndSaltLength: Int) {
        self.identifier = identifier
        self.openSSLName = openSSLName
        self.keyAndSaltLength = keyAndSaltLength
    }
}

/// What all handshakes of one thread share: our certificate and what we are willing to agree on. Not `Sendable`.
package final class DTLSContext {
    /// SSL_CTX *
    let context: OpaquePointer
    let profiles: [DTLSProtectionProfile]
    package let certificate: DTLSCertificate

    /// `profiles` in our order of preference, which a server imposes on its clients.
    package init(certificate: DTLSCertificate, profiles: [DTLSProtectionProfile]) throws(DTLSError) {
        guard let context = SSL_CTX_new(DTLS_method()) else { throw DTLSError.openSSL(during: "making a context") }
        self.context = context
        self.certificate = certificate
        self.profiles = profiles
        try configure()
    }

    deinit { SSL_CTX_free(context) }

    private func configure() throws(DTLSError) {
    }
}
