package import RoomModel

/// What an operator's key may do. Each is one kind of work, so that a back end that posts messages cannot end rooms.
package enum OperatorScope: String, Codable, CaseIterable, Hashable, Sendable {
    /// See all rooms, who is in them, and what was written of late.
    case readRooms = "rooms:read"
    /// Create, change and end rooms, arrange their seats and stages.
    case writeRooms = "rooms:write"
    /// Write into rooms.
    case writeMessages = "messages:write"
    /// Mute, ban and remove people, and delete messages.
    case moderate = "moderation"
    /// See what people hold, and where it came from.
    case readWallets = "wallets:read"
    /// Give coins that were sold, and take them back.
    case writeWallets = "wallets:write"
    /// Change the catalogue of gifts.
    case writeGifts = "gifts:write"
    /// Read and settle what people report.
    case handleReports = "reports"
    /// Read the audit trail.
    case readAudit = "audit:read"
    /// See what the whole server carries, its disk and its certificate.
    case readMetrics = "metrics:read"
    /// See and change people's profiles, see where they are, sign them out.
    case managePeople = "people"
    /// See and change the words that stop texts.
    case manageWords = "words"
    /// See and change webhooks, and what waits for them. Whoever has it reads all that is written.
    case manageWebhooks = "webhooks"
    /// Change applications, and make and drop their secret keys: whoever has those can sign in as anybody.
    case manageApplications = "applications"
    /// Make and drop keys that reach no further than itself.
    case manageKeys = "keys"
}

extension RoomError {
    /// What the operator's key does not reach to.
    package static func scopeMissing(_ scope: OperatorScope) -> RoomError {
        RoomError(.permissionDenied, "this needs a key with the scope \(scope.rawValue)", reason: "scope")
    }
}

/// Somebody who runs the server, or a program of theirs.
package struct Operator: Hashable, Sendable {
    /// A program by its key, or the account of an admin. People see it beside what was done, and so does the audit trail.
    package var name: UserID
    package var scopes: Set<OperatorScope>

    package init(_ name: UserID, scopes: Set<OperatorScope>) {
        self.name = name
        self.scopes = scopes
    }
}

extension Operator {
    /// As people see one who writes under no other name.
    package var profile: UserProfile { UserProfile(id: name, name: name.plainName) }
}

/// Who asks for something in a room. What happens by itself is no caller's: see `ServerCommand`.
package enum Caller: Hashable, Sendable {
    /// Somebody who is in the room.
    case person(UserProfile)
    /// An operator, who need not be there; `as`: under which name messages are written.
    case `operator`(Operator, as: UserProfile)

    /// An operator under their own name.
    package static func `operator`(_ caller: Operator) -> Caller {
        .operator(caller, as: caller.profile)
    }

    /// Whom people see as the one who did it.
    package var profile: UserProfile {
        switch self {
        case .person(let profile), .operator(_, as: let profile): profile
        }
    }

    /// Whose idempotency keys count: programs have theirs apart from people.
    package var keeper: UserID {
        switch self {
        case .person(let profile): profile.id
        case .operator(let caller, _): UserID.program(caller.name)
        }
    }

    /// Under whom earlier releases kept what an operator asked under a key: together with the person of that id.
    package var formerKeeper: UserID? {
        guard case .operator(let caller, let profile) = self else { return nil }
        return profile.id.isProgram ? UserID(caller.name.plainName) : profile.id
    }

    package var isOperator: Bool {
        switch self {
        case .person: false
        case .operator: true
        }
    }
}
