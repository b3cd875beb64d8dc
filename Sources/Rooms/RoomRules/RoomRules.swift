package import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// Decides what somebody asks for: events, or a refusal. Pure: it changes nothing and depends on
    /// nothing but its arguments.
    package func decide(
        _ command: RoomCommand, by caller: Caller, in context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard progress.phase == .open else { throw RoomError(.roomClosed) }
        let permission = try command.name.access.permission(of: caller, in: self, context)
        try restrictions.checkWriting(command.texts, by: caller, owner: owner.id, context)
        let decision = try command.decide(by: caller, permission, in: self, context)
        return links.settling(stage.settling(chorus.settling(decision)), of: owner.id, context)
    }

    /// Decides what happens by itself. A timer that comes too late finds nothing to do.
    package func decide(_ command: ServerCommand, in context: DecisionContext) -> Decision {
        guard progress.phase == .open else { return .nothing }
        return links.settling(decideAlone(command, context), of: owner.id, context)
    }

    private func decideAlone(_ command: ServerCommand, _ context: DecisionContext) -> Decision {
        switch command {
        case .departed(let user, let reason): stage.settling(chorus.settling(depart(user, reason)))
        case .picturesGone(let user, let camera, let screen): picturesGone(of: user, camera: camera, screen: screen)
        case .ownerAbsenceOver: ownerAbsenceOver(context)
        case .invitationTimedOut(let id): invitations.timedOut(id)
        case .consentTimedOut(let user): invitations.consentTimedOut(user)
        case .songOver: chorus.songOver(context)
        case .pkTimeOver: links.pkTimeOver(context)
        case .hostLost: links.hostLost(context)
        case .letter(let letter, let other): links.hear(letter, from: other, by: host, context)
        case .points(let points, let session): links.hearPoints(points, in: session)
        case .delivered(let session, let step): links.mail.delivered(session, step)
        case .partnerGone(let session): links.partnerIsGone(session, context)
        case .dismissed: end(.operator, context)
        }
    }
}

/// A command with its rule, which stands in the folder of its subject.
protocol RuledCommand: CommandPayload {
    /// Who may ask for it, and what is kept of it.
    static var access: CommandAccess { get }
    /// Decides it, with what `access` alone can refuse already refused.
    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision
}

extension RoomCommand {
    fileprivate func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        switch self {
        case .takeSeat(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .leaveSeat: try LeaveSeat().decide(by: caller, permission, in: room, context)
        case .moveSeat(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .pickSeat(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .kickSeat(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .muteSeat(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .closeSeat(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setMicrophone(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setCamera(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .allowCamera(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .startScreen: try StartScreen().decide(by: caller, permission, in: room, context)
        case .stopScreen: try StopScreen().decide(by: caller, permission, in: room, context)
        case .arrangeStage(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .sendInvitation(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .acceptInvitation(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .rejectInvitation(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .cancelInvitation(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .sendMessage(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .sendLikes(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .sendGift(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .deleteMessage(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setRestriction(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .liftRestriction(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .startSong(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .pauseSong: try PauseSong().decide(by: caller, permission, in: room, context)
        case .resumeSong(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .seekSong(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setSongTrack(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .stopSong: try StopSong().decide(by: caller, permission, in: room, context)
        case .setDuetMode(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .challenge(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .cancelChallenge: try CancelChallenge().decide(by: caller, permission, in: room, context)
        case .answerChallenge(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .readyForPK: try ReadyForPK().decide(by: caller, permission, in: room, context)
        case .quitPK(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .muteLink(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .updateRoom(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setAttributes(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setRole(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .setOwner(let payload): try payload.decide(by: caller, permission, in: room, context)
        case .exitRoom: try ExitRoom().decide(by: caller, permission, in: room, context)
        case .destroyRoom: try DestroyRoom().decide(by: caller, permission, in: room, context)
        }
    }
}

extension RoomCommand.Name {
    package var access: CommandAccess {
        switch self {
        case .takeSeat: TakeSeat.access
        case .leaveSeat: LeaveSeat.access
        case .moveSeat: MoveSeat.access
        case .pickSeat: PickSeat.access
        case .kickSeat: KickSeat.access
        case .muteSeat: MuteSeat.access
        case .closeSeat: CloseSeat.access
        case .setMicrophone: SetMicrophone.access
        case .setCamera: SetCamera.access
        case .allowCamera: AllowCamera.access
        case .startScreen: StartScreen.access
        case .stopScreen: StopScreen.access
        case .arrangeStage: ArrangeStage.access
        case .sendInvitation: InvitationDraft.access
        case .acceptInvitation: AcceptInvitation.access
        case .rejectInvitation: RejectInvitation.access
        case .cancelInvitation: CancelInvitation.access
        case .sendMessage: MessageDraft.access
        case .sendLikes: SendLikes.access
        case .sendGift: GiftDraft.access
        case .deleteMessage: DeleteMessage.access
        case .setRestriction: RestrictionDraft.access
        case .liftRestriction: LiftRestriction.access
        case .startSong: SongDraft.access
        case .pauseSong: PauseSong.access
        case .resumeSong: ResumeSong.access
        case .seekSong: SeekSong.access
        case .setSongTrack: SetSongTrack.access
        case .stopSong: StopSong.access
        case .setDuetMode: SetDuetMode.access
        case .challenge: ChallengeHost.access
        case .cancelChallenge: CancelChallenge.access
        case .answerChallenge: AnswerChallenge.access
        case .readyForPK: ReadyForPK.access
        case .quitPK: QuitPK.access
        case .muteLink: MuteLink.access
        case .updateRoom: RoomUpdate.access
        case .setAttributes: AttributesDraft.access
        case .setRole: SetRole.access
        case .setOwner: SetOwner.access
        case .exitRoom: ExitRoom.access
        case .destroyRoom: DestroyRoom.access
        }
    }
}

/// An event of the journal with what it does, which stands in the folder of its subject.
protocol RecordedEvent: Hashable, Sendable {
    /// Changes the room. Reads no clock, and refuses only what does not fit the room.
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent)
    /// What people are told of it: `room` as it is after the event, `before` as it was before its command. Likes are merged by whoever
    /// stores them, and told by them; a beginning has nobody to hear of it.
    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement?
    /// As it is kept when somebody is erased. What knows people by their ids alone stays.
    func erasing(_ user: UserID, in command: ErasedCommand) -> Self
}

extension RecordedEvent {
    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? { nil }
    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { self }

    func require(_ fits: Bool) throws(InapplicableEvent) {
        guard fits else { throw InapplicableEvent(description: "\(self)") }
    }
}

extension RoomEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        switch self {
        case .created(let event): try event.apply(to: &room, by: author, at: time)
        case .updated(let event): try event.apply(to: &room, by: author, at: time)
        case .attributesChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .ended(let event): try event.apply(to: &room, by: author, at: time)
        case .seatTaken(let event): try event.apply(to: &room, by: author, at: time)
        case .seatLeft(let event): try event.apply(to: &room, by: author, at: time)
        case .seatMuted(let event): try event.apply(to: &room, by: author, at: time)
        case .seatClosed(let event): try event.apply(to: &room, by: author, at: time)
        case .microphoneMuted(let event): try event.apply(to: &room, by: author, at: time)
        case .cameraChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .screenChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .stageArranged(let event): try event.apply(to: &room, by: author, at: time)
        case .roleChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .ownerChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .invitationSent(let event): try event.apply(to: &room, by: author, at: time)
        case .invitationSettled(let event): try event.apply(to: &room, by: author, at: time)
        case .consentLapsed(let event): try event.apply(to: &room, by: author, at: time)
        case .messageSent(let event): try event.apply(to: &room, by: author, at: time)
        case .messageDeleted(let event): try event.apply(to: &room, by: author, at: time)
        case .restricted(let event): try event.apply(to: &room, by: author, at: time)
        case .restrictionLifted(let event): try event.apply(to: &room, by: author, at: time)
        case .liked(let event): try event.apply(to: &room, by: author, at: time)
        case .gifted(let event): try event.apply(to: &room, by: author, at: time)
        case .songChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .duetChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .pkChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .pointsChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .challengeChanged(let event): try event.apply(to: &room, by: author, at: time)
        case .challengesPaused(let event): try event.apply(to: &room, by: author, at: time)
        case .letterPosted(let event): try event.apply(to: &room, by: author, at: time)
        case .lettersDelivered(let event): try event.apply(to: &room, by: author, at: time)
        case .lettersGivenUp(let event): try event.apply(to: &room, by: author, at: time)
        case .letterHeard(let event): try event.apply(to: &room, by: author, at: time)
        case .personErased(let event): try event.apply(to: &room, by: author, at: time)
        }
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        switch self {
        case .created(let event): event.news(in: room, before: before, context)
        case .updated(let event): event.news(in: room, before: before, context)
        case .attributesChanged(let event): event.news(in: room, before: before, context)
        case .ended(let event): event.news(in: room, before: before, context)
        case .seatTaken(let event): event.news(in: room, before: before, context)
        case .seatLeft(let event): event.news(in: room, before: before, context)
        case .seatMuted(let event): event.news(in: room, before: before, context)
        case .seatClosed(let event): event.news(in: room, before: before, context)
        case .microphoneMuted(let event): event.news(in: room, before: before, context)
        case .cameraChanged(let event): event.news(in: room, before: before, context)
        case .screenChanged(let event): event.news(in: room, before: before, context)
        case .stageArranged(let event): event.news(in: room, before: before, context)
        case .roleChanged(let event): event.news(in: room, before: before, context)
        case .ownerChanged(let event): event.news(in: room, before: before, context)
        case .invitationSent(let event): event.news(in: room, before: before, context)
        case .invitationSettled(let event): event.news(in: room, before: before, context)
        case .consentLapsed(let event): event.news(in: room, before: before, context)
        case .messageSent(let event): event.news(in: room, before: before, context)
        case .messageDeleted(let event): event.news(in: room, before: before, context)
        case .restricted(let event): event.news(in: room, before: before, context)
        case .restrictionLifted(let event): event.news(in: room, before: before, context)
        case .liked(let event): event.news(in: room, before: before, context)
        case .gifted(let event): event.news(in: room, before: before, context)
        case .songChanged(let event): event.news(in: room, before: before, context)
        case .duetChanged(let event): event.news(in: room, before: before, context)
        case .pkChanged(let event): event.news(in: room, before: before, context)
        case .pointsChanged(let event): event.news(in: room, before: before, context)
        case .challengeChanged(let event): event.news(in: room, before: before, context)
        case .challengesPaused(let event): event.news(in: room, before: before, context)
        case .letterPosted(let event): event.news(in: room, before: before, context)
        case .lettersDelivered(let event): event.news(in: room, before: before, context)
        case .lettersGivenUp(let event): event.news(in: room, before: before, context)
        case .letterHeard(let event): event.news(in: room, before: before, context)
        case .personErased(let event): event.news(in: room, before: before, context)
        }
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> RoomEvent {
        switch self {
        case .created(let event): .created(event.erasing(user, in: command))
        case .updated(let event): .updated(event.erasing(user, in: command))
        case .attributesChanged(let event): .attributesChanged(event.erasing(user, in: command))
        case .ended(let event): .ended(event.erasing(user, in: command))
        case .seatTaken(let event): .seatTaken(event.erasing(user, in: command))
        case .seatLeft(let event): .seatLeft(event.erasing(user, in: command))
        case .seatMuted(let event): .seatMuted(event.erasing(user, in: command))
        case .seatClosed(let event): .seatClosed(event.erasing(user, in: command))
        case .microphoneMuted(let event): .microphoneMuted(event.erasing(user, in: command))
        case .cameraChanged(let event): .cameraChanged(event.erasing(user, in: command))
        case .screenChanged(let event): .screenChanged(event.erasing(user, in: command))
        case .stageArranged(let event): .stageArranged(event.erasing(user, in: command))
        case .roleChanged(let event): .roleChanged(event.erasing(user, in: command))
        case .ownerChanged(let event): .ownerChanged(event.erasing(user, in: command))
        case .invitationSent(let event): .invitationSent(event.erasing(user, in: command))
        case .invitationSettled(let event): .invitationSettled(event.erasing(user, in: command))
        case .consentLapsed(let event): .consentLapsed(event.erasing(user, in: command))
        case .messageSent(let event): .messageSent(event.erasing(user, in: command))
        case .messageDeleted(let event): .messageDeleted(event.erasing(user, in: command))
        case .restricted(let event): .restricted(event.erasing(user, in: command))
        case .restrictionLifted(let event): .restrictionLifted(event.erasing(user, in: command))
        case .liked(let event): .liked(event.erasing(user, in: command))
        case .gifted(let event): .gifted(event.erasing(user, in: command))
        case .songChanged(let event): .songChanged(event.erasing(user, in: command))
        case .duetChanged(let event): .duetChanged(event.erasing(user, in: command))
        case .pkChanged(let event): .pkChanged(event.erasing(user, in: command))
        case .pointsChanged(let event): .pointsChanged(event.erasing(user, in: command))
        case .challengeChanged(let event): .challengeChanged(event.erasing(user, in: command))
        case .challengesPaused(let event): .challengesPaused(event.erasing(user, in: command))
        case .letterPosted(let event): .letterPosted(event.erasing(user, in: command))
        case .lettersDelivered(let event): .lettersDelivered(event.erasing(user, in: command))
        case .lettersGivenUp(let event): .lettersGivenUp(event.erasing(user, in: command))
        case .letterHeard(let event): .letterHeard(event.erasing(user, in: command))
        case .personErased(let event): .personErased(event.erasing(user, in: command))
        }
    }
}
