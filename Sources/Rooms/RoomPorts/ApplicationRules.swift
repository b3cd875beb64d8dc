package import RoomModel

/// What an operator changes about an application; `nil` leaves a thing as it is.
package struct ApplicationChange: Sendable, Hashable {
    package var name: String?
    package var consent: Application.Settings.Consent?
    package var secondSession: Application.Settings.SecondSession?
    package var roomKeys: Application.Settings.RoomKeys?
    package var admins: [UserID]?

    package init(
        name: String? = nil, consent: Application.Settings.Consent? = nil,
        secondSession: Application.Settings.SecondSession? = nil, roomKeys: Application.Settings.RoomKeys? = nil,
        admins: [UserID]? = nil
    ) {
        self.name = name
        self.consent = consent
        self.secondSession = secondSession
        self.roomKeys = roomKeys
        self.admins = admins
    }
}

/// What an application may be, however it is changed.
extension Application {
    /// An operator's products; all are held in memory.
    package static let most = 1_000
    package static let nameLimit = 100
    /// Each is a program that somebody looks after.
    package static let mostAdmins = 50

    package enum Fault: Error, Sendable, Hashable {
        case name, admins
        /// A second key is there already.
        case hasTwoKeys
        /// There is no second key that could be dropped.
        case hasOneKey

        package var message: String {
            switch self {
            case .name: "an application's name has 1…\(Application.nameLimit) characters"
            case .admins: "an application has at most \(Application.mostAdmins) admins"
            case .hasTwoKeys:
                "the application has two keys already: drop the older one once none of its tickets is in use"
            case .hasOneKey: "the application has one key only: make a second before you drop the older one"
            }
        }
    }

    package mutating func apply(_ change: ApplicationChange) throws(Fault) {
        if let name = change.name {
            guard Self.isName(name) else { throw .name }
            self.name = name
        }
        if let admins = change.admins {
            guard admins.count <= Self.mostAdmins else { throw .admins }
            settings.admins = admins
        }
        if let consent = change.consent { settings.consent = consent }
        if let secondSession = change.secondSession { settings.secondSession = secondSession }
        if let roomKeys = change.roomKeys { settings.roomKeys = roomKeys }
    }

    /// A key that signs from now on; the one before it stays good until it is dropped.
    package mutating func add(key: String) throws(Fault) {
        guard keys.count < 2 else { throw .hasTwoKeys }
        keys.insert(key, at: 0)
    }

    /// Drops the older of two keys: its tickets are refused from then on.
    package mutating func dropOlderKey() throws(Fault) {
        guard keys.count == 2 else { throw .hasOneKey }
        keys.removeLast()
    }

    package static func isName(_ name: String) -> Bool {
        (1...nameLimit).contains(name.count) && name.utf8.count <= 4 * nameLimit
            && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }
    }

    /// The next free number from `first` on.
    package static func nextID(from first: ApplicationID, taken: Set<ApplicationID>) -> ApplicationID? {
        (first.rawValue...UInt32.max).lazy.map { ApplicationID($0) }.first { !taken.contains($0) }
    }
}
