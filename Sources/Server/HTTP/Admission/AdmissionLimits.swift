package import Timing

/// What the gateway grants at most. Each is a setting with a reason; see Configuration/ovation.yml.
package struct AdmissionLimits: Sendable, Hashable {
    /// Most WebSockets at once. Each takes about 20 KB and a descriptor.
    package var connections = 20_000
    /// New WebSockets from one address. A school behind one address that comes back after a restart is 2,000 within seconds.
    package var connectionsPerAddress = AdmissionLimits.connections(perAddress: 2_000)
    package static func connections(perAddress count: Int) -> Allowance {
        Allowance(burst: Double(count), perSecond: Double(count) / 20)
    }
    /// New demo or guest identities from one address: a class of 100 signs in at once, a script gets one every three seconds.
    package var guestsPerAddress = AdmissionLimits.guests(perAddress: 100)
    package static func guests(perAddress count: Int) -> Allowance {
        Allowance(burst: Double(count), perSecond: Double(count) / 300)
    }
    /// Messages from one address, to all rooms together: 300 people behind it who write every ten seconds. That is three quarters of what
    /// a room lets through by itself, so that no address fills a room alone.
    package var messagesPerAddress = AdmissionLimits.messages(perSecond: 30)
    /// Two seconds' worth at once.
    package static func messages(perSecond: Int) -> Allowance {
        Allowance(burst: 2 * Double(perSecond), perSecond: Double(perSecond))
    }
    /// Calls of one connection: a page that opens makes some ten at once, a person clicking fast five a second; a moderator's tool stays
    /// below thirty.
    package var calls = AdmissionLimits.calls(perSecond: 40)
    /// Three seconds' worth at once.
    package static func calls(perSecond: Int) -> Allowance {
        Allowance(burst: 3 * Double(perSecond), perSecond: Double(perSecond))
    }
    /// Changes of a room by one person. Clicking fast is two a second for some seconds; each is told to everybody in the room.
    package var changes = AdmissionLimits.changes(perSecond: 2)
    /// Ten seconds' worth at once.
    package static func changes(perSecond: Int) -> Allowance {
        Allowance(burst: 10 * Double(perSecond), perSecond: Double(perSecond))
    }
    /// Of those who run the room: they seat, mute and close for others too.
    package var hostsChanges = AdmissionLimits.hostsChanges(perSecond: 2)
    /// Five times as many, and twice as many at once.
    package static func hostsChanges(perSecond: Int) -> Allowance {
        Allowance(burst: 20 * Double(perSecond), perSecond: 5 * Double(perSecond))
    }
    /// How long a session that lost its connection can be taken over with its secret, in seconds.
    /// Longer than any grace of a room, since a room's grace decides about the seat and this only about the session.
    package var resumeSeconds = 300

    package init() {}
}
