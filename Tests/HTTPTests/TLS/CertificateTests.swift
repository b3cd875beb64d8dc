import Foundation
import TLSTestSupport
import Testing

@testable import HTTP

@Suite struct CertificateTests {
    @Test("R08-S a replaced certificate is used from then on; one that does not fit its key leaves the old in use")
    func reload() throws {
        let folder = try CertificateFolder()
        defer { folder.remove() }
        try folder.make("one")
        try folder.make("two")
        try folder.install("one", "one", at: 1_000)
        let source = try CertificateSource(folder.live)
        let first = source.context
        #expect(try !source.reloadIfChanged())
        #expect(source.context === first)

        try folder.install("two", "one", at: 2_000)
        #expect(throws: CertificateSource.Failure.self) { try source.reloadIfChanged() }
        #expect(source.context === first)
        // Said once, however often it is tried.
        #expect(try !source.reloadIfChanged())

        try folder.install("two", "two", at: 3_000)
        #expect(try source.reloadIfChanged())
        #expect(source.context !== first)

        let second = source.context
        try folder.spoil()
        #expect(throws: CertificateSource.Failure.self) { try source.reloadIfChanged() }
        #expect(source.context === second)
        try folder.install("one", "one", at: 4_000)
        #expect(try source.reloadIfChanged())
        // Another file of the same age is another file.
        try folder.install("two", "two", at: 4_000, renaming: true)
        #expect(try source.reloadIfChanged())

        #expect(throws: CertificateSource.Failure.self) {
            try CertificateSource(.init(certificate: "\(folder.path)/none.pem", key: folder.live.key))
        }
    }
}
