import RoomModel
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

@Suite struct EntryTextTests {
    private func snapshot(_ client: Client) throws -> RoomSnapshot {
        guard case .snapshot(let snapshot) = try client.entries.current.last?.get() else {
            throw RoomError(.internalError)
        }
        return snapshot
    }

    @Test("G05-S a crowd that comes at once shares a text, until something happens or nobody comes any more")
    func shared() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let crowd = (0..<60).map { salon.enter(UserID(literal: "guest-\($0)")) }
        func text(_ client: Client) throws -> any SharedText { try #require(try snapshot(client).sharedText) }
        // The first fifty are told by name, so each of them changes what the next is told.
        #expect(try text(crowd[10]) !== text(crowd[11]))
        #expect(try text(crowd[55]) === text(crowd[59]))
        salon.submit(.sendMessage(MessageDraft(.text("news"))), by: owner)
        let late = salon.enter(UserID(literal: "late"))
        #expect(try text(late) !== text(crowd[59]))
        #expect(try snapshot(late).messages.count == 1)
        salon.submit(.takeSeat(TakeSeat(1)), by: crowd[0])
        let later = salon.enter(UserID(literal: "later"))
        #expect(try text(later) !== text(late))
        #expect(try snapshot(later).seats[1].user == UserID(literal: "guest-0"))
        salon.advance(.seconds(2))
        #expect(try text(salon.enter(UserID(literal: "last"))) !== text(later), "not kept for ever")
    }
}
