import DTLS
import Testing

@Suite struct CertificateTests {
    @Test("a fingerprint is printed and read as in a session description")
    func roundTrip() throws {
        let fingerprint = try DTLSCertificate.selfSigned().fingerprint
        #expect(fingerprint.algorithm == .sha256)
        #expect(fingerprint.sdpValue.count == "sha-256 ".count + 32 * 3 - 1)
        #expect(CertificateFingerprint(sdpValue: fingerprint.sdpValue) == fingerprint)
        #expect(CertificateFingerprint(sdpValue: fingerprint.sdpValue.lowercased()) == fingerprint)
    }

    private static let malformed: [String] = [
        "", "sha-256", "sha-256 ", "sha-256 AB", "md5 AB:CD",
        "sha-256 \(repeated("AB:", 32))",
        "sha-256 \(repeated("+1:", 31))+1",
        "sha-256 \(repeated("ABC:", 31))AB",
        "sha-256 \(repeated("AB:", 32))AB",
    ]

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test("a fingerprint that is none is refused", arguments: malformed)
    func refused(text: String) {
        #expect(CertificateFingerprint(sdpValue: text) == nil)
    }

    @Test("two certificates are never the same")
    func unique() throws {
        let (first, second) = (try DTLSCertificate.selfSigned(), try DTLSCertificate.selfSigned())
        #expect(first.fingerprint != second.fingerprint)
        #expect(first.certificate != second.certificate)
    }
}
