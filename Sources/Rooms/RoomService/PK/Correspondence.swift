import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What a room says to other rooms, and hears from them. A letter is said again until the other room has stored it.
struct Correspondence {
    static let repeatInterval = Interval.seconds(1)
    /// Points are told to the other room so often at most.
    static let pointsInterval = Interval.milliseconds(500)
    /// A room that has ended says nothing more, and its last letter may get lost: so often it is asked whether it is there.
    static let greetingInterval = Interval.seconds(10)
    /// A PK waits so long for a host whose connection is lost.
    static let hostPatience = Interval.seconds(15)

    // MARK: Saying

    /// After accepted events: what is due next between rooms, and when letters are said again.
    func wait(for events: [RoomEvent], in turn: inout RoomTurn) {
        for event in events {
            switch event {
            case .pkChanged(let change):
                if change.pk.match?.phase != .running { turn.points.forgetPeople() }
                turn.awaitPK()
                turn.awaitHost()
                awaitGreeting(in: &turn)
            case .challengeChanged, .challengesPaused:
                turn.awaitPK()
                awaitGreeting(in: &turn)
            case .letterPosted: awaitDelivery(in: &turn)
            case .pointsChanged:
                if !turn.deadlines.isSet(.points) { turn.deadlines.set(.points, at: turn.now + Self.pointsInterval) }
            default: break
            }
        }
    }

    private func awaitDelivery(in turn: inout RoomTurn) {
        guard !turn.state.links.mail.outbox.isEmpty, !turn.deadlines.isSet(.letters) else { return }
        turn.deadlines.set(.letters, at: turn.now + Self.repeatInterval)
    }

    /// The other rooms may not have got them.
    func repeatLetters(in turn: inout RoomTurn) {
        guard turn.phase == .open else { return }
        let letters = turn.state.links.mail.outbox
        if !letters.isEmpty { turn.sayOnceStored(.send(letters)) }
        awaitDelivery(in: &turn)
    }

    /// After a load: what waits is said again, and rooms that should be there are asked whether they are.
    func begin(in turn: inout RoomTurn) {
        repeatLetters(in: &turn)
        greet(in: &turn)
        tellPoints(in: &turn)
        turn.awaitPK()
        turn.awaitHost()
    }

    /// Asks the rooms that this one has something with whether they still know of it.
    func greet(in turn: inout RoomTurn) {
        guard turn.phase == .open else { return }
        // Where a letter waits, it finds out by itself. A greeting that came before it would hear that nobody knows the session.
        for (session, room) in turn.partners where !turn.state.links.mail.isWaiting(in: session) {
            say(.greeting(session: session), to: room, in: &turn)
        }
        awaitGreeting(in: &turn)
    }

    private func awaitGreeting(in turn: inout RoomTurn) {
        guard !turn.partners.isEmpty, !turn.deadlines.isSet(.greeting) else { return }
        turn.deadlines.set(.greeting, at: turn.now + Self.greetingInterval)
    }

    private func say(_ content: RoomParcel.Content, to room: RoomID, in turn: inout RoomTurn) {
        turn.sayOnceStored(.parcel(turn.parcel(content, to: room)))
    }

    func tellPoints(in turn: inout RoomTurn) {
        guard turn.phase == .open, let match = turn.state.links.pk.match, match.phase == .running,
            let link = turn.state.links.pk.links.first(where: { $0.id == match.link })
        else { return }
        say(.points(match.ours, session: link.id), to: link.room, in: &turn)
    }

    // MARK: Hearing

    func hear(_ parcel: RoomParcel, in turn: inout RoomTurn) {
        let other = parcel.from.room
        // What is being read again from the disk hears it when it comes once more, and so does the next process of a server that stops.
        guard turn.phase != .loading, !turn.isDraining else { return }
        if turn.state.progress.phase == .ended {
            if let answer = parcel.refusal { turn.sayOnceStored(.parcel(answer)) }
            return
        }
        guard turn.phase == .open else { return }
        switch parcel.content {
        case .letter(let letter, let confirmed):
            let heard = turn.state.links.mail.heard(in: letter.session)
            let confirmation = RoomParcel.Content.delivered(session: letter.session, step: letter.step)
            if confirmed > heard { return say(.noReader(session: letter.session), to: other, in: &turn) }
            if letter.step <= heard { return say(confirmation, to: other, in: &turn) }
            guard letter.step == heard + 1 else { return }
            turn.add(
                .decide(
                    .letter(letter, from: other),
                    Sequel(afterwards: [.out(.parcel(turn.parcel(confirmation, to: other)))])))
        case .delivered(let session, let step): turn.add(.decide(.delivered(session: session, step: step), Sequel()))
        case .points(let points, let session): turn.add(.decide(.points(points, session: session), Sequel()))
        case .greeting(let session):
            // Of what is over here the last letter may be still on its way.
            let isKnown =
                turn.state.links.pk.links.contains { $0.id == session } || turn.state.links.challenge?.id == session
                || turn.state.links.mail.isWaiting(in: session)
            if !isKnown { say(.noReader(session: session), to: other, in: &turn) }
        case .noReader(let session): turn.add(.decide(.partnerGone(session: session), Sequel()))
        }
    }
}

extension RoomTurn {
    /// The rooms with which this one has a link or a challenge, and by what.
    fileprivate var partners: [(session: String, room: RoomID)] {
        let links = state.links
        return links.pk.links.map { ($0.id, $0.room) } + (links.challenge.map { [($0.id, $0.room)] } ?? [])
    }

    /// Of this room.
    func parcel(_ content: RoomParcel.Content, to room: RoomID) -> RoomParcel {
        RoomParcel(from: key, to: RoomKey(application: key.application, room: room), content)
    }

    /// Other rooms act on what they hear: they hear nothing that may turn out not to be stored.
    fileprivate mutating func sayOnceStored(_ words: Outward) {
        add(.release(Release(needs: watermark, afterwards: [.out(words)])))
    }

    /// Its end is a time of day, the timer counts from now: should the two disagree, it is asked again.
    mutating func awaitPK() {
        guard isOpen, let time = state.links.nextPKTime else { return deadlines.cancel(.pk) }
        deadlines.set(.pk, at: now + .milliseconds(max(time - wallNow, 1)))
    }

    /// The host's connection, or the way of their sound, is lost or back, or a PK has begun or ended.
    mutating func awaitHost() {
        guard phase == .open, state.links.pk.match?.isOn == true, presence(of: state.owner.id) == .reconnecting
        else { return deadlines.cancel(.host) }
        if !deadlines.isSet(.host) { deadlines.set(.host, at: now + Correspondence.hostPatience) }
    }
}

extension RoomParcel {
    /// What comes back where there is no such room; nil: nobody waits for an answer.
    var refusal: RoomParcel? {
        switch content {
        case .letter(let letter, _): RoomParcel(from: to, to: from, .noReader(session: letter.session))
        case .greeting(let session): RoomParcel(from: to, to: from, .noReader(session: session))
        case .delivered, .points, .noReader: nil
        }
    }
}
