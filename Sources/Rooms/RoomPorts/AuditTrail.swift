package import RoomModel

/// What somebody did who runs a room or the server, or tried and was refused.
package struct AuditLine: Hashable, Sendable {
    package enum Role: String, Hashable, Sendable {
        case owner, admin, member, `operator`, system
    }

    /// How it was asked for.
    package enum Way: String, Hashable, Sendable {
        /// By a client of the signalling protocol.
        case session
        /// By an operator's key, over HTTP.
        case rest
        /// On the command line.
        case command
    }

    package var application: ApplicationID
    package var room: RoomID?
    /// `nil`: the server itself, or an operator.
    package var actor: UserID?
    package var role: Role
    package var way: Way
    /// The command, as the permission table names it.
    package var action: String
    package var target: UserID?
    /// What exactly, as a JSON object.
    package var detail: String
    package var reason: String?
    /// `done`, or the name of the refusal.
    package var outcome: String
    /// Milliseconds since 1970.
    package var time: Int64

    package init(
        application: ApplicationID, room: RoomID?, actor: UserID?, role: Role, way: Way, action: String,
        target: UserID? = nil, detail: String = "{}", reason: String? = nil, outcome: String = "done", time: Int64
    ) {
        self.application = application
        self.room = room
        self.actor = actor
        self.role = role
        self.way = way
        self.action = action
        self.target = target
        self.detail = detail
        self.reason = reason
        self.outcome = outcome
        self.time = time
    }
}

extension ApplicationID {
    /// No application has this number: what concerns the whole server stands under it in the audit trail.
    package static let server = ApplicationID(0)
}

/// Lines are added, and deleted when they are old; none is changed.
package protocol AuditTrail: Sendable {
    /// Queues a line behind what was submitted to the journal before it. Never waits.
    func note(_ line: AuditLine)
}

/// What somebody reported, with what they saw.
package struct Report: Hashable, Sendable {
    package var application: ApplicationID
    package var room: RoomID
    package var reporter: UserID
    package var user: UserID
    package var cause: ReportCause
    package var words: String?
    /// What the server itself knows of it, as a JSON object: the person's name, and their last messages.
    package var evidence: String
    /// Milliseconds since 1970.
    package var time: Int64

    package init(
        application: ApplicationID, room: RoomID, reporter: UserID, user: UserID, cause: ReportCause, words: String?,
        evidence: String, time: Int64
    ) {
        self.application = application
        self.room = room
        self.reporter = reporter
        self.user = user
        self.cause = cause
        self.words = words
        self.evidence = evidence
        self.time = time
    }
}

/// What people report waits here for the operator.
package protocol ReportBox: Sendable {
    /// - Parameter done: called once, from any thread, when the report is on the disk, or cannot be taken.
    func post(_ report: Report, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void)
}

/// What moderation keeps beside the rooms' journal.
package struct ModerationStores: Sendable {
    package var restrictions: any StandingRestrictions
    package var audit: any AuditTrail
    package var reports: any ReportBox

    package init(restrictions: any StandingRestrictions, audit: any AuditTrail, reports: any ReportBox) {
        self.restrictions = restrictions
        self.audit = audit
        self.reports = reports
    }
}
