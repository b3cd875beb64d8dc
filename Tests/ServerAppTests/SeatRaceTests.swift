import ServerTestSupport
import Testing

extension WholeServerTests {
    @Suite struct SeatRaceTests {
        @Test(
            "V07-S 500 users race for one seat over real WebSockets: one wins, 499 are refused, all see the same order")
        func race() async throws {
            let count = 500
            try await TestServer.with { server async throws in
                let owner = try await server.signedIn("owner")
                let room = try await owner.call("room.create", ["name": "Race", "seats": 1])["room"]
                let clients = try await withThrowingTaskGroup(of: SignalClient.self) { group in
                    for index in 0..<count {
                        group.addTask {
                            let client = try await server.signedIn("racer-\(index)")
                            try await client.call("room.enter", ["room": room])
                            return client
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let ids = clients.map { $0.send("seat.take", ["room": room, "seat": 0]) }
                var outcomes: [String: Int] = [:]
                for (client, id) in zip(clients, ids) {
                    do {
                        _ = try await client.answer(to: id)
                        outcomes["won", default: 0] += 1
                    } catch let refused as SignalClient.Refused {
                        outcomes[refused.name, default: 0] += 1
                    }
                }
                #expect(outcomes == ["won": 1, "seat_taken": count - 1])

                try await owner.call("seat.kick", ["room": room, "seat": 0])
                var orders: Set<String> = []
                for client in clients {
                    try await client.event("seat.left")
                    orders.insert(client.events.filter { !$0["seq"].isNull }.map(\.text).joined(separator: "\n"))
                }
                #expect(orders.count == 1)
                #expect(orders.first?.split(separator: "\n").count == 2)
            }
        }
    }
}
