import RoomModel

/// What the operator decides about all rooms of an application, with the defaults of the product.
package struct RoomPolicy: Hashable, Sendable {
    /// `enforced` makes `needsRequest` a rule of the server; `advisory` leaves it to the client, as the published
    /// components do.
    package enum Consent: String, Hashable, Sendable { case enforced, advisory }

    package var consent: Consent
    /// For how long an accepted invitation lets somebody sit down.
    package var consentSeconds: Int
    /// For how long a lost connection keeps its seat.
    package var seatGraceSeconds: Int
    /// For how long a room waits for its owner. 120 s is also how long the clients try to reconnect before they give
    /// up, so an owner whose client comes back at all comes back to the room.
    package var ownerAbsenceSeconds: Int
    /// How many people a room holds.
    package var maxMembers: Int
    /// How many rooms one person may have open. A room outlives its owner's exit by `ownerAbsenceSeconds`, so a script could
    /// otherwise keep thousands.
    package var maxRoomsPerOwner: Int
    package var messages: MessageLimits
    /// How many times a second one person may delete, mute, ban, or give and take roles, thirty times as often at once: each time is noted in
    /// the audit trail. Whoever works through a list makes two strokes a second.
    package var actionsPerSecond = 2

    package init(
        consent: Consent = .enforced, consentSeconds: Int = 60, seatGraceSeconds: Int = 15,
        ownerAbsenceSeconds: Int = 120, maxMembers: Int = 20_000, maxRoomsPerOwner: Int = 20,
        messages: MessageLimits = MessageLimits()
    ) {
        self.consent = consent
        self.consentSeconds = consentSeconds
        self.seatGraceSeconds = seatGraceSeconds
        self.ownerAbsenceSeconds = ownerAbsenceSeconds
        self.maxMembers = maxMembers
        self.maxRoomsPerOwner = maxRoomsPerOwner
        self.messages = messages
    }
}

/// What a room lets through of its messages, and what it tells of them.
package struct MessageLimits: Hashable, Sendable {
    /// How many messages a second a room lets through. Nobody reads more, and each goes to everybody.
    package var room: Int
    /// How many of them may be one person's who does not run the room. Who types writes one a second; the rest is what apps send
    /// beside it.
    package var person: Int
    /// How many of the last messages somebody who enters is told, as far as they fit (256 KiB).
    package var onEntry: Int

    package init(room: Int = 40, person: Int = 5, onEntry: Int = 200) {
        self.room = room
        self.person = person
        self.onEntry = onEntry
    }
}
