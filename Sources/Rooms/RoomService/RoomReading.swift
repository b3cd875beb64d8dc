package import RoomModel
import RoomRules

// What operators read of a room that they are not in. Whether their key lets them, the gateway has asked.

extension RoomCore {
    package func overview(_ reply: @escaping Reply<RoomOverview>) {
        read(reply) { $0.overview }
    }

    var overview: RoomOverview {
        let absence = people.ownerAbsence
        return RoomOverview(
            info: listing.info, epoch: writer.epoch, seq: state.seq, chat: state.chat,
            seats: state.seats.indices.map { state.seatView($0, people.attendance.people) }, admins: state.admins,
            likes: state.likes, ownerAbsentUntil: absence?.until, heir: absence?.heir, play: state.play,
            screen: state.screen, stage: state.stage.isUsual ? nil : state.stage,
            pk: state.pk.isEmpty ? nil : state.pk, gifts: state.giftStanding,
            attributes: state.attributes.isEmpty ? nil : state.attributes)
    }

    /// The last messages, the oldest first.
    package func messages(_ limit: Int, _ reply: @escaping Reply<[Message]>) {
        read(reply) { core in
            // The same as for those who enter, which are kept ready.
            let told = core.recent.messages(
                core.dependencies.policy().messages.onEntry, budget: EntryComposer.messageBytes)
            return Array(told.suffix(limit))
        }
    }

    /// The numbers of what somebody wrote of late and nobody has deleted.
    package func messages(of user: UserID, _ reply: @escaping Reply<[UInt64]>) {
        read(reply) { core in
            core.recent.messages(of: user, limit: .max).filter { !$0.deleted }.map(\.chat)
        }
    }

    package func members(_ query: MembersQuery, reply: @escaping Reply<MembersPage>) {
        defer { endTurn() }
        people.members(query, reply: reply)
    }

    package func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) {
        defer { endTurn() }
        people.mark(changes, reply: reply)
    }

    /// Who may not write or be here, the newest first.
    package func restrictions(_ reply: @escaping Reply<RestrictionsPage>) { read(reply) { $0.moderation.restrictions } }

    private func read<Value>(_ reply: @escaping Reply<Value>, _ value: (RoomCore) -> Value) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        answer(reply, .success(value(self)))
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

    /// The numbers of what somebody wrote of late and nobody has deleted.
    package func messages(of user: UserID, reply: @escaping Reply<[UInt64]>) { core.messages(of: user, reply) }

    package func members(_ query: MembersQuery, reply: @escaping Reply<MembersPage>) {
        core.members(query, reply: reply)
    }

    /// Gives people marks for as long as they are here, or takes some from them.
    package func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) { core.mark(changes, reply: reply) }

    /// Who may not write or be here, the newest first.
    package func restrictions(reply: @escaping Reply<RestrictionsPage>) { core.restrictions(reply) }
}
