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
        case .takeSeat(let seat): try takeSeat(seat, by: user, permission, context)
        case .leaveSeat: try leaveSeat(by: user)
        case .moveSeat(let seat): try moveSeat(to: seat, by: user, context)
        case .pickSeat(let seat, let other): try pickSeat(seat, for: other, context)
        case .kickSeat(let seat): try kickSeat(seat, by: user, permission)
        case .muteSeat(let seat, let muted): try muteSeat(seat, muted, by: user, permission)
        case .closeSeat(let seat, let closed): try closeSeat(seat, closed, by: user, permission)
        case .setMicrophone(let muted): try setMicrophone(muted: muted, by: user)
        case .setCamera(let on): try setCamera(on: on, by: user)
        case .allowCamera(let seat, let allowed): try allowCamera(seat, allowed, by: user, permission)
        case .startScreen: try startScreen(by: user)
        case .stopScreen: try stopScreen(by: user, permission)
        case .arrangeStage(let layout): try arrangeStage(layout)
        case .sendInvitation(let draft): try sendInvitation(draft, by: user, context)
        case .acceptInvitation(let id): try answerInvitation(id, .accepted, reason: nil, by: user, permission)
        case .rejectInvitation(let id, let reason):
            try answerInvitation(id, .rejected, reason: reason, by: user, permission)
        case .cancelInvitation(let id): try cancelInvitation(id, by: user, permission)
        case .sendMessage(let draft): try sendMessage(draft, by: caller, context)
        case .sendLikes(let count): try sendLikes(count, by: user)
        // What follows is the ledger's.
        case .sendGift(let draft): try orderGift(draft, by: user, in: context).undecided
        case .deleteMessage(let chat): try deleteMessage(chat, by: user, permission, context)
        case .setRestriction(let draft): try setRestriction(draft, by: user, permission, context)
        case .liftRestriction(let kind, let other): try liftRestriction(kind, of: other, context)
        case .startSong(let draft): try startSong(draft, by: user, context)
        case .pauseSong: try pauseSong(context)
        case .resumeSong(let leadMs): try resumeSong(leadMs: leadMs, context)
        case .seekSong(let positionMs, let leadMs):
            try seekSong(to: positionMs, leadMs: leadMs, context)
        case .setSongTrack(let track): try setSongTrack(track)
        case .stopSong: try stopSong()
        case .setDuetMode(let mode, let leader): try setDuetMode(mode, leader: leader)
        case .challenge(let room, let terms): try sendChallenge(room, terms, by: user, context)
        case .cancelChallenge: try cancelChallenge(context)
        case .answerChallenge(let id, let agreed, let pause):
            try answerChallenge(id, agreed: agreed, pause, context)
        case .readyForPK: try readyForPK(context)
        case .quitPK(let link): try quitPK(link, context)
        case .muteLink(let link, let muted): try muteLink(link, muted, context)
        case .updateRoom(let update): try updateRoom(update, context)
        case .setAttributes(let draft): try setAttributes(draft, context)
        case .setRole(let other, let role): try setRole(role, of: other, context)
        case .setOwner(let other): try setOwner(other, context)
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
