import RoomModel
import RoomRules
import RoomService
import RoomTestSupport
import Testing

/// L03: what somebody who asks to come on stage looks like, for the host and the admins.
@Suite struct RequestStillTests {
    private let picture: StillPicture

    init() throws { picture = try StillPicture(jpeg: TestJPEG.bytes()) }

    private func look(_ id: String, by client: Client, in salon: Salon) -> Result<StillPicture?, RoomError>? {
        let answer = Shared<Result<StillPicture?, RoomError>?>(nil)
        salon.core.requestStill(id, for: client.session) { answer.set($0) }
        salon.settle()
        return answer.current
    }

    private func ask(_ id: String, by client: Client, in salon: Salon) {
        let draft = InvitationDraft(to: .owner, command: "ENTER_SEAT", content: id, still: picture, id: id)
        salon.submit(.sendInvitation(draft), by: client)
    }

    @Test("L03-S the host and admins see who asks, nobody else does, and no longer than the request waits")
    func whoSees() async throws {
        let salon = try await Salon()
        let host = salon.create(kind: .live, seats: 3)
        let (asker, other, admin) = (salon.enter(.member), salon.enter(.other), salon.enter(.admin))
        salon.submit(.setRole(SetRole(.admin, .admin)), by: host)
        ask("hand", by: asker, in: salon)
        #expect(look("hand", by: host, in: salon) == .success(picture))
        #expect(look("hand", by: admin, in: salon) == .success(picture))
        #expect(look("hand", by: other, in: salon) == .failure(RoomError(.invitationDenied)))
        #expect(look("hand", by: asker, in: salon) == .failure(RoomError(.invitationDenied)))
        #expect(look("none", by: host, in: salon) == .failure(RoomError(.invitationNotFound)))
        salon.submit(.rejectInvitation(RejectInvitation(id: "hand", reason: nil)), by: host)
        #expect(salon.core.requestStillCount == 0)
        ask("again", by: asker, in: salon)
        ask("newer", by: asker, in: salon)
        #expect(salon.core.requestStillCount == 1, "one of each person")
        #expect(look("again", by: host, in: salon) == .success(nil))
        salon.submit(.exitRoom, by: asker)
        #expect(salon.core.requestStillCount == 0, "whoever leaves takes it along")
    }

    @Test("L03-S a refused request leaves nothing behind") func refused() async throws {
        let salon = try await Salon()
        _ = salon.create(kind: .live, seats: 3)
        let asker = salon.enter(.member)
        salon.submit(
            .sendInvitation(InvitationDraft(to: .owner, command: "", still: picture, id: "x")), by: asker)
        #expect(salon.core.requestStillCount == 0)
    }

    @Test("L03-S a request that could not be stored leaves nothing behind; those that wait keep theirs")
    func lost() async throws {
        let salon = try await Salon()
        let host = salon.create(kind: .live, seats: 3)
        let (asker, other) = (salon.enter(.member), salon.enter(.other))
        ask("hand", by: asker, in: salon)
        salon.journal.fail(times: 1)
        ask("lost", by: other, in: salon)
        try await salon.load()
        #expect(salon.core.requestStillCount == 1)
        #expect(look("hand", by: host, in: salon) == .success(picture))
    }

    @Test("L03-S a room keeps 100 stills; who asks beyond that asks without one, and their request stands")
    func limit() async throws {
        let salon = try await Salon()
        let host = salon.create(kind: .live, seats: 3)
        for number in 0..<102 { ask("\(number)", by: salon.enter(try #require(UserID("asker\(number)"))), in: salon) }
        #expect(salon.core.requestStillCount == 100)
        #expect(look("99", by: host, in: salon) == .success(picture))
        #expect(look("100", by: host, in: salon) == .success(nil))
        salon.submit(.rejectInvitation(RejectInvitation(id: "7", reason: nil)), by: host)
        ask("late", by: salon.enter(try #require(UserID("latecomer"))), in: salon)
        #expect(look("late", by: host, in: salon) == .success(picture))
    }
}
