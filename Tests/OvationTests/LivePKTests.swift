import RoomModel
import ServerTestSupport
import Testing

@testable import Ovation

@Suite struct PKStateTests {
    @Test("L05-K points are taken up alone, and belong to the PK that there is")
    func points() {
        var room = RoomState(.example())
        #expect(
            room.apply(.passing(.points(PKPoints(ours: 1, theirs: 2)))) == [
                .pointsChanged(PKPoints(ours: 1, theirs: 2))
            ])
        #expect(room.pk.match == nil)
        let pk = PKState(
            links: [HostLink(id: "1/1/1", place: 0, room: .number(2), host: People.carol, isOurs: true, since: 1)],
            match: PKMatch(link: "1/1/1", terms: PKTerms(seconds: 60), until: 5_000))
        #expect(
            room.apply(.change(2, .pkChanged(PKChanged(pk, .accepted, by: nil)))) == [
                .pkChanged(PKChanged(pk, .accepted, by: nil))
            ])
        _ = room.apply(.passing(.points(PKPoints(ours: 7, theirs: 4))))
        #expect(room.pk.match?.ours == 7 && room.pk.match?.theirs == 4)
    }
}

extension LiveServerTests {
    /// Hosts of two live rooms of a whole server.
    @Suite struct LivePKTests {
        private func host(_ user: UserID, _ server: TestServer) async throws -> (OvationClient, RoomSession) {
            let client = try await server.signIn(user)
            let room = try await client.createRoom(RoomDraft(name: "Live of \(user)", kind: .live, seats: 2))
            try await room.takeSeat(0)
            return (client, room)
        }

        @Test(
            "L04-K L05-K L20-K a host challenges one that the list has as free; both rooms are linked, the clock begins when both see each other, and who quits has lost in both"
        )
        func match() async throws {
            try await TestServer.with { server async throws in
                let (alice, first) = try await host("alice", server)
                let (leo, second) = try await host("leo", server)
                let bob = try await server.signIn("bob")
                let viewer = try await bob.enterRoom(second.id)
                let page = try await alice.rooms(kind: .live)
                #expect(page.rooms.map(\.pk) == [.free, .free])
                #expect(await refusal { try await viewer.challenge(first.id) } == "permission_denied")
                #expect(await refusal { try await first.challenge(first.id) } == "invalid_params")

                try await first.challenge(second.id, terms: PKTerms(seconds: 60, forfeitSeconds: 30, forfeit: "Sing"))
                let asked = try #require(await second.changes.first { $0.challenge != nil }?.challenge)
                #expect(asked.host.id == "alice" && asked.terms?.forfeit == "Sing" && !asked.isOurs)
                #expect(viewer.state.challenge == nil)
                try await second.answerChallenge(asked.id, agreed: true)
                for room in [first, second, viewer] {
                    let linked = await room.changes.first { !$0.pk.links.isEmpty }
                    #expect(linked?.pk.match?.phase == .linking)
                }
                #expect(await refusal { try await viewer.takeSeat(1) } == "in_pk")
                #expect(try await alice.rooms(kind: .live).rooms.map(\.pk) == [.inPK, .inPK])
                try await first.readyForPK()
                try await second.readyForPK()
                for room in [first, second, viewer] {
                    let running = await room.changes.first { $0.pk.match?.phase == .running }?.pk.match
                    #expect(running.map { ($0.endAt ?? 0) - ($0.startAt ?? 0) } == 60_000)
                }
                try await second.quitPK()
                let results = [first, second, viewer].map(\.changes)
                for (room, outcome) in zip(results, [PKResult.Outcome.won, .lost, .lost]) {
                    let over = await room.first { $0.pk.match?.result != nil && $0.pk.links.isEmpty }
                    #expect(over?.pk.match?.result == PKResult(outcome, .quit))
                }
                try await viewer.takeSeat(1)
                for client in [alice, leo, bob] { await client.signOut() }
            }
        }
    }
}
