import Commerce
package import RoomEvents
package import RoomModel
package import RoomPorts
import RoomRules

// What people in a room read of it, and operators, who need not be there. Whether an operator's key lets them, the gateway has asked.

extension RoomCore {
    package func overview(_ reply: @escaping Reply<RoomOverview>) {
        read(reply) { $0.overview }
    }

    var overview: RoomOverview {
        let absence = people.owner.absence
        return RoomOverview(
            info: listing.info, epoch: turn.epoch, seq: state.seq, chat: state.chat,
            seats: state.seats.indices.map { state.seatView($0, turn.attendance.people) }, admins: state.admins,
            likes: state.likes, ownerAbsentUntil: absence?.until, heir: absence?.heir, play: state.chorus.play,
            duet: state.kind == .chorus ? state.chorus.duet : nil, screen: state.stage.screen,
            stage: state.stage.layout.isUsual ? nil : state.stage.layout,
            pk: state.links.pk.isEmpty ? nil : state.links.pk, gifts: state.gifts.standing,
            attributes: state.attributes.isEmpty ? nil : state.attributes)
    }

    /// The last messages, the oldest first.
    package func messages(_ limit: Int, _ reply: @escaping Reply<[Message]>) {
        read(reply) { core in
            // The same as for those who enter.
            Array(core.turn.keptMessages.suffix(limit))
        }
    }

    package func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) {
        beginTurn()
        defer { endTurn() }
        people.mark(changes, reply: reply, in: &turn)
    }

    /// Who may not write or be here, the newest first.
    package func restrictions(_ reply: @escaping Reply<RestrictionsPage>) {
        read(reply) { $0.restrictions.page(in: &$0.turn) }
    }

    package func members(_ query: MembersQuery, reply: @escaping Reply<MembersPage>) {
        read(reply) { core throws(RoomError) in try core.page(query) }
    }

    private func page(_ query: MembersQuery) throws(RoomError) -> MembersPage {
        let attendance = turn.attendance
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

    private func read<Value>(_ reply: @escaping Reply<Value>, _ value: (RoomCore) throws(RoomError) -> Value) {
        beginTurn()
        defer { endTurn() }
        if let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        do throws(RoomError) {
            turn.answer(reply, .success(try value(self)))
        } catch {
            turn.answer(reply, .failure(error))
        }
    }

    // MARK: People in the room

    package func members(_ query: MembersQuery, for session: SessionToken, reply: @escaping Reply<MembersPage>) {
        read(reply, for: session) { core, _ throws(RoomError) in try core.page(query) }
    }

    /// The waiting invitations that concern the reader, after those of the page before.
    package func invitations(
        after cursor: String?, for session: SessionToken, reply: @escaping Reply<InvitationsPage>
    ) {
        read(reply, for: session) { core, user throws(RoomError) in
            let place = try TimedPlace.read(cursor)
            let found = core.state.invitations.page(
                of: user, in: core.state, after: place, budget: EntryComposer.invitationBytes)
            return InvitationsPage(invitations: found.page, cursor: found.end?.cursor)
        }
    }

    /// Who may not write or be here, the newest first; for those who run the room.
    package func restrictions(for session: SessionToken, reply: @escaping Reply<RestrictionsPage>) {
        read(reply, for: session) { core, user throws(RoomError) in
            guard core.state.runs(user) else { throw RoomError(.permissionDenied) }
            return core.restrictions.page(in: &core.turn)
        }
    }

    /// What came with a waiting request, for who may answer it; `nil`: nothing, or it was lost with a restart.
    package func requestStill(
        _ id: String, for session: SessionToken, reply: @escaping Reply<StillPicture?>
    ) {
        read(reply, for: session) { core, user throws(RoomError) in
            try core.state.invitations.checkStill(of: id, for: user, in: core.state)
            return core.stills.picture(of: id)
        }
    }

    /// G02: who gave most, and where the reader stands.
    package func giftRanking(for session: SessionToken, reply: @escaping Reply<GiftRanking>) {
        read(reply, for: session) { core, user in core.state.gifts.ranking(for: user) }
    }

    private func read<Value>(
        _ reply: @escaping Reply<Value>, for session: SessionToken,
        _ value: (RoomCore, UserID) throws(RoomError) -> Value
    ) {
        read(reply) { core throws(RoomError) in
            guard let user = core.turn.attendance.user(of: session) else { throw RoomError(.notInRoom) }
            return try value(core, user)
        }
    }
}

extension Room {
    /// For the directory, which knows that the id is free.
    package func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        core.found(creation, for: owner, by: caller, key: key, reply: reply)
    }

    package func overview(reply: @escaping Reply<RoomOverview>) { core.overview(reply) }

    /// The last messages, the oldest first.
    package func messages(_ limit: Int, reply: @escaping Reply<[Message]>) { core.messages(limit, reply) }

    package func members(_ query: MembersQuery, reply: @escaping Reply<MembersPage>) {
        core.members(query, reply: reply)
    }

    /// Gives people marks for as long as they are here, or takes some from them.
    package func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) { core.mark(changes, reply: reply) }

    /// Who may not write or be here, the newest first.
    package func restrictions(reply: @escaping Reply<RestrictionsPage>) { core.restrictions(reply) }
}
