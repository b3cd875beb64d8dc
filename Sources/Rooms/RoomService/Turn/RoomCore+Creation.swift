package import RoomEvents
package import RoomModel
import RoomPorts
import RoomRules

// How a room begins, and how people come into it.

extension RoomCore {
    /// Creates the room and lets its creator in, in one turn; or, if it is the creator's own open room, takes over the
    /// settings.
    package func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        beginTurn()
        defer { endTurn() }
        let user = attendee.profile
        let isNew = turn.phase == .empty
        if !isNew, let error = turn.closedness { return turn.answer(reply, .failure(error)) }
        let kept = key.map {
            KeyedAnswer(user: user.id, key: $0.rawValue, fingerprint: creation.fingerprint, result: .done)
        }
        do throws(RoomError) {
            let isRepeat = isNew ? false : try isRepeated(kept, by: .person(user))
            if !isRepeat {
                let decision =
                    isNew
                    ? try creation.decide(by: user, epoch: turn.epoch)
                    : try creation.decideAgain(by: user, in: turn.state)
                turn.carryOut(decision, Sequel(by: user.id, keyed: kept))
            }
        } catch {
            return turn.answer(reply, .failure(error))
        }
        enter(attendee, since: nil, reply: reply)
    }

    /// Creates the room for somebody who is not there yet; it lasts until it is ended.
    package func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        beginTurn()
        defer { endTurn() }
        let kept = key.map {
            KeyedAnswer(
                user: Caller.operator(caller).keeper, key: $0.rawValue,
                fingerprint: creation.fingerprint(for: owner.id), result: .done)
        }
        do throws(RoomError) {
            if turn.phase == .empty {
                let decision = try creation.decide(by: owner, epoch: turn.epoch, lasts: true)
                turn.carryOut(decision, Sequel(by: caller.name, keyed: kept))
                turn.add(.note(audit.line(of: caller, creating: owner.id, in: &turn)))
            } else {
                if let error = turn.closedness { throw error }
                guard try isRepeated(kept, by: .operator(caller)) else { throw RoomError(.roomIDTaken) }
            }
        } catch {
            return turn.answer(reply, .failure(error))
        }
        turn.answer(reply, .success(overview))
    }

    /// Whether the open room was created under the same key.
    private func isRepeated(_ kept: KeyedAnswer?, by caller: Caller) throws(RoomError) -> Bool {
        guard let kept, let first = turn.state.creation, first.belongs(to: caller), first.key == kept.key else {
            return false
        }
        guard first.fingerprint == kept.fingerprint else { throw RoomError(.keyReused) }
        return true
    }

    func enter(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        let user = attendee.profile.id
        let ban = restrictions.hostBan(of: user, in: &turn)
        guard let entrance = people.enter(attendee, hostBan: ban, reply: reply, in: &turn) else { return }
        let facts = RoomEntries.Facts(
            info: listing.info, mediaEpoch: stage.epoch, ownerAbsence: people.owner.absence,
            chatMute: restrictions.chatMute(of: user, in: &turn))
        people.answer(entrance, with: entries.entry(for: user, since: point, facts, in: &turn), in: &turn)
    }
}
