import Commerce
import RoomEvents
package import RoomModel
package import RoomPorts
import RoomRules

// What people in a room read of it, and operators, who need not be there. Whether an operator's key lets them, the gateway has asked.

extension Room {
    // MARK: Operators

    package func overview(reply: @escaping Reply<RoomOverview>) { core.read(reply) { $0.overview(in: &$1) } }

    /// The last messages, the oldest first: the same as for those who enter.
    package func messages(_ limit: Int, reply: @escaping Reply<[Message]>) {
        core.read(reply) { _, turn in Array(turn.keptMessages.suffix(limit)) }
    }

    package func members(_ query: MembersQuery, reply: @escaping Reply<MembersPage>) {
        core.read(reply) { _, turn throws(RoomError) in try turn.page(query) }
    }

    /// Who may not write or be here, the newest first.
    package func restrictions(reply: @escaping Reply<RestrictionsPage>) {
        core.read(reply) { $0.restrictions.page(in: &$1) }
    }

    // MARK: People in the room

    package func members(_ query: MembersQuery, for session: SessionToken, reply: @escaping Reply<MembersPage>) {
        core.read(reply, for: session) { _, turn, _ throws(RoomError) in try turn.page(query) }
    }

    /// The waiting invitations that concern the reader, after those of the page before.
    package func invitations(
        after cursor: String?, for session: SessionToken, reply: @escaping Reply<InvitationsPage>
    ) {
        core.read(reply, for: session) { _, turn, user throws(RoomError) in
            try turn.invitations(of: user, after: cursor)
        }
    }

    /// Who may not write or be here, the newest first; for those who run the room.
    package func restrictions(for session: SessionToken, reply: @escaping Reply<RestrictionsPage>) {
        core.read(reply, for: session) { parts, turn, user throws(RoomError) in
            try parts.restrictions.page(for: user, in: &turn)
        }
    }

    /// L03: what somebody who asks to come on stage looks like; `nil`: nothing came along, or it was lost with a restart.
    package func requestStill(_ id: String, for session: SessionToken, reply: @escaping Reply<StillPicture?>) {
        core.read(reply, for: session) { parts, turn, user throws(RoomError) in
            try parts.requestStill(id, for: user, in: &turn)
        }
    }

    /// G02: who gave most, and where the reader stands.
    package func giftRanking(for session: SessionToken, reply: @escaping Reply<GiftRanking>) {
        core.read(reply, for: session) { _, turn, user in turn.state.figures.gifts.ranking(for: user) }
    }
}

extension RoomTurn {
    func page(_ query: MembersQuery) throws(RoomError) -> MembersPage {
        let users: [UserID]
        var cursor: String?
        switch query {
        case .users(let asked): users = asked
        case .everyone(let limit, let start):
            let arrival = try NumberedPlace.read(start)?.number ?? 0
            let page = attendance.page(after: UInt64(arrival), limit: limit)
            users = page.users
            cursor = page.next.map { NumberedPlace(Int64($0)).cursor }
        }
        let members = users.compactMap { user -> Member? in
            guard var member = attendance.people[user].map(state.member) else { return nil }
            member.marks = attendance.marks(of: user)
            return member
        }
        return MembersPage(members: members, count: attendance.count, cursor: cursor)
    }

    func invitations(of user: UserID, after cursor: String?) throws(RoomError) -> InvitationsPage {
        let place = try TimedPlace.read(cursor)
        let found = state.invitations.page(
            of: user, in: state, after: place, budget: EntryComposer.invitationBytes)
        return InvitationsPage(invitations: found.page, cursor: found.end?.cursor)
    }
}
