internal import COpenSSL

/// A self-signed P-256 certificate with its key, as bytes, so that each media thread makes its own OpenSSL objects of
/// it. Made at start and never stored: nobody trusts it but by the fingerprint in the session description (RFC 8827
/// §6.5).
package struct DTLSCertificate: Sendable {
    /// X.509, DER.
    package let certificate: [UInt8]
    /// PKCS #8, DER.
    let privateKey: [UInt8]
    /// SHA-256 over `certificate`.
    package let fingerprint: CertificateFingerprint

    /// Peers may not look at the dates, but some refuse a certificate that is not valid yet: a day of wrong clocks is
    /// allowed for.
    private static let validFrom: Int = -86_400
    /// A server may stay up for years; WebRTC gives a certificate no other meaning than its key.
    private static let validUntil: Int = 10 * 365 * 86_400

    /// A new key and certificate. Throws if OpenSSL cannot make one (no random numbers, no memory).
    package static func selfSigned() throws(DTLSError) -> DTLSCertificate {
        guard let key = shim_EVP_EC_gen("P-256") else { throw DTLSError.openSSL(during: "making a key") }
        defer { EVP_PKEY_free(key) }
        guard let x509 = X509_new() else { throw DTLSError.openSSL(during: "making a certificate") }
        defer { X509_free(x509) }

        // Chance, not content: an equal issuer and serial number with another key upsets NSS.
        var serial: UInt64 = 0
        guard withUnsafeMutableBytes(of: &serial, { RAND_bytes($0.baseAddress, CInt($0.count)) }) == 1,
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), serial >> 1) == 1,
            X509_set_version(x509, 2) == 1,
            X509_gmtime_adj(X509_getm_notBefore(x509), validFrom) != nil,
            X509_gmtime_adj(X509_getm_notAfter(x509), validUntil) != nil,
            X509_set_pubkey(x509, key) == 1,
            let name = X509_get_subject_name(x509),
            X509_NAME_add_entry_by_txt(name, "CN", shim_MBSTRING_ASC(), "WebRTC", -1, -1, 0) == 1,
            X509_set_issuer_name(x509, name) == 1,
            X509_sign(x509, key, EVP_sha256()) > 0
        else { throw DTLSError.openSSL(during: "signing a certificate") }

        let certificate = derBytes { i2d_X509(x509, $0) }
        guard let certificate, let privateKey = derBytes({ i2d_PrivateKey(key, $0) }),
            let fingerprint = CertificateFingerprint(of: x509, algorithm: .sha256)
        else { throw DTLSError.openSSL(during: "encoding a certificate") }
        return DTLSCertificate(certificate: certificate, privateKey: privateKey, fingerprint: fingerprint)
    }

    /// Runs one of OpenSSL's i2d functions, which allocate when they are given a nil pointer to fill.
    private static func derBytes(
        _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> CInt
    ) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let length = encode(&start)
        guard length > 0, let start else { return nil }
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }
}

extension CertificateFingerprint {
    /// Hashes a certificate; nil if OpenSSL fails.
    init?(of certificate: OpaquePointer, algorithm: Algorithm) {
        let digest =
            switch algorithm {
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        var length: CUnsignedInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
            count = X509_digest(certificate, digest, buffer.baseAddress, &length) == 1 ? Int(length) : 0
        }
        self.init(algorithm: algorithm, bytes: bytes)
    }
}
