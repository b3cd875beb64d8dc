import Foundation
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Testing
import Timing

/// No content makes a room that nobody can enter: every answer has a budget, counted as it goes on the wire.
@Suite struct EntrySizeTests {
    /// What a connection's outbox takes, less what else may wait there.
    private static let limit = 1 << 20

    private func wireSize(_ entry: RoomEntry?) throws -> Int {
        switch entry {
        case .snapshot(let snapshot): try JSONEncoder().encode(snapshot).count
        case .resumed(let gap): try gap.events.reduce(JSONEncoder().encode(gap.state).count) { $0 + $1.wireSize }
        case nil: .max
        }
    }

    @Test("a message is measured as it goes on the wire: control characters take six bytes each")
    func escapes() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let bell = String(repeating: "\u{7}", count: 12 << 10)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text(bell))), by: owner) == .messageTooLarge)
        #expect(
            salon.refusal(.sendMessage(MessageDraft(.custom(command: "C", message: bell))), by: owner)
                == .messageTooLarge)
        let plain = String(repeating: "a", count: 12 << 10)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text(plain))), by: owner) == nil)
        // JSON in JSON: every other character is escaped.
        let json = String(repeating: "\"a", count: 6 << 10)
        #expect(salon.refusal(.sendMessage(MessageDraft(.text(json))), by: owner) == nil)
        let controls = String(repeating: "\u{7}", count: 4 << 10)
        #expect(
            salon.refusal(.sendInvitation(InvitationDraft(to: .owner, command: "C", content: controls)), by: owner)
                == .invalidParams)
    }

    @Test("the size that is counted is never less than what JSON makes of a text", arguments: [UInt64(1), 2, 3])
    func counted(seed: UInt64) throws {
        var state = seed
        for _ in 0..<200 {
            var text = ""
            for _ in 0..<60 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.unicodeScalars.append(Unicode.Scalar(UInt32(state >> 40) % 0xd7ff) ?? "?")
                if state >> 62 == 0 { text += ["\u{1}", "\"", "\\", "/", "\n", "\u{7f}"][Int(state >> 56) % 6] }
            }
            #expect(WireSize.of(text) >= (try JSONEncoder().encode(text)).count)
        }
    }

    @Test("G05-S who enters is told as many of the last messages as the operator sets, or none")
    func messagesOnEntry() async throws {
        let salon = try await Salon()
        salon.policy.update { $0.messages = .unlimited }
        let owner = salon.create()
        for number in 1...5 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        func told(_ user: UserID) throws -> [UInt64] {
            guard case .snapshot(let snapshot) = try salon.enter(user).entries.current.last?.get() else { return [] }
            return snapshot.messages.map(\.chat)
        }
        #expect(try told(UserID(literal: "first")) == Array(1...5))
        salon.policy.update { $0.messages.onEntry = 3 }
        #expect(try told(UserID(literal: "second")) == [3, 4, 5])
        salon.policy.update { $0.messages.onEntry = 0 }
        #expect(try told(UserID(literal: "third")).isEmpty)
    }

    @Test("fifty of the largest messages and a thousand of the largest invitations leave an entry small enough")
    func fullRoom() async throws {
        let salon = try await Salon()
        salon.policy.update { $0.messages = .unlimited }
        let owner = salon.create()
        let heavy = String(repeating: "\"", count: 12 << 10)
        for _ in 0..<60 { #expect(salon.refusal(.sendMessage(MessageDraft(.text(heavy))), by: owner) == nil) }
        let content = String(repeating: "\"", count: 4_000)
        let people = (0..<32).map { salon.enter(UserID(literal: "guest-\($0)")) }
        for person in people {
            for number in 0..<31 {
                let draft = InvitationDraft(to: .owner, command: "C", content: "\(number)" + content)
                #expect(salon.refusal(.sendInvitation(draft), by: person) == nil)
            }
        }
        // The owner comes anew, and with a point from long ago.
        for point in [nil, ResumePoint(epoch: 1, seq: 1, chat: 1)] {
            salon.reconnect(owner, since: point)
            let entry = try #require(try? owner.entries.current.last?.get())
            #expect(try wireSize(entry) < Self.limit)
            #expect(try wireSize(entry) <= entry.wireSize && entry.wireSize < Self.limit, "as the outbox counts it")
            guard case .snapshot(let snapshot) = entry else {
                Issue.record("a gap of \(try wireSize(entry)) bytes")
                continue
            }
            #expect(!snapshot.messages.isEmpty && !snapshot.invitations.isEmpty)
            #expect(snapshot.messages.last?.chat == 60)
            // The rest is read page by page, each once.
            var ids = snapshot.invitations.map(\.id)
            var cursor = snapshot.moreInvitations
            while let next = cursor {
                let page = Shared<InvitationsPage?>(nil)
                salon.core.invitations(after: next, for: owner.session) { page.set(try? $0.get()) }
                salon.settle()
                let found = try #require(page.current)
                #expect(try JSONEncoder().encode(found).count < Self.limit)
                ids += found.invitations.map(\.id)
                cursor = found.cursor
            }
            #expect(ids.count == 32 * 31 && Set(ids).count == ids.count)
        }
    }

    @Test("G05-S who comes back is told of the last settled invitations, as many as fit, the newest of them")
    func settled() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let point = member.point
        let content = String(repeating: "\"", count: 4_000)
        var ids: [String] = []
        for _ in 0..<30 {
            let asked = salon.submit(
                .sendInvitation(InvitationDraft(to: .owner, command: "C", content: content)), by: member)
            guard case .success(.invited(let id, _)) = asked.current else {
                Issue.record("\(String(describing: asked.current))")
                return
            }
            ids.append(id)
            #expect(salon.refusal(.rejectInvitation(RejectInvitation(id: id, reason: nil)), by: owner) == nil)
        }
        salon.reconnect(member, since: point)
        let told = try #require(member.resumption).state.settled ?? []
        #expect(try JSONEncoder().encode(told).count <= 64 << 10)
        #expect(!told.isEmpty && told.map(\.invitation.id) == ids.suffix(told.count))
    }

    @Test("G05-S a gap within the budget is exact, one beyond it becomes a snapshot")
    func gap() async throws {
        let salon = try await Salon()
        let owner = salon.create()
        let member = salon.enter(.member)
        let point = member.point
        salon.lose(member)
        for number in 0..<8 { salon.submit(.sendMessage(MessageDraft(.text("\(number)"))), by: owner) }
        salon.reconnect(member, since: point)
        #expect(member.resumption?.events.count == 8)
        salon.lose(member)
        let heavy = String(repeating: "\"", count: 12 << 10)
        for _ in 0..<30 { salon.submit(.sendMessage(MessageDraft(.text(heavy))), by: owner) }
        salon.reconnect(member, since: point)
        #expect(member.resumption == nil && member.snapshot != nil)
    }
}
