import Foundation
import Ovation
import ServerApp
import ServerTestSupport
import Testing

@testable import TRTCCompat

/// What has no callback of its own is told by `onDebugLog`.
@Suite struct DebugLogTests {
    @Test("V17-C the log tells how the connection and the sound do, and what this system has not")
    func withoutServer() async throws {
        let person = VoicePerson("alice")
        let log = LogReader()
        person.room.setDelegate(delegate: log)
        person.room.setSpeaker(userSpeaker: true)
        try await log.notes.line("setSpeaker(userSpeaker: true)")
        let controller = person.room.controller
        controller.hear(.client(.connectionRestored))
        controller.hear(.client(.ticketRenewed))
        try await log.notes.line("the userSig was renewed")
        #expect(log.notes.lines.suffix(2) == ["the connection is back", "the userSig was renewed"])
    }
}

/// Where sound is played on a device without a receiver.
@Suite struct RouteTests {
    @Test(
        "V13-C the receiver is answered by its documented code where the device has none, the loudspeaker by a line in the log"
    )
    func route() async throws {
        let person = VoicePerson("alice")
        let (ear, log) = (VoiceEar(Notes()), LogReader())
        person.room.setDelegate(delegate: ear)
        person.room.setSpeaker(userSpeaker: false)
        try await ear.notes.line("warning -15 not_supported: this device has no receiver")
        person.room.setDelegate(delegate: log)
        person.room.setSpeaker(userSpeaker: true)
        try await log.notes.line("setSpeaker(userSpeaker: true)")
        #expect(ear.notes.lines.count == 1 && TRTCCode.notSupported == OvationError(.notSupported).number)
    }
}

extension FacadeTests {
    @Suite struct RoomLogTests {
        @Test(
            "V17-C the log tells who reconnects and who is back, roles, the owner's absence and heir, invitations that expire, messages that were missed"
        )
        func room() async throws {
            try await TestServer.with(configure: { $0.roomsOwnerAbsenceSeconds = 2 }) { server async throws in
                let opened = try await server.client()
                let secret = try await opened.call("session.open", try server.opening("owner"))["session"]
                let room: JSON = 64
                try await opened.call("room.create", ["room": room, "name": "Log", "seats": 2])
                let bob = try await VoicePerson.signedIn("bob", at: server)
                let log = LogReader()
                bob.room.setDelegate(delegate: log)
                #expect(await bob.enter(64) == 0)
                let session = try #require(bob.room.controller.room)
                bob.room.controller.hear(.room(session, .messagesMissed(3...5)))
                try await log.notes.line("3 messages were missed")

                let invitation = try await opened.call(
                    "invitation.send",
                    ["room": room, "user": "bob", "command": "COME", "timeoutSeconds": 1])["id"].string
                try await log.notes.line("the invitation \(invitation ?? "?") has expired")
                try await opened.call("role.set", ["room": room, "user": "bob", "role": "admin"])
                try await log.notes.line("bob is now admin")

                try await opened.call("seat.take", ["room": room, "seat": 0])
                await opened.drop()
                try await log.notes.line("owner is reconnecting")
                let owner = try await server.signedIn("owner", resume: secret.string)
                try await owner.call("room.enter", ["room": room])
                try await log.notes.line("owner has reconnected")

                try await owner.call("room.exit", ["room": room])
                try await log.notes.line("the owner is away")
                try await owner.call("room.enter", ["room": room])
                try await log.notes.line("the owner is back")
                try await owner.call("room.exit", ["room": room])
                try await log.notes.line("bob is now the owner of the room")
                try await log.notes.line("owner is now admin")
            }
        }
    }
}
