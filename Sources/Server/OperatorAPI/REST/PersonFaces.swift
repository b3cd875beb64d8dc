package import RoomModel
package import RoomPorts
package import SignalProtocol

/// The pictures that the server keeps of people, as far as operators' programs send and remove them.
package struct PersonFaces: Sendable {
    /// What the query of a picture that is sent may say.
    package static let parameters = ["kind", "x", "y", "width", "height"]
    /// The kind that a profile shows.
    static let shown = "avatar"
    /// What the addresses of pictures begin with that the server keeps.
    static let addresses = "/faces/"

    /// Why a picture is not kept.
    package typealias Failure = Refusal

    /// Reads a picture that somebody sent, and keeps it.
    let keep:
        @Sendable (_ picture: [UInt8], _ query: [String: String], UserID, ApplicationID) async throws(Failure) ->
            KeptFace
    /// Removes all of a person's, and says how many there were; blocks.
    let eraseAll: @Sendable (UserID, ApplicationID) throws -> Int

    package init(
        keep:
            @escaping @Sendable (
                _ picture: [UInt8], _ query: [String: String], UserID, ApplicationID
            ) async throws(Failure) -> KeptFace,
        eraseAll: @escaping @Sendable (UserID, ApplicationID) throws -> Int
    ) {
        self.keep = keep
        self.eraseAll = eraseAll
    }
}
