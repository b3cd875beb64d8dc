package import RoomEvents
package import RoomModel

/// What one room sends to another one, and what comes back.
package struct RoomParcel: Hashable, Sendable {
    package var from: RoomKey
    package var to: RoomKey
    package var content: Content

    package enum Content: Hashable, Sendable {
        /// Comes again until it is `delivered`.
        /// - Parameter confirmed: the step of the session up to which the other room has said that it has stored all letters. A room that
        ///   has heard less is not the one that said so: it has ended and begun anew, or has forgotten the session.
        case letter(RoomLetter, confirmed: UInt64)
        /// All letters of the session up to that one are stored.
        case delivered(session: String, step: UInt64)
        /// What the sender's people have made of a PK so far: a newer one makes up for a lost one.
        case points(UInt64, session: String)
        /// Asks whether anybody is there who reads the session's letters.
        case greeting(session: String)
        /// Nobody is.
        case noReader(session: String)
    }

    package init(from: RoomKey, to: RoomKey, _ content: Content) {
        self.from = from
        self.to = to
        self.content = content
    }
}

/// Carries parcels between rooms. What a room sends to another one arrives in that order or not at all; what must arrive is sent again.
package protocol EventBus: Sendable {
    /// Returns at once.
    func send(_ parcel: RoomParcel)
    /// What is for rooms of this server, for one consumer.
    var parcels: AsyncStream<RoomParcel> { get }
}
