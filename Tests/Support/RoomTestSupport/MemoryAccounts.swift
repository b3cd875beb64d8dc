package import RoomModel
package import RoomPorts
import Synchronization

/// Applications and profiles in memory.
package final class MemoryAccounts: AccountStore {
    private struct Contents: Sendable {
        var applications: [Application]
        var profiles: [ApplicationID: [UserID: UserProfile]] = [:]
    }
    private let contents: Mutex<Contents>

    package init(_ applications: [Application] = []) { contents = Mutex(Contents(applications: applications)) }

    package func applications() async throws(JournalFailure) -> [Application] {
        contents.withLock { $0.applications }
    }

    package func application(_ id: ApplicationID) async throws(JournalFailure) -> Application? {
        contents.withLock { $0.applications.first { $0.id == id } }
    }

    package func save(_ application: Application) async throws(JournalFailure) {
        contents.withLock { contents in
            contents.applications.removeAll { $0.id == application.id }
            contents.applications.append(application)
        }
    }

    package func profiles(
        _ users: [UserID], of application: ApplicationID
    ) async throws(JournalFailure) -> [UserProfile] {
        contents.withLock { contents in users.compactMap { contents.profiles[application]?[$0] } }
    }

    package func save(_ profile: UserProfile, of application: ApplicationID) async throws(JournalFailure) {
        contents.withLock { $0.profiles[application, default: [:]][profile.id] = profile }
    }
}
