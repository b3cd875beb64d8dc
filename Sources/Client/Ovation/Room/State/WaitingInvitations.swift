internal import RoomModel

/// The invitations from or to the user that wait for an answer, oldest first.
struct WaitingInvitations: Sendable, Hashable {
    private(set) var all: [Invitation]

    init(_ invitations: [Invitation]) { all = invitations.filter { $0.state == .waiting } }

    /// A waiting invitation is on the list, any other is not.
    mutating func note(_ invitation: Invitation) {
        all.removeAll { $0.id == invitation.id }
        if invitation.state == .waiting { all.append(invitation) }
    }

    /// Takes a settled invitation off the list: whoever settles one has the answer before the news.
    mutating func forget(_ id: String) { all.removeAll { $0.id == id } }

    /// Whoever asked the former owner has asked the heir; the heir needs nobody's answer any more.
    mutating func inherit(_ heir: UserID, from former: UserID) {
        for index in all.indices where all[index].to == former { all[index].to = heir }
        all.removeAll { $0.from == $0.to }
    }

    /// What became of those that waited when the connection was lost. Of one that nobody remembers nothing can be told: it is off the
    /// list.
    mutating func settle(_ passing: RoomResumption.PassingState) -> [RoomSession.Event] {
        let waiting = Set(passing.invitations.map(\.id))
        let known = Set(all.map(\.id)).subtracting(waiting)
        let news = (passing.settled ?? []).filter { known.contains($0.invitation.id) }
        for settled in news { note(settled.invitation) }
        return news.map { .invitation($0) }
    }

    /// Takes up one page of the waiting invitations, oldest first. Those of its range that are not on it have been settled.
    /// - Parameters:
    ///   - former: the last one of the page before; nil for the first page.
    ///   - isLast: there are no more pages. Until then what is known beyond this page stays.
    mutating func take(
        _ page: [Invitation], after former: Invitation?, isLast: Bool, me: UserID
    ) -> [RoomSession.Event] {
        let old = self
        let waiting = page.filter { $0.state == .waiting }
        let rest = all.filter { invitation in
            if let former, !former.isBefore(invitation) { return true }
            return !isLast && page.last.map { $0.isBefore(invitation) } ?? true
        }
        let onPage = Set(waiting.map(\.id))
        all = (rest.filter { !onPage.contains($0.id) } + waiting).sorted { $0.isBefore($1) }
        return Self.news(of: waiting, since: old, me: me)
    }

    /// Those that came since, but for the user's own.
    func news(since old: WaitingInvitations, me: UserID) -> [RoomSession.Event] {
        Self.news(of: all, since: old, me: me)
    }

    private static func news(
        of invitations: [Invitation], since old: WaitingInvitations, me: UserID
    ) -> [RoomSession.Event] {
        let known = Set(old.all.map(\.id))
        return invitations.filter { !known.contains($0.id) && $0.from != me }.map {
            .invitation(InvitationNews(invitation: $0, by: $0.from))
        }
    }
}

extension Invitation {
    /// In the order of the list: by time, then by id.
    fileprivate func isBefore(_ other: Invitation) -> Bool { (createdAt, id) < (other.createdAt, other.id) }
}
