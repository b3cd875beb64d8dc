import Dispatch
import Foundation
import Ovation
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// What the chorus component has of its own; what it shares with the voice room goes through the same controller.
    @Suite struct ChorusRoomTests {
        @Test(
            "D01-C V01-C V02-C V04-C V05-C V06-C V08-C a duet's seats: made, taken, given, muted, closed, freed, ended")
        func seats() async throws {
            try await TestServer.with { server async throws in
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                #expect(await alice.create(501) == 0)
                #expect(await bob.enter(501) == 0)
                try await bob.notes.line("seats 0 0")
                try await alice.notes.line("enters bob Bob")
                alice.notes.clear()
                #expect(await alice.sit(0) == 0)
                let sat = ["callback sit 0", "seats 1alice 0", "sits 0 alice"]
                #expect(try await alice.notes.last(sat) == sat)
                #expect(await alice.ask("pick") { alice.room.pickSeat(seatIndex: 1, userId: "bob", callback: $0) } == 0)
                let picked = ["callback pick 0", "seats 1alice 1bob", "sits 1 bob"]
                #expect(try await alice.notes.last(picked) == picked)
                // Both tell of the person's own mute, and each of the host's.
                bob.room.muteLocalAudio(mute: true)
                try await alice.notes.line("microphone bob true")
                bob.room.muteLocalAudio(mute: false)
                try await alice.notes.line("microphone bob false")
                alice.notes.clear()
                #expect(
                    await alice.ask("mute") { alice.room.muteSeat(seatIndex: 1, isMute: true, callback: $0) } == 0)
                try await bob.notes.line("seat 1 mute true")
                try await alice.notes.line("microphone bob true")
                #expect(await alice.ask("kick") { alice.room.kickSeat(seatIndex: 1, callback: $0) } == 0)
                try await bob.notes.line("stands 1 bob")
                #expect(
                    await alice.ask("close") { alice.room.closeSeat(seatIndex: 1, isClose: true, callback: $0) } == 0)
                try await bob.notes.line("seat 1 close true")
                #expect(await bob.sit(1) == -1)
                #expect(await alice.leaveSeat() == 0)
                try await bob.notes.line("stands 0 alice")
                #expect(await alice.ask("destroy") { alice.room.destroyRoom(callback: $0) } == 0)
                try await bob.notes.line("destroyed 501")
                #expect(await bob.ask("exit") { bob.room.exitRoom(callback: $0) } == -1)
            }
        }

        @Test("D01-C A05-C V10-C V16-C invitations, messages, rooms and people of a duet, in both spellings")
        func talk() async throws {
            try await TestServer.with { server async throws in
                let alice = try await ChorusPerson.signedIn("alice", at: server)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                #expect(await alice.create(502) == 0)
                #expect(await bob.enter(502) == 0)
                for (spelling, answer) in [("id", "accepted"), ("identifier", "rejected")] {
                    var id = ""
                    #expect(
                        await bob.ask("invite") {
                            id = bob.room.sendInvitation(
                                cmd: "ENTER_SEAT", userId: "alice", content: "1", callback: $0)
                        } == 0)
                    try await alice.notes.line("invited \(id) by bob: ENTER_SEAT 1")
                    let code = await alice.ask("answer") {
                        if spelling == "id" {
                            alice.room.acceptInvitation(id: id, callback: $0)
                        } else {
                            alice.room.rejectInvitation(identifier: id, callback: $0)
                        }
                    }
                    #expect(code == 0)
                    try await bob.notes.line("\(answer) \(id) by alice")
                }
                #expect(await bob.ask("text") { bob.room.sendRoomTextMsg(message: "hi", callback: $0) } == 0)
                try await alice.notes.line("text bob: hi")
                #expect(
                    await bob.ask("command") { bob.room.sendRoomCustomMsg(cmd: "CMD_LIKE", message: "", callback: $0) }
                        == 0)
                try await alice.notes.line("command bob CMD_LIKE: ")
                let found = await withCheckedContinuation { continuation in
                    bob.room.getRoomInfoList(roomIdList: [502, 503] as [NSNumber]) { code, _, rooms in
                        continuation.resume(returning: "\(code) \(rooms.map { "\($0.roomID) \($0.ownerName)" })")
                    }
                }
                #expect(found == "0 [\"502 Alice\"]")
                let people = await withCheckedContinuation { continuation in
                    bob.room.getUserInfoList(userIDList: nil) { code, _, users in
                        continuation.resume(returning: "\(code) \(users.map(\.userId).sorted())")
                    }
                }
                #expect(people == "0 [\"alice\", \"bob\"]")
            }
        }

        @Test("D01-C one's own connection and those of the others who sit are told every two seconds")
        func quality() async throws {
            try await TestServer.with { server async throws in
                let hands = Hands()
                let alice = try await ChorusPerson.signedIn(
                    "alice", at: server, clock: hands.clock, hearsQuality: true)
                let bob = try await ChorusPerson.signedIn("bob", at: server)
                #expect(await alice.create(504) == 0)
                #expect(await bob.enter(504) == 0)
                #expect(await bob.sit(1) == 0)
                try await alice.notes.line("sits 1 bob")
                #expect(hands.fire(RoomMeters.qualityInterval) == 1)
                // Nothing is known of anybody yet.
                #expect(try await alice.notes.line("quality").hasSuffix("[bob=0]"))
                // One's own is what the sound's way is worth here, another's what the server says, in the same steps.
                let room = try #require(alice.room.controller.room)
                for try await event in room.audio.events {
                    if case .networkChanged(let reading) = event, reading.quality != .unknown { break }
                }
                let singer = try #require(UserID("bob"))
                for await state in room.changes
                where state.network.singers[singer].map({ $0.quality != .unknown }) ?? false {
                    break
                }
                alice.notes.clear()
                #expect(hands.fire(RoomMeters.qualityInterval) == 1)
                let other = try #require(room.state.network.singers[singer]).quality
                let told = try await alice.notes.line("quality")
                #expect(told == "quality \(room.audio.networkReading.quality.rawValue) [bob=\(other.rawValue)]")
                for quality in NetworkQuality.allCases {
                    #expect(TRTCQuality(quality).rawValue == Int(quality.rawValue))
                }
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                #expect(hands.fire(RoomMeters.qualityInterval) == 0)
            }
        }

        @Test("D01-C V18-C a destroyed chorus room refuses its calls, those of music too")
        func destroyed() async throws {
            let alice = ChorusPerson("alice")
            alice.room.destroy()
            #expect(await alice.ask("enter") { alice.room.enterRoom(roomID: 1, callback: $0) } == -1)
            for call in [
                { alice.room.startPlayMusic(musicID: 1, url: "a.mp3") }, { alice.room.stopPlayMusic() },
                { alice.room.pausePlayMusic() }, { alice.room.resumePlayMusic() },
            ] {
                alice.notes.clear()
                call()
                #expect(try await alice.notes.line("error -1").contains("destroyShared"))
            }
        }
    }
}
