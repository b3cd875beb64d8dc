package import HTTP
package import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
package import Signalling
import Synchronization
package import Timing

/// Opens media paths for clients that speak HTTP and nothing else of ours: puts their people into rooms and on seats, hands their offers to
/// the media plane, and ends what is over.
package final class HTTPMediaSessions: HTTPMedia {
    /// A player at home, one on a wall, and some that broke off without a word and are not known to be gone yet.
    static let playersPerPerson = 8

    private let services: CallDependencies
    private let sessions = Mutex<[String: HTTPMediaSession]>([:])

    package init(_ services: CallDependencies) { self.services = services }

    /// What a request for a path leads to.
    struct Opened {
        var session: HTTPMediaSession
        var answer: String
        var tag: String
    }

    func session(_ secret: String, _ kind: HTTPMediaKind, of user: UserID, in application: ApplicationID)
        -> HTTPMediaSession?
    {
        sessions.withLock { $0[secret] }.flatMap {
            $0.kind == kind && $0.user == user && $0.application == application ? $0 : nil
        }
    }

    // MARK: Opening

    /// - Parameter seat: to publish from, or to play; `nil`: one's own or the first that is free, and the owner's or the mix.
    func open(
        _ kind: HTTPMediaKind, in id: RoomID, seat: Int?, offer: String, by bearer: BearerTicket
    ) async throws(Refusal) -> Opened {
        let outline = OfferOutline(offer)
        try Self.check(outline, kind)
        let profile =
            try await services.signIn.profiles([bearer.user], in: bearer.application).first
            ?? UserProfile(id: bearer.user)
        let room: Room
        do throws(RoomError) {
            room = try await services.rooms.room(RoomKey(application: bearer.application, room: id))
        } catch {
            throw Refusal(error)
        }
        // Everybody is told who comes in, takes a seat and goes again.
        if let error = services.changes.take(from: bearer.user, of: bearer.application, in: id) {
            throw Refusal(error)
        }
        let session = HTTPMediaSession(
            secret: Secret.make(), kind: kind, application: bearer.application, user: bearer.user,
            token: services.sessions.takeToken(), room: room, ticket: bearer.proof)
        let earlier = try remember(session)
        do throws(Refusal) {
            try await services.signIn.checkAgain(bearer.proof, of: bearer.user, in: bearer.application)
            let snapshot = try await enter(session, profile.brief)
            var lines: [String: MediaLine] = [:]
            switch kind {
            case .publish:
                try await sit(
                    session, snapshot, seat, filming: outline.sections.contains { $0.kind == "video" })
            case .play: lines = try Self.lines(outline, snapshot, seat)
            }
            let answer = try await negotiate(session, offer, lines)
            // Ended while it was on its way, by a newer one or with its ticket: then it is not in the room for good.
            guard sessions.withLock({ $0[session.secret] === session }) else {
                throw Refusal(RoomError(.sessionReplaced))
            }
            // Only now: until the new path stands, the old one is better than none.
            for old in earlier { await end(old) }
            return Opened(session: session, answer: answer.text, tag: answer.tag)
        } catch {
            await end(session)
            throw error
        }
    }

    /// Never half of what was asked for: who sends sound and a picture would not notice that one of them goes nowhere.
    private static func check(_ outline: OfferOutline, _ kind: HTTPMediaKind) throws(Refusal) {
        let kinds = outline.sections.map(\.kind)
        guard !kinds.isEmpty, Set(kinds).count == kinds.count, Set(kinds).isSubset(of: ["audio", "video"]) else {
            throw badOffer("it must have one line of sound, one of pictures, or both, and no others")
        }
        guard outline.sections.allSatisfy({ kind == .publish ? $0.sends : $0.receives }) else {
            throw badOffer(kind == .publish ? "each line must send" : "each line must receive")
        }
        guard outline.sections.allSatisfy({ $0.mid != nil }) else { throw badOffer("each line must have a mid") }
    }

    private static func badOffer(_ what: String) -> Refusal {
        Refusal(RoomError(.mediaRefused, "the offer cannot be answered: \(what)", reason: "bad_offer"))
    }

    /// - Returns: sessions that this one takes the place of: a person publishes from one place.
    private func remember(_ session: HTTPMediaSession) throws(Refusal) -> [HTTPMediaSession] {
        let earlier = sessions.withLock { sessions -> [HTTPMediaSession]? in
            let own = sessions.values.filter {
                $0.kind == session.kind && $0.user == session.user && $0.application == session.application
            }
            guard session.kind == .publish || own.count < Self.playersPerPerson else { return nil }
            sessions[session.secret] = session
            return session.kind == .publish ? own : []
        }
        guard let earlier else {
            throw Refusal(
                RoomError(
                    .rateLimited, "one person has at most \(Self.playersPerPerson) players", retryAfterMs: 30_000))
        }
        return earlier
    }

    private func enter(_ session: HTTPMediaSession, _ profile: UserProfile) async throws(Refusal) -> RoomSnapshot {
        // Programs and players bring no key of a room.
        _ = try await services.signIn.rights(
            by: nil, of: session.user, in: session.room.key.room, creating: false, application: session.application)
        let attendee = Attendee(
            session: session.token, profile: profile, outbox: SilentOutbox(),
            mayEnter: { [weak self, secret = session.secret] in self?.isOpen(secret) ?? false },
            departed: { [weak self, secret = session.secret] _, _ in self?.forget(secret) },
            pathClosed: { [weak self, weak session] in
                guard let session else { return }
                Task { await self?.end(session) }
            })
        let entry: Result<RoomEntry, RoomError> = await withCheckedContinuation { continuation in
            Task { await session.room.attach(attendee, since: nil) { continuation.resume(returning: $0) } }
        }
        switch entry {
        case .success(.snapshot(let snapshot)): return snapshot
        case .success(.resumed): throw Refusal(RoomError(.internalError))
        case .failure(let error): throw Refusal(error)
        }
    }

    /// Takes a seat, or speaks from the one that the person has already. In a live room, who publishes a picture wants it seen.
    private func sit(
        _ session: HTTPMediaSession, _ snapshot: RoomSnapshot, _ wanted: Int?, filming: Bool
    ) async throws(Refusal) {
        let own = snapshot.seats.first { $0.user == session.user }?.index
        let free = snapshot.seats.first { $0.state == .empty }?.index
        guard let seat = own ?? wanted ?? free else { throw Refusal(RoomError(.seatTaken, "no seat is free")) }
        try await submit(.takeSeat(TakeSeat(seat)), by: session)
        if snapshot.info.kind == .live { try await submit(.setCamera(SetCamera(on: filming)), by: session) }
    }

    private func submit(_ command: RoomCommand, by session: HTTPMediaSession) async throws(Refusal) {
        let outcome: Result<CommandOutcome, RoomError> = await withCheckedContinuation { continuation in
            Task {
                await session.room.submit(command, from: session.token, key: nil) { continuation.resume(returning: $0) }
            }
        }
        if case .failure(let error) = outcome { throw Refusal(error) }
    }

    /// Which slots a player's lines are for.
    private static func lines(
        _ outline: OfferOutline, _ snapshot: RoomSnapshot, _ wanted: Int?
    ) throws(Refusal) -> [String: MediaLine] {
        if let wanted, !snapshot.seats.indices.contains(wanted) { throw Refusal(RoomError(.seatNotFound)) }
        let owner = snapshot.seats.first { $0.user == snapshot.info.owner.id }?.index
        let seat = wanted ?? owner ?? 0
        var lines: [String: MediaLine] = [:]
        for section in outline.sections {
            guard let mid = section.mid else { continue }
            let hearsMix = wanted == nil && snapshot.info.kind == .chorus
            // The mix of a chorus is the slot after the last seat's.
            lines[mid] = section.kind == "audio" ? .sound(hearsMix ? snapshot.seats.count : seat) : .picture(seat)
        }
        return lines
    }

    private func negotiate(
        _ session: HTTPMediaSession, _ offer: String, _ lines: [String: MediaLine]
    ) async throws(Refusal) -> (text: String, tag: String) {
        let place: MediaPlace
        do throws(RoomError) { place = try await session.room.openMedia(for: session.token) } catch {
            throw Refusal(error)
        }
        let number = session.nextNumber()
        let answer: MediaAnswer
        do throws(MediaRefusal) {
            answer = try await services.media.answer(
                MediaOffer(stage: place.stage, peer: place.peer, number: number, sdp: offer, lines: lines))
        } catch {
            throw Refusal(RoomError(error))
        }
        guard OfferOutline(answer.sdp).sections.allSatisfy({ $0.port != "0" }) else {
            throw Self.badOffer(
                "sound must be offered as Opus, pictures in the format of the room, which is VP8 or H.264 (constrained "
                    + "baseline, packetization-mode=1), and only rooms of the kind live have pictures")
        }
        return (answer.sdp, session.answered(offer, lines, number: number))
    }

    // MARK: Changing and ending

    /// Gives the path new ICE credentials.
    /// - Returns: the server's answer, and the new tag.
    func restart(
        _ session: HTTPMediaSession, ufrag: String, password: String
    ) async throws(Refusal) -> (text: String, tag: String) {
        let offer = OfferOutline.restarted(session.offer, ufrag: ufrag, password: password)
        return try await negotiate(session, offer, session.lines)
    }

    /// Takes the person out of the room, if this is the last that is left of them there; returns once nothing of it is heard or sent any
    /// more.
    func end(_ session: HTTPMediaSession) async {
        forget(session.secret)
        await withCheckedContinuation { continuation in
            Task { await session.room.detach(session.token, why: .left) { continuation.resume() } }
        }
    }

    /// Ends all of a person's.
    package func end(_ user: UserID, in application: ApplicationID) async {
        let own = sessions.withLock { $0.values.filter { $0.user == user && $0.application == application } }
        for session in own { await end(session) }
    }

    /// Whether nobody has ended it.
    private func isOpen(_ secret: String) -> Bool { sessions.withLock { $0[secret] != nil } }

    private func forget(_ secret: String) { sessions.withLock { $0[secret] = nil } }

    /// Ends what tickets of other keys gave a right to.
    package func endTickets(of application: ApplicationID, notMadeBy makers: Set<TicketMaker>) async {
        let over = sessions.withLock {
            $0.values.filter { $0.application == application && !makers.contains($0.ticket.maker) }
        }
        for session in over { await end(session) }
    }

    /// Ends what a ticket gave no right to any more.
    package func expire(at now: WallTime) async {
        let over = sessions.withLock { $0.values.filter { $0.ticket.end <= now } }
        for session in over { await end(session) }
    }
}
