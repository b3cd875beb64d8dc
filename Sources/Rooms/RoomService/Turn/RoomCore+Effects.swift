import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

// The one place that acts on what turns bring.

extension RoomCore {
    /// Acts on what the turn has brought, in its order. What one effect brings comes before the next one.
    func act() {
        while turn.hasEffects {
            // The same two buffers, turn after turn.
            var effects: [Effect] = []
            swap(&effects, &actedOn)
            turn.exchangeEffects(&effects)
            act(on: effects)
            effects.removeAll(keepingCapacity: true)
            swap(&effects, &actedOn)
        }
    }

    private func act(on effects: [Effect]) {
        for effect in effects {
            act(on: effect)
            act()
        }
    }

    /// Lets go what may leave, or tells why it may not.
    func leave(_ release: Release, _ failure: RoomError?) {
        if let failure = failure ?? (release.isRefused ? RoomError(.internalError) : nil) {
            if let peer = release.closing { stage.close(peer) }
            act(on: release.undo)
            release.answer?(failure)
            act(on: release.otherwise)
        } else {
            act(on: release.first)
            release.answer?()
            act(on: release.afterwards)
        }
    }

    private func act(on effect: Effect) {
        switch effect {
        case .submit(let submission): submit(submission)
        case .release(let release): queue.append(release)
        case .decide(let command, let sequel): decide(command, sequel)
        case .log(let report): dependencies.report(report)
        case .answer(let answer): answer()
        case .tell(let announcement): announcer.tell(announcement)
        case .news(let said):
            for announcement in said {
                announcer.tell(announcement)
                if case .invitation(let news) = announcement.news { tellElsewhere(news) }
            }
        case .tellOfPeople(let news):
            announcer.show(memberCount: turn.attendance.count)
            if let news = turn.told(ofPeople: news) { announcer.tell(Announcement(.passing(news))) }
        case .whisper(let news, let outbox):
            let event = RoomNewsEvent.passing(news)
            outbox.enqueue(RoomNews(room: key.room, epoch: turn.epoch, events: [event]), lane: event.lane)
        case .admit(let entrance, let entry):
            people.admit(entrance, entry, in: &turn)
            gathered.tellNetworkAgain()
        case .turnAway(let entrance): people.turnAway(entrance, in: &turn)
        case .welcome(let attendee): announcer.welcome(attendee.session, by: attendee.outbox)
        case .dismiss(let session): announcer.dismiss(session)
        case .askAgain(let attendee): people.askAgain(attendee, in: &turn)
        case .departed(let session, let departure): session.attendee.departed(session.stay, departure)
        case .show(let listing):
            announcer.show(listing)
            publishInfo()
        case .showCount:
            announcer.show(memberCount: turn.attendance.count)
            publishInfo()
        case .showSpeaking: announcer.show(speaking: turn.isAnybodySpeaking)
        case .withdraw(let listing):
            announcer.show(listing)
            announcer.withdraw()
            people.freeAll(in: &turn)
        case .close: close()
        case .openStage(let seats, let kind, let pictures): stage.open(slots: seats, kind: kind, pictures: pictures)
        case .play(let play): stage.play(play, at: dependencies.clock)
        case .admitPeer(let peer, let rights, let seats): stage.admit(peer, rights, seats: seats)
        case .closePeer(let peer, let confirmed): stage.close(peer, confirmed: confirmed)
        case .assignAgain(let user): stage.assignAgain(user, of: turn.attendance)
        case .setLatency(let equipment, let peer): stage.setLatency(of: equipment, of: peer)
        case .send(let letters):
            for letter in letters { dependencies.bus.send(turn.parcel(.letter(letter), to: letter.to)) }
        case .parcel(let parcel): dependencies.bus.send(parcel)
        case .webhook(let news): dependencies.webhooks.post(news, of: key, at: turn.wallNow)
        case .post(let transfer, let key, let order):
            dependencies.ledger.post(transfer, key: key) { [inbox] in inbox.posted(order, $0.map(\.self)) }
        case .find(let key, let order): dependencies.ledger.find(key) { [inbox] in inbox.posted(order, $0) }
        case .review(let body, let user, let number): review(body, by: user, number)
        case .note(let line): dependencies.moderation.audit.note(line)
        case .file(let report, let reply):
            dependencies.moderation.reports.post(report) { result in
                reply(result.mapError { _ in RoomCore.unavailable })
            }
        case .setBan(let ban, let host):
            dependencies.moderation.restrictions.set(ban, from: .host(host), in: key.application)
        case .liftBan(let user, let host):
            dependencies.moderation.restrictions.lift(.ban, of: user, from: .host(host), in: key.application)
        case .expelElsewhere(let ban, let host): dependencies.expelElsewhere(ban, host)
        }
    }

    /// Hands what was accepted to the journal, and queues what leaves when it is stored.
    private func submit(_ submission: Submission) {
        let accepted = submission.accepted
        let outgoing = dependencies.webhooks.outgoing(
            submission.said.map(\.news), created: accepted.isBeginning ? submission.info : nil, of: key,
            at: accepted.time)
        writer.submit(accepted, submission.payload, at: submission.position, in: turn.state, outgoing: outgoing)
        switch accepted.kind {
        case .chat: dependencies.counters.noteMessage()
        case .durable: dependencies.counters.noteChange()
        }
        correspondence.wait(for: accepted.events, in: &turn)
        turn.wait(for: accepted)
        stills.review(after: accepted.events, in: &turn)
        queue.append(submission.release(showing: stills.listing(submission.info, admins: turn.state.admins)))
    }

    /// The invitee hears of it wherever they are.
    private func tellElsewhere(_ news: InvitationNews) {
        let invitee = news.invitation.to
        guard turn.attendance.people[invitee] == nil, invitee != turn.state.owner.id else { return }
        dependencies.reach.tell(news, of: listing.info, to: invitee, in: key.application)
    }

    /// It ends with the verdict, for which the reviewer has a time.
    private func review(_ body: MessageBody, by user: UserProfile, _ number: UInt64) {
        dependencies.concurrently { [review = dependencies.review, key, inbox] in
            inbox.reviewed(number, await review.review(body, by: user, to: .room(key)))
        }
    }
}

extension Submission {
    /// What leaves when it is stored.
    fileprivate func release(showing listing: RoomListing) -> Release {
        var release = Release(needs: position, sequel, steps: steps)
        let ends = ends
        // Before the answer: whoever has it and asks the directory finds there what it says.
        release.first = [ends ? .withdraw(listing) : .show(listing)]
        if let play { release.first.append(.play(play)) }
        var then: [Effect] = []
        then.reserveCapacity(release.afterwards.count + 3)
        if !said.isEmpty { then.append(.news(said)) }
        let letters = letters
        if !letters.isEmpty { then.append(.send(letters)) }
        then += release.afterwards
        if ends { then.append(.close) }
        if accepted.isBeginning {
            then.append(.openStage(seats: info.seats, info.kind, info.pictureFormat ?? .vp8))
        }
        release.afterwards = then
        return release
    }
}
