package import RoomModel

/// What the store knows of people beside what rooms' journals have.
package protocol PersonalData: Sendable {
    /// Forgets who somebody is: profile, names and words in reports, details in the audit trail, names in what was given. Ids, sums of money
    /// and bans stay. Durable when it returns.
    /// - Returns: how many rows were changed.
    func erase(_ user: UserID, of application: ApplicationID) async throws(JournalFailure) -> Int
}
