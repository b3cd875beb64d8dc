import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import Testing
import Timing

@testable import Signalling

/// Where a session is: in which room, and for how long after its connection.
@Suite struct SessionRoomTests {
    private typealias House = ConversationHouse
    private typealias Line = ConversationLine

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
        let key = RoomKey(application: House.application.id, room: .number(78))
        for _ in 0..<100_000 where (try? await house.services.rooms.room(key)) == nil { await Task.yield() }
        let entered = try await bob.call("room.enter", #"{"room":78}"#)
        #expect(entered.contains(#""snapshot""#), "\(entered)")
        let members = try await bob.call("room.members", #"{"room":78,"users":["alice"]}"#)
        #expect(members.contains(#""presence":"reconnecting""#), "\(members)")
        try await bob.pass(16)
        try await bob.hears(#""audience.left""#)
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
