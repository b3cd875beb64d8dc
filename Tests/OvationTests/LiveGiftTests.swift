import Foundation
import RoomModel
import ServerTestSupport
import Testing

@testable import Ovation

extension LiveServerTests {
    /// Gifts on a server that is tried out: it has a catalogue, and gives coins away.
    @Suite struct LiveGiftTests {
        private final class House {
            let folder: String
            let ports: (Int, Int)
            var process: ServerProcess

            init() throws {
                folder = NSTemporaryDirectory() + "ovation-gifts-" + UUID().uuidString
                ports = try (FreePort.take(), FreePort.take())
                process = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            }

            func killAndRestart() throws {
                process.kill()
                process = try ServerProcess(data: folder, port: ports.0, mediaPort: ports.1)
            }

            func client(_ name: String) async throws -> OvationClient {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(ports.0)"),
                    configuration: .init(callTimeout: .seconds(60), audio: .off))
                try await client.signIn(name: name)
                return client
            }

            func end() {
                process.kill()
                try? FileManager.default.removeItem(atPath: folder)
            }
        }

        @Test(
            "G02-K G02-S a gift from the catalogue is paid with coins, told to everybody, and stands in both people's accounts"
        )
        func given() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob) = (try await house.client("Alice"), try await house.client("Bob"))
            let owner = try await alice.createRoom(RoomDraft(name: "Salon", seats: 3))
            let guest = try await bob.enterRoom(owner.id)
            let heard = owner.events(replay: .all)
            let gifts = try await bob.gifts()
            #expect(gifts.map(\.price) == gifts.map(\.price).sorted() && gifts.count >= 6)
            let cake = try #require(gifts.first { $0.id == "cake" })
            #expect(try await bob.wallet() == Wallet(coins: 0, earnings: 0, faucet: true))
            #expect(await refusal { _ = try await guest.sendGift("cake") } == "balance_low")
            #expect(try await bob.drawCoins().coins == 1_000)

            let paid = try await guest.sendGift("cake", count: 3)
            #expect(paid.balance == 1_000 - 3 * cake.price)
            let told = try await heard.upTo { if case .giftsSent = $0 { true } else { false } }
            guard case .giftsSent(let sent)? = told.last, let gift = sent.first else {
                Issue.record("\(told)")
                return
            }
            #expect(gift.number == paid.number && gift.gift == cake && gift.count == 3)
            #expect(gift.from.name == "Bob" && gift.to.name == "Alice" && gift.coins == 3 * cake.price)
            _ = await guest.changes.first { $0.giftStanding.coins == 3 * cake.price }
            #expect(guest.state.giftStanding.supporters.map(\.user.name) == ["Bob"])
            let ranking = try await guest.giftRanking()
            #expect(ranking.own == 3 * cake.price && ranking.place == 1 && ranking.toNext == nil)
            #expect(ranking.supporters == guest.state.giftStanding.supporters)
            // Who is not on stage is given nothing, and who has no such gift sends none.
            let me = try #require(bob.state.user)
            #expect(await refusal { _ = try await owner.sendGift("rose", to: me.id) } == "not_seated")
            #expect(await refusal { _ = try await guest.sendGift("bicycle") } == "gift_unknown")

            #expect(try await alice.wallet().earnings == 3 * cake.price)
            let spent = try await bob.statement()
            #expect(spent.entries.map(\.coins) == [-3 * cake.price, 1_000] && spent.cursor == nil)
            #expect(spent.entries.map(\.balance) == [paid.balance, 1_000])
            #expect(spent.entries.first?.user?.name == "Alice" && spent.entries.first?.gift == cake)
            let page = try await bob.statement(limit: 1)
            let next = try await bob.statement(limit: 1, cursor: page.cursor)
            #expect((page.entries + next.entries) == spent.entries)
            let received = try await alice.statement(of: .earnings)
            #expect(received.entries.map(\.coins) == [3 * cake.price] && received.entries.first?.user?.name == "Bob")
            // Who comes later is told what the room has been given.
            let late = try await house.client("Carol").enterRoom(owner.id)
            #expect(late.state.giftStanding == guest.state.giftStanding)
            for client in [alice, bob] { await client.signOut() }
        }

        private struct Outcome: Hashable {
            var number: Int64
            var balance: Int64
        }

        /// Sixteen attempts at the same gift; those that came too fast were made all the same.
        private func attempt(_ room: RoomSession) async throws -> [Outcome] {
            var outcomes: [Outcome] = []
            for _ in 0..<16 {
                do {
                    let sent = try await room.sendGift("bouquet", count: 2, key: "one gift")
                    outcomes.append(Outcome(number: sent.number, balance: sent.balance))
                } catch {
                    guard error.code == .rateLimited else { throw error }
                }
            }
            return outcomes
        }

        @Test(
            "G02-K G02-S 64 attempts at one gift over three ends of the server pay once, and everybody hears of it once"
        )
        func killed() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob) = (try await house.client("Alice"), try await house.client("Bob"))
            let owner = try await alice.createRoom(RoomDraft(name: "Salon", seats: 3))
            let guest = try await bob.enterRoom(owner.id)
            try await bob.drawCoins()
            let heard = owner.events(replay: .all)
            var outcomes: [Outcome] = []
            for round in 0..<4 {
                let attempts = Task { try await attempt(guest) }
                if round < 3 { try house.killAndRestart() }
                outcomes += try await attempts.value
            }
            #expect(outcomes.count >= 16)
            #expect(Set(outcomes) == [Outcome(number: outcomes[0].number, balance: 800)])
            #expect(try await bob.wallet().coins == 800)
            #expect(try await alice.wallet().earnings == 200)
            #expect(try await bob.statement().entries.count == 2)
            _ = await owner.changes.first { $0.giftStanding.coins == 200 }
            try await guest.send("the end")
            let told = try await heard.upTo { if case .message = $0 { true } else { false } }
            var counts: [Int] = []
            for case .giftsSent(let sent) in told { counts += sent.map(\.count) }
            #expect(counts == [2])
            for client in [alice, bob] { await client.signOut() }
        }
    }
}
