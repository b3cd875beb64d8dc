import RoomEvents
import RoomModel
import RoomRules

/// What is on the disk of all rooms, life after life.
struct Truths {
    struct Violation: Error, CustomStringConvertible { var description: String }

    private let keys: [RoomKey]
    private var present: [RoomKey: Truth] = [:]
    private var ended: [Truth] = []
    /// What erased people were called.
    private var erasedNames: [String] = []

    init(_ keys: [RoomKey]) { self.keys = keys }

    /// How many lives are over.
    var endedCount: Int { ended.count }

    /// Of a room's life that goes on, or has ended last.
    subscript(key: RoomKey) -> Truth? { present[key] }

    /// Follows the disk.
    mutating func read(_ disk: SimulatedDisk) throws {
        for key in keys {
            if let fault = try present[key]?.read(disk) { throw Violation(description: fault) }
            guard let life = try disk.life(of: key), life != present[key]?.life else { continue }
            if let former = present[key] {
                guard former.state.progress.phase != .open else {
                    throw Violation(description: "\(key.room) begins anew and has not ended")
                }
                ended.append(former)
            }
            present[key] = Truth(key, life: life)
            if let fault = try present[key]?.read(disk) { throw Violation(description: fault) }
        }
    }

    mutating func hear(_ event: RoomNewsEvent, in room: RoomKey, after point: inout ResumePoint) throws {
        if let fault = present[room]?.hear(event, after: &point) {
            throw Violation(description: "\(room.room): \(fault)")
        }
    }

    /// From now on nobody is called that any more.
    mutating func erase(_ name: String, from disk: SimulatedDisk) throws {
        erasedNames.append(name)
        try checkErased(on: disk)
    }

    func checkErased(on disk: SimulatedDisk) throws {
        for name in erasedNames {
            if let place = try disk.place(of: name) {
                throw Violation(description: "\(name) is erased and in \(place)")
            }
        }
    }

    /// Everything is quiet.
    func checkAtEnd(on disk: SimulatedDisk) throws {
        for truth in present.values.sorted(by: { $0.life < $1.life }) + ended {
            if let fault = try truth.check(against: disk) { throw Violation(description: fault) }
        }
        for truth in present.values where truth.state.progress.phase == .open {
            for other in present.values where other.key != truth.key {
                // Of a room that is not there any more nobody says anything.
                let state = other.state.progress.phase == .open ? other.state : DurableRoomState(room: other.key.room)
                if let fault = truth.state.disagreement(with: state) { throw Violation(description: fault) }
            }
        }
        try checkErased(on: disk)
    }
}
