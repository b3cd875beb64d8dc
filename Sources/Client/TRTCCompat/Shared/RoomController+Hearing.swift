internal import Ovation
internal import Synchronization

// What the client tells, as notices. Everything here runs on the client's thread, in its order.

extension RoomController {
    func hear(_ delivery: OvationClient.Delivery) {
        switch delivery {
        case .client(let event): hear(event)
        case .room(let session, let event):
            guard let room, room === session else { return }
            hear(event, in: room)
        }
    }

    // MARK: - The connection

    private func hear(_ event: OvationClient.Event) {
        switch event {
        case .connectionLost(let error):
            tell(.warning(TRTCCode.disconnected, "the connection is lost; reconnecting: \(error.message)"))
            let cancel = clock.after(Self.patienceMilliseconds) { [weak self] in self?.giveUp() }
            state.withLock { state in
                state.lossTimer?()
                state.lossTimer = cancel
            }
        case .connectionRestored:
            let abandoned = state.withLock { state in
                state.lossTimer?()
                state.lossTimer = nil
                defer { state.abandoned = nil }
                return state.abandoned
            }
            tell(.log("the connection is back"))
            if let abandoned, let share = state.withLock({ $0.share }) {
                share.connection.exit(abandoned, share: share) { _ in }
            }
        case .ticketExpiring(let time):
            tell(
                .warning(
                    TRTCCode.ticketExpired,
                    "the userSig runs out in \(time.milliseconds / 1_000) s: call login with a newer one"))
        case .ticketRenewed: tell(.log("the userSig was renewed"))
        case .ticketRenewalFailed(let error): tell(.warning(error.outcome.code, error.outcome.message))
        case .signedOut(let error): endSession(error)
        }
    }

    /// The published component leaves the room after this time, and so does this one: an app that shows the error shows no room.
    private func giveUp() {
        let isLost = state.withLock { state in
            guard state.lossTimer != nil else { return false }
            state.lossTimer = nil
            if case .inside(let room) = state.place { state.abandoned = room }
            state.place = .outside
            state.wantsMicrophoneMuted = false
            meters.stop()
            return true
        }
        guard isLost else { return }
        // The song's copy would go on without a server.
        state.withLock { $0.abandoned }?.audio.singing = .off
        leaveSound()
        tell(.error(TRTCCode.connectionTimeout, "the connection has been lost for two minutes; the room was left"))
    }

    private func endSession(_ error: OvationError) {
        let share = state.withLock { state in
            let share = state.share
            if share != nil { forget(&state) }
            return share
        }
        guard let share else { return }
        leaveSound()
        Connection.leave(share)
        tell(.error(error.outcome.code, "logged out: \(error.message)"))
    }

    // MARK: - The room

    private func hear(_ event: RoomSession.Event, in room: RoomSession) {
        switch event {
        case .infoChanged: tellInfo(of: room)
        case .seatsChanged(let seats): tell(.seats(seats))
        case .seatTaken(let seat, let user, _):
            if user.id == room.state.me.id { sound.followSeat() }
            followChoice(seat, user, in: room)
            tell(.seatTaken(seat.index, RoomPerson(profile: user, isMuted: seat.micMuted ?? false)))
        case .seatLeft(let seat, let user, _, _):
            if user.id == room.state.me.id {
                // Whoever sits down again speaks.
                state.withLock { $0.wantsMicrophoneMuted = false }
                sound.followSeat()
            }
            tell(.seatLeft(seat.index, RoomPerson(profile: user, isMuted: true)))
        case .seatMuted(let seat, _):
            tell(.seatMuted(seat.index, seat.muted))
            // As the published component does: whether the person can be heard has changed.
            if let user = seat.user, seat.micMuted == false { tell(.microphone(user, muted: seat.muted)) }
        case .seatClosed(let seat, _): tell(.seatClosed(seat.index, seat.state == .closed))
        case .microphoneMuted(let user, let muted, _): tell(.microphone(user, muted: muted))
        case .memberEntered(let member): tell(.entered(RoomPerson(profile: member.profile, isMuted: member.micMuted)))
        case .memberLeft(let user, _): tell(.left(RoomPerson(profile: user, isMuted: true)))
        case .message(let message): hear(message, in: room)
        case .messagesMissed(let numbers):
            tell(.log("\(numbers.count) messages were missed: the connection was too slow for them"))
        case .invitation(let news): hear(news, in: room)
        case .presenceChanged(let user, .reconnecting, _): tell(.log("\(user) is reconnecting"))
        case .presenceChanged(let user, .online, _): tell(.log("\(user) has reconnected"))
        case .ownerAbsent: tell(.log("the owner is away"))
        case .ownerReturned: tell(.log("the owner is back"))
        case .ownerChanged(let owner, _): tell(.log("\(owner.id) is now the owner of the room"))
        case .roleChanged(let user, let role, _): tell(.log("\(user) is now \(role.rawValue)"))
        case .ended:
            if leave(room) { tell(.destroyed(room.id)) }
        case .gone(let error): lose(room, error)
        case .resumed:
            // What happened meanwhile was told one by one; a picture that was drawn anew needs the whole.
            tellInfo(of: room)
            tell(.seats(room.state.seats))
        case .songChanged(let play?, .started, _): songs.announce(play, in: room)
        case .likes(let news): hear(news, in: room)
        case .songChanged, .duetChanged, .networkChanged, .memberCountChanged, .levels, .connectionLost: break
        }
    }

    private func tellInfo(of room: RoomSession) {
        let state = room.state
        tell(.info(state.info, memberCount: state.memberCount))
    }

    /// A seat that is taken with a microphone which its user muted before is muted for everybody.
    private func followChoice(_ seat: Seat, _ user: UserProfile, in room: RoomSession) {
        guard user.id == room.state.me.id, seat.micMuted == false, state.withLock({ $0.wantsMicrophoneMuted }) else {
            return
        }
        muteMicrophone(true)
    }

    private func hear(_ message: Message, in room: RoomSession) {
        let state = room.state
        guard message.from.id != state.me.id || self.state.withLock({ $0.echoesOwnMessages }) else { return }
        let sender = RoomPerson(profile: message.from, isMuted: state.member(message.from.id)?.micMuted ?? true)
        switch message.body {
        case .text(let text): tell(.text(text, from: sender))
        case .custom(let command, let text):
            // What V2TIMManager sent is for its listeners.
            guard !GroupMessage.isOne(command) else { return }
            tell(.custom(command: command, message: text, from: sender))
        }
    }

    private func hear(_ news: InvitationNews, in room: RoomSession) {
        let invitation = news.invitation
        let isMine = invitation.from == room.state.me.id
        switch invitation.state {
        case .waiting: if !isMine { tell(.invited(invitation)) }
        case .accepted: if isMine { tell(.accepted(id: invitation.id, by: news.by ?? invitation.to)) }
        case .rejected: if isMine { tell(.rejected(id: invitation.id, by: news.by ?? invitation.to)) }
        case .cancelled: if !isMine { tell(.cancelled(id: invitation.id, inviter: invitation.from)) }
        case .expired: tell(.log("the invitation \(invitation.id) has expired"))
        }
    }

    /// The room could not be entered again.
    private func lose(_ room: RoomSession, _ error: OvationError) {
        guard leave(room) else { return }
        if error.is(.roomClosed) || error.is(.roomNotFound) {
            tell(.destroyed(room.id))
        } else if error.is(.permissionDenied) || error.is(.inAnotherRoom) || error.is(.roomFull) {
            tell(.error(error.outcome.code, error.outcome.message))
        }
        // Else the session has ended, which is told by itself.
    }
}
