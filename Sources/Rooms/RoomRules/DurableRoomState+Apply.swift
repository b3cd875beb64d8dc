import Commerce
package import RoomEvents
import RoomModel

/// A journal that does not fit the room it is applied to: a damaged file, or a mistake of ours.
package struct InapplicableEvent: Error, Hashable, Sendable {
    package var description: String
    package init(description: String) { self.description = description }
}

extension DurableRoomState {
    /// Applies one accepted command. Depends on nothing but its arguments; on failure the state is unchanged.
    /// `told` is called after each event with the state before the command and the state after the event.
    package mutating func apply(
        _ accepted: AcceptedCommand,
        told: (_ event: RoomEvent, _ before: DurableRoomState, _ after: DurableRoomState) -> Void = { _, _, _ in }
    ) throws(InapplicableEvent) {
        var next = self
        for event in accepted.events {
            try next.apply(event, by: accepted.by, at: accepted.time)
            told(event, self, next)
        }
        self = consume next
        position += 1
        if let peak = accepted.peak { self.peak = max(self.peak, peak) }
        // Last and in place: the ledger is the one part that can be long, and must not be copied for each command.
        if case .created = accepted.events.first { creation = accepted.answer }
        if let answer = accepted.answer { answers.record(answer, at: accepted.time) }
    }

    private mutating func apply(_ event: RoomEvent, by: UserID?, at time: Int64) throws(InapplicableEvent) {
        if case .created(let founding) = event {
            try check(phase == .unborn, event)
            begin(founding, at: time)
            return
        }
        try check(phase == .open, event)
        if event.isNumbered { seq += 1 }
        switch event {
        case .created: break
        case .updated(let settings): self.settings = settings
        case .ended:
            phase = .ended
            for index in seats.indices where seats[index].occupant != nil { seats[index].condition = .empty }
            invitations = []
            consents = []
            play = nil
            leader = nil
            screen = nil
            stage = StageLayout()
            pk = PKState()
            challenge = nil
        case .seatTaken(let index, let user, let micMuted, let camera, let moved):
            try check(seats.indices.contains(index) && seats[index].condition == .empty, event)
            try check(seat(of: user.id) == nil, event)
            seats[index].condition = .used(
                SeatPlace.Occupant(
                    profile: user, micMuted: micMuted, camera: camera, movedAt: moved ? time : nil))
            consents.removeAll { $0.user == user.id }
        case .seatLeft(let index, let user, _):
            try check(seats.indices.contains(index) && seats[index].occupant?.profile.id == user.id, event)
            seats[index].condition = .empty
        case .attributesChanged(let change): attributes = change.applied(to: attributes)
        case .seatMuted(let index, let muted):
            try check(seats.indices.contains(index), event)
            seats[index].muted = muted
            seats[index].mutedBy = muted ? by : nil
        case .seatClosed(let index, let closed):
            try check(seats.indices.contains(index) && seats[index].occupant == nil, event)
            seats[index].condition = closed ? .closed(by: by) : .empty
        case .microphoneMuted(let user, let muted):
            guard let index = seat(of: user), var occupant = seats[index].occupant else {
                throw InapplicableEvent(description: "\(event)")
            }
            occupant.micMuted = muted
            seats[index].condition = .used(occupant)
        case .cameraChanged(let user, let camera):
            guard let index = seat(of: user), var occupant = seats[index].occupant, kind == .live else {
                throw InapplicableEvent(description: "\(event)")
            }
            occupant.camera = camera
            seats[index].condition = .used(occupant)
        case .screenChanged(let change):
            try check(kind == .live && change.user.map { seat(of: $0) != nil } ?? true, event)
            screen = change.user
        case .stageArranged(let change):
            try check(kind == .live && change.stage.large.map { seat(of: $0) != nil } ?? true, event)
            stage = change.stage
        case .roleChanged(let change):
            try check(change.user != owner.id && change.role != .owner, event)
            admins.removeAll { $0 == change.user }
            if change.role == .admin { admins.append(change.user) }
        case .ownerChanged(let heir, _):
            let former = owner.id
            owner = heir
            admins.removeAll { $0 == heir.id }
            for index in invitations.indices where invitations[index].to == former {
                invitations[index].to = heir.id
            }
            // What the heir asked of the former owner nobody is left to answer; the heir needs no permission any more.
            invitations.removeAll { $0.to == heir.id && $0.from == heir.id }
        case .invitationSent(let invitation):
            try check(!invitations.contains { $0.id == invitation.id }, event)
            invitations.append(invitation)
        case .invitationSettled(let id, let state, _):
            guard let index = invitations.firstIndex(where: { $0.id == id }), state != .waiting else {
                throw InapplicableEvent(description: "\(event)")
            }
            let invitation = invitations.remove(at: index)
            if state == .accepted, let user = consentingParty(of: invitation) {
                consents.removeAll { $0.user == user }
                consents.append(Consent(user: user, since: time))
            }
        case .consentLapsed(let user): consents.removeAll { $0.user == user }
        case .messageSent(let message):
            try check(message.chat == chat + 1, event)
            chat = message.chat
        case .messageDeleted(let deletion): try check(deletion.chat <= chat, event)
        case .restricted(let restriction): note(restriction, at: time)
        case .restrictionLifted(let kind, let user):
            restrictions.removeAll { $0.kind == kind && $0.user == user || !$0.holds(at: time) }
        case .liked(let count, _): likes = likes.addingReportingOverflow(count).overflow ? .max : likes + count
        case .gifted(let sent):
            for gift in sent {
                try check(gift.number > gifts.upTo, event)
                gifts.add(gift)
            }
        case .songChanged(let change): play = change.play
        case .duetChanged(let change):
            try check(kind == .chorus && change.duet.leader.map { seat(of: $0) != nil } ?? true, event)
            leader = change.duet.leader
        case .pkChanged(let change):
            try check(kind == .live && change.pk.links.count <= RoomLimits.links, event)
            pk = change.pk
        case .pointsChanged(let points):
            try check(pk.match != nil, event)
            pk.match?.ours = points.ours
            pk.match?.theirs = points.theirs
        case .challengeChanged(let news):
            try check(kind == .live && (news.state == .waiting || news.challenge.id == challenge?.id), event)
            challenge = news.state == .waiting ? news.challenge : nil
            if news.state == .waiting, news.challenge.isOurs { challengedAt = time }
            if let until = news.until, news.challenge.isOurs {
                Self.note(news.challenge.host.id, until: until, in: &refusals, at: time)
            }
        case .challengesPaused(let host, let until):
            if let until {
                Self.note(host, until: until, in: &pauses, at: time)
            } else {
                pauses.removeAll { $0.host == host }
            }
        case .letterPosted(let letter):
            try check(letter.step == mail.sent(in: letter.session) + 1, event)
            mail.post(letter, keeping: activeSessions)
        case .lettersDelivered(let session, let step): mail.deliver(step, of: session)
        case .lettersGivenUp(let session): mail.giveUp(session)
        case .letterHeard(let session, let step): mail.hear(step, in: session, keeping: activeSessions)
        case .personErased(let user): erase(user)
        }
    }

    /// Those whose time is over are forgotten, and of too many the one that ends first.
    private static func note(_ host: UserID?, until: Int64, in pauses: inout [ChallengePause], at time: Int64) {
        pauses.removeAll { $0.host == host || $0.until <= time }
        pauses.append(ChallengePause(host: host, until: until))
        guard pauses.count > RoomLimits.challengePauses,
            let first = pauses.indices.min(by: { pauses[$0].until < pauses[$1].until })
        else { return }
        pauses.remove(at: first)
    }

    private mutating func begin(_ founding: RoomFounding, at time: Int64) {
        phase = .open
        seq += 1
        kind = founding.kind
        settings = founding.settings
        owner = founding.owner
        seats = founding.seats.map { SeatPlace($0, by: founding.owner.id) }
        createdAt = time
        createdIn = founding.epoch
        lasts = founding.lasts
    }

    /// Whom an accepted invitation lets sit down: the one of the two who needs to be let (V21, either direction, any
    /// command word).
    private func consentingParty(of invitation: Invitation) -> UserID? {
        switch (role(of: invitation.from) > .member, role(of: invitation.to) > .member) {
        case (true, false): invitation.to
        case (false, true): invitation.from
        default: nil
        }
    }

    private func check(_ holds: Bool, _ event: RoomEvent) throws(InapplicableEvent) {
        guard holds else { throw InapplicableEvent(description: "\(event)") }
    }
}
