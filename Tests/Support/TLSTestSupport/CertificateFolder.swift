import Foundation
package import HTTP
import Testing

/// Certificates that openssl makes, and a pair that is in use and replaced.
package struct CertificateFolder {
    package let path = NSTemporaryDirectory() + "ovation-tls-" + UUID().uuidString

    package init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The pair in use.
    package var live: CertificateSource.Files { .init(certificate: "\(path)/live.pem", key: "\(path)/live.key") }

    package func make(_ name: String) throws {
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=\(name)", "-keyout", "\(path)/\(name).key", "-out", "\(path)/\(name).pem",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)
    }

    /// Puts a certificate and a key into use, as files of a certain age.
    package func install(_ certificate: String, _ key: String, at time: Double, renaming: Bool = false) throws {
        for (source, target) in [("\(certificate).pem", "live.pem"), ("\(key).key", "live.key")] {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(source)"))
            try data.write(to: URL(fileURLWithPath: "\(path)/\(target)"), options: renaming ? .atomic : [])
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: "\(path)/\(target)")
        }
    }

    /// The certificate in use is none any more.
    package func spoil() throws { try Data("nothing".utf8).write(to: URL(fileURLWithPath: live.certificate)) }
}
