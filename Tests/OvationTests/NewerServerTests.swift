import Foundation
import NIOCore
import RoomModel
import SeededRandom
import SignalProtocol
import Testing

@testable import Ovation

/// A room of a server that uses words which this version does not have.
@Suite(.timeLimit(.minutes(10))) struct NewerServerTests {
    /// An answer as a tree, of which one word can be another.
    private indirect enum Tree: Codable, Sendable {
        case object([String: Tree]), list([Tree]), text(String), number(Int64), flag(Bool)

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let object = try? value.decode([String: Tree].self) {
                self = .object(object)
            } else if let list = try? value.decode([Tree].self) {
                self = .list(list)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .number(try value.decode(Int64.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .object(let object): try value.encode(object)
            case .list(let list): try value.encode(list)
            case .text(let text): try value.encode(text)
            case .number(let number): try value.encode(number)
            case .flag(let flag): try value.encode(flag)
            }
        }

        init(_ value: some Encodable) throws {
            self = try JSONDecoder().decode(Tree.self, from: JSONEncoder().encode(value))
        }

        /// Each of the trees with that word in the place of one of its texts, and the names that lead there.
        func all(with word: String, at path: [String] = []) -> [(path: [String], tree: Tree)] {
            switch self {
            case .object(let object):
                object.keys.sorted().flatMap { name -> [(path: [String], tree: Tree)] in
                    (object[name]?.all(with: word, at: path + [name]) ?? []).map { inner in
                        (inner.path, .object(object.merging([name: inner.tree]) { $1 }))
                    }
                }
            case .list(let list):
                list.indices.flatMap { index in
                    list[index].all(with: word, at: path + ["\(index)"]).map { inner in
                        (inner.path, .list(list[..<index] + [inner.tree] + list[(index + 1)...]))
                    }
                }
            case .text: [(path, .text(word))]
            case .number, .flag: []
            }
        }
    }

    /// A snapshot in which every choice of words stands somewhere.
    private static func full() -> RoomSnapshot {
        let seats = [
            Seat(index: 0, state: .used, user: "alice", micMuted: false, camera: .on, presence: .online),
            Seat(index: 1), Seat(index: 2, state: .closed, by: "alice"), Seat(index: 3),
        ]
        var snapshot = RoomSnapshot.example(seq: 5, chat: 5, seats: seats)
        snapshot.info.kind = .live
        snapshot.info.pk = .inPK
        snapshot.info.pictureFormat = .vp8
        snapshot.invitations = [
            Invitation(id: "i", room: snapshot.room, from: "alice", to: "bob", command: "c", content: "", createdAt: 1)
        ]
        snapshot.messages = [Message(chat: 5, from: People.alice, body: .text("hi"), time: 5)]
        snapshot.play = SongPlay(
            song: Song(id: "s", title: "S", durationMs: 60_000, accompaniment: "/s.m4a"), by: "alice", startAt: nil)
        snapshot.duet = .leadFollow(leader: "alice")
        snapshot.stage = StageLayout(form: .spotlight, large: "alice")
        var match = PKMatch(link: "l", terms: PKTerms(seconds: 60), until: 9)
        match.result = PKResult(.won, .time)
        snapshot.pk = PKState(
            links: [HostLink(id: "l", place: 0, room: .number(8), host: People.carol, isOurs: true, since: 1)],
            match: match)
        snapshot.chatMute = Restriction(.chatMute, user: "bob", name: "Bob", until: nil, by: "alice")
        return snapshot
    }

    /// A room whose connection was lost, and whose server answers with that snapshot when it is back.
    private func reentered(_ snapshot: Tree) throws -> (server: FakeServer, room: RoomSession) {
        let server = FakeServer()
        let conversation = server.signedIn()
        let room = try #require(server.entered(conversation))
        server.on(.call(.roomEnter)) { _ in .answer(["snapshot": snapshot]) }
        server.drop()
        server.pass(.seconds(2))
        return (server, room)
    }

    @Test("A12-K the room goes on whatever word a newer server's snapshot has in the place of a choice")
    func anyWord() throws {
        let snapshot = try Tree(Self.full())
        var random = SeededGenerator(seed: 7)
        let letters = Array("abcxyz_-0 모르는말🎤")
        let words =
            ["newer", ""]
            + (0..<3).map { _ in
                String(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a"
                    })
            }
        // What a strict reader refuses is the place of a choice, or of an id that the word happens to be.
        let strict = JSONDecoder()
        strict.userInfo[.readsNewerWords] = false
        let places = snapshot.all(with: "newer").filter { place in
            (try? JSONEncoder().encode(place.tree)).flatMap { try? strict.decode(RoomSnapshot.self, from: $0) } == nil
        }.map(\.path)
        for word in words {
            for (path, tree) in snapshot.all(with: word) where places.contains(path) {
                let (_, room) = try reentered(tree)
                #expect(room.state.isPresent && room.state.seq == 5, "\(path) \(word.debugDescription)")
            }
        }
        let names = Set(places.compactMap { $0.last { Int($0) == nil } })
        #expect(
            names == [
                "camera", "cause", "form", "kind", "mode", "outcome", "phase", "pk", "presence", "role", "state",
                "track",
            ])
    }

    @Test("A12-K a kind of room, of pictures or of message that a newer server has leaves the room as it is")
    func kinds() throws {
        var snapshot = Self.full()
        snapshot.info.kind = .unknown("opera")
        snapshot.info.pictureFormat = .unknown("vp11")
        let (server, room) = try reentered(try Tree(snapshot))
        #expect(room.state.isPresent && room.state.info.kind == .unknown("opera"))
        server.deliver(
            #"{"jsonrpc":"2.0","method":"room.events","params":{"room":48213,"epoch":1,"events":[{"type":"message","chat":6,"from":{"id":"alice","name":"Alice","avatar":""},"sticker":"cat","time":6}]}}"#
        )
        #expect(room.state.isPresent && room.state.messages.last?.body == .custom(command: "", message: ""))
    }

    @Test("A12-K an unknown word is shown as the one that does no harm")
    func nearest() throws {
        let (server, room) = try reentered(try Tree(RoomSnapshot.example(seq: 5, chat: 5)))
        server.deliver(
            #"{"jsonrpc":"2.0","method":"room.events","params":{"room":48213,"epoch":1,"events":[\#(Self.newer)]}}"#)
        #expect(room.state.seq == 7)
        #expect(room.state.member("bob")?.role == .member)
        #expect(room.state.seats[1].state == .closed && room.state.seats[1].camera == .off)
        #expect(server.count(of: .call(.roomEnter)) == 2, "the room was not read anew")
    }

    @Test("A12-K a restriction of a newer kind keeps its word: whoever is put out by one is not told of a ban")
    func restrictions() async throws {
        let (server, room) = try reentered(try Tree(RoomSnapshot.example(seq: 5, chat: 5)))
        let restriction = #"{"kind":"quarantine","user":"bob","name":"Bob","by":"alice"}"#
        server.deliver(
            #"{"jsonrpc":"2.0","method":"room.events","params":{"room":48213,"epoch":1,"events":[{"type":"restriction.set","restriction":\#(restriction)}]}}"#
        )
        #expect(room.state.chatMute == nil && room.state.isPresent)
        server.deliver(
            #"{"jsonrpc":"2.0","method":"room.removed","params":{"room":48213,"restriction":\#(restriction)}}"#)
        #expect(!room.state.isPresent)
        var told: [String] = []
        for try await event in room.events(replay: .all) {
            switch event {
            case .restriction(let news): told.append("restriction \(news.restriction.kind.rawValue) \(news.lifted)")
            case .removed(let restriction) where restriction.kind == .unknown("quarantine"): told.append("removed")
            case .gone(let error): told.append("gone \(error.code == .permissionDenied)")
            default: break
            }
        }
        #expect(told == ["restriction quarantine false", "removed", "gone true"])
        guard case .gone(let error) = room.state.phase else { return #expect(Bool(false), "still in the room") }
        #expect(error.code == .permissionDenied)
    }

    @Test("A12-K a PK of a newer kind of outcome is no draw")
    func outcome() throws {
        var snapshot = Self.full()
        snapshot.pk?.match?.result = PKResult(.unknown("rained_off"), .time)
        let (_, room) = try reentered(try Tree(snapshot))
        #expect(room.state.pk.match?.result == PKResult(.unknown("rained_off"), .time))
    }

    private static let newer = [
        #"{"seq":6,"time":1,"type":"role.changed","user":"bob","role":"newer"}"#,
        #"{"seq":7,"time":1,"type":"seat.muted","seat":{"index":1,"state":"newer","muted":true,"camera":"newer"}}"#,
    ].joined(separator: ",")
}
