import DatagramIO
import Foundation
import HTTP
import NIOCore
import NIOPosix
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import SignalProtocol
import Signalling
import Synchronization
import Timing

// C7, the room's side: what a turn of a room costs with more and more listeners. The room has its real audience and the hubs of two event
// loops; journal and media plane are in memory, and time is virtual, so that the room's own work is left.

/// A room with so many listeners, without connections: hubs take up what they are told, and have nobody to write to.
final class CrowdedRoom {
    private let core: RoomCore
    private let clock = VirtualRoomClock()
    private let hubs: [LoopHub]
    private let loops: [any EventLoop]
    private let wanted = Wanted()
    private var sessions: UInt64 = 0

    init(_ group: MultiThreadedEventLoopGroup) async throws {
        let loops = Array(group.makeIterator())
        self.loops = loops
        hubs = loops.map { LoopHub($0) }
        let inbox = RoomInbox()
        inbox.connect { [wanted] in wanted.set() }
        let journal = MemoryJournal()
        let key = RoomKey(application: ApplicationID(1_400_000_001), room: .number(10_000))
        var policy = RoomPolicy()
        policy.maxMembers = 1_000_000
        core = RoomCore(
            key: key, stage: StageID(rawValue: 1),
            dependencies: RoomDependencies(
                journal: journal, ledger: MemoryLedger(), moderation: .inMemory(), media: RecordingMedia(),
                bus: RecordingBus(), clock: clock,
                audience: { RoomAudience(ready: $0) }, policy: { [policy] in policy }, peerNumbers: Serial()),
            inbox: inbox)
        core.install(try RebuiltRoom(try await journal.open(key, chatLimit: 200), room: key.room))
        settle()
    }

    func attendee(_ name: String) async throws -> Attendee {
        sessions += 1
        let place = Int(sessions) % loops.count
        let (loop, hub, clock) = (loops[place], hubs[place], clock)
        let connection = try await loop.submit {
            SocketConnection(
                address: ClientAddress(text: "192.0.2.1"), loop: loop, hub: hub, clock: clock, receiver: { _ in Deaf() }
            )
        }.get()
        return Attendee(
            session: SessionToken(rawValue: sessions), profile: UserProfile(id: Self.user(name), name: name),
            outbox: connection, departed: { _, _ in })
    }

    private static func user(_ name: String) -> UserID {
        guard let user = UserID(name) else { fatalError("\(name) is no user id") }
        return user
    }

    func create() async throws -> Attendee {
        let owner = try await attendee("owner")
        let creation = RoomCreation(
            room: core.key.room, settings: RoomSettings(name: "Crowd"), seats: [SeatSetup(), SeatSetup()])
        core.create(creation, by: owner, key: nil) { _ in }
        settle()
        return owner
    }

    func enter(_ attendee: Attendee) {
        core.attach(attendee, since: nil) { _ in }
        settle()
    }

    /// Lets somebody in who takes the entry's answer as it leaves for the line.
    func enter(_ attendee: Attendee, taking: @escaping @Sendable ([UInt8]) -> Void) {
        core.attach(attendee, since: nil) { result in
            if case .success(let entry) = result { taking(Answer.entered(.number(1), entry)) }
        }
        settle()
    }

    func leave(_ attendee: Attendee) {
        core.detach(attendee.session, from: attendee.outbox, why: .left)
        settle()
    }

    func command(_ command: RoomCommand, by attendee: Attendee) {
        core.submit(command, from: attendee.session, key: nil) { _ in }
        settle()
    }

    func path(of attendee: Attendee) throws -> MediaPlace {
        let place = try core.openMedia(for: attendee.session)
        core.hear(.connected(place.stage, place.peer))
        settle()
        return place
    }

    func levels(_ place: MediaPlace, _ level: UInt8) {
        core.hear(.levels(place.stage, [place.peer: level]))
        settle()
    }

    /// The turns that the room asks for.
    private func settle() {
        while wanted.take() { core.takeTurn() }
    }

    /// So much later, what was gathered has left.
    func rest() {
        clock.advance(by: .seconds(2)) { self.settle() }
        settle()
    }
}

final class Deaf: InputReceiver {
    func receive(_ input: SocketConnection.Input) async {}
}

/// Whether the room has asked for a turn.
final class Wanted: Sendable {
    private let isWanted = Mutex(false)
    func set() { isWanted.withLock { $0 = true } }
    func take() -> Bool {
        isWanted.withLock { isWanted in
            defer { isWanted = false }
            return isWanted
        }
    }
}

func microseconds(_ times: [Int64], _ share: Double) -> Double {
    let sorted = times.sorted()
    return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]) / 1_000
}

let rounds = 400
let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
print("Microseconds of a turn: median (p99), \(rounds) of each")
for count in [100, 1_000, 10_000, 100_000] {
    let room = try await CrowdedRoom(group)
    let owner = try await room.create()
    for number in 1...count { room.enter(try await room.attendee("listener-\(number)")) }
    room.command(.takeSeat(TakeSeat(0)), by: owner)
    let path = try room.path(of: owner)
    var times: [String: [Int64]] = [:]
    func time(_ what: String, _ work: () -> Void) {
        let start = SystemClock.now()
        work()
        times[what, default: []].append((SystemClock.now() - start).nanoseconds)
        room.rest()
    }
    for round in 0..<rounds {
        time("seat") { room.command(.closeSeat(CloseSeat(1, closed: round.isMultiple(of: 2))), by: owner) }
        let guest = try await room.attendee("guest-\(round)")
        time("join") { room.enter(guest) }
        time("leave") { room.leave(guest) }
        time("levels") { room.levels(path, round.isMultiple(of: 2) ? 30 : 127) }
        time("message") { room.command(.sendMessage(MessageDraft(.text("round \(round)"))), by: owner) }
    }
    let figures = ["seat", "join", "leave", "levels", "message"].map { what in
        let times = times[what, default: [0]]
        return String(format: "%@ %.0f (%.0f)", what, microseconds(times, 0.5), microseconds(times, 0.99))
    }
    print("\(count) listeners: " + figures.joined(separator: ", "))
}

// A burst: everybody comes within a second, into a room that has much to tell.
let guests = 5_000
let room = try await CrowdedRoom(group)
let owner = try await room.create()
for number in 1...200 {
    room.command(.sendMessage(MessageDraft(.text("\(number) " + String(repeating: "x", count: 200)))), by: owner)
    room.rest()
}
for number in 1...1_000 { room.enter(try await room.attendee("listener-\(number)")) }
room.rest()
var arriving: [Attendee] = []
for number in 1...guests { arriving.append(try await room.attendee("guest-\(number)")) }
let told = Atomic(0)
let start = SystemClock.now()
for guest in arriving { room.enter(guest) { told.add($0.count, ordering: .relaxed) } }
let spent = SystemClock.now() - start
print(
    String(
        format:
            "%d people enter a room with 200 messages: %.0f ms for all, %.0f microseconds each with an answer of %d KiB",
        guests, spent.seconds * 1_000, spent.seconds * 1e6 / Double(guests),
        told.load(ordering: .relaxed) / guests / 1_024))
try await group.shutdownGracefully()
