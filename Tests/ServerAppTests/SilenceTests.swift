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
            case muted, closed, kicked, left, exited, closedMedia, replaced, signedOut, expired, destroyed, banned
            case bannedHere, signedOutByOperator, keyDropped

            var isDeaf: Bool {
                switch self {
                case .muted, .closed, .kicked, .left: false
                case .exited, .closedMedia, .replaced, .signedOut, .expired, .destroyed, .banned, .bannedHere,
                    .signedOutByOperator, .keyDropped:
                    true
                }
            }
        }

        @Test(
            "A12-S over the wire nothing of who lost the right is heard after the answer, and who may not listen hears nothing",
            arguments: Loss.allCases)
        func silentAndDeaf(loss: Loss) async throws {
            try await RESTHouse.with { house in
                let server = house.server
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
                await party.run(speaking: speaker.media, [0xaa]) { owner.media.payloads(on: 0).contains([0xaa]) }
                await party.run(speaking: witness.media, [0xab]) { speaker.media.payloads(on: 1).contains([0xab]) }

                // It speaks all the time, while the right is taken away and afterwards.
                for number in UInt8(0)..<20 { speaker.media.speak([0xa1, number]) }
                try await take(loss, from: speaker, by: owner, beside: witness, in: room, at: house, party)
                for number in UInt8(0)..<100 { speaker.media.speak([0xa2, number]) }
                witness.media.speak([0xb1])
                if loss == .destroyed {
                    // The server says goodbye to everybody; nothing was forwarded before it did.
                    #expect(await party.areDeaf([owner, witness, speaker], to: [0xa2]))
                    return
                }
                await party.run(speaking: witness.media, [0xb2]) { owner.media.payloads(on: 1).contains([0xb2]) }
                #expect(!owner.media.payloads(on: 0).contains { $0.first == 0xa2 }, "\(loss)")
                let hears = speaker.media.payloads(on: 1).contains { $0 == [0xb1] || $0 == [0xb2] }
                #expect(hears == !loss.isDeaf, "\(loss)")
            }
        }

        private func take(
            _ loss: Loss, from speaker: MediaParty.Person, by owner: MediaParty.Person,
            beside witness: MediaParty.Person, in room: JSON,
            at house: RESTHouse, _ party: MediaParty
        ) async throws {
            switch loss {
            case .muted:
                try await owner.signal.call("seat.mute", ["room": room, "seat": 0, "muted": true])
            case .closed:
                try await owner.signal.call("seat.close", ["room": room, "seat": 0, "closed": true])
            case .kicked: try await owner.signal.call("seat.kick", ["room": room, "seat": 0])
            case .left: try await speaker.signal.call("seat.leave", ["room": room])
            case .exited: try await speaker.signal.call("room.exit", ["room": room])
            case .banned:
                try await owner.signal.call("restriction.set", ["room": room, "user": "speaker", "kind": "ban"])
            case .closedMedia: try await speaker.signal.call("media.close", ["room": room])
            case .replaced: _ = try await house.server.signedIn("speaker")
            case .signedOut: try await speaker.signal.call("session.close")
            case .expired:
                await party.run { speaker.signal.heard.contains { $0["method"] == "session.closed" } }
            case .bannedHere: #expect(try await house.outcome("PUT", "users/speaker/restrictions/ban", [:]) == "200")
            case .signedOutByOperator: #expect(try await house.outcome("DELETE", "users/speaker/sessions") == "200")
            case .keyDropped:
                // The others have tickets of the new key by then.
                let keys = "applications/\(TestServer.application)/keys"
                let key = try #require(try await house.send("POST", keys).json["key"].string)
                for (name, person) in [("owner", owner), ("witness", witness)] {
                    let ticket = try house.server.ticket(name, key: key)
                    try await person.signal.call("session.renew", ["ticket": .string(ticket)])
                }
                #expect(try await house.outcome("DELETE", keys + "/older") == "200")
            case .destroyed: try await owner.signal.call("room.destroy", ["room": room])
            }
        }
    }
}
