package import RoomModel

/// An operator's application: the SDKAppID, and the secret keys that sign its tickets (the newest first; two while a
/// key is being rotated).
package struct Application: Sendable, Hashable {
    package var id: ApplicationID
    package var name: String
    package var keys: [String]
    package var settings: Settings

    package struct Settings: Sendable, Hashable, Codable {
        /// V21: `enforced` makes `needsRequest` a rule of the server, `advisory` leaves it to the client as the
        /// published components do.
        package enum Consent: String, Sendable, Codable, CaseIterable { case enforced, advisory }
        /// A04: what happens when a user signs in twice.
        package enum SecondSession: String, Sendable, Codable, CaseIterable { case replaces, allowed }
        /// A03: whether a room is entered without a privateMapKey.
        package enum RoomKeys: String, Sendable, Codable, CaseIterable { case unused, required }
        /// The published name of the first one.
        package static let usualAdmins = [UserID("administrator")].compactMap { $0 }
        package var consent: Consent
        package var secondSession: SecondSession
        package var roomKeys: RoomKeys
        /// R01: whose tickets open the compatible REST API.
        package var admins: [UserID]
        package init(
            consent: Consent = .enforced, secondSession: SecondSession = .replaces, roomKeys: RoomKeys = .unused,
            admins: [UserID] = Settings.usualAdmins
        ) {
            self.admins = admins
            self.roomKeys = roomKeys
            self.consent = consent
            self.secondSession = secondSession
        }
    }

    package init(id: ApplicationID, name: String, keys: [String], settings: Settings = Settings()) {
        self.id = id
        self.name = name
        self.keys = keys
        self.settings = settings
    }
}

/// Applications and users' profiles; what is written is durable when the call returns.
package protocol AccountStore: Sendable {
    func applications() async throws(JournalFailure) -> [Application]
    func application(_ id: ApplicationID) async throws(JournalFailure) -> Application?
    /// Inserts or replaces.
    func save(_ application: Application) async throws(JournalFailure)
    func profiles(_ users: [UserID], of application: ApplicationID) async throws(JournalFailure) -> [UserProfile]
    func save(_ profile: UserProfile, of application: ApplicationID) async throws(JournalFailure)
}
