import HTTP
import RoomModel
import RoomPorts
import Synchronization
import Timing

/// Who is uploading files of one kind: each upload holds a connection and memory, or writes to the disk. Nobody takes all that there is, by
/// however many names they come.
final class UploadSlots: Sendable {
    /// How many there are.
    struct Numbers: Sendable {
        var all: Int
        var perApplication: Int
        var perAddress: Int
    }

    /// An address that gave way stays away for so long: whoever was turned away comes again after three seconds.
    static let keptFrom = Interval.seconds(15)

    /// A place that was taken, until it is given back. One with a smaller number has been held longer.
    struct Slot: Hashable, Sendable { fileprivate let number: Int }

    private struct Holder {
        var user: UserID
        var application: ApplicationID
        var address: String
        var progress: UploadProgress
    }

    private struct State {
        var held: [Slot: Holder] = [:]
        var slotsSoFar = 0
        /// The one that is to give way. However many are turned away, the next one is chosen when it has been looked at.
        var wanted: Slot?
        var lost: (address: String, until: Instant)?
    }

    private let numbers: Numbers
    private let state = Mutex(State())

    init(_ numbers: Numbers) { self.numbers = numbers }

    /// - Returns: `nil` if there is no room for one more. Then of those in its way the late one that came first is to give way.
    func take(
        for user: UserID, of application: ApplicationID, from address: ClientAddress, _ progress: UploadProgress,
        now: Instant
    ) -> Slot? {
        let holder = Holder(user: user, application: application, address: address.ratedAs, progress: progress)
        return state.withLock { state in
            if let lost = state.lost, lost.address == holder.address, now < lost.until { return nil }
            let neighbours = state.held.filter { $0.value.application == application }
            guard !neighbours.values.contains(where: { $0.user == user }),
                state.held.values.count(where: { $0.address == holder.address }) < numbers.perAddress
            else { return nil }
            let isApplicationFull = neighbours.count >= numbers.perApplication
            guard !isApplicationFull, state.held.count < numbers.all else {
                let inTheWay = isApplicationFull ? neighbours : state.held
                state.wanted =
                    state.wanted
                    ?? inTheWay.filter { $0.value.progress.isLate }.keys.min { $0.number < $1.number }
                return nil
            }
            state.slotsSoFar += 1
            let slot = Slot(number: state.slotsSoFar)
            state.held[slot] = holder
            return slot
        }
    }

    /// Asked at each look at an upload: whether it is late still, and somebody was turned away for want of its place.
    func givesWay(_ slot: Slot, now: Instant) -> Bool {
        state.withLock { state in
            guard state.wanted == slot, let holder = state.held[slot] else { return false }
            guard holder.progress.isLate else {
                state.wanted = nil
                return false
            }
            state.lost = (holder.address, now + Self.keptFrom)
            return true
        }
    }

    func giveBack(_ slot: Slot) {
        state.withLock { state in
            state.held[slot] = nil
            if state.wanted == slot { state.wanted = nil }
        }
    }
}
