import RoomModel
import RoomPorts
import RoomRules
import Timing

// The life of a room at work: loaded, loaded anew when its journal fails, ended, drained.

extension RoomCore {
    /// The journal has been read: at the start, or after it failed. People who are attached stay attached.
    package func install(_ rebuilt: RebuiltRoom) {
        guard phase == .loading else { return }
        let again = writer.incarnation > 0
        state = rebuilt.state
        recent = rebuilt.recent
        writer.begin(epoch: rebuilt.epoch, at: state.position)
        queue.begin(stored: state.position)
        phase = state.phase == .open ? .open : .empty
        if phase == .open {
            seatTheAbsent(tell: again)
            stage.open(slots: state.seats.count, kind: state.kind)
            post(stage.adopt(state.seats))
            // Also that nothing is sung any more, should the journal have lost what the media plane was told.
            if again || state.play != nil { playOnStage(state.play) }
            startClocks()
            announcer.show(stateInfo)
        }
        if again {
            // What was in doubt when the journal failed, and turned out to be stored.
            for news in recent.after(seq: announcer.told.seq, chat: announcer.told.chat) {
                inOrder { [unowned self] in tell(Announcement(news)) }
            }
            if phase == .empty { inOrder { [unowned self] in close() } }
        } else {
            announcer.begin(seq: state.seq, chat: state.chat)
        }
        endTurn()
    }

    /// The journal has failed: the entries from that position on are not stored. Nobody has been told of them.
    func lose(from position: UInt64, _ failure: JournalFailure) {
        dependencies.report(.journalFailed(key, failure))
        phase = .loading
        writer.fail()
        let pending = likes.take(at: now)
        for refuse in pending.refusals { inOrder { refuse(Self.unavailable) } }
        queue.fail(from: position, with: Self.unavailable)
        dependencies.reload()
    }

    /// The room is over, and everybody has been told, or it never began.
    func close() {
        guard phase != .over else { return }
        dismissAll()
        for user in attendance.people.keys { attendance.remove(user: user) }
        writer.close()
        dependencies.ended()
    }

    /// The room's journal cannot be read again. Everybody is put out of the room; the stored journal is not changed.
    package func abandon() {
        guard phase == .loading else { return }
        queue.fail(from: 0, with: RoomError(.internalError, "the room's journal cannot be read"))
        release()
        dismissAll()
        announcer.withdraw()
    }

    /// Sends the remaining news, then removes everybody and stops all timers.
    private func dismissAll() {
        phase = .over
        sendNews()
        for token in attendance.sessions.keys {
            guard let session = attendance.remove(session: token) else { continue }
            if let peer = session.peer { stage.close(peer) }
            if session.admission.isGranted { session.attendee.departed(session.stay, .ended) }
        }
        deadlines.end()
        stage.close()
    }

    /// Takes no more commands; calls `done` when all that was accepted has been released.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        if phase == .open, !likes.isEmpty { storeLikes() }
        draining.append(done)
        endTurn()
    }

    /// After a restart those who have a seat are in the room, without a connection for the time being.
    private func seatTheAbsent(tell: Bool) {
        for seat in state.seats {
            guard let profile = seat.occupant?.profile, attendance.people[profile.id] == nil else { continue }
            attendance.add(profile)
            guard tell, let person = attendance.people[profile.id] else { continue }
            let member = state.member(person)
            inOrder { [unowned self] in self.tell(.audienceEntered(member)) }
        }
    }

    /// Restarts the timers after a load, so that nobody loses a seat because the server was down.
    private func startClocks() {
        let policy = dependencies.policy()
        for (token, session) in attendance.sessions where !session.connected {
            deadlines.set(.grace(token), at: now + .seconds(Int64(policy.seatGraceSeconds)))
        }
        for user in attendance.people.keys where attendance.sessions(of: user).isEmpty { awaitReturn(of: user) }
        if attendance.people[state.owner.id] == nil {
            if ownerAbsence == nil { startOwnerAbsence() }
        } else {
            ownerAbsence = nil
            deadlines.cancel(.ownerAbsence)
        }
        for invitation in state.invitations {
            guard let expiry = invitation.expiresAt else { continue }
            let whole = expiry - invitation.createdAt
            deadlines.set(
                .invitation(invitation.id), at: now + .milliseconds(min(max(0, expiry - wallNow), whole)))
        }
        for consent in state.consents {
            let whole = Int64(policy.consentSeconds) * 1_000
            let left = min(max(0, consent.since + whole - wallNow), whole)
            deadlines.set(.consent(consent.user), at: now + .milliseconds(left))
        }
        // No clock begins anew here: the song went on in people's ears.
        awaitEndOfSong()
    }
}
