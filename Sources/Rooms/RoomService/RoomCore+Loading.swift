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
            people.seatTheAbsent(tell: again)
            media.open(slots: state.seats.count, kind: state.kind, pictures: state.settings.pictureFormat)
            media.adopt(state)
            // Also that nothing is sung any more, should the journal have lost what the media plane was told.
            if again || state.play != nil { media.play(state.play) }
            people.restartClocks()
            startClocks()
            stills.review()
            announcer.show(listing)
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
        gifts.resume(rebuilt.gifts)
        endTurn()
    }

    /// The journal has failed: the entries from that position on are not stored. Nobody has been told of them.
    func lose(from position: UInt64, _ failure: JournalFailure) {
        dependencies.report(.journalFailed(key, failure))
        phase = .loading
        writer.fail()
        gathered.refuseLikes(Self.unavailable)
        queue.fail(from: position, with: Self.unavailable)
        dependencies.reload()
    }

    /// The room is over, and everybody has been told, or it never began.
    func close() {
        guard phase != .over else { return }
        dismissAll()
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
        people.freeAll()
        gifts.end()
        sendNews()
        people.dismissAll()
        deadlines.end()
        media.close()
    }

    /// Takes no more commands; calls `done` when all that was accepted has been released.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        gathered.storeLikes()
        draining.append(done)
        endTurn()
    }

    /// Restarts the timers of what waits for an answer, and of the song.
    private func startClocks() {
        let policy = dependencies.policy()
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
        correspondence.begin()
        // No clock begins anew here: the song went on in people's ears.
        awaitEndOfSong()
    }
}
