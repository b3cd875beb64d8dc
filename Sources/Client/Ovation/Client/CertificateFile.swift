internal import Foundation

/// Trusted certificates as a file, for those who read no other form: what was given as text is written for as long as it is needed.
final class CertificateFile: Sendable {
    let path: String
    private let isOwn: Bool

    /// `nil` for the system's, and where no file can be written: then nothing is trusted that the system does not trust.
    init?(_ roots: OvationClient.TrustRoots) {
        switch roots {
        case .system: return nil
        case .file(let path):
            self.path = path
            isOwn = false
        case .pem(let text):
            path = NSTemporaryDirectory() + "ovation-trust-\(UUID().uuidString).pem"
            isOwn = true
            guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else { return nil }
        }
    }

    deinit { if isOwn { try? FileManager.default.removeItem(atPath: path) } }
}
