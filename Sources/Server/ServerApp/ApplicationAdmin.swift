import OperatorAPI
import PagesAndSongs
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
        try await StoppedStore.with(data) { store in
            let accounts = store.accounts
            let taken = Set(try await accounts.applications().map(\.id))
            guard taken.count < Application.most else {
                throw ConfigurationFailure("there are \(Application.most) applications already")
            }
            if let id, taken.contains(ApplicationID(id)) {
                throw ConfigurationFailure("there is an application \(id) already")
            }
            if id == 0 { throw ConfigurationFailure("an application's number is not 0") }
            let next =
                id.map { ApplicationID($0) }
                ?? Application.nextID(from: ServerApplication.firstApplication, taken: taken)
            guard let next else { throw ConfigurationFailure("no number is free") }
            var application = Application(id: next, name: "", keys: [ApplicationKey.make()])
            do throws(Application.Fault) { try application.apply(ApplicationChange(name: name)) } catch {
                throw ConfigurationFailure(error.message)
            }
            try await accounts.save(application)
            CommandTrail(store: store, application: application.id)
                .note("createApplication", detail: ["name": application.name])
            return Entry(application)
        }
    }

    /// Makes a new key, which signs from now on; the one before it stays good until it is retired. There are never more than two.
    package func rotateKey(of id: UInt32) async throws -> Entry {
        try await change(id, "addApplicationKey") { application throws(Application.Fault) in
            try application.add(key: ApplicationKey.make())
        }
    }

    /// Drops the older of two keys: its tickets are refused from the next start on.
    package func retireKey(of id: UInt32) async throws -> Entry {
        try await change(id, "dropApplicationKey") { application throws(Application.Fault) in
            try application.dropOlderKey()
        }
    }

    /// Changes the application's rules; `nil` leaves one as it is. They hold from the server's next start.
    package func configure(
        _ id: UInt32, consent: Consent?, secondSession: SecondSession?, roomKeys: RoomKeys?, admins: [String]? = nil
    ) async throws -> Entry {
        let change = ApplicationChange(
            consent: consent.flatMap { .init(rawValue: $0.rawValue) },
            secondSession: secondSession.flatMap { .init(rawValue: $0.rawValue) },
            roomKeys: roomKeys.flatMap { .init(rawValue: $0.rawValue) }, admins: try admins?.map(Self.admin))
        return try await self.change(id, "configureApplication") { application throws(Application.Fault) in
            try application.apply(change)
        }
    }

    private static func admin(_ text: String) throws -> UserID {
        guard let user = UserID(text) else { throw ConfigurationFailure("an admin's id is 1…32 of A-Z a-z 0-9 _ -") }
        return user
    }

    private func change(
        _ id: UInt32, _ action: String,
        _ body: @escaping @Sendable (inout Application) throws(Application.Fault) -> Void
    ) async throws -> Entry {
        try await StoppedStore.with(data) { store in
            let accounts = store.accounts
            guard var application = try await accounts.application(ApplicationID(id)) else {
                throw ConfigurationFailure("there is no application \(id) (see: ovation app list)")
            }
            do throws(Application.Fault) { try body(&application) } catch {
                let command =
                    switch error {
                    case .hasTwoKeys: " ('ovation app retire-key')"
                    case .hasOneKey: " ('ovation app rotate-key')"
                    case .name, .admins: ""
                    }
                throw ConfigurationFailure("application \(id): \(error.message)\(command)")
            }
            try await accounts.save(application)
            CommandTrail(store: store, application: application.id).note(action, detail: application.audited)
            return Entry(application)
        }
    }

    package func list() async throws -> [Entry] {
        try await StoppedStore.with(data) {
            try await $0.accounts.applications().map(Entry.init).sorted { $0.id < $1.id }
        }
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
