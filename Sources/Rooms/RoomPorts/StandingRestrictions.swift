package import RoomModel

/// Restrictions that outlive rooms: whom a host keeps out of all rooms of theirs, and whom the operator keeps out of an application or
/// from writing in it. Rooms ask in their turns, so all of it is in memory.
package protocol StandingRestrictions: Sendable {
    /// The restriction of that person, whether its time is over or not.
    func restriction(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) -> Restriction?
    /// How many of them hold at that time, in milliseconds since 1970.
    func count(from scope: RestrictionScope, in application: ApplicationID, at time: Int64) -> Int
    /// Takes a restriction up in the place of an earlier one. It holds at once; it is on the disk before whatever is submitted to a room's
    /// journal afterwards. Should the disk refuse it, it holds no more.
    /// - Parameter done: called once, from any thread, when it is on the disk, or refused.
    func set(
        _ restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void)
    /// The same of its end.
    func lift(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID,
        done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void)
    /// Somebody's name and what was said of them are told no more; the restrictions hold on. Their rows are erased by `PersonalData`.
    func forgetWords(of user: UserID, in application: ApplicationID)
}

extension StandingRestrictions {
    package func set(_ restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID) {
        set(restriction, from: scope, in: application) { _ in }
    }

    package func lift(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) {
        lift(kind, of: user, from: scope, in: application) { _ in }
    }

    /// The one of an application that holds at that time.
    package func holding(
        _ kind: RestrictionKind, of user: UserID, in application: ApplicationID, at time: Int64
    ) -> Restriction? {
        restriction(kind, of: user, from: .application, in: application).flatMap { $0.holds(at: time) ? $0 : nil }
    }
}

/// Which restriction it is.
package struct RestrictionKey: Hashable, Sendable {
    package var application: ApplicationID
    package var scope: RestrictionScope
    package var kind: RestrictionKind
    package var user: UserID

    package init(
        _ kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) {
        self.application = application
        self.scope = scope
        self.kind = kind
        self.user = user
    }
}

/// The restrictions as they are held in memory.
package struct RestrictionList: Sendable, Equatable {
    private struct Scope: Hashable {
        var application: ApplicationID
        var scope: RestrictionScope
    }

    private struct Whom: Hashable {
        var kind: RestrictionKind
        var user: UserID
    }

    private var held: [Scope: [Whom: Restriction]] = [:]

    package init() {}

    package subscript(key: RestrictionKey) -> Restriction? {
        get {
            held[Scope(application: key.application, scope: key.scope)]?[Whom(kind: key.kind, user: key.user)]
        }
        set {
            let scope = Scope(application: key.application, scope: key.scope)
            held[scope, default: [:]][Whom(kind: key.kind, user: key.user)] = newValue
            if held[scope]?.isEmpty == true { held[scope] = nil }
        }
    }

    package func count(from scope: RestrictionScope, in application: ApplicationID, at time: Int64) -> Int {
        held[Scope(application: application, scope: scope)]?.values.count { $0.holds(at: time) } ?? 0
    }

    /// Forgets those of a scope whose time is over, if there are many: each look goes through all of them.
    /// - Returns: whether it has looked.
    package mutating func makeRoom(in scope: RestrictionScope, of application: ApplicationID, at time: Int64) -> Bool {
        let whose = Scope(application: application, scope: scope)
        guard let all = held[whose], all.count >= scope.limit else { return false }
        held[whose] = all.filter { $0.value.holds(at: time) }
        return true
    }

    package mutating func forgetWords(of user: UserID, in application: ApplicationID) {
        for scope in held.keys where scope.application == application {
            for kind in RestrictionKind.allCases {
                let whom = Whom(kind: kind, user: user)
                guard held[scope]?[whom] != nil else { continue }
                held[scope]?[whom]?.name = ""
                held[scope]?[whom]?.reason = nil
            }
            // What they said of others.
            for (whom, restriction) in held[scope] ?? [:] where restriction.by == user {
                held[scope]?[whom]?.reason = nil
            }
        }
    }
}
