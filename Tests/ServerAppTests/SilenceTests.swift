import DatagramIO
import Foundation
import MediaTestSupport
import RoomPorts
import ServerTestSupport
import Testing
import Timing
import Wire

extension WholeServerTests {
    /// Who loses a right is silent and deaf when the server says so: over the wire, with clients that go on sending whatever they are told.
    @Suite(.serialized) struct SilenceTests {
        /// A way of losing the right to speak, and whether the right to listen goes with it.
        enum Loss: String, CaseIterable, Sendable {
            case muted, closed, kicked, left, exited, closedMedia, replaced, signedOut, expired, destroyed

            var isDeaf: Bool {
                switch self {
                case .muted, .closed, .kicked, .left: false
                case .exited, .closedMedia, .replaced, .signedOut, .expired, .destroyed: true
                }
            }
        }

        @Test(
            "A12-S over the wire nothing of who lost the right is heard after the answer, and who may not listen hears nothing",
            arguments: Loss.allCases)
        func silentAndDeaf(loss: Loss) async throws {
            try await TestServer.with { server async throws in
                let party = try MediaParty()
                let owner = try await party.enter("owner", at: server, room: nil)
                let room = owner.room
                // Long enough to enter on a busy machine.
                let lifetime: Int64 = loss == .expired ? 6 : 86_400
                let speaker = try await party.enter("speaker", at: server, room: room, lifetime: lifetime)
                let witness = try await party.enter("witness", at: server, room: room)
                try await speaker.signal.call("seat.take", ["room": room, "seat": 0])
                try await witness.signal.call("seat.take", ["room": room, "seat": 1])
                // Both are heard first: that nothing is heard later says something.
                await party.run(speaking: speaker, [0xaa]) { owner.media.payloads(on: 0).contains([0xaa]) }
                await party.run(speaking: witness, [0xab]) { speaker.media.payloads(on: 1).contains([0xab]) }

                // It speaks all the time, while the right is taken away and afterwards.
                for number in UInt8(0)..<20 { speaker.media.speak([0xa1, number]) }
                try await take(loss, from: speaker, by: owner, in: room, at: server, party)
                for number in UInt8(0)..<100 { speaker.media.speak([0xa2, number]) }
                witness.media.speak([0xb1])
                if loss == .destroyed {
                    // The server says goodbye to everybody; nothing was forwarded before it did.
                    #expect(await party.areDeaf([owner, witness, speaker], to: [0xa2]))
                    return
                }
                await party.run(speaking: witness, [0xb2]) { owner.media.payloads(on: 1).contains([0xb2]) }
                #expect(!owner.media.payloads(on: 0).contains { $0.first == 0xa2 }, "\(loss)")
                let hears = speaker.media.payloads(on: 1).contains { $0 == [0xb1] || $0 == [0xb2] }
                #expect(hears == !loss.isDeaf, "\(loss)")
            }
        }

        private func take(
            _ loss: Loss, from speaker: MediaParty.Person, by owner: MediaParty.Person, in room: JSON,
            at server: TestServer, _ party: MediaParty
        ) async throws {
            switch loss {
            case .muted:
                try await owner.signal.call("seat.mute", ["room": room, "seat": 0, "muted": true])
            case .closed:
                try await owner.signal.call("seat.close", ["room": room, "seat": 0, "closed": true])
            case .kicked: try await owner.signal.call("seat.kick", ["room": room, "seat": 0])
            case .left: try await speaker.signal.call("seat.leave", ["room": room])
            case .exited: try await speaker.signal.call("room.exit", ["room": room])
            case .closedMedia: try await speaker.signal.call("media.close", ["room": room])
            case .replaced: _ = try await server.signedIn("speaker")
            case .signedOut: try await speaker.signal.call("session.close")
            case .expired:
                await party.run { speaker.signal.heard.contains { $0["method"] == "session.closed" } }
            case .destroyed: try await owner.signal.call("room.destroy", ["room": room])
            }
        }
    }
}

/// People with a session and a media path, over real sockets; nothing waits for time to pass.
private final class MediaParty {
    private static let patience = Interval.seconds(60)

    struct Person {
        let signal: SignalClient
        let media: TestClient
        let room: JSON
    }

    private let poller: Poller
    private var clients: [TestClient] = []

    init() throws { poller = try Poller() }

    /// Signs in, enters the room, or makes one of two seats, and opens a media path.
    func enter(_ name: String, at server: TestServer, room: JSON?, lifetime: Int64 = 86_400) async throws -> Person {
        let signal = try await server.signedIn(name, lifetime: lifetime)
        if let room { try await signal.call("room.enter", ["room": room]) }
        let room =
            if let room { room } else { try await signal.call("room.create", ["name": "Salon", "seats": 2])["room"] }
        let media = try TestClient(
            UInt64(clients.count + 1), on: StageID(rawValue: 0), slots: 2, ip: IPAddress(v4: 127, 0, 0, 1))
        try poller.add(media.socket, tag: clients.count)
        clients.append(media)
        let offer = media.nextOffer()
        let answer = try await signal.call(
            "media.offer", ["room": room, "number": .number(Double(offer.number)), "sdp": .string(offer.sdp)])
        try media.take(sdp: answer["sdp"].string ?? "")
        await run { media.isConnected }
        return Person(signal: signal, media: media, room: room)
    }

    /// Lets all work until `condition` holds; `speaker` says `frame` again and again until then: a first frame may come before the
    /// server's side of its path is through.
    func run(
        speaking speaker: Person? = nil, _ frame: [UInt8] = [], sourceLocation: SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) async {
        let end = SystemClock.now() + Self.patience
        while true {
            speaker?.media.speak(frame)
            for client in clients { client.work() }
            if condition() { return }
            let now = SystemClock.now()
            guard now < end else {
                Issue.record("what should happen did not", sourceLocation: sourceLocation)
                return
            }
            let next = clients.map(\.nextDeadline).reduce(now + .milliseconds(5)) { min($0, $1) }
            _ = poller.wait(until: next, now: now)
            await Task.yield()
        }
    }

    /// Whether none of them has heard such a frame when the server has said goodbye to all of them.
    func areDeaf(_ people: [Person], to frame: [UInt8]) async -> Bool {
        await run { people.allSatisfy { $0.media.closeReason != nil } }
        return people.allSatisfy { person in
            person.media.heard.values.allSatisfy { !$0.contains { $0.payload.first == frame.first } }
        }
    }
}
