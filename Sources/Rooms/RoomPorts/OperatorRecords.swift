package import RoomModel

/// A line of the audit trail, with its number.
package struct NotedLine: Hashable, Sendable {
    package var id: Int64
    package var line: AuditLine

    package init(id: Int64, line: AuditLine) {
        self.id = id
        self.line = line
    }
}

/// What somebody reported, with its number and what became of it.
package struct NotedReport: Hashable, Sendable {
    /// How somebody has settled it.
    package struct Settlement: Hashable, Sendable {
        package var by: String
        /// Milliseconds since 1970.
        package var time: Int64
        package var words: String

        package init(by: String, time: Int64, words: String) {
            self.by = by
            self.time = time
            self.words = words
        }
    }

    package var id: Int64
    package var report: Report
    /// `nil` while nobody has.
    package var settled: Settlement?

    package init(id: Int64, report: Report, settled: Settlement? = nil) {
        self.id = id
        self.report = report
        self.settled = settled
    }
}

/// Which lines of an audit trail.
package struct AuditQuery: Sendable, Hashable {
    /// Of that room alone.
    package var room: RoomID?
    /// What they did, and what was done to them. Of an operator it is the name of the key.
    package var user: UserID?
    /// Those before the one with that number; `nil`: from the newest on.
    package var before: Int64?
    package var limit: Int

    package init(room: RoomID? = nil, user: UserID? = nil, before: Int64? = nil, limit: Int) {
        self.room = room
        self.user = user
        self.before = before
        self.limit = limit
    }
}

/// The audit trail and people's reports, as operators read them.
package protocol OperatorRecords: Sendable {
    /// The newest first.
    func audit(of application: ApplicationID, _ query: AuditQuery) async throws(JournalFailure) -> [NotedLine]
    /// The oldest first, after the one with that number; those that wait, or all.
    func reports(
        of application: ApplicationID, all: Bool, after id: Int64, limit: Int
    ) async throws(JournalFailure) -> [NotedReport]
    /// What the operator has set for the whole of an application and what holds at that time, in milliseconds since 1970: the newest first,
    /// before the one with that number.
    func restrictions(
        of application: ApplicationID, _ kind: RestrictionKind?, at time: Int64, before id: Int64?, limit: Int
    ) async throws(JournalFailure) -> [NotedRestriction]
    /// Says that somebody has looked at a report.
    /// - Returns: whether there is one of that number that nobody has settled.
    func settle(
        _ id: Int64, of application: ApplicationID, _ settlement: NotedReport.Settlement
    ) async throws(JournalFailure) -> Bool
}

/// A restriction of an application, with the number by which pages go on.
package struct NotedRestriction: Sendable, Hashable {
    package var id: Int64
    package var restriction: Restriction

    package init(id: Int64, restriction: Restriction) {
        self.id = id
        self.restriction = restriction
    }
}

/// What operators' programs work with beside the rooms.
package struct OperatorStores: Sendable {
    package var accounts: any AccountStore
    package var personalData: any PersonalData
    package var keys: any OperatorKeyStore
    package var gifts: any GiftStore
    package var records: any OperatorRecords
    package var audit: any AuditTrail
    package var restrictions: any StandingRestrictions

    package init(
        accounts: any AccountStore, personalData: any PersonalData, keys: any OperatorKeyStore, gifts: any GiftStore,
        records: any OperatorRecords,
        audit: any AuditTrail, restrictions: any StandingRestrictions
    ) {
        self.accounts = accounts
        self.personalData = personalData
        self.audit = audit
        self.restrictions = restrictions
        self.keys = keys
        self.gifts = gifts
        self.records = records
    }
}
