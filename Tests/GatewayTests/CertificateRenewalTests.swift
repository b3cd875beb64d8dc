import Commerce
import HTTP
import Logging
import NIOCore
import NIOEmbedded
import OperatorAPI
import PagesAndSongs
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import ServiceLifecycle
import Synchronization
import TLSTestSupport
import Testing
import Timing

@testable import Gateway
@testable import Signalling

/// A certificate that is replaced while a gateway runs.
@Suite(.timeLimit(.minutes(10))) struct CertificateRenewalTests {
    @Test("R08-S a replaced certificate is taken into use while the server runs; one that does not do is logged, once")
    func certificates() async throws {
        let folder = try CertificateFolder()
        defer { folder.remove() }
        try folder.make("one")
        try folder.make("two")
        try folder.install("one", "one", at: 1_000)
        let source = try CertificateSource(folder.live)
        let first = source.context
        try await withGateway(certificates: source) { gateway in
            func complaints() -> [String] {
                gateway.log.all.filter { $0.contains("not renewed") && $0.contains("cannot read") }
            }
            try folder.spoil()
            await gateway.wait { !complaints().isEmpty }
            #expect(source.context === first)
            try folder.install("two", "two", at: 3_000)
            await gateway.wait { gateway.log.all.contains("info new TLS certificate in use") }
            #expect(source.context !== first)
            #expect(complaints().count == 1)
            let renewal = gateway.clock.now
            await gateway.wait { gateway.clock.now - renewal > .seconds(600) }
            #expect(gateway.log.all.count { $0.contains("new TLS certificate in use") } == 1)
        }
    }
}
