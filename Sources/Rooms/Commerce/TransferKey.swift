package import RoomModel

/// One life of a room: who creates a room anew under a former one's id has nothing to do with its gifts.
package struct RoomLife: Hashable, Sendable {
    package var key: RoomKey
    /// The epoch in which the room was created.
    package var createdIn: UInt64

    package init(key: RoomKey, createdIn: UInt64) {
        self.key = key
        self.createdIn = createdIn
    }
}

/// By what a transfer is known for ever: whoever posts it again under the same key gets the first one's outcome.
package struct TransferKey: Hashable, Sendable {
    package enum Poster: Hashable, Sendable {
        case user(UserID)
        /// An operator's program.
        case program(UserID)
        /// By hand; in earlier releases programs too, all of them together.
        case `operator`
    }

    package var application: ApplicationID
    package var poster: Poster
    package var key: String
    /// What was asked for, in the poster's words: another one under the same key is another request.
    package var fingerprint: String

    package init(application: ApplicationID, poster: Poster, key: String, fingerprint: String) {
        self.application = application
        self.poster = poster
        self.key = key
        self.fingerprint = fingerprint
    }
}
