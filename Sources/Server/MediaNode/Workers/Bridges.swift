internal import Forwarding
internal import RoomPorts

/// Which rooms have opened which bridges, in front of the workers. Belongs to the pool's state.
struct Bridges {
    struct End {
        var stage: StageID
        var place: Int
        var isMuted: Bool
    }

    enum Change {
        /// One end is open, or one that a third room has given the same name to, which leads nowhere.
        case waits
        case joined(End, End)
        /// The end that was open before now says something else.
        case muted(Bool)
    }

    /// At most two ends each, of different stages.
    private var open: [BridgeID: [End]] = [:]
    /// So many names have been given to guests.
    private var names: UInt64 = 0

    mutating func open(_ bridge: BridgeID, _ end: End) -> Change {
        var ends = open[bridge] ?? []
        if let index = ends.firstIndex(where: { $0.stage == end.stage }) {
            ends[index] = end
            open[bridge] = ends
            return .muted(end.isMuted)
        }
        guard ends.count < 2 else { return .waits }
        ends.append(end)
        open[bridge] = ends
        return ends.count == 2 ? .joined(ends[0], ends[1]) : .waits
    }

    /// - Returns: the other room, if its end is open.
    mutating func close(_ bridge: BridgeID, of stage: StageID) -> StageID? {
        guard let ends = open[bridge], ends.contains(where: { $0.stage == stage }) else { return nil }
        let left = ends.filter { $0.stage != stage }
        open[bridge] = left.isEmpty ? nil : left
        return left.first?.stage
    }

    func bridges(of stage: StageID) -> [BridgeID] {
        open.filter { $0.value.contains { $0.stage == stage } }.map(\.key)
    }

    /// Above all numbers of peers, and below that of the mixer.
    mutating func name() -> MemberID {
        names += 1
        return MemberID(rawValue: 1 << 62 | names)
    }
}
