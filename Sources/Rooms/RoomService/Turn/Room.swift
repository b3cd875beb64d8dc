package import RoomEvents
package import RoomModel
package import RoomPorts
import RoomRules
import Timing

/// A room. Each method is one synchronous turn of its `RoomCore`; nothing in here waits for anything, so commands are
/// decided in the order in which they come, and answers and news leave in that order too.
package actor Room {
    package nonisolated let key: RoomKey
    package nonisolated let stage: StageID
    let core: RoomCore

    package init(key: RoomKey, stage: StageID, dependencies: RoomDependencies) {
        self.key = key
        self.stage = stage
        let inbox = RoomInbox()
        core = RoomCore(key: key, stage: stage, dependencies: dependencies, inbox: inbox)
        inbox.connect(waking(WeakRoom(self), by: dependencies.concurrently))
    }

    package func install(_ rebuilt: RebuiltRoom) { core.install(rebuilt) }

    /// Enters, comes back (same session, another connection) or asks again for all there is to see. From the answer on
    /// the session gets news. With `since`, the answer is the exact gap if the room still has it.
    package func attach(_ attendee: Attendee, since point: ResumePoint?, reply: @escaping Reply<RoomEntry>) {
        core.attach(attendee, since: point, reply: reply)
    }

    /// `outbox`: the connection that is meant. A session that has attached by another one since is not touched.
    /// `done` is called once it is in force: the session is silent and deaf, unless its connection is merely lost.
    package func detach(
        _ session: SessionToken, from outbox: (any Outbox)? = nil, why: DetachReason,
        done: @escaping @Sendable () -> Void = {}
    ) {
        core.detach(session, from: outbox, why: why, done: done)
    }

    package func submit(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        core.submit(command, from: session, key: key, reply: reply)
    }

    /// An operator asks for something.
    package func submit(
        _ command: RoomCommand, by caller: Caller, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        core.submit(command, by: caller, key: key, reply: reply)
    }

    /// For the directory, which knows that the id is free or the creator's.
    package func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        core.create(creation, by: attendee, key: key, reply: reply)
    }

    /// For the directory, which knows that the id is free.
    package func found(
        _ creation: RoomCreation, for owner: UserProfile, by caller: Operator, key: IdempotencyKey?,
        reply: @escaping Reply<RoomOverview>
    ) {
        core.found(creation, for: owner, by: caller, key: key, reply: reply)
    }

    /// Gives people marks for as long as they are here, or takes some from them.
    package func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) {
        core.inTurn { $1.mark(changes, reply: reply) }
    }

    /// Somebody whom the host has banned everywhere is put out.
    package func expel(_ ban: Restriction) { core.inTurn { $0.expel(ban, in: &$1) } }

    /// The operator has muted somebody in all rooms, or lets them write again: they are told what holds here now.
    /// - Parameter lifted: the mute that is over; `nil`: one has begun.
    package func tellMute(of user: UserID, lifted: Restriction?) {
        core.inTurn { $0.restrictions.tellMute(of: user, lifted: lifted, in: &$1) }
    }

    /// Somebody who is not in the room declines an invitation to them.
    package func decline(
        _ id: String, reason: String?, by user: UserProfile, reply: @escaping Reply<CommandOutcome>
    ) {
        core.decline(id, reason: reason, by: user, reply: reply)
    }

    /// Hands what somebody reports to the operator.
    package func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        core.inTurn { $0.reporting.report(draft, by: session, reply: reply, in: &$1) }
    }

    /// L01: what the host's camera shows, for the room list.
    /// - Parameter isWanted: asked in the room's turn; false: the host wants it no more, and what is shown stays.
    package func setStill(
        _ picture: StillPicture?, from session: SessionToken, if isWanted: @Sendable () -> Bool = { true },
        reply: @escaping Reply<Int64?>
    ) {
        core.inTurn { parts, turn in
            guard isWanted() else { return turn.answer(reply, .success(nil)) }
            parts.stills.set(picture, from: session, reply: reply, in: &turn)
        }
    }

    /// Whether a still may come with an invitation to that user.
    package func checkStill(withInvitationTo user: UserID, from session: SessionToken) throws(RoomError) {
        try core.turn.checkPresent(session)
        try core.state.checkStill(withInvitationTo: user)
    }

    /// Whether a still would be taken now.
    package func checkStill(from session: SessionToken) throws(RoomError) {
        try core.asking { parts, turn throws(RoomError) in try parts.stills.check(from: session, in: &turn) }
    }

    /// A changed name or picture: later messages, lists and seats show it.
    package func setProfile(_ profile: UserProfile, of session: SessionToken) {
        core.inTurn { $0.people.setProfile(profile, of: session, in: &$1) }
    }

    /// Where the session's offers go: the caller hands them to the media plane itself, outside the room.
    package func openMedia(for session: SessionToken) throws(RoomError) -> MediaPlace {
        try core.openMedia(for: session)
    }

    /// What the session says of its equipment and of its way.
    package func setEquipment(_ equipment: SingerEquipment, of session: SessionToken) {
        core.inTurn { $0.media.setEquipment(equipment, of: session, in: &$1) }
    }

    package func closeMedia(for session: SessionToken, done: @escaping @Sendable () -> Void = {}) {
        core.inTurn { $0.closeMedia(for: session, done: done, in: &$1) }
    }

    /// R09: nothing of somebody is kept here but ids and numbers. A room of their own ends.
    /// - Parameter reply: how many messages of theirs were deleted.
    package func erase(_ user: UserID, by caller: Operator, reply: @escaping Reply<Int>) {
        core.erase(user, by: caller, reply: reply)
    }

    package func hear(_ fact: MediaFact) { core.hear(fact) }

    /// Another room says something, or answers.
    package func hear(_ parcel: RoomParcel) { core.hear(parcel) }

    /// Dismisses the room by the operator's order.
    package func dismiss() { core.inTurn { $0.decide(.dismissed, in: &$1) } }

    /// Its journal cannot be read: everybody is out of it.
    func abandon() { core.abandon() }

    package func drain(_ done: @escaping @Sendable () -> Void) { core.drain(done) }

    package var isOver: Bool { core.isOver }
    /// Whether nobody's creation of it is stored.
    var isUnborn: Bool { core.state.progress.phase == .unborn }

    func turn() { core.takeTurn() }
}
