import HTTP
import Timing

/// What operators' programs behind one address may ask for. Who proves no key has an allowance apart, so that whoever tries keys keeps no
/// honest program of the same address from its work.
package final class ProgramRates: Sendable {
    /// What a back end sends at its busiest, and the published limit of one call.
    static let allowance = Allowance(burst: 400, perSecond: 200)
    /// Enough for a mistake to be seen as one.
    static let wrongAllowance = Allowance(burst: 100, perSecond: 0.1)

    private let proven = AddressRates(ProgramRates.allowance)
    private let wrong = AddressRates(ProgramRates.wrongAllowance)

    package init() {}

    /// - Returns: `nil` if a request with a good key may pass, else the milliseconds to wait.
    func take(_ address: ClientAddress, now: Instant) -> Int? { proven.take(address, now: now) }

    /// - Returns: `nil` if somebody may be told that this is no good key, else the milliseconds until they may try again.
    func takeWrong(_ address: ClientAddress, now: Instant) -> Int? { wrong.take(address, now: now) }
}
