import Foundation
import Testing

@testable import Gateway

@Suite struct CertificateTests {
    private func make(_ name: String, in folder: String) throws {
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=\(name)", "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).pem",
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        try #require(openssl.terminationStatus == 0)
    }

    @Test("R08-S a replaced certificate is used from then on; one that does not fit its key leaves the old in use")
    func reload() throws {
        let folder = NSTemporaryDirectory() + "ovation-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try make("one", in: folder)
        try make("two", in: folder)
        func install(_ certificate: String, _ key: String, at time: Double, renaming: Bool = false) throws {
            for (source, target) in [("\(certificate).pem", "live.pem"), ("\(key).key", "live.key")] {
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(source)"))
                try data.write(to: URL(fileURLWithPath: "\(folder)/\(target)"), options: renaming ? .atomic : [])
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: "\(folder)/\(target)")
            }
        }
        try install("one", "one", at: 1_000)
        let source = try CertificateSource(.init(certificate: "\(folder)/live.pem", key: "\(folder)/live.key"))
        let first = source.context
        #expect(try !source.reloadIfChanged())
        #expect(source.context === first)

        try install("two", "one", at: 2_000)
        #expect(throws: CertificateSource.Failure.self) { try source.reloadIfChanged() }
        #expect(source.context === first)
        // Said once, however often it is tried.
        #expect(try !source.reloadIfChanged())

        try install("two", "two", at: 3_000)
        #expect(try source.reloadIfChanged())
        #expect(source.context !== first)

        let second = source.context
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: "\(folder)/live.pem"))
        #expect(throws: CertificateSource.Failure.self) { try source.reloadIfChanged() }
        #expect(source.context === second)
        try install("one", "one", at: 4_000)
        #expect(try source.reloadIfChanged())
        // Another file of the same age is another file.
        try install("two", "two", at: 4_000, renaming: true)
        #expect(try source.reloadIfChanged())

        #expect(throws: CertificateSource.Failure.self) {
            try CertificateSource(.init(certificate: "\(folder)/none.pem", key: "\(folder)/live.key"))
        }
    }
}
