import HTTP
import NIOCore
import NIOEmbedded
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import SeededRandom
import SignalProtocol
import Testing
import Timing

@testable import Signalling

/// Where a session is, and who is signed in.
@Suite struct SessionTests {
    private final class Deaf: InputReceiver {
        func receive(_ input: SocketConnection.Input) async {}
    }

    private static let application = Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"])

    private let loop = NIOAsyncTestingEventLoop()

    private func connection() async throws -> SocketConnection {
        try await loop.executeInContext { [loop] in
            SocketConnection(
                address: ClientAddress(text: "192.0.2.1"), loop: loop, clock: VirtualRoomClock(),
                receiver: { _ in Deaf() })
        }
    }

    private func session() async throws -> Session {
        Session(
            token: SessionToken(rawValue: 1), secret: "s", application: Self.application.id,
            profile: profile("alice"), connection: try await connection())
    }

    private func profile(_ user: String, _ name: String? = nil) -> UserProfile {
        guard let id = UserID(user) else { preconditionFailure(user) }
        return UserProfile(id: id, name: name ?? user)
    }

    /// A room of which only the identity counts.
    private func room(_ number: UInt32) async throws -> Room {
        let directory = RoomDirectory(
            DirectoryPorts(
                journal: MemoryJournal(), ledger: MemoryLedger(), moderation: .inMemory(), media: RecordingMedia(),
                bus: RecordingBus(),
                clock: VirtualRoomClock(),
                audience: { RoomAudience(ready: $0) }))
        try await directory.start()
        let id = try #require(RoomID(number: number))
        let outbox = try await connection()
        return try await withCheckedContinuation { continuation in
            Task {
                await directory.create(
                    RoomCreation(room: id, settings: RoomSettings(name: "Salon")), in: Self.application.id,
                    by: profile("alice").brief, key: nil,
                    as: { _ in
                        Attendee(
                            session: SessionToken(rawValue: UInt64(number)), profile: self.profile("alice").brief,
                            outbox: outbox, mayEnter: { true }, entered: { _ in },
                            departed: { _, _ in })
                    }
                ) { continuation.resume(returning: $0) }
            }
        }.get().room
    }

    private func rooms() async throws -> (Room, Room) { (try await room(11_111), try await room(22_222)) }

    private func stay(_ number: UInt64) -> StayNumber { StayNumber(rawValue: number) }

    @Test("A04-S who was refused at one room's door is free for another; who is on the way in is not")
    func refusedEntry() async throws {
        let (one, other) = try await rooms()
        let session = try await session()
        #expect(session.begins(entering: one) && !session.begins(entering: other))
        #expect(session.begins(entering: one), "a second entry of the same room, sent before the first was answered")
        session.ends(entering: one)
        #expect(!session.begins(entering: other), "one entry is still on its way")
        session.ends(entering: other)
        #expect(!session.begins(entering: other), "an answer of another room means nothing")
        session.ends(entering: one)
        #expect(session.place == nil && session.begins(entering: other))
    }

    @Test(
        "A04-S who left is free for another room, unless a new entry is on its way; a former stay's end means nothing")
    func departures() async throws {
        let (one, other) = try await rooms()
        let session = try await session()
        #expect(session.begins(entering: one))
        session.entered(one, stay(1))
        session.ends(entering: one)
        #expect(session.place?.stay == stay(1) && session.place?.entering == 0)
        #expect(!session.begins(entering: other))
        // An exit and an entry in one breath: the new stay is told before the old one's end.
        #expect(session.begins(entering: one))
        session.entered(one, stay(2))
        session.departed(stay(1), from: one)
        session.departed(stay(2), from: other)
        #expect(session.place?.stay == stay(2))
        session.departed(stay(2), from: one)
        #expect(session.place != nil && session.place?.stay == nil && !session.begins(entering: other))
        session.ends(entering: one)
        #expect(session.place == nil && session.begins(entering: other))
        session.entered(other, stay(3))
        session.ends(entering: other)
        session.departed(stay(3), from: other)
        #expect(session.place == nil)
    }

    @Test("A04-S a room that was created anew is entered though the end of the stay in the former one was not told yet")
    func createdAnew() async throws {
        let (former, other) = try await rooms()
        let anew = try await room(11_111)
        for isLetIn in [true, false] {
            let session = try await session()
            #expect(session.begins(entering: former))
            session.entered(former, stay(1))
            #expect(session.begins(entering: anew))
            session.ends(entering: former)
            session.departed(stay(1), from: former)
            #expect(session.place?.room === anew && !session.begins(entering: other))
            if isLetIn { session.entered(anew, stay(1)) }
            session.ends(entering: anew)
            #expect(session.place?.stay == (isLetIn ? stay(1) : nil))
            if isLetIn { session.departed(stay(1), from: anew) }
            #expect(session.begins(entering: other))
        }
    }

    @Test("A04-S nobody enters a room while the own one is being created")
    func creating() async throws {
        let (one, _) = try await rooms()
        let session = try await session()
        session.withState { $0.isCreating = true }
        #expect(!session.begins(entering: one))
        session.withState { $0.isCreating = false }
        #expect(session.begins(entering: one))
    }

    /// What the registry should say, in lists that are searched.
    private struct Model {
        struct Known {
            var session: Session
            var name: String
            var connection: SocketConnection?
            var lostAt: Instant?
        }
        var sessions: [Known] = []
        var reserved: [String: UserID] = [:]

        func isInUse(_ name: String, besides user: UserID?) -> Bool {
            (reserved[name].map { $0 != user } ?? false) || hasSession(name, besides: user)
        }
        func hasSession(_ name: String, besides user: UserID?) -> Bool {
            sessions.contains { $0.name == name && $0.session.user != user && $0.connection != nil }
        }
    }

    @Test(
        "A04-S A12-S of any sequence of sign-ins, losses and ends the registry keeps what a list would",
        arguments: [
            Application.Settings.SecondSession.replaces, .allowed,
        ])
    func registry(second: Application.Settings.SecondSession) async throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var application = Self.application
        application.settings.secondSession = second
        let registry = SessionRegistry(ownsNameOf: { $0.rawValue.hasPrefix("guest-") })
        var model = Model()
        let names = ["Ann", "Ben", "Cyd"]
        for step in 0..<2_000 {
            let now = Instant(nanoseconds: Int64(step) * 1_000_000_000)
            let user = profile("guest-\(Int.random(in: 0..<4, using: &random))", names.randomElement(using: &random))
            let place = model.sessions.indices.randomElement(using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                let connection = try await connection()
                let opened = registry.open(
                    application: application, profile: user, resume: nil, connection: connection)
                let earlier = second == .replaces ? model.sessions.filter { $0.session.user == user.id } : []
                #expect(!opened.resumed && opened.displaced == nil)
                #expect(
                    opened.replaced.map { ObjectIdentifier($0.session) } == earlier.map { ObjectIdentifier($0.session) }
                )
                #expect(
                    opened.replaced.map { $0.connection.map { ObjectIdentifier($0) } }
                        == earlier.map { $0.connection.map { ObjectIdentifier($0) } })
                for (session, former) in opened.replaced {
                    if let former { #expect(!session.speaks(through: former)) }
                }
                model.sessions.removeAll { known in earlier.contains { $0.session === known.session } }
                model.sessions.append(.init(session: opened.session, name: user.name, connection: connection))
            case 2:
                guard let place, model.sessions[place].session.user == user.id else { continue }
                let connection = try await connection()
                let number = model.sessions[place].session.withState { $0.ticketNumber }
                let opened = registry.open(
                    application: application, profile: user, resume: model.sessions[place].session.secret,
                    connection: connection)
                #expect(opened.resumed && opened.session === model.sessions[place].session && opened.replaced.isEmpty)
                #expect(opened.displaced === model.sessions[place].connection)
                #expect(opened.session.speaks(through: connection) && opened.session.profile == user)
                #expect(opened.session.withState { $0.ticketNumber } == number + 1)
                model.sessions[place].connection = connection
                model.sessions[place].lostAt = nil
                model.sessions[place].name = user.name
            case 3, 4:
                guard let place else { continue }
                let stranger = try await connection()
                #expect(!registry.lose(model.sessions[place].session, connection: stranger, now: now))
                guard let connection = model.sessions[place].connection else { continue }
                #expect(registry.lose(model.sessions[place].session, connection: connection, now: now))
                model.sessions[place].connection = nil
                model.sessions[place].lostAt = now
            case 5:
                guard let place else { continue }
                let session = model.sessions.remove(at: place).session
                registry.close(session)
                #expect(session.withState { $0.connection == nil })
            case 6:
                let deadline = now + .seconds(-20)
                let expired = model.sessions.filter { $0.lostAt.map { $0 < deadline } ?? false }
                #expect(registry.expire(lostBefore: deadline) == expired.count)
                model.sessions.removeAll { known in expired.contains { $0.session === known.session } }
            case 7:
                let isFree = !model.isInUse(user.name, besides: user.id)
                #expect(registry.reserveName(user.name.uppercased(), for: user.id, in: application.id) == isFree)
                if isFree { model.reserved[user.name] = user.id }
            case 8:
                registry.releaseName(user.name, for: user.id, in: application.id)
                if model.reserved[user.name] == user.id { model.reserved[user.name] = nil }
            default:
                guard let place else { continue }
                var changed = model.sessions[place].session.profile
                changed.name = user.name
                registry.note(changed, of: model.sessions[place].session)
                #expect(model.sessions[place].session.profile == changed)
                model.sessions[place].name = user.name
            }
            #expect(registry.count == model.sessions.count, "step \(step), seed \(seed)")
            #expect(registry.users == Set(model.sessions.map(\.session.user)).count, "step \(step), seed \(seed)")
            #expect(registry.namesInUse == Set(model.sessions.map(\.name)).count, "step \(step), seed \(seed)")
            for name in names {
                for asking in [nil, user.id] {
                    #expect(
                        registry.isNameInUse(name, in: application.id, besides: asking)
                            == model.isInUse(name, besides: asking), "\(name), step \(step), seed \(seed)")
                }
                #expect(!registry.isNameInUse(name, in: ApplicationID(1), besides: nil))
            }
        }
    }

    @Test("A04-S nothing stays in memory of a session that was signed out, replaced or expired")
    func forgotten() async throws {
        let registry = SessionRegistry(ownsNameOf: { $0.rawValue.hasPrefix("guest-") })
        let open = {
            let connection = try await self.connection()
            return (
                registry.open(
                    application: Self.application, profile: self.profile("alice"), resume: nil, connection: connection
                ).session, connection
            )
        }
        weak var signedOut: Session?
        weak var replaced: Session?
        weak var expired: Session?
        do {
            let (session, _) = try await open()
            signedOut = session
            registry.close(session)
        }
        do {
            replaced = try await open().0
            let (session, connection) = try await open()
            expired = session
            #expect(registry.lose(session, connection: connection, now: Instant(nanoseconds: 1)))
            #expect(registry.expire(lostBefore: Instant(nanoseconds: 2)) == 1)
        }
        #expect(signedOut == nil && replaced == nil && expired == nil)
    }

    @Test("A12-S a secret opens its own session only: another user, another application or a guess gets a new one")
    func secrets() async throws {
        let registry = SessionRegistry(ownsNameOf: { $0.rawValue.hasPrefix("guest-") })
        var other = Self.application
        other.id = ApplicationID(1_400_000_010)
        let open: (Application, String, String?) async throws -> SessionRegistry.Opened = { application, user, secret in
            let connection = try await self.connection()
            return registry.open(
                application: application, profile: self.profile(user), resume: secret,
                connection: connection)
        }
        let first = try await open(Self.application, "alice", nil).session
        #expect(try await !open(Self.application, "bob", first.secret).resumed)
        #expect(try await !open(other, "alice", first.secret).resumed)
        #expect(registry.count == 3)
        #expect(try await open(Self.application, "alice", first.secret).resumed)
        #expect(try await !open(Self.application, "alice", "0").resumed)
        #expect(try await !open(Self.application, "alice", first.secret).resumed, "replaced: the secret is void")
        #expect(registry.count == 3)
    }
}
