package import RoomModel

/// What the store knows of people beside what rooms have in memory.
package protocol PersonalData: Sendable {
    /// Forgets who somebody is, in the tables and in what is kept of rooms: profile, names and words. Ids, sums of money and bans stay.
    /// Nothing of it is left in any byte of the store when it returns.
    /// - Returns: how many rows were changed.
    func erase(_ user: UserID, of application: ApplicationID) async throws(JournalFailure) -> Int
    /// Where copies of the store are that were made earlier, as far as the server knows of them: they have what was erased.
    func copies() -> [String]
}

/// Knows what a store keeps as opaque bytes, and gives it back without a person's names and words.
package protocol StoredPayloads: Sendable {
    /// An entry of a journal.
    /// - Throws: if it cannot be read.
    func command(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) throws -> [UInt8]
    /// - Throws: if it cannot be read.
    func snapshot(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) throws -> [UInt8]
    /// What a webhook is to be told.
    /// - Parameter isEnded: it is of a room that has ended, whose names and words may be theirs.
    func news(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8]
}

/// Knows nothing of them.
package struct UnknownPayloads: StoredPayloads {
    package init() {}
    package func command(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] { payload }
    package func snapshot(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] { payload }
    package func news(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] { payload }
}
