import HTTP
import RoomModel
import RoomPorts
import Synchronization

/// Who is uploading, songs and pictures alike: each upload holds a connection and memory, or writes to the disk. Nobody takes all that there
/// is, by however many names they come.
package final class UploadSlots: Sendable {
    static let all = 8
    static let perApplication = 6
    /// A class behind one address sends its pictures after each other.
    static let perAddress = 3
    static let perPerson = 1

    /// A place that was taken, until it is given back.
    struct Slot: Hashable, Sendable { fileprivate let number: Int }

    private struct Holder {
        var user: UserID
        var application: ApplicationID
        var address: String
    }

    private struct State {
        var held: [Slot: Holder] = [:]
        var slotsSoFar = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// - Returns: `nil` if there is no room for one more.
    func take(for user: UserID, of application: ApplicationID, from address: ClientAddress) -> Slot? {
        let holder = Holder(user: user, application: application, address: address.ratedAs)
        return state.withLock { state in
            let neighbours = state.held.values.filter { $0.application == application }
            guard state.held.count < Self.all, neighbours.count < Self.perApplication,
                neighbours.count(where: { $0.user == user }) < Self.perPerson,
                state.held.values.count(where: { $0.address == holder.address }) < Self.perAddress
            else { return nil }
            state.slotsSoFar += 1
            let slot = Slot(number: state.slotsSoFar)
            state.held[slot] = holder
            return slot
        }
    }

    func giveBack(_ slot: Slot) { state.withLock { $0.held[slot] = nil } }
}
