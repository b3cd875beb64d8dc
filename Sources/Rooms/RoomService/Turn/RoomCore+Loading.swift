import RoomModel
import RoomPorts
import RoomRules
import Timing

// The life of a room at work: loaded, loaded anew when its journal fails, ended, drained.

extension RoomCore {
    /// The journal has been read: at the start, or after it failed. People who are attached stay attached.
    package func install(_ rebuilt: RebuiltRoom) {
        guard turn.phase == .loading else { return }
        beginTurn()
        let again = writer.incarnation > 0
        turn.install(rebuilt)
        writer.begin(epoch: rebuilt.epoch, at: turn.state.position)
        queue.begin(stored: turn.state.position)
        if turn.phase == .open { resume(again: again) }
        if again {
            // What was in doubt when the journal failed, and turned out to be stored.
            for news in turn.recent.after(seq: announcer.told.seq, chat: announcer.told.chat) {
                turn.tellInOrder(Announcement(news))
            }
            if turn.phase == .empty { turn.inOrder([.close]) }
        } else {
            announcer.begin(seq: turn.state.seq, chat: turn.state.chat)
        }
        gifts.resume(rebuilt.gifts, in: &turn)
        endTurn()
    }

    /// What was waited for is waited for anew, and the media plane and the directory are told what holds.
    private func resume(again: Bool) {
        let state = turn.state
        people.seatTheAbsent(tell: again, in: &turn)
        stage.open(slots: state.seats.count, kind: state.kind, pictures: state.settings.pictureFormat)
        stage.post(stage.steps(adopting: state), of: turn.attendance)
        // Also that nothing is sung any more, should the journal have lost what the media plane was told.
        if again || state.chorus.play != nil { stage.play(state.chorus.play, at: dependencies.clock) }
        people.restartClocks(in: &turn)
        turn.startClocks()
        correspondence.begin(in: &turn)
        act()
        stills.review(in: &turn)
        announcer.show(listing)
    }

    /// The journal has failed: the entries from that position on are not stored. Nobody has been told of them.
    func lose(from position: UInt64, _ failure: JournalFailure) {
        dependencies.report(.journalFailed(key, failure))
        turn.phase = .loading
        writer.fail()
        gathered.refuseLikes(Self.unavailable, in: &turn)
        act()
        queue.fail(from: position, with: Self.unavailable)
        dependencies.reload()
    }

    /// The room is over, and everybody has been told, or it never began.
    func close() {
        guard turn.phase != .over else { return }
        dismissAll()
        writer.close()
        dependencies.ended()
    }

    /// The room's journal cannot be read again. Everybody is put out of the room; the stored journal is not changed.
    package func abandon() {
        guard turn.phase == .loading else { return }
        beginTurn()
        refuseAll(with: RoomError(.internalError, "the room's journal cannot be read"))
        dismissAll()
        announcer.withdraw()
    }

    /// Sends the remaining news, then removes everybody and stops all timers.
    private func dismissAll() {
        turn.phase = .over
        people.freeAll(in: &turn)
        gifts.end(in: &turn)
        act()
        sendNews()
        people.dismissAll(in: &turn)
        act()
        turn.deadlines.end()
        alarm.end()
        stage.close()
    }

    /// Takes no more commands; calls `done` when all that was accepted has been released.
    package func drain(_ done: @escaping @Sendable () -> Void) {
        beginTurn()
        gathered.storeLikes(in: &turn)
        turn.isDraining = true
        draining.append(done)
        endTurn()
    }
}

extension RoomTurn {
    /// Nothing but what is stored is true.
    fileprivate mutating func install(_ rebuilt: RebuiltRoom) {
        state = rebuilt.state
        recent = rebuilt.recent
        epoch = rebuilt.epoch
        phase = state.phase == .open ? .open : .empty
    }
}
