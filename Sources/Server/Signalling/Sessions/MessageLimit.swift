package import HTTP
package import RoomModel
package import RoomPorts
package import Timing

/// What one address may send of messages, to all rooms together (G04). A room's own budget and a person's share of it come after.
package struct MessageLimit: Sendable {
    private let perSecond: Int
    private let rates: AddressRates
    private let clock: any TimeSource

    package init(_ allowance: Allowance, clock: any TimeSource) {
        perSecond = Int(allowance.perSecond)
        rates = AddressRates(allowance)
        self.clock = clock
    }

    /// Takes one message out of the address' allowance.
    /// - Returns: `nil` if there was one, else `rate_limited` with the milliseconds until there is.
    package func take(_ address: ClientAddress) -> RoomError? {
        guard let wait = rates.take(address, now: clock.now) else { return nil }
        return RoomError(
            .rateLimited, "too many messages from this address: \(perSecond) a second (limits.messages_per_address)",
            retryAfterMs: wait)
    }
}
