import Foundation
import RoomModel
import RoomTestSupport
import ServerTestSupport
import Testing

@testable import Ovation

extension LiveServerTests {
    /// What hosts do about messages and people, by the SDK on a real server.
    @Suite struct LiveModerationTests {
        private final class House {
            let folder = NSTemporaryDirectory() + "ovation-moderation-" + UUID().uuidString
            let port: Int
            let process: ServerProcess

            init() throws {
                port = try FreePort.take()
                process = try ServerProcess(data: folder, port: port, mediaPort: try FreePort.take())
            }

            func client(_ name: String) async throws -> OvationClient {
                let client = OvationClient(
                    server: try ServerAddress("127.0.0.1:\(port)"),
                    configuration: .init(callTimeout: .seconds(60), audio: .off))
                try await client.signIn(name: name)
                return client
            }

            func end() {
                process.kill()
                try? FileManager.default.removeItem(atPath: folder)
            }
        }

        private func refusal(_ work: () async throws -> Void) async -> OvationError? {
            do {
                try await work()
                return nil
            } catch { return error as? OvationError }
        }

        @Test("G06-K a host mutes, reports, deletes and lifts; the muted one is told, and reads why and for how long")
        func mutes() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob) = (try await house.client("Alice"), try await house.client("Bob"))
            let owner = try await alice.createRoom(RoomDraft(name: "Salon"))
            let guest = try await bob.enterRoom(owner.id)
            let (ownersEvents, guestsEvents) = (owner.events(replay: .all), guest.events(replay: .all))
            let sent = try await guest.send("buy coins")
            try await owner.report(guest.state.me.id, cause: .spam, words: "coins", message: sent.number)
            #expect(
                await refusal { try await guest.report(guest.state.me.id, cause: .other) }?.code.rawValue
                    == "invalid_params")
            try await owner.deleteMessage(sent.number)
            _ = try await guestsEvents.upTo {
                $0 == .messageDeleted(MessageDeleted(sent.number, by: alice.state.user?.id))
            }
            #expect(guest.state.messages.last?.deleted == true && guest.state.messages.last?.body == .text(""))
            #expect(await refusal { try await guest.deleteMessage(sent.number) }?.code.rawValue == "permission_denied")

            try await owner.muteChat(of: guest.state.me.id, for: .seconds(600), reason: "no sales")
            _ = try await guestsEvents.upTo { if case .restriction = $0 { true } else { false } }
            #expect(guest.state.chatMute?.by == owner.state.me.id && guest.state.chatMute?.reason == "no sales")
            let refused = await refusal { _ = try await guest.send("hello") }
            #expect(refused?.code.rawValue == "chat_muted" && refused?.reason == "no sales")
            #expect(refused?.retryAfter.map { $0 > .seconds(590) && $0 <= .seconds(600) } == true)
            #expect(try await owner.restrictions().map(\.user) == [guest.state.me.id])
            try await owner.unmuteChat(of: guest.state.me.id)
            _ = try await ownersEvents.upTo {
                if case .restriction(let news) = $0 { news.lifted } else { false }
            }
            _ = try await guest.send("thank you")

            try await owner.update(slowMode: .seconds(60), hostsOnly: true, noLinks: true)
            #expect(owner.state.info.chat == ChatSettings(slowSeconds: 60, hostsOnly: true, noLinks: true))
            #expect(await refusal { _ = try await guest.send("hello") }?.code.rawValue == "hosts_only")
            try await owner.update(slowMode: .zero, hostsOnly: false, noLinks: false)
            #expect(owner.state.info.chat == nil)
        }

        @Test("a signal reaches its user in no room, with the sender's id for it; who is away is told")
        func signals() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob) = (try await house.client("Alice"), try await house.client("Bob"))
            let user = try #require(bob.state.user?.id)
            let heard = bob.events(replay: .all)
            try await alice.sendSignal(.text("hello"), to: user)
            try await alice.sendSignal(.custom(command: "LOOK", message: "{}"), to: user, id: "look-1")
            let events = try await heard.upTo {
                if case .signal(let signal) = $0 { signal.id == "look-1" } else { false }
            }
            let signals = events.compactMap { event -> Signal? in
                if case .signal(let signal) = event { signal } else { nil }
            }
            #expect(signals.map(\.body) == [.text("hello"), .custom(command: "LOOK", message: "{}")])
            #expect(signals.allSatisfy { $0.from.name == "Alice" && $0.time > 1_700_000_000_000 })
            let away = await refusal { try await alice.sendSignal(.text("hello"), to: UserID(literal: "nobody")) }
            #expect(away?.code.rawValue == "user_away")
        }

        @Test("V10-K somebody who is elsewhere is invited, declines there, and accepts by entering")
        func elsewhere() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob) = (try await house.client("Alice"), try await house.client("Bob"))
            let room = try await alice.createRoom(RoomDraft(name: "Salon"))
            let user = try #require(bob.state.user?.id)
            let heard = bob.events(replay: .all)
            func invited() async throws -> Invitation {
                let events = try await heard.upTo {
                    if case .invitation(let news, _) = $0 { news.invitation.state == .waiting } else { false }
                }
                guard case .invitation(let news, let info)? = events.last else { throw OvationError(.invalidAnswer) }
                #expect(info.name == "Salon")
                return news.invitation
            }
            let answers = room.events(replay: .all)
            _ = try await room.invite(user, command: "PICK_SEAT", content: "1", timeout: .seconds(60))
            try await bob.rejectInvitation(try await invited(), reason: "later")
            _ = try await answers.upTo {
                if case .invitation(let news) = $0 {
                    news.invitation.state == .rejected && news.by == user
                } else {
                    false
                }
            }
            _ = try await room.invite(user, command: "PICK_SEAT", content: "1", timeout: .seconds(60))
            let second = try await invited()
            let guest = try await bob.enterRoom(second.room)
            #expect(guest.state.invitations.map(\.id) == [second.id])
            try await guest.acceptInvitation(second.id)
            let nobody = await refusal {
                _ = try await room.invite(UserID(literal: "nobody"), command: "C", timeout: .seconds(9))
            }
            #expect(nobody?.code.rawValue == "user_not_in_room")
        }

        @Test(
            "G06-K V20-K who is banned everywhere is told, is in no room of the host, and comes back when it is lifted")
        func bans() async throws {
            let house = try House()
            defer { house.end() }
            let (alice, bob, carol) = (
                try await house.client("Alice"), try await house.client("Bob"), try await house.client("Carol")
            )
            let first = try await alice.createRoom(RoomDraft(name: "First"))
            let guest = try await bob.enterRoom(first.id)
            let id = guest.state.me.id
            let heard = guest.events(replay: .all)
            // Without the server's time nobody knows for how long.
            while bob.clock.reading == nil { try await nextTurn() }
            try await first.ban(id, for: .seconds(3_600), everywhere: true, reason: "why")
            let events = try await heard.upTo { if case .gone = $0 { true } else { false } }
            #expect(
                events.contains {
                    if case .removed(let restriction) = $0 {
                        restriction.everywhere && restriction.reason == "why"
                    } else {
                        false
                    }
                })
            let gone = events.compactMap { if case .gone(let error) = $0 { error } else { nil } }.last
            // Who comes back too soon hears the same.
            let refused = await refusal { _ = try await bob.enterRoom(first.id) }
            for error in [gone, refused] {
                #expect(error?.code == .banned && error?.reason == "Alice")
                #expect(error?.retryAfter.map { $0 > .seconds(3_500) && $0 < .seconds(3_601) } == true)
            }
            try await first.destroy()
            let second = try await alice.createRoom(RoomDraft(name: "Second"))
            #expect(await refusal { _ = try await bob.enterRoom(second.id) }?.code.rawValue == "banned")
            // Another host's rooms are open.
            let other = try await carol.createRoom(RoomDraft(name: "Other"))
            let visitor = try await bob.enterRoom(other.id)
            await visitor.leave()
            try await second.liftBan(of: id)
            let back = try await bob.enterRoom(second.id)
            try await second.handOver(to: id)
            #expect(second.state.info.owner.id == id && second.state.me.role == .admin)
            _ = try await back.events(replay: .all).upTo {
                if case .infoChanged(let info) = $0 { info.owner.id == id } else { false }
            }
            #expect(await refusal { try await second.destroy() }?.code.rawValue == "permission_denied")
        }
    }
}
