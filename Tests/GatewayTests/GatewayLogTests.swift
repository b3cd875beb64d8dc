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

/// What a gateway writes into the log.
@Suite(.timeLimit(.minutes(10))) struct GatewayLogTests {
    @Test("the log has the gateway's own lines: the framework's are there only as warnings and errors")
    func quiet() async throws {
        try await withGateway { gateway in #expect(gateway.log.all == []) }
    }
}
