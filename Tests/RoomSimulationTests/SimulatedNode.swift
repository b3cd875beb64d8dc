import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport
import Synchronization
import Timing

/// A server's rooms without a server: each turn is given by the simulation.
final class SimulatedNode {
    /// What the rooms have asked for since they were last looked after.
    private final class Requests: Sendable {
        struct State {
            var turns: [RoomKey] = []
            var loads: [RoomKey] = []
            var aside: [@Sendable () -> Void] = []
            var faults: [String] = []
        }
        let state = Mutex(State())
    }

    static let catalogue = GiftCatalogue([
        Gift(id: "rose", name: "Rose", price: 10), Gift(id: "crown", name: "Crown", price: 200, isLarge: true),
    ])

    let clock: VirtualRoomClock
    let disk: SimulatedDisk
    private(set) var rooms: [RoomKey: RoomCore] = [:]
    private var requests = Requests()
    /// Mistakes that a room reports of itself.
    var faults: [String] { requests.state.withLock { $0.faults } }

    init(clock: VirtualRoomClock, disk: SimulatedDisk) {
        self.clock = clock
        self.disk = disk
    }

    /// The process ends, wherever it is.
    func kill() {
        rooms = [:]
        requests = Requests()
    }

    /// Reads a room from the disk, and puts it to work.
    func open(_ key: RoomKey) async throws {
        let (requests, inbox) = (requests, RoomInbox())
        inbox.connect { requests.state.withLock { if !$0.turns.contains(key) { $0.turns.append(key) } } }
        let core = RoomCore(
            key: key, stage: StageID(rawValue: 1),
            dependencies: RoomDependencies(
                journal: disk.journal, ledger: disk.ledger, moderation: .inMemory(), catalogue: { Self.catalogue },
                media: RecordingMedia(), bus: RecordingBus(), clock: clock, audience: { PlainAudience(ready: $0) },
                policy: { RoomPolicy(messages: MessageLimits(room: 1_000, person: 1_000)) }, peerNumbers: Serial(),
                reload: { requests.state.withLock { $0.loads.append(key) } },
                report: { report in
                    if case .inapplicable = report { requests.state.withLock { $0.faults.append("\(report)") } }
                }, aside: { work in requests.state.withLock { $0.aside.append(work) } },
                concurrently: { _ in requests.state.withLock { $0.faults.append("something waits for somebody") } }),
            inbox: inbox)
        rooms[key] = core
        core.install(try await read(key))
        settle()
    }

    private func read(_ key: RoomKey) async throws -> RebuiltRoom {
        try await disk.whileAwaited { try await RebuiltRoom.read(key, from: disk.journal, disk.ledger, chatLimit: 50) }
    }

    /// Gives rooms the turns that they asked for.
    func settle() {
        while let key = requests.state.withLock({ $0.turns.isEmpty ? nil : $0.turns.removeFirst() }) {
            rooms[key]?.takeTurn()
        }
    }

    /// Reads rooms anew whose journal has failed.
    func reload() async throws {
        while let key = requests.state.withLock({ $0.loads.isEmpty ? nil : $0.loads.removeFirst() }) {
            let rebuilt = try await read(key)
            rooms[key]?.install(rebuilt)
            settle()
        }
    }

    /// Does what no turn waits for.
    func workAside() {
        let work = requests.state.withLock { state in
            defer { state.aside = [] }
            return state.aside
        }
        for work in work { work() }
    }

    func advance(by interval: Interval) {
        clock.advance(by: interval) { settle() }
        settle()
    }
}
