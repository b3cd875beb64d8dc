internal import COpenSSL
internal import Wire

/// An OpenSSL session between memory buffers, for the time of one handshake.
///
/// OpenSSL repeats flights by the wall clock, which a machine in virtual time does not have: its timer is set far
/// beyond our time-out, and `DTLSSession` repeats flights itself.
final class Handshake {
    /// SSL *, and the memory buffers that it owns (BIO *).
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    let isClient: Bool
    let remoteFingerprint: CertificateFingerprint
    /// Set by the verification while OpenSSL runs.
    var hasWrongCertificate = false

    enum Outcome {
        case unfinished
        case finished
        case failed
    }

    init(isClient: Bool, context: DTLSContext, remoteFingerprint: CertificateFingerprint, mtu: Int) throws(DTLSError) {
        guard let ssl = SSL_new(context.context) else { throw DTLSError.openSSL(during: "making a session") }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw DTLSError.openSSL(during: "making buffers")
        }
        self.ssl = ssl
        self.incoming = incoming
        self.outgoing = outgoing
        self.isClient = isClient
        self.remoteFingerprint = remoteFingerprint
        // An empty buffer means "not yet", not "end of stream".
        _ = shim_BIO_set_mem_eof_return(incoming, -1)
        _ = shim_BIO_set_mem_eof_return(outgoing, -1)
        SSL_set_bio(ssl, incoming, outgoing)
        _ = shim_SSL_set_mtu(ssl, mtu)
        DTLS_set_timer_cb(ssl) { _, _ in 3_600_000_000 }  // µs
        _ = shim_SSL_set_app_data(ssl, Unmanaged.passUnretained(self).toOpaque())
        if isClient { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
    }

    deinit { SSL_free(ssl) }

    /// Hands in one datagram, or none to begin, and goes as far as possible.
    func proceed(_ datagram: UnsafeRawBufferPointer?) -> Outcome {
        ERR_clear_error()
        defer { ERR_clear_error() }
        if let datagram, let start = datagram.baseAddress {
            // One datagram at a time: the buffer does not keep them apart.
            _ = shim_BIO_reset(incoming)
            BIO_write(incoming, start, CInt(clamping: datagram.count))
        }
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .finished }
        return SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ ? .unfinished : .failed
    }

    /// Takes what OpenSSL has written since the last call: whole records, without datagram boundaries.
    func takeOutput() -> [UInt8] {
        let length = BIO_ctrl_pending(outgoing)
        guard length > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            count = max(0, Int(BIO_read(outgoing, buffer.baseAddress, CInt(clamping: length))))
        }
    }

    /// The keys of epoch 1; nil before the key exchange.
    func recordProtection() -> RecordProtection? { RecordProtection(ssl, isClient: isClient) }

    /// The profile that was agreed on, among `profiles`.
    func selectedProfile(among profiles: [DTLSProtectionProfile]) -> DTLSProtectionProfile? {
        guard let selected = SSL_get_selected_srtp_profile(ssl) else { return nil }
        return profiles.first { UInt($0.identifier) == selected.pointee.id }
    }

    /// RFC 5764 §4.2; nil before the handshake is through.
    func exportKeys(length: Int) -> [UInt8]? {
        let label = "EXTRACTOR-dtls_srtp"
        var keys = [UInt8](repeating: 0, count: length)
        guard SSL_export_keying_material(ssl, &keys, length, label, label.utf8.count, nil, 0, 0) == 1 else {
            return nil
        }
        return keys
    }
}
