import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// The ways out of a room: the news to people in it, its place in the directory, its stage, and what it asks of the store and of others.
struct RoomOutlets {
    private let key: RoomKey
    private let dependencies: RoomDependencies
    private let inbox: RoomInbox
    private var announcer: RoomAnnouncer
    private var stage: StageLink

    init(key: RoomKey, stage: StageID, _ dependencies: RoomDependencies, inbox: RoomInbox) {
        self.key = key
        self.dependencies = dependencies
        self.inbox = inbox
        announcer = RoomAnnouncer(room: key.room, dependencies: dependencies) { inbox.audienceReady() }
        self.stage = StageLink(stage, of: key.application, media: dependencies.media)
    }

    mutating func act(on effect: Outward, in turn: inout RoomTurn) {
        switch effect {
        case .tell(let announcement): announcer.tell(announcement)
        case .tellOfPeople(let news):
            announcer.show(memberCount: turn.attendance.count)
            if let news = turn.told(ofPeople: news) { announcer.tell(Announcement(.passing(news))) }
        case .whisper(let news, let outbox):
            let event = RoomNewsEvent.passing(news)
            outbox.enqueue(RoomNews(room: key.room, epoch: turn.epoch, events: [event]), lane: event.lane)
        case .welcome(let attendee): announcer.welcome(attendee.session, by: attendee.outbox)
        case .dismiss(let session): announcer.dismiss(session)
        case .show(let listing):
            announcer.show(listing)
            publish(isOpen: turn.phase == .open)
        case .showCount:
            announcer.show(memberCount: turn.attendance.count)
            publish(isOpen: turn.phase == .open)
        case .showSpeaking: announcer.show(speaking: turn.isAnybodySpeaking)
        case .openStage(let seats, let kind, let pictures): stage.open(slots: seats, kind: kind, pictures: pictures)
        case .play(let play): stage.play(play, at: dependencies.clock)
        case .admitPeer(let peer, let rights, let seats): stage.admit(peer, rights, seats: seats)
        case .closePeer(let peer, let confirmed): stage.close(peer, confirmed: confirmed)
        case .assignAgain(let user): stage.assignAgain(user, of: turn.attendance)
        case .setLatency(let equipment, let peer): stage.setLatency(of: equipment, of: peer)
        case .log(let report): dependencies.report(report)
        case .send(let letters):
            for letter in letters {
                let confirmed = turn.state.links.mail.confirmed(in: letter.session)
                dependencies.bus.send(turn.parcel(.letter(letter, confirmed: confirmed), to: letter.to))
            }
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
        case .expelElsewhere(let ban, let host): dependencies.expelElsewhere(ban, host)
        }
    }

    /// It ends with the verdict, for which the reviewer has a time.
    private func review(_ body: MessageBody, by user: UserProfile, _ number: UInt64) {
        dependencies.concurrently { [review = dependencies.review, key, inbox] in
            inbox.reviewed(number, await review.review(body, by: user, to: .room(key)))
        }
    }

    // MARK: News

    /// What an accepted command says. Whoever is invited hears of it wherever they are.
    mutating func tell(_ said: [Announcement], _ stills: RoomStills, in turn: inout RoomTurn) {
        for announcement in said {
            announcer.tell(announcement)
            guard case .invitation(let news) = announcement.news else { continue }
            let invitee = news.invitation.to
            guard turn.attendance.people[invitee] == nil, invitee != turn.state.owner.id else { continue }
            dependencies.reach.tell(news, of: stills.info(turn.info), to: invitee, in: key.application)
        }
    }

    /// Sends what is due, and waits for the rest.
    mutating func sendDueNews(in turn: inout RoomTurn) {
        guard let departure = announcer.departure(turn.now) else { return }
        if departure <= turn.now { sendNews(in: &turn) } else { turn.deadlines.set(.news, at: departure) }
    }

    mutating func sendNews(in turn: inout RoomTurn) {
        let attendance = turn.attendance
        announcer.send(epoch: turn.epoch, at: turn.now) { attendance.sessions(of: $0) }
    }

    // MARK: The directory

    mutating func show(_ listing: RoomListing) { announcer.show(listing) }

    /// Shows what has changed. An ended room has left the directory, and stays out.
    mutating func publish(isOpen: Bool) {
        if isOpen { announcer.publish() }
    }

    func withdraw() { announcer.withdraw() }

    // MARK: The stage

    /// Changes when the media plane has lost everything.
    var mediaEpoch: UInt64 { stage.epoch }

    /// Tells the media plane what holds, and under that number that it is in force.
    mutating func post(_ steps: [StageStep], _ number: UInt64, in turn: inout RoomTurn) {
        stage.post(steps, of: turn.attendance) { [inbox] in inbox.confirmed(number) }
    }

    /// The room has been loaded: the media plane is told what holds.
    /// - Parameter again: it was at work before: also that nothing is sung any more, should the journal have lost what was told.
    mutating func adopt(again: Bool, in turn: inout RoomTurn) {
        let state = turn.state
        stage.open(slots: state.seats.count, kind: state.beginning.kind, pictures: state.details.settings.pictureFormat)
        stage.post(stage.steps(adopting: state), of: turn.attendance)
        if again || state.chorus.play != nil { stage.play(state.chorus.play, at: dependencies.clock) }
    }

    func close(_ peer: PeerID) { stage.close(peer) }

    /// The room is over.
    mutating func close() { stage.close() }
}
