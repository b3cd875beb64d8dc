package import Timing

/// Allowances per client address. An issuer or a carrier's NAT puts thousands of people behind one address, so these are wide
/// for what people do often and only narrow for what makes new identities.
package final class AddressRates: Sendable {
    private let buckets: SharedBuckets<String>

    package init(_ allowance: Allowance) { buckets = SharedBuckets(allowance) }

    /// How many addresses the table holds.
    var addresses: Int { buckets.count }

    /// - Returns: `nil` if it may pass, else the milliseconds to wait.
    package func take(_ address: ClientAddress, now: Instant) -> Int? {
        buckets.take(address.ratedAs, now: now)
    }
}
