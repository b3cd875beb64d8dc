import RoomModel
import RoomPorts
import RoomRules
import Synchronization

/// What the operator has decided about each application's rooms, as it is now: it may change while rooms are open.
final class RoomPolicies: Sendable {
    private let configuration: ServerConfiguration
    private let policies = Mutex<[ApplicationID: RoomPolicy]>([:])

    init(_ configuration: ServerConfiguration) { self.configuration = configuration }

    func set(_ application: Application) {
        let policy = configuration.policy(of: application.settings)
        policies.withLock { $0[application.id] = policy }
    }

    func current(of application: ApplicationID) -> RoomPolicy { policies.withLock { $0[application] } ?? RoomPolicy() }
}
