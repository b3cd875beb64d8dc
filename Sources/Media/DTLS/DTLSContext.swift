internal import COpenSSL
internal import COpenSSLSetup

/// One of the ways to protect media that a handshake can agree on (RFC 5764 §4.1.2, RFC 7714 §14.2).
package struct DTLSProtectionProfile: Hashable, Sendable {
    /// The number on the wire.
    package var identifier: UInt16
    /// OpenSSL's name for it.
    package var openSSLName: String
    /// Bytes of keying material to export: keys and salts of both sides.
    package var exporterLength: Int

    package init(identifier: UInt16, openSSLName: String, exporterLength: Int) {
        self.identifier = identifier
        self.openSSLName = openSSLName
        self.exporterLength = exporterLength
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

    /// The only suites that we agree on. RFC 8827 §6.5 obliges everybody to the first one; the second is for the day
    /// that our client meets a server with an RSA certificate. One cipher also keeps `RecordProtection` small.
    private static let cipherSuites = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
    private static let groups = "X25519:P-256:P-384"

    private func configure() throws(DTLSError) {
        // No session is ever resumed, and nothing is renegotiated: a media path is one handshake.
        SSL_CTX_set_options(
            context,
            shim_SSL_OP_NO_QUERY_MTU() | shim_SSL_OP_NO_TICKET() | shim_SSL_OP_NO_RENEGOTIATION()
                | shim_SSL_OP_NO_COMPRESSION() | shim_SSL_OP_CIPHER_SERVER_PREFERENCE())
        _ = shim_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(context, verifyCertificate, nil)
        let names = profiles.map(\.openSSLName).joined(separator: ":")
        // The last call is the odd one out: OpenSSL returns 0 for success there.
        guard shim_SSL_CTX_set_min_proto_version(context, DTLS1_2_VERSION) == 1,
            shim_SSL_CTX_set_max_proto_version(context, DTLS1_2_VERSION) == 1,
            SSL_CTX_set_cipher_list(context, DTLSContext.cipherSuites) == 1,
            shim_SSL_CTX_set1_groups_list(context, DTLSContext.groups) == 1,
            certificate.certificate.withUnsafeBufferPointer({
                SSL_CTX_use_certificate_ASN1(context, CInt($0.count), $0.baseAddress)
            }) == 1,
            certificate.privateKey.withUnsafeBufferPointer({
                SSL_CTX_use_PrivateKey_ASN1(CInt(EVP_PKEY_EC), context, $0.baseAddress, $0.count)
            }) == 1,
            SSL_CTX_check_private_key(context) == 1,
            SSL_CTX_set_tlsext_use_srtp(context, names) == 0
        else { throw DTLSError.openSSL(during: "configuring a context") }
    }
}

/// Called by OpenSSL in place of its own verification: there is no authority above a self-signed certificate, only the
/// fingerprint that the session description promised.
private func verifyCertificate(store: OpaquePointer?, _: UnsafeMutableRawPointer?) -> CInt {
    guard let store, let certificate = X509_STORE_CTX_get0_cert(store),
        let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let expectation = shim_SSL_get_app_data(OpaquePointer(ssl))
    else { return 0 }
    let handshake = Unmanaged<Handshake>.fromOpaque(expectation).takeUnretainedValue()
    guard
        CertificateFingerprint(of: certificate, algorithm: handshake.remoteFingerprint.algorithm)
            == handshake.remoteFingerprint
    else {
        handshake.hasWrongCertificate = true
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_UNTRUSTED)
        return 0
    }
    return 1
}
