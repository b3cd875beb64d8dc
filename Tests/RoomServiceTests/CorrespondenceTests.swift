import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// What a live room says to others, and what it keeps to itself because it is not stored.
@Suite struct CorrespondenceTests {
    private static let other = RoomKey(application: ApplicationID(1_400_000_001), room: .number(1))

    /// A live room with its host on stage, whose journal waits for commits.
    private func salon() async throws -> (Salon, Client) {
        let salon = try await Salon(room: .number(2))
        let host = salon.create(kind: .live, seats: 4)
        salon.submit(.takeSeat(TakeSeat(0)), by: host)
        salon.others.set([
            Self.other.room: RoomInfo(
                room: Self.other.room, kind: .live, settings: RoomSettings(name: "Other"), owner: .named(.other),
                seats: 4, seated: 1, memberCount: 1, createdAt: 0, speaking: false)
        ])
        _ = salon.bus.take()
        salon.journal.setMode(.manual)
        return (salon, host)
    }

    private func hear(_ content: RoomParcel.Content, in salon: Salon) {
        salon.core.hear(RoomParcel(from: Self.other, to: salon.key, content))
        salon.settle()
    }

    private func challenge(_ salon: Salon) -> RoomParcel.Content {
        let expiry = salon.clock.roomTime.millisecondsSince1970 + 15_000
        let asked = RoomLetter.Content.challenge(host: .named(.other), terms: nil, expiresAt: expiry)
        return .letter(RoomLetter(session: "1/1/9", step: 1, to: salon.key.room, content: asked), confirmed: 0)
    }

    private func failCommit(_ salon: Salon) async throws {
        salon.journal.fail(times: 1)
        salon.commit()
        salon.journal.heal()
    }

    @Test("L04-S a letter that comes twice before it is stored is confirmed only once it is stored")
    func confirmed() async throws {
        let (salon, _) = try await salon()
        for _ in 0..<2 { hear(challenge(salon), in: salon) }
        try await failCommit(salon)
        #expect(salon.bus.take().map(\.content).isEmpty, "the other room would never say it again")
        try await salon.load()
        for _ in 0..<2 { hear(challenge(salon), in: salon) }
        #expect(salon.bus.take().isEmpty)
        salon.commit()
        let confirmation = RoomParcel.Content.delivered(session: "1/1/9", step: 1)
        #expect(salon.bus.take().map(\.content) == [confirmation, confirmation])
    }

    @Test("L04-S a challenge that is not stored is said to nobody, however long that takes")
    func unstoredChallenge() async throws {
        let (salon, host) = try await salon()
        let answer = salon.submit(.challenge(ChallengeHost(Self.other.room, nil)), by: host)
        salon.advance(.seconds(2))
        #expect(answer.current == nil && salon.bus.take().isEmpty)
        try await failCommit(salon)
        #expect(salon.bus.take().map(\.content).isEmpty)
        guard case .failure? = answer.current else {
            Issue.record("\(String(describing: answer.current))")
            return
        }
        try await salon.load()
        salon.submit(.challenge(ChallengeHost(Self.other.room, nil)), by: host)
        salon.commit()
        #expect(salon.bus.take().count == 1)
    }

    @Test("L04-S that a room has ended is told to others once it is stored, and not if that fails")
    func unstoredEnd() async throws {
        let (salon, _) = try await salon()
        salon.core.serve(.dismissed)
        hear(.greeting(session: "1/1/9"), in: salon)
        #expect(salon.bus.take().map(\.content).isEmpty)
        try await failCommit(salon)
        hear(.greeting(session: "1/1/9"), in: salon)
        #expect(salon.bus.take().map(\.content).isEmpty, "it is being read")
        try await salon.load()
        salon.core.serve(.dismissed)
        hear(.greeting(session: "1/1/9"), in: salon)
        salon.commit()
        let gone = RoomParcel.Content.noReader(session: "1/1/9")
        #expect(salon.bus.take().map(\.content) == [gone])
        hear(.greeting(session: "1/1/9"), in: salon)
        #expect(salon.bus.take().map(\.content) == [gone], "and it stays so")
    }

    @Test("L04-S rooms of a server that stops are not taken for gone")
    func stopping() async throws {
        let (salon, _) = try await salon()
        salon.journal.setMode(.automatic)
        let isDrained = Shared(false)
        salon.core.drain { isDrained.set(true) }
        salon.settle()
        #expect(isDrained.current && salon.core.isOver)
        hear(.greeting(session: "1/1/9"), in: salon)
        #expect(salon.bus.take().isEmpty)

        let house = try await DirectoryHouse()
        let greeting = RoomParcel(from: Self.other, to: salon.key, .greeting(session: "1/1/9"))
        await house.directory.deliver(greeting)
        #expect(house.bus.take().map(\.content) == [.noReader(session: "1/1/9")])
        await house.directory.shutdown()
        await house.directory.deliver(greeting)
        #expect(house.bus.take().isEmpty)
    }
}
