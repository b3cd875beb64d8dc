import Gateway
import RoomModel
import RoomPorts
import StoreSQLite

/// Applications of a server that is not running: what `ovation app` does.
package struct ApplicationAdmin: Sendable {
    /// An application as the operator sees it.
    package struct Entry: Sendable, Hashable {
        package var id: UInt32
        package var name: String
        /// The newest first.
        package var keys: [String]
        package var consent: Consent
        package var secondSession: SecondSession
        package var roomKeys: RoomKeys
        /// Whose tickets open the compatible REST API.
        package var admins: [String]
    }

    /// Whether the server enforces a room's *ask before speaking* (feature V21).
    package enum Consent: String, Sendable, CaseIterable {
        /// A listener takes a seat only after an accepted invitation.
        case enforced
        /// Anyone takes a seat; clients ask by themselves.
        case advisory
    }

    /// What happens when a user who is signed in signs in again (feature A04).
    package enum SecondSession: String, Sendable, CaseIterable {
        /// The older session is told and closed.
        case replaces
        /// Both stay.
        case allowed
    }

    /// Whether a room is entered without a privateMapKey (feature A03).
    package enum RoomKeys: String, Sendable, CaseIterable {
        /// A key is checked if one is given.
        case unused
        /// Nobody enters or creates a room without one.
        case required
    }

    private let data: String

    package init(data: String) { self.data = data }

    /// - Parameter id: `nil` for the next free one.
    package func create(name: String, id: UInt32?) async throws -> Entry {
        try await withAccounts { accounts in
            let taken = Set(try await accounts.applications().map(\.id.rawValue))
            if let id, taken.contains(id) { throw ConfigurationFailure("there is an application \(id) already") }
            if id == 0 { throw ConfigurationFailure("an application's number is not 0") }
            // From the range that the reference systems use, beside the demo application.
            let next = id ?? ((ServerApplication.demoApplication.rawValue + 1)...).first { !taken.contains($0) } ?? 0
            let application = Application(id: ApplicationID(next), name: name, keys: [ApplicationKey.make()])
            try await accounts.save(application)
            return Entry(application)
        }
    }

    /// Makes a new key, which signs from now on; the one before it stays good until it is retired. There are never more than two.
    package func rotateKey(of id: UInt32) async throws -> Entry {
        try await change(id) { application in
            guard application.keys.count < 2 else {
                throw ConfigurationFailure(
                    "application \(id) has two keys already: once no ticket of the old one is in use, 'ovation app retire-key' drops it"
                )
            }
            application.keys.insert(ApplicationKey.make(), at: 0)
        }
    }

    /// Drops the older of two keys: its tickets are refused from the next start on.
    package func retireKey(of id: UInt32) async throws -> Entry {
        try await change(id) { application in
            guard application.keys.count == 2 else {
                throw ConfigurationFailure(
                    "application \(id) has one key only: 'ovation app rotate-key' makes a second")
            }
            application.keys.removeLast()
        }
    }

    /// Changes the application's rules; `nil` leaves one as it is. They hold from the server's next start.
    package func configure(
        _ id: UInt32, consent: Consent?, secondSession: SecondSession?, roomKeys: RoomKeys?, admins: [String]? = nil
    ) async throws -> Entry {
        let admins = try admins.map { try $0.map(Self.admin) }
        guard (admins?.count ?? 1) <= Self.mostAdmins else {
            throw ConfigurationFailure("an application has at most \(Self.mostAdmins) admins")
        }
        return try await change(id) { application in
            if let admins { application.settings.admins = admins }
            switch consent {
            case .enforced: application.settings.consent = .enforced
            case .advisory: application.settings.consent = .advisory
            case nil: break
            }
            switch secondSession {
            case .replaces: application.settings.secondSession = .replaces
            case .allowed: application.settings.secondSession = .allowed
            case nil: break
            }
            switch roomKeys {
            case .unused: application.settings.roomKeys = .unused
            case .required: application.settings.roomKeys = .required
            case nil: break
            }
        }
    }

    /// Each is a program that somebody looks after.
    private static let mostAdmins = 50

    private static func admin(_ text: String) throws -> UserID {
        guard let user = UserID(text) else { throw ConfigurationFailure("an admin's id is 1…32 of A-Z a-z 0-9 _ -") }
        return user
    }

    private func change(
        _ id: UInt32, _ body: @escaping @Sendable (inout Application) throws -> Void
    ) async throws -> Entry {
        try await withAccounts { accounts in
            guard var application = try await accounts.application(ApplicationID(id)) else {
                throw ConfigurationFailure("there is no application \(id) (see: ovation app list)")
            }
            try body(&application)
            try await accounts.save(application)
            return Entry(application)
        }
    }

    package func list() async throws -> [Entry] {
        try await withAccounts { try await $0.applications().map(Entry.init).sorted { $0.id < $1.id } }
    }

    private func withAccounts<Value: Sendable>(
        _ body: (any AccountStore) async throws -> Value
    ) async throws -> Value {
        try await StoppedStore.with(data) { try await body($0.accounts) }
    }
}

extension ApplicationAdmin.Entry {
    fileprivate init(_ application: Application) {
        self.init(
            id: application.id.rawValue, name: application.name, keys: application.keys,
            consent: application.settings.consent == .enforced ? .enforced : .advisory,
            secondSession: application.settings.secondSession == .replaces ? .replaces : .allowed,
            roomKeys: application.settings.roomKeys == .required ? .required : .unused,
            admins: application.settings.admins.map(\.rawValue))
    }
}

/// A QR code for a terminal.
package enum QRCodeText {
    package static func terminal(_ text: String) -> String? { QRCode(text)?.terminal }
}
