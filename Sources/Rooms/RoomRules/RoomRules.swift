package import RoomEvents
package import RoomModel

extension DurableRoomState {
    /// Decides what somebody asks for: events, or a refusal. Pure: it changes nothing and depends on
    /// nothing but its arguments. One line per command; the rules are in the folder of their subject.
    package func decide(
        _ command: RoomCommand, by caller: Caller, in context: DecisionContext
    ) throws(RoomError) -> Decision {
        guard phase == .open else { throw RoomError(.roomClosed) }
        let permission = try permission(of: caller, to: command.name, context)
        try checkWriting(command.texts, by: caller, context)
        let decision = try decide(command, by: caller, permission, context)
        return settlingLinks(settlingStage(settlingLead(decision)), context)
    }

    private func decide(
        _ command: RoomCommand, by caller: Caller, _ permission: Permission, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        let user = caller.profile
        return switch command {
        case .takeSeat(let asked): try takeSeat(asked.seat, by: user, permission, context)
        case .leaveSeat: try leaveSeat(by: user)
        case .moveSeat(let asked): try moveSeat(to: asked.seat, by: user, context)
        case .pickSeat(let asked): try pickSeat(asked.seat, for: asked.user, context)
        case .kickSeat(let asked): try kickSeat(asked.seat, by: user, permission)
        case .muteSeat(let asked): try muteSeat(asked.seat, asked.muted, by: user, permission)
        case .closeSeat(let asked): try closeSeat(asked.seat, asked.closed, by: user, permission)
        case .setMicrophone(let asked): try setMicrophone(muted: asked.muted, by: user)
        case .setCamera(let asked): try setCamera(on: asked.on, by: user)
        case .allowCamera(let asked): try allowCamera(asked.seat, asked.allowed, by: user, permission)
        case .startScreen: try startScreen(by: user)
        case .stopScreen: try stopScreen(by: user, permission)
        case .arrangeStage(let asked): try arrangeStage(asked.layout)
        case .sendInvitation(let draft): try sendInvitation(draft, by: user, context)
        case .acceptInvitation(let asked): try answerInvitation(asked.id, .accepted, reason: nil, by: user, permission)
        case .rejectInvitation(let asked):
            try answerInvitation(asked.id, .rejected, reason: asked.reason, by: user, permission)
        case .cancelInvitation(let asked): try cancelInvitation(asked.id, by: user, permission)
        case .sendMessage(let draft): try sendMessage(draft, by: caller, context)
        case .sendLikes(let asked): try sendLikes(asked.count, by: user)
        // What follows is the ledger's.
        case .sendGift(let draft): try orderGift(draft, by: user, in: context).undecided
        case .deleteMessage(let asked): try deleteMessage(asked.chat, by: user, permission, context)
        case .setRestriction(let draft): try setRestriction(draft, by: user, permission, context)
        case .liftRestriction(let asked): try liftRestriction(asked.kind, of: asked.user, context)
        case .startSong(let draft): try startSong(draft, by: user, context)
        case .pauseSong: try pauseSong(context)
        case .resumeSong(let asked): try resumeSong(leadMs: asked.leadMs, context)
        case .seekSong(let asked): try seekSong(to: asked.positionMs, leadMs: asked.leadMs, context)
        case .setSongTrack(let asked): try setSongTrack(asked.track)
        case .stopSong: try stopSong()
        case .setDuetMode(let asked): try setDuetMode(asked.mode, leader: asked.leader)
        case .challenge(let asked): try sendChallenge(asked.other, asked.terms, by: user, context)
        case .cancelChallenge: try cancelChallenge(context)
        case .answerChallenge(let asked): try answerChallenge(asked.id, agreed: asked.agreed, asked.pause, context)
        case .readyForPK: try readyForPK(context)
        case .quitPK(let asked): try quitPK(asked.link, context)
        case .muteLink(let asked): try muteLink(asked.link, asked.muted, context)
        case .updateRoom(let update): try updateRoom(update, context)
        case .setAttributes(let draft): try setAttributes(draft, context)
        case .setRole(let asked): try setRole(asked.role, of: asked.user, context)
        case .setOwner(let asked): try setOwner(asked.user, context)
        case .exitRoom: depart(user.id, .exited)
        case .destroyRoom: end(caller.isOperator ? .operator : .owner, context)
        }
    }

    /// Decides what happens by itself. A timer that comes too late finds nothing to do.
    package func decide(_ command: ServerCommand, in context: DecisionContext) -> Decision {
        guard phase == .open else { return .nothing }
        return settlingLinks(decideAlone(command, context), context)
    }

    private func decideAlone(_ command: ServerCommand, _ context: DecisionContext) -> Decision {
        switch command {
        case .departed(let user, let reason): settlingStage(settlingLead(depart(user, reason)))
        case .picturesGone(let user, let camera, let screen): picturesGone(of: user, camera: camera, screen: screen)
        case .ownerAbsenceOver: ownerAbsenceOver(context)
        case .invitationTimedOut(let id): invitationTimedOut(id)
        case .consentTimedOut(let user): hasConsent(user) ? Decision([.consentLapsed(user)]) : .nothing
        case .songOver: songOver(context)
        case .pkTimeOver: pkTimeOver(context)
        case .hostLost: hostLost(context)
        case .letter(let letter, let room): hear(letter, from: room, context)
        case .points(let points, let session): hearPoints(points, in: session)
        case .delivered(let session, let step):
            mail.outbox.contains { $0.session == session && $0.step <= step }
                ? Decision([.lettersDelivered(session: session, step: step)]) : .nothing
        case .partnerGone(let session): partnerIsGone(session, context)
        case .dismissed: end(.operator, context)
        }
    }
}
