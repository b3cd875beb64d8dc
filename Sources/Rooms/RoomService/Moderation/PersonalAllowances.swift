import RoomModel
import RoomPorts
import Synchronization
import Timing

/// What one person may do that is noted or kept for the operator, in all rooms of an application together: whoever has many rooms has no
/// more of it.
package final class PersonalAllowances: Sendable {
    /// Changes of one's own rooms that are noted each by itself; what comes faster is noted with the next one.
    static let changes = Allowance(burst: 20, perSecond: 0.1)
    /// Refusals that are noted: more says nothing new of who tries.
    static let refusals = Allowance(burst: 20, perSecond: 0.2)
    /// Reports: five, then one a minute.
    static let reports = Allowance(burst: 5, perSecond: 1.0 / 60)

    private struct Person: Hashable {
        var application: ApplicationID
        var user: UserID
    }

    private struct State {
        /// By how many a second there may be, which the operator may change.
        var actions: [Int: TokenBuckets<Person>] = [:]
        var changes = TokenBuckets<Person>(PersonalAllowances.changes)
        var refusals = TokenBuckets<Person>(PersonalAllowances.refusals)
        var reports = TokenBuckets<Person>(PersonalAllowances.reports)
    }

    private let state = Mutex(State())

    package init() {}

    /// What is done to people and their words.
    /// - Returns: the milliseconds until that person may do another, if none is left.
    func takeAction(of user: UserID, in application: ApplicationID, perSecond: Int, now: Instant) -> Int? {
        let person = Person(application: application, user: user)
        return state.withLock { state in
            var actions =
                state.actions[perSecond]
                ?? TokenBuckets(Allowance(burst: 30 * Double(perSecond), perSecond: Double(perSecond)))
            // Taken out, so that it is not copied.
            state.actions[perSecond] = nil
            defer { state.actions[perSecond] = actions }
            let wait = actions.wait(person, now: now)
            guard wait == 0 else { return wait }
            _ = actions.take(person, now: now)
            return nil
        }
    }

    func takeChange(of user: UserID, in application: ApplicationID, now: Instant) -> Bool {
        state.withLock { $0.changes.take(Person(application: application, user: user), now: now) == nil }
    }

    func takeRefusal(of user: UserID, in application: ApplicationID, now: Instant) -> Bool {
        state.withLock { $0.refusals.take(Person(application: application, user: user), now: now) == nil }
    }

    /// - Returns: the milliseconds until that person may report again; `nil`: now.
    func takeReport(of user: UserID, in application: ApplicationID, now: Instant) -> Int? {
        let person = Person(application: application, user: user)
        return state.withLock { state in
            let wait = state.reports.wait(person, now: now)
            guard wait == 0 else { return wait }
            _ = state.reports.take(person, now: now)
            return nil
        }
    }
}
