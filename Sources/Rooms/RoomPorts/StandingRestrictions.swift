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
    /// Changes what no room's entry carries (`JournalEntry.standing`). It holds once it is on the disk.
    /// - Parameter done: called once, from any thread, when it holds, or is refused.
    func change(_ change: StandingChange, done: @escaping @Sendable (Result<Void, JournalFailure>) -> Void)
    /// Somebody's name and what was said of them are told no more; the restrictions hold on. Their rows are erased by `PersonalData`.
    func forgetWords(of user: UserID, in application: ApplicationID)
}

extension StandingRestrictions {
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

/// A restriction that begins, in the place of an earlier one, or ends.
package struct StandingChange: Hashable, Sendable {
    package let key: RestrictionKey
    /// `nil`: its end.
    package let restriction: Restriction?

    package init(_ key: RestrictionKey, to restriction: Restriction?) {
        self.key = key
        self.restriction = restriction
    }

    package init(
        beginning restriction: Restriction, from scope: RestrictionScope, in application: ApplicationID
    ) {
        self.init(
            RestrictionKey(restriction.kind, of: restriction.user, from: scope, in: application), to: restriction)
    }

    package init(
        ending kind: RestrictionKind, of user: UserID, from scope: RestrictionScope, in application: ApplicationID
    ) {
        self.init(RestrictionKey(kind, of: user, from: scope, in: application), to: nil)
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

    /// Whether there are as many of a scope as may hold: then those whose time is over are forgotten. Each look goes through all of them.
    package func isFull(_ scope: RestrictionScope, of application: ApplicationID) -> Bool {
        held[Scope(application: application, scope: scope)].map { $0.count >= scope.limit } ?? false
    }

    /// What is on the disk holds from now on.
    /// - Parameter time: in milliseconds since 1970.
    package mutating func apply(_ change: StandingChange, at time: Int64) {
        let key = change.key
        if change.restriction != nil, isFull(key.scope, of: key.application) {
            let whose = Scope(application: key.application, scope: key.scope)
            held[whose] = held[whose]?.filter { $0.value.holds(at: time) }
        }
        self[key] = change.restriction
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
