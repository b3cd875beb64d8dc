import DTLS
import Timing

/// DTLS datagrams at a server in any state: the first byte says how much of a genuine handshake comes before the input, which is
/// then handed over in pieces. Whatever comes, a peer without the right certificate is never taken for connected.
package func fuzzDTLS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 1, let fixture else { return 0 }
    guard let server = try? DTLSSession(role: .server, context: fixture.context, remoteFingerprint: fixture.stranger),
        let client = try? DTLSSession(role: .client, context: fixture.context, remoteFingerprint: fixture.own)
    else { return 0 }
    var now = Instant(nanoseconds: 0)
    client.start(at: now)
    server.start(at: now)
    for _ in 0..<(start[0] & 3) {
        carry(from: client, to: server, at: now)
        carry(from: server, to: client, at: now)
    }

    let input = UnsafeRawBufferPointer(start: start + 1, count: count - 1)
    var rest = input[...]
    while let first = rest.first {
        let piece = UnsafeRawBufferPointer(rebasing: rest.dropFirst().prefix(Int(first) * 8))
        rest = rest.dropFirst(1 + piece.count)
        now = now + .milliseconds(Int64(first))
        server.receive(piece, at: now)
        server.advance(to: now)
        drain(server)
    }
    return 0
}

private func drain(_ session: DTLSSession) {
    withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 8) { buffer in
        while session.nextOutput(into: buffer) != nil {}
    }
    while let event = session.nextEvent() {
        if case .established = event { preconditionFailure("a stranger was let in") }
    }
}

private func carry(from a: DTLSSession, to b: DTLSSession, at now: Instant) {
    withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 8) { buffer in
        while let length = a.nextOutput(into: buffer) {
            b.receive(UnsafeRawBufferPointer(rebasing: buffer[..<length]), at: now)
        }
    }
}

private struct Fixture {
    var context: DTLSContext
    var own: CertificateFingerprint
    var stranger: CertificateFingerprint
}

nonisolated(unsafe) private let fixture: Fixture? = {
    // Only libFuzzer's one thread comes here.
    guard let certificate = try? DTLSCertificate.selfSigned(), let other = try? DTLSCertificate.selfSigned(),
        let context = try? DTLSContext(
            certificate: certificate,
            profiles: [
                DTLSProtectionProfile(identifier: 7, openSSLName: "SRTP_AEAD_AES_128_GCM", exporterLength: 56)
            ])
    else { return nil }
    return Fixture(context: context, own: certificate.fingerprint, stranger: other.fingerprint)
}()
