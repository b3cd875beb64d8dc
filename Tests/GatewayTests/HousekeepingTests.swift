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

/// What a running gateway looks after by itself, while a test moves its clock.
@Suite(.timeLimit(.minutes(10))) struct HousekeepingTests {
    @Test("a session that lost its connection is forgotten after the time in which it can be resumed, not before")
    func sessions() async throws {
        try await withGateway { gateway in
            let loop = NIOAsyncTestingEventLoop()
            let connection = try await loop.executeInContext {
                SocketConnection(
                    address: ClientAddress(text: "192.0.2.1"), loop: loop, clock: gateway.clock,
                    receiver: { _ in Deaf() })
            }
            let alice = UserProfile(id: try #require(UserID("alice")), name: "Alice")
            let session = gateway.sessions.open(
                application: Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"]),
                profile: alice, resume: nil, connection: connection
            ).session
            let start = gateway.clock.now
            await gateway.wait { gateway.clock.now - start > .seconds(600) }
            #expect(gateway.sessions.count == 1, "its connection stands")
            let loss = gateway.clock.now
            #expect(gateway.sessions.lose(session, connection: connection, now: loss))
            await gateway.wait { gateway.sessions.count == 0 }
            #expect(gateway.clock.now - loss > .seconds(300))
        }
    }
}
