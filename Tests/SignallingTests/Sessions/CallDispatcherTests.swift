import Foundation
import HTTP
import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import SignalProtocol
import Synchronization
import Testing
import Timing
import UserSig

@testable import Signalling

/// Conversations in virtual time, with real rooms behind them.
@Suite struct CallDispatcherTests {
    private typealias House = ConversationHouse
    private typealias Line = ConversationLine

    @Test(
        "G04-S the people behind one address share an allowance of messages, and a refusal names it and says when to try again"
    )
    func messagesOfOneAddress() async throws {
        let house = try await House(messagesPerAddress: AdmissionLimits.messages(perSecond: 10))
        let (alice, bob, carol) = (try await Line(house), try await Line(house), try await Line(house))
        for (line, name) in [(alice, "alice"), (bob, "bob"), (carol, "carol")] { try await line.open(name) }
        try await alice.call("room.create", #"{"room":"salon","name":"Salon","seats":2}"#)
        for line in [bob, carol] { try await line.call("room.enter", #"{"room":"salon"}"#) }
        let message = #"{"room":"salon","text":"hello"}"#
        // What the room refuses one who floods is no one's loss behind the address.
        for number in 1...25 {
            let answer = try await bob.call("message.send", message)
            #expect(answer.contains(number <= 10 ? #""chat":"# : "rooms.messages_per_person"), "\(answer)")
        }
        for _ in 0..<10 { #expect(try await alice.call("message.send", message).contains(#""chat":"#)) }
        for line in [alice, carol] {
            let refusal = try await line.call("message.send", message)
            #expect(refusal.contains("rate_limited") && refusal.contains("limits.messages_per_address"), "\(refusal)")
            let wait = try #require(refusal.firstMatch(of: /"retryAfterMs":(\d+)/).flatMap { Int64($0.1) })
            #expect((1...100).contains(wait))
        }
        // Whatever is no message passes.
        #expect(try await carol.call("like.send", #"{"room":"salon","count":1}"#).contains("total"))
        house.clock.advance(by: .milliseconds(100))
        #expect(try await carol.call("message.send", message).contains(#""chat":21"#))
    }

    @Test(
        "G04-S a member who takes and leaves a seat without a pause is refused after twenty times, under any connection, before the room hears of it, and told when to try again"
    )
    func changesOfOnePerson() async throws {
        let house = try await House()
        let (olga, mia) = (try await Line(house), try await Line(house))
        try await olga.open("olga")
        try await olga.call("room.create", #"{"room":77,"name":"Salon"}"#)
        try await mia.open("mia")
        try await mia.call("room.enter", #"{"room":77}"#)
        var taken = 0
        while taken < 100 {
            let answer = try await mia.call("seat.take", #"{"room":77,"seat":3}"#)
            guard answer.contains(#""result""#) else { break }
            taken += 1
            #expect(try await mia.call("seat.leave", #"{"room":77}"#).contains(#""result""#))
        }
        // A little time goes by meanwhile.
        #expect((20...22).contains(taken))
        // By its name alone: what follows is not read, and would be refused otherwise.
        let refusal = try await mia.call("seat.take", #"{"seat":"none"}"#)
        #expect(refusal.contains("rate_limited") && refusal.contains("limits.changes_per_second"), "\(refusal)")
        let wait = try #require(refusal.firstMatch(of: /"retryAfterMs":(\d+)/).flatMap { Int64($0.1) })
        #expect((1...500).contains(wait))
        // Where the first bytes do not say what it is, the call itself does.
        let long = String(repeating: " ", count: CallOutline.bytesRead)
        try await mia.send(
            text: #"{"jsonrpc":"2.0","params":{"room":77,\#(long)"seat":3},"id":"late","method":"seat.take"}"#,
            before: "clock.read", "{}")
        #expect(try await mia.hears(#""late""#).contains("rate_limited"))
        // Where they do not say by which id it is answered, neither.
        try await mia.send(
            text: #"{"jsonrpc":"2.0","method":"seat.take","params":{"room":77,\#(long)"seat":3},"id":"behind"}"#,
            before: "clock.read", "{}")
        #expect(try await mia.hears(#""behind""#).contains("rate_limited"))

        // Who comes again has what they left.
        try await mia.call("room.exit", #"{"room":77}"#)
        let again = try await Line(house)
        try await again.open("mia")
        try await again.call("room.enter", #"{"room":77}"#)
        #expect(try await again.call("seat.take", #"{"room":77,"seat":3}"#).contains("rate_limited"))
        // Others have their own.
        #expect(try await olga.call("seat.take", #"{"room":77,"seat":0}"#).contains(#""result""#))
        house.clock.advance(by: .milliseconds(wait))
        #expect(try await again.call("seat.take", #"{"room":77,"seat":3}"#).contains(#""result""#))
    }

    @Test(
        "G04-S however often somebody has changed the room, they can mute themselves, leave the seat and go; unmuting waits"
    )
    func silenceIsFree() async throws {
        let house = try await House()
        let (olga, mia) = (try await Line(house), try await Line(house))
        try await olga.open("olga")
        try await olga.call("room.create", #"{"room":77,"name":"Salon","kind":"live"}"#)
        try await mia.open("mia")
        try await mia.call("room.enter", #"{"room":77}"#)
        try await mia.call("seat.take", #"{"room":77,"seat":3}"#)
        func mute(_ muted: Bool) async throws -> String {
            try await mia.call("microphone.set", #"{"room":77,"muted":\#(muted)}"#)
        }
        var unmuted = 0
        while unmuted < 100 {
            guard try await mute(false).contains(#""result""#) else { break }
            unmuted += 1
            #expect(try await mute(true).contains(#""result""#))
        }
        #expect((19...21).contains(unmuted))
        for (method, params) in [
            ("microphone.set", #"{"room":77,"muted":true}"#), ("camera.set", #"{"room":77,"on":false}"#),
            ("seat.leave", #"{"room":77}"#), ("room.exit", #"{"room":77}"#),
        ] {
            #expect(try await mia.call(method, params).contains(#""result""#), "\(method)")
        }
    }

    @Test("G04-S who runs the room changes it twice as often at once as a member, from the moment that they do")
    func changesOfHosts() async throws {
        let house = try await House()
        let (olga, mia) = (try await Line(house), try await Line(house))
        try await olga.open("olga")
        try await olga.call("room.create", #"{"room":77,"name":"Salon"}"#)
        try await mia.open("mia")
        try await mia.call("room.enter", #"{"room":77}"#)
        func changes(of line: Line) async throws -> Int {
            var count = 0
            while count < 100 {
                let answer = try await line.call("seat.move", #"{"room":77,"seat":\#(count % 2)}"#)
                guard answer.contains(#""not_seated""#) else { break }
                count += 1
            }
            return count
        }
        #expect(try await (20...22).contains(changes(of: mia)))
        #expect(try await olga.call("role.set", #"{"room":77,"user":"mia","role":"admin"}"#).contains(#""result""#))
        #expect(try await (40...50).contains(changes(of: mia)))
        #expect(try await (39...49).contains(changes(of: olga)))
    }

    @Test(
        "R05-S a call with a run of combining marks, in a name, a key or an escape, is refused under its id before it is decoded, and the conversation goes on"
    )
    func runsOfMarks() async throws {
        let line = try await Line(House())
        try await line.open("alice", lifetime: 60)
        try await line.call("room.create", #"{"room":"salon","name":"Salon","seats":2}"#)
        let run = String(repeating: "\u{345}\u{327}\u{301}", count: 1_000)
        let escapes = String(repeating: "\\u0345\\u0327\\u0301", count: 1_000)
        for marks in [run, escapes] {
            for params in [
                #"{"room":"salon","number":1,"sdp":"v=0","lines":{"a\#(marks)":"microphone"}}"#,
                #"{"room":"salon","set":{"a\#(marks)":"1"}}"#, #"{"room":"salon","a\#(marks)":1}"#,
                #"{"room":"salon","text":"a\#(marks)"}"#,
            ] {
                for method in ["media.offer", "attributes.set", "message.send", "room.list"] {
                    let refusal = try await line.call(method, params)
                    #expect(refusal.contains(#""name":"too_many_marks""#), "\(method) \(refusal)")
                    #expect(refusal.contains("20432"))
                }
            }
            // The method itself, and another member.
            #expect(try await line.call("a" + run).contains("too_many_marks"))
        }
        #expect(try await line.call("message.send", #"{"room":"salon","text":"hello"}"#).contains(#""chat":"#))
    }

    @Test("R05-S calls cost by their bytes: who sends the largest all the time is told to wait, under the call's id")
    func bytesOfCalls() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice", lifetime: 60)
        let offer = #"{"room":"salon","number":1,"sdp":"\#(String(repeating: "v", count: 255 << 10))"}"#
        for _ in 1...4 { #expect(try await line.call("media.offer", offer).contains("not_in_room")) }
        let refusal = try await line.call("media.offer", offer)
        #expect(refusal.contains("rate_limited"))
        let wait = try #require(refusal.firstMatch(of: /"retryAfterMs":(\d+)/).flatMap { Int64($0.1) })
        // Whoever calls as people do is not held up.
        #expect(try await line.call("clock.read").contains("timeUs"))
        // A millisecond more for the call between.
        house.clock.advance(by: .milliseconds(wait + 1))
        #expect(try await line.call("media.offer", offer).contains("not_in_room"))
    }

    @Test("who signs in is told the relays, with a password that is theirs; where there are none, nothing is")
    func relays() async throws {
        let none = try await House()
        let quiet = try await Line(none)
        #expect(try await !quiet.open("alice", lifetime: 60).contains("iceServers"))
        let house = try await House(relays: RelayServers(urls: ["turn:relay.example"], secret: "north"))
        let line = try await Line(house)
        let told = try await line.open("alice", lifetime: 60).replacing("\\/", with: "/")
        #expect(told.contains(#""urls":["turn:relay.example"]"#))
        let end = try #require(told.firstMatch(of: /"username":"(\d+):alice"/).flatMap { Int64($0.1) })
        #expect((0...5).contains(house.clock.wallTime.secondsSince1970 + RelayServers.lifetime - end))
    }

    @Test(
        "A10-S a session is told 300 s and 60 s before its ticket's end, once each, and is closed at the end with 6206")
    func expiry() async throws {
        let line = try await Line(House())
        try await line.open("alice", lifetime: 1_000)
        try await line.pass(699)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.notices() == [300])
        try await line.pass(239)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.notices() == [60])
        try await line.pass(59)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.hears("session.closed").contains(#""code":6206"#))
        try await line.hears("close 4002")
    }

    @Test("A10-S a renewed ticket has notices and an end of its own, and the former one's are void")
    func renewal() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice", lifetime: 400)
        try await line.pass(101)
        #expect(try await line.notices() == [300])
        try await line.call("session.renew", #"{"ticket":"\#(house.ticket("alice", lifetime: 1_000))"}"#)
        #expect(try await line.news() == [])
        // Past the first ticket's other notice and its end.
        try await line.pass(699)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.notices() == [300])
        try await line.pass(240)
        #expect(try await line.notices() == [60])
        try await line.pass(60)
        try await line.hears("close 4002")
    }

    @Test("R05-S a ticket that is renewed again and again leaves the alarms of the newest: two notices and the end")
    func renewalLeavesNothing() async throws {
        let house = try await House()
        let line = try await Line(house)
        #expect(try await line.alarms() == 1, "the sign-in's")
        try await line.open("alice", lifetime: 400)
        for lifetime in [500, 600, 700] as [Int64] {
            try await line.call("session.renew", #"{"ticket":"\#(house.ticket("alice", lifetime: lifetime))"}"#)
            try await line.call("clock.read")
            #expect(try await line.alarms() == 3)
        }
    }

    @Test("A10-S an alarm of the former ticket that rings while the renewal is on its way ends nothing")
    func renewalAtTheEnd() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice", lifetime: 400)
        try await line.pass(399)
        // The call is in the connection's queue before the alarm of the old ticket's end is.
        try await line.send("session.renew", #"{"ticket":"\#(house.ticket("alice", lifetime: 1_000))"}"#)
        try await line.pass(1)
        try await line.call("clock.read")
        #expect(line.isOpen && !line.heard.contains { $0.contains("session.closed") })
    }

    @Test(
        "A12-S V11-S what is asked of a room in which one is not is refused, with media, equipment and commands alike")
    func anotherRoom() async throws {
        let house = try await House()
        let (alice, bob) = (try await Line(house), try await Line(house))
        try await alice.open("alice")
        try await alice.call("room.create", #"{"room":78,"name":"Salon"}"#)
        try await bob.open("bob")
        try await bob.call("room.create", #"{"room":79,"name":"Another"}"#)
        for (method, params) in [
            ("media.close", #"{"room":79}"#), ("song.latency", #"{"room":79,"outputMs":10,"inputMs":10}"#),
            ("microphone.set", #"{"room":79,"muted":true}"#), ("media.view", #"{"room":79,"seat":0,"size":"low"}"#),
        ] {
            #expect(try await alice.call(method, params).contains(#""not_in_room""#), "\(method)")
        }
        for (method, params) in [
            ("media.view", #"{"room":78,"seat":0,"size":"off"}"#),
            ("media.view", #"{"room":78,"screen":true,"size":"high"}"#),
            ("media.close", #"{"room":78}"#), ("song.latency", #"{"room":78,"outputMs":10,"inputMs":10}"#),
        ] {
            #expect(try await alice.call(method, params).contains(#""result":{}"#), "\(method)")
        }
    }

    @Test("V01-S rooms that one session creates in one breath are one room: the others are refused")
    func createsInOneBreath() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("alice")
        // Nothing is stored while they are asked: the first one is not in its room yet.
        house.journal.setMode(.manual)
        for room in 81...85 { try await line.send("room.create", #"{"room":\#(room),"name":"Salon"}"#) }
        try await line.call("clock.read")
        house.journal.setMode(.automatic)
        house.journal.commit()
        // What is stored is told in a turn of the room: before the answer the directory has it.
        try await line.hears(#""snapshot""#)
        let listed = try await line.call("room.list")
        #expect(line.heard.count { $0.contains(#""in_another_room""#) } == 4)
        #expect(listed.matches(of: /"room":8\d\b/).count == 1)
    }

    @Test("A10-S a notice that is due already when the session opens is left out: the answer says the same")
    func lateNotices() async throws {
        let line = try await Line(House())
        try await line.open("alice", lifetime: 60)
        try await line.pass(59)
        #expect(try await line.news() == [])
        try await line.pass(1)
        try await line.hears("close 4002")
    }

    @Test("A10-S a session that was taken over ends with its new ticket, whatever becomes of the older connection")
    func takenOver() async throws {
        let house = try await House()
        let (old, new) = (try await Line(house), try await Line(house))
        try await old.open("alice", lifetime: 400)
        try await new.open("alice", lifetime: 1_000, resume: old.secret)
        try await old.hears("close 4001")
        await old.passInSilence(2, keepingTime: false)
        #expect(!old.isOpen)
        try await new.pass(700)
        #expect(try await new.notices() == [300])
        try await new.pass(300)
        try await new.hears("close 4002")
    }

    @Test(
        "A12-S a room has let go of a replaced session before the new one is answered, though the old connection stands still"
    )
    func replacedStandsStill() async throws {
        let house = try await House()
        let (old, new, bob) = (try await Line(house), try await Line(house), try await Line(house))
        try await old.open("alice")
        try await old.call("room.create", #"{"room":77,"name":"Salon"}"#)
        try await old.call("seat.take", #"{"room":77,"seat":3}"#)
        try await bob.open("bob")
        try await bob.call("room.enter", #"{"room":77}"#)
        // The old connection's loop does not run from here on, so that nothing but the new one's sign-in can detach it.
        try await new.open("alice")
        let members = try await bob.call("room.members", #"{"room":77,"users":["alice"]}"#)
        #expect(members.contains(#""presence":"reconnecting""#))
        #expect(old.isOpen)
    }

    enum SessionEnd: CaseIterable { case lost, replaced, signedOut }

    @Test(
        "V19-S A04-S whose session ends while the own room is being stored is not online in it: missing, then gone",
        arguments: SessionEnd.allCases)
    func endedWhileCreating(end: SessionEnd) async throws {
        let house = try await House()
        let (alice, bob) = (try await Line(house), try await Line(house))
        try await alice.open("alice")
        house.journal.setMode(.manual)
        try await alice.send("room.create", #"{"room":78,"name":"Salon"}"#)
        try await alice.call("clock.read")
        switch end {
        case .replaced: try await Line(house).open("alice")
        case .signedOut:
            try await alice.send("session.close")
            try await alice.hears("close 4006")
        case .lost:
            await alice.passInSilence(10)
            var forgotten = 0
            for _ in 0..<100_000 where forgotten == 0 {
                forgotten = house.services.sessions.expire(lostBefore: house.clock.now + .seconds(1))
                await Task.yield()
            }
            #expect(forgotten == 1 && !alice.isOpen)
        }
        house.journal.setMode(.automatic)
        house.journal.commit()
        try await bob.open("bob")
        // The room is there once what was stored has been told to it.
        while try await bob.call("room.enter", #"{"room":78}"#).contains(#""error""#) { await Task.yield() }
        let members = try await bob.call("room.members", #"{"room":78,"users":["alice"]}"#)
        #expect(members.contains(#""presence":"reconnecting""#), "\(members)")
        try await bob.pass(16)
        try await bob.hears(#""audience.left""#)
    }

    @Test(
        "A04-S R05-S a session without a connection is forgotten after its time, and its secret is worth nothing then")
    func forgottenSession() async throws {
        let house = try await House()
        let lost = try await Line(house)
        try await lost.open("alice")
        await lost.passInSilence(10)
        #expect(!lost.isOpen)
        let sessions = house.services.sessions
        // The loss is noted by another thread.
        var forgotten = 0
        for _ in 0..<100_000 where forgotten == 0 {
            forgotten = sessions.expire(lostBefore: house.clock.now + .seconds(1))
            await Task.yield()
        }
        #expect(forgotten == 1 && sessions.count == 0)
        let again = try await Line(house)
        #expect(try await again.open("alice", resume: lost.secret).contains(#""resumed":false"#))
    }

    @Test("A04-S a name that is changed is free at once, and takes no room in the list of names")
    func changedName() async throws {
        let house = try await House()
        let alice = try await Line(house)
        try await alice.open("alice")
        for number in 0..<5 { try await alice.call("profile.set", #"{"name":"Name \#(number)"}"#) }
        let sessions = house.services.sessions
        #expect(sessions.isNameInUse("Name 4", in: House.application.id, besides: nil))
        #expect(!sessions.isNameInUse("Name 3", in: House.application.id, besides: nil))
        #expect(sessions.namesInUse == 1)
    }

    @Test(
        "A04-S of two guests who ask for a name in the same moment one gets it, and it is free again when that attempt fails"
    )
    func sameNameAtOnce() async throws {
        let sessions = try await House().services.sessions
        let application = House.application.id
        let guests = try ["guest-1", "guest-2"].map { try #require(UserID($0)) }
        #expect(sessions.reserveName("Kim", for: guests[0], in: application))
        #expect(!sessions.reserveName("KIM", for: guests[1], in: application))
        #expect(sessions.isNameInUse("kim", in: application, besides: nil))
        sessions.releaseName("Kim", for: guests[1], in: application)
        #expect(!sessions.reserveName("Kim", for: guests[1], in: application), "another's release frees nothing")
        sessions.releaseName("Kim", for: guests[0], in: application)
        #expect(sessions.reserveName("Kim", for: guests[1], in: application))
    }

    @Test("R05-S what comes behind a text that ends the connection is not done")
    func behindTheEnd() async throws {
        let house = try await House()
        let line = try await Line(house)
        let ticket = try house.ticket("alice", lifetime: 100)
        try await line.send(
            text: "no call", before: "session.open",
            #"{"version":1,"app":\#(House.application.id),"user":"alice","ticket":"\#(ticket)"}"#)
        try await line.hears("close 1007")
        await line.passInSilence(2)
        while !line.isForgotten { await Task.yield() }
        #expect(house.services.sessions.count == 0 && !line.heard.contains { $0.contains(#""id":1"#) })
    }

    @Test("R05-S who does not sign in within 10 s is told so and closed with 4003; who does is not")
    func signInDeadline() async throws {
        let line = try await Line(House())
        try await line.pass(9)
        #expect(try await line.news() == [])
        try await line.pass(1)
        #expect(try await line.hears("session.closed").contains("not_signed_in"))
        try await line.hears("close 4003")

        let prompt = try await Line(House())
        try await prompt.pass(9)
        try await prompt.open("alice")
        try await prompt.pass(60)
        #expect(try await prompt.news() == [])
    }

    @Test("V19-S a speaker whose path falls silent is shown as reconnecting after 10 s, and resumes with the secret")
    func silentSpeaker() async throws {
        let house = try await House()
        let (owner, speaker) = (try await Line(house), try await Line(house))
        try await owner.open("olga")
        try await owner.call("room.create", #"{"room":77,"name":"Salon"}"#)
        try await speaker.open("sam")
        try await speaker.call("room.enter", #"{"room":77}"#)
        try await speaker.call("seat.take", #"{"room":77,"seat":3}"#)
        await speaker.passInSilence(9)
        try await owner.pass(1, keepingTime: false)
        #expect(try await !owner.news().contains { $0.contains("presence") && $0.contains("reconnecting") })
        #expect(speaker.isOpen)
        await speaker.passInSilence(1)
        #expect(!speaker.isOpen)
        #expect(try await owner.hears(#""presence":"reconnecting""#).contains(#""user":"sam""#))

        let again = try await Line(house)
        let resumed = try await again.open("sam", resume: speaker.secret)
        #expect(resumed.contains(#""resumed":true"#))
        try await again.call("room.enter", #"{"room":77}"#)
        #expect(try await owner.hears(#""presence":"online""#).contains(#""user":"sam""#))
        #expect(!owner.heard.contains { $0.contains("seat.left") })
    }

    @Test(
        "A14-S a room and a seat are two calls; who is in another room is told so, and leaves it from wherever they come back"
    )
    func fromRoomToRoom() async throws {
        let house = try await House()
        let line = try await Line(house)
        try await line.open("olga")
        // No name, no number of seats: what a host need not fill in.
        #expect(try await line.call("room.create", #"{"room":77,"name":"olga's salon"}"#).contains(#""snapshot""#))
        #expect(try await line.call("seat.take", #"{"room":77,"seat":0}"#).contains(#""result""#))
        for call in [("room.create", #"{"room":78,"name":"Second"}"#), ("room.enter", #"{"room":99}"#)] {
            #expect(try await !line.call(call.0, call.1).contains(#""result""#))
        }
        #expect(try await line.call("room.create", #"{"room":78,"name":"Second"}"#).contains("in_another_room"))

        // A reload: the session is taken up again, and says where one is.
        let again = try await Line(house)
        let resumed = try await again.open("olga", resume: line.secret)
        #expect(resumed.contains(#""resumed":true"#) && resumed.contains(#""rooms":[77]"#), "\(resumed)")
        #expect(try await again.call("room.exit", #"{"room":77}"#).contains(#""result""#))
        #expect(try await again.call("room.create", #"{"room":78,"name":"Second"}"#).contains(#""snapshot""#))
        #expect(try await again.call("seat.take", #"{"room":78,"seat":0}"#).contains(#""result""#))
    }
}
