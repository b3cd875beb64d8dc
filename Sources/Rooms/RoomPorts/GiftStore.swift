package import Commerce
package import RoomModel

/// The applications' catalogues; what is written is durable when the call returns.
package protocol GiftStore: Sendable {
    /// The cheapest first.
    func gifts(of application: ApplicationID) async throws(JournalFailure) -> GiftCatalogue
    /// Inserts or replaces.
    func save(_ gift: Gift, of application: ApplicationID) async throws(JournalFailure)
    /// - Returns: whether there was one.
    func remove(_ gift: String, of application: ApplicationID) async throws(JournalFailure) -> Bool
}
