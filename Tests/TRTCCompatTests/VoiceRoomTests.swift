import Dispatch
import Foundation
import Ovation
import RoomModel
import ServerTestSupport
import Testing

@testable import TRTCCompat

extension FacadeTests {
    /// The voice room against a whole server: what each call does, and in which order it is told.
    @Suite struct VoiceRoomTests {
        @Test(
            "V02-C whoever has destroyed a room can create another, or log out, in the very callback; all hear the end once"
        )
        func destroyedInTheCallback() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                for id in Int32(71)...75 {
                    #expect(await alice.create(id) == 0)
                    #expect(await bob.enter(Int(id)) == 0)
                    let param = VoiceRoomParam()
                    param.roomName = "The next one"
                    param.seatCount = 3
                    let next = await outcome { reply in
                        alice.room.destroyRoom { code, message in
                            guard code == 0 else { return reply(code, message) }
                            alice.room.createRoom(roomID: id + 100, roomParam: param, callback: reply)
                        }
                    }
                    #expect(next.code == 0, "\(next)")
                    let end = await outcome { reply in
                        alice.room.destroyRoom { code, message in
                            guard code == 0, id == 75 else { return reply(code, message) }
                            alice.room.logout(callback: reply)
                        }
                    }
                    #expect(end.code == 0, "\(end)")
                    try await bob.notes.line("destroyed \(id)")
                    try await alice.notes.line("destroyed \(id + 100)")
                }
                let ends = (71...75).flatMap { ["destroyed \($0)", "destroyed \($0 + 100)"] }
                #expect(alice.notes.lines.filter { $0.hasPrefix("destroyed") } == ends)
                #expect(bob.notes.lines.filter { $0.hasPrefix("destroyed") } == (71...75).map { "destroyed \($0)" })
            }
        }

        @Test("V01-C V02-C a room is created, created again by its owner, refused to another, and ended for everybody")
        func createAndDestroy() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(7_001) == 0)
                #expect(
                    try await alice.notes.last(["callback create 0", "info 7001 Salon 7001 of Alice", "seats 0 0 0"])
                        == ["callback create 0", "info 7001 Salon 7001 of Alice", "seats 0 0 0"])
                #expect(await alice.create(7_002) == -1)
                #expect(await bob.create(7_001) == 10_021)
                #expect(await alice.create(0) == -1)
                #expect(await alice.create(-4) == -1)

                #expect(await bob.enter(7_001) == 0)
                #expect(await bob.ask("destroy") { bob.room.destroyRoom(callback: $0) } == -1)
                #expect(await alice.ask("destroy") { alice.room.destroyRoom(callback: $0) } == 0)
                try await bob.notes.line("destroyed 7001")
                let end = try await alice.notes.last(["callback destroy 0", "destroyed 7001"])
                #expect(end == ["callback destroy 0", "destroyed 7001"])
                #expect(await bob.create(7_003) == 0)
            }
        }

        @Test("V01-C a list of seats counts before their number; closed and muted seats start out so")
        func seatList() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let param = VoiceRoomParam()
                param.roomName = "Seats"
                param.seatCount = 9
                param.seatInfoList = [VoiceRoomSeatInfo(), VoiceRoomSeatInfo(), VoiceRoomSeatInfo()]
                param.seatInfoList[1].status = 2
                param.seatInfoList[2].mute = true
                #expect(
                    await alice.ask("create") { alice.room.createRoom(roomID: 5, roomParam: param, callback: $0) } == 0)
                #expect(try await alice.notes.line("seats") == "seats 0 2 0m")
            }
        }

        @Test("V03-C entering: callback, room, seats, then one entry per used seat by index; others hear of it once")
        func enterAndExit() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(7) == 0)
                #expect(await alice.sit(2) == 0)
                #expect(await bob.enter(7) == 0)
                #expect(await bob.sit(0) == 0)
                try await alice.notes.line("sits 0 bob")

                let carol = try await VoicePerson.signedIn("carol", at: server)
                #expect(await carol.enter(7) == 0)
                let entry = [
                    "callback enter 0", "info 7 Salon 7 of Alice", "seats 1bob 0 1alice", "sits 0 bob", "sits 2 alice",
                ]
                #expect(try await carol.notes.last(entry) == entry)
                try await alice.notes.line("enters carol Carol")

                alice.notes.clear()
                #expect(await bob.ask("exit") { bob.room.exitRoom(callback: $0) } == 0)
                let left = ["seats 0 0 1alice", "stands 0 bob", "exits bob"]
                #expect(try await alice.notes.last(left) == left)
                #expect(alice.notes.lines == left)
                #expect(bob.notes.lines.last == "callback exit 0")

                // The owner's leaving is an absence: the room is there when the owner comes back.
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                #expect(
                    await carol.ask("text") { carol.room.sendRoomTextMsg(message: "still here", callback: $0) } == 0)
                #expect(await alice.enter(7) == 0)
                #expect(await alice.enter(7) == -1)
                #expect(!carol.notes.lines.contains { $0.hasPrefix("destroyed") })
            }
        }

        @Test(
            "V04-C V08-C sitting down and leaving: callback, list of seats, single seat, for the caller and the others")
        func order() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(8) == 0)
                #expect(await bob.enter(8) == 0)
                try await bob.notes.line("seats")
                try await alice.notes.line("enters bob")
                for round in 0..<10 {
                    let seat = round % 3
                    alice.notes.clear()
                    bob.notes.clear()
                    #expect(await bob.sit(seat) == 0)
                    try await bob.notes.line("sits")
                    #expect(await bob.ask("leave") { bob.room.leaveSeat(callback: $0) } == 0)
                    let used = (0..<3).map { $0 == seat ? "1bob" : "0" }.joined(separator: " ")
                    let events = ["seats \(used)", "sits \(seat) bob", "seats 0 0 0", "stands \(seat) bob"]
                    let own = ["callback sit 0", events[0], events[1], "callback leave 0", events[2], events[3]]
                    #expect(try await bob.notes.last(own) == own)
                    #expect(try await alice.notes.last(events) == events)
                    #expect(bob.notes.lines == own && alice.notes.lines == events)
                }
                #expect(await bob.ask("leave") { bob.room.leaveSeat(callback: $0) } == -1)
                #expect(await bob.sit(9) == -1)
                #expect(await bob.sit(1) == 0)
                // Who sits has what they ask for.
                #expect(await bob.sit(1) == 0)
                #expect(await bob.sit(2) == 0)
                #expect(await alice.sit(1) == 10_056)
            }
        }

        @Test("V05-C picking and kicking are the owner's, and told like every change of seats")
        func pickAndKick() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(9) == 0)
                #expect(await bob.enter(9) == 0)
                try await alice.notes.line("enters bob")
                alice.notes.clear()
                #expect(
                    await alice.ask("pick") { alice.room.pickSeat(seatIndex: 1, userId: "bob", callback: $0) } == 0)
                let picked = ["callback pick 0", "seats 0 1bob 0", "sits 1 bob"]
                #expect(try await alice.notes.last(picked) == picked)
                try await bob.notes.line("sits 1 bob")

                #expect(await bob.ask("kick") { bob.room.kickSeat(seatIndex: 1, callback: $0) } == -1)
                alice.notes.clear()
                #expect(await alice.ask("kick") { alice.room.kickSeat(seatIndex: 1, callback: $0) } == 0)
                let kicked = ["callback kick 0", "seats 0 0 0", "stands 1 bob"]
                #expect(try await alice.notes.last(kicked) == kicked)
                #expect(await alice.ask("kick") { alice.room.kickSeat(seatIndex: 1, callback: $0) } == -1)
                for nobody in ["", "no such user!", "stranger"] {
                    let code = await alice.ask("pick") {
                        alice.room.pickSeat(seatIndex: 0, userId: nobody, callback: $0)
                    }
                    #expect(code == -1, "\(nobody)")
                }
            }
        }

        @Test(
            "A12-C V03-C who exits is off the seat and off the air, also while a chat client of the same user stays in the room"
        )
        func exitBesideChat() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await bob.create(12) == 0)
                #expect(await alice.enter(12) == 0)
                let manager = V2TIMManager()
                let listener = ProductPopUp(manager)
                listener.listen()
                #expect(await signIn(manager, "alice", server) == 0)
                #expect(await ended { manager.joinGroup("12", succ: $0, fail: $1) } == 0)
                #expect(await alice.sit(1) == 0)
                try await bob.notes.line("sits 1 alice")
                alice.room.muteLocalAudio(mute: true)
                try await bob.notes.line("microphone alice true")
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                try await bob.notes.line("stands 1 alice")
                #expect(alice.room.controller.room == nil)
                // The chat goes on.
                #expect(await bob.ask("send") { bob.room.sendRoomTextMsg(message: "still here", callback: $0) } == 0)
                #expect(try await listener.notes.line("text") == "text in 12: still here")
                // Whoever comes back speaks: the mute was of the stay before.
                #expect(await alice.enter(12) == 0)
                #expect(await alice.sit(2) == 0)
                try await alice.notes.line("sits 2 alice")
                // A mute would be on its way before this.
                #expect(await alice.ask("send") { alice.room.sendRoomTextMsg(message: "back", callback: $0) } == 0)
                try await bob.notes.until("back") { $0.contains { $0.hasPrefix("text") && $0.contains("back") } }
                #expect(bob.notes.lines.count { $0 == "microphone alice true" } == 1)
                // Within a room it holds from one seat to the next.
                alice.room.muteLocalAudio(mute: true)
                try await bob.notes.until("muted again") { $0.count { $0 == "microphone alice true" } == 2 }
                #expect(await alice.ask("leave") { alice.room.leaveSeat(callback: $0) } == 0)
                try await alice.notes.line("stands 2 alice")
                #expect(await alice.sit(0) == 0)
                try await bob.notes.until("muted on the next seat") { $0.count { $0 == "microphone alice true" } == 3 }
                #expect(await ended { manager.logout($0, fail: $1) } == 0)
            }
        }

        @Test("V06-C seats are muted and closed; who sits in a seat that is closed leaves it")
        func muteAndClose() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(10) == 0)
                #expect(await bob.enter(10) == 0)
                #expect(await bob.sit(1) == 0)
                try await alice.notes.line("sits 1 bob")
                alice.notes.clear()
                func mute(_ isMute: Bool) async -> Int32 {
                    await alice.ask("mute") { alice.room.muteSeat(seatIndex: 1, isMute: isMute, callback: $0) }
                }
                #expect(await mute(true) == 0)
                try await alice.notes.line("seat 1 mute true")
                #expect(await mute(false) == 0)
                let muted = [
                    "callback mute 0", "seats 0 1mbob 0", "seat 1 mute true", "microphone bob true", "callback mute 0",
                    "seats 0 1bob 0", "seat 1 mute false", "microphone bob false",
                ]
                try await alice.notes.line("microphone bob false")
                #expect(try await alice.notes.last(muted) == muted)

                #expect(await mute(true) == 0)
                try await bob.notes.line("seat 1 mute true")
                bob.room.muteLocalAudio(mute: false)
                #expect(try await bob.notes.line("warning").contains("seat_muted"))

                bob.notes.clear()
                #expect(
                    await alice.ask("close") { alice.room.closeSeat(seatIndex: 1, isClose: true, callback: $0) } == 0)
                try await bob.notes.line("stands 1 bob")
                try await bob.notes.line("seat 1 close true")
                #expect(await bob.sit(1) == -1)
                #expect(
                    await alice.ask("open") { alice.room.closeSeat(seatIndex: 1, isClose: false, callback: $0) } == 0)
                try await bob.notes.line("seat 1 close false")
                #expect(await bob.ask("mute") { bob.room.muteSeat(seatIndex: 0, isMute: true, callback: $0) } == -1)
            }
        }

        @Test("V09-C moving frees the one seat and takes the other; a second move within a second is 10001")
        func move() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                #expect(await alice.create(11) == 0)
                #expect(await alice.ask("move") { alice.room.moveSeat(seatIndex: 1, callback: $0) } == -1)
                #expect(await alice.sit(0) == 0)
                try await alice.notes.line("sits 0 alice")
                alice.notes.clear()
                var returned = -1
                let code = await alice.ask("move") { returned = alice.room.moveSeat(seatIndex: 2, callback: $0) }
                #expect(code == 0 && returned == 0)
                let moved = [
                    "callback move 0", "seats 0 0 0", "stands 0 alice", "seats 0 0 1alice", "sits 2 alice",
                ]
                #expect(try await alice.notes.last(moved) == moved)
                #expect(await alice.ask("move") { alice.room.moveSeat(seatIndex: 1, callback: $0) } == 10_001)
            }
        }

        @Test("V11-C muting oneself is told to everybody, and a seat taken later follows the choice")
        func microphone() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(12) == 0)
                #expect(await bob.enter(12) == 0)
                #expect(await bob.sit(1) == 0)
                bob.room.muteLocalAudio(mute: true)
                try await alice.notes.line("microphone bob true")
                try await bob.notes.line("microphone bob true")
                bob.room.muteLocalAudio(mute: false)
                try await alice.notes.line("microphone bob false")

                alice.room.muteLocalAudio(mute: true)
                #expect(await alice.sit(0) == 0)
                try await bob.notes.line("microphone alice true")
            }
        }

        @Test("V14-C volumes come at the interval, in silence too, until the room is left")
        func volumes() async throws {
            try await TestServer.with { server async throws in
                let hands = Hands()
                let alice = try await VoicePerson.signedIn("alice", at: server, clock: hands.clock, hearsVolumes: true)
                #expect(hands.fire(300) == 0)
                #expect(await alice.create(13) == 0)
                for _ in 0..<3 { #expect(hands.fire(300) == 1) }
                #expect(await alice.sit(0) == 0)
                #expect(alice.notes.lines.filter { $0 == "volumes [] 0" }.count == 3)
                alice.room.setVolumeInterval(milliseconds: 20)
                #expect(hands.fire(300) == 0)
                #expect(hands.fire(100) == 1)
                alice.room.setVolumeInterval(milliseconds: 0)
                #expect(hands.fire(100) == 0)
                alice.room.setVolumeInterval(milliseconds: 500)
                #expect(await alice.ask("exit") { alice.room.exitRoom(callback: $0) } == 0)
                #expect(hands.fire(500) == 0)
            }
        }

        @Test("V16-C every other member gets each message once, in one order, with the sender; the echo is a switch")
        func messages() async throws {
            try await TestServer.with { server async throws in
                let alice = try await VoicePerson.signedIn("alice", at: server)
                let bob = try await VoicePerson.signedIn("bob", at: server)
                #expect(await alice.create(14) == 0)
                #expect(await bob.enter(14) == 0)
                for number in 0..<20 {
                    let code = await alice.ask("send") {
                        if number.isMultiple(of: 2) {
                            alice.room.sendRoomTextMsg(message: "line \(number)", callback: $0)
                        } else {
                            alice.room.sendRoomCustomMsg(cmd: "CMD_DANMU", message: "line \(number)", callback: $0)
                        }
                    }
                    #expect(code == 0)
                }
                try await bob.notes.line("command alice CMD_DANMU: line 19")
                let heard = bob.notes.lines.filter { $0.contains(": line") }
                #expect(
                    heard
                        == (0..<20).map {
                            $0.isMultiple(of: 2)
                                ? "text alice/Alice: line \($0)" : "command alice CMD_DANMU: line \($0)"
                        })
                #expect(!alice.notes.lines.contains { $0.contains(": line") })

                alice.room.echoesOwnMessages = true
                #expect(await alice.ask("send") { alice.room.sendRoomTextMsg(message: "echo", callback: $0) } == 0)
                #expect(try await alice.notes.line("text alice/Alice: echo") == "text alice/Alice: echo")
                let large = String(repeating: "x", count: 12_289)
                #expect(await alice.ask("send") { alice.room.sendRoomTextMsg(message: large, callback: $0) } == 80_002)
            }
        }
    }
}
