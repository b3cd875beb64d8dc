import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import Synchronization
import Timing

@testable import RoomService

/// A server's rooms without a server: each turn is given by the simulation. What the directory does for rooms is done here.
final class SimulatedNode {
    /// What the rooms have asked for since they were last looked after.
    private final class Requests: Sendable {
        struct State {
            var turns: [RoomKey] = []
            var loads: [RoomKey] = []
            var over: [RoomKey] = []
            var expelled: [(ban: Restriction, host: UserID, from: RoomKey)] = []
            var aside: [@Sendable () -> Void] = []
            var listed: [RoomKey: RoomInfo] = [:]
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
    private var bus = SimulatedBus()
    private var stages: UInt64 = 0
    /// Mistakes that a room reports of itself.
    var faults: [String] { requests.state.withLock { $0.faults } }
    /// The open ones, always in the same order.
    var keys: [RoomKey] { rooms.keys.sorted { $0.room.description < $1.room.description } }

    init(clock: VirtualRoomClock, disk: SimulatedDisk) {
        self.clock = clock
        self.disk = disk
    }

    /// The process ends, wherever it is.
    func kill() {
        rooms = [:]
        requests = Requests()
        bus = SimulatedBus()
    }

    // MARK: Opening

    /// Opens what was open when the process before ended.
    func start() async throws {
        let journal = disk.journal
        for key in try await disk.whileAwaited({ try await journal.openRooms() }) {
            try await open(key, toCreate: false)
        }
    }

    /// Reads a room from the disk, and puts it to work; without `toCreate` only if it is an open one.
    func open(_ key: RoomKey, toCreate: Bool) async throws {
        var rebuilt = try await read(key)
        if rebuilt.state.progress.phase == .ended || (rebuilt.state.progress.phase == .unborn && !toCreate) {
            // Its end did not get through to the journal before the process ended; or its beginning did not.
            disk.journal.close(key)
            guard toCreate else { return }
            rebuilt = try await read(key)
        }
        stages += 1
        let core = core(key, stage: StageID(rawValue: stages))
        rooms[key] = core
        core.install(rebuilt)
        settle()
    }

    private func core(_ key: RoomKey, stage: StageID) -> RoomCore {
        let (requests, inbox) = (requests, RoomInbox())
        inbox.connect { requests.state.withLock { if !$0.turns.contains(key) { $0.turns.append(key) } } }
        return RoomCore(
            key: key, stage: stage,
            dependencies: RoomDependencies(
                journal: disk.journal, ledger: disk.ledger, moderation: disk.moderation,
                catalogue: { Self.catalogue },
                expelElsewhere: { ban, host in requests.state.withLock { $0.expelled.append((ban, host, key)) } },
                media: RecordingMedia(), bus: bus, clock: clock, audience: { PlainAudience(ready: $0) },
                policy: { RoomPolicy(messages: MessageLimits(room: 1_000, person: 1_000)) }, peerNumbers: Serial(),
                find: { room in
                    requests.state.withLock { $0.listed[RoomKey(application: key.application, room: room)] }
                },
                publish: { listing in requests.state.withLock { $0.listed[key] = listing?.info } },
                reload: { requests.state.withLock { $0.loads.append(key) } },
                ended: { requests.state.withLock { $0.over.append(key) } },
                report: { report in
                    if case .inapplicable = report { requests.state.withLock { $0.faults.append("\(report)") } }
                }, aside: { work in requests.state.withLock { $0.aside.append(work) } },
                concurrently: { _ in requests.state.withLock { $0.faults.append("something waits for somebody") } }),
            inbox: inbox)
    }

    private func read(_ key: RoomKey) async throws -> RebuiltRoom {
        let (journal, ledger) = (disk.journal, disk.ledger)
        return try await disk.whileAwaited { try await RebuiltRoom.read(key, from: journal, ledger, chatLimit: 50) }
    }

    // MARK: Turns

    /// Gives rooms the turns that they asked for, and looks after those that have ended.
    func settle() {
        while true {
            while let key = requests.state.withLock({ $0.turns.isEmpty ? nil : $0.turns.removeFirst() }) {
                rooms[key]?.takeTurn()
            }
            let (over, expelled) = requests.state.withLock { state in
                defer { (state.over, state.expelled) = ([], []) }
                return (state.over, state.expelled)
            }
            for key in over where rooms[key]?.isOver == true {
                rooms[key] = nil
                requests.state.withLock { $0.listed[key] = nil }
            }
            guard !expelled.isEmpty else { return }
            for (ban, host, from) in expelled {
                for key in keys where key != from && rooms[key]?.state.owner.id == host {
                    rooms[key]?.inTurn { $0.expel(ban, in: &$1) }
                }
            }
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

    // MARK: Between rooms

    var hasParcels: Bool { bus.hasParcels }

    /// Brings what one room has said to another one first.
    /// - Returns: what it was; nil if there was nothing.
    func deliver(isLost: Bool = false) -> RoomParcel? {
        guard let parcel = bus.take() else { return nil }
        guard !isLost else { return parcel }
        if let room = rooms[parcel.to] {
            room.hear(parcel)
        } else if let answer = parcel.refusal {
            bus.send(answer)
        }
        settle()
        return parcel
    }
}
