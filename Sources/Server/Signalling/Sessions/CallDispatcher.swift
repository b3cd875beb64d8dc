import Foundation
import HTTP
import NIOCore
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
import Texts
import Timing

/// What is said on one connection: decodes calls, knows who speaks, and passes on what rooms are to decide.
///
/// Inputs come one at a time (`SocketConnection` sees to that), so the state between two inputs is always settled.
package actor CallDispatcher: InputReceiver {
    private enum Phase {
        case fresh
        case signedIn(Session)
    }

    /// Who does not sign in by then is only taking up a socket.
    static let signInLimit = TimeAmount.seconds(10)
    /// A client is told when so much of its ticket is left.
    static let expiryNotices: [TimeAmount] = [.seconds(300), .seconds(60)]

    private var phase = Phase.fresh
    private var session: Session? { if case .signedIn(let session) = phase { session } else { nil } }
    /// The close frame has been asked for: what still comes in is not answered.
    private var isEnding = false
    private let connection: SocketConnection
    private let services: CallDependencies

    package init(_ connection: SocketConnection, services: CallDependencies) {
        self.connection = connection
        self.services = services
        connection.schedule(.signInDeadline, in: Self.signInLimit)
    }

    package func receive(_ input: SocketConnection.Input) async {
        switch input {
        case .text(let text): await receive(text)
        case .overBudget(let id, let wait):
            if !isEnding { send(Answer.failure(id, RoomError(.rateLimited, retryAfterMs: wait))) }
        case .alarm(.signInDeadline):
            if case .fresh = phase { end(.notSignedIn) }
        case .alarm(.ticket(let number, let remaining)): await ticketAlarm(number: number, remaining: remaining)
        case .ended: await ended()
        }
    }

    private func receive(_ text: ByteBuffer) async {
        guard !isEnding else { return }
        let bytes = text.readableBytesView
        // What the call is and whether it can be read safely is told by its bytes: decoding it costs more than all that follows.
        let outline = text.withUnsafeReadableBytes { CallOutline($0) }
        guard bytes.count <= outline.method?.maximumBytes ?? Method.usualBytes else { return end(.tooLarge) }
        guard StreamSafeText.isJSONText(bytes), String(validating: bytes, as: UTF8.self) != nil else {
            return end(.notText)
        }
        guard StreamSafeText.holds(bytes, in: .json) else {
            return send(Answer.failure(outline.id, RoomError(.tooManyMarks)))
        }
        if let session, let error = services.changes.take(outline, by: session) {
            return send(Answer.failure(outline.id, error))
        }
        do throws(CallFailure) {
            let call = try Call.decode(Data(bytes))
            guard bytes.count <= call.method.maximumBytes else { return end(.tooLarge) }
            if let session, let error = services.changes.take(call, after: outline, by: session) {
                return send(Answer.failure(call.id, error))
            }
            await answer(call)
        } catch {
            send(Answer.failure(error.id, error.error))
            if error.error.code == .parseError { end(.notText) }
        }
    }

    private func answer(_ call: Call) async {
        switch (phase, call.body) {
        case (.fresh, .openSession(let opening)): await open(opening, call: call.id)
        case (.fresh, _): send(Answer.failure(call.id, RoomError(.notSignedIn)))
        case (.signedIn(let session), _) where !session.speaks(through: connection):
            // Replaced, and the close is on its way.
            send(Answer.failure(call.id, RoomError(.sessionReplaced)))
        case (.signedIn(let session), let body):
            do throws(Refusal) { try await perform(body, of: session, call: call.id) } catch {
                send(Answer.failure(call.id, error))
            }
        }
    }

    // MARK: the session

    private func open(_ opening: SessionOpening, call: CallID) async {
        do throws(Refusal) {
            guard opening.version == 1 else {
                throw Refusal(.invalid("version", "this server speaks version 1"))
            }
            let sessions = services.sessions
            defer {
                if let name = opening.name {
                    sessions.releaseName(name, for: opening.user, in: opening.application)
                }
            }
            let identity = try await services.signIn.identify(opening) { name, user, application in
                !sessions.reserveName(name, for: user, in: application)
            }
            let opened = services.sessions.open(
                application: identity.application, profile: identity.profile, ticketMaker: identity.ticket.maker,
                resume: opening.resume, connection: connection)
            phase = .signedIn(opened.session)
            connection.signedIn()
            for (session, replaced) in opened.replaced {
                replaced?.close(.replaced)
                // The seat is kept for the grace time: it is the same person, who may enter again. But what the old client
                // sends and hears ends before this one is answered.
                await session.leaveRoom(why: .replaced)
            }
            opened.displaced?.close(.replaced)
            do throws(Refusal) {
                try await services.signIn.checkAgain(
                    identity.ticket, of: identity.profile.id, in: identity.application.id)
            } catch {
                guard [.bannedHere, .bannedHereForGood].contains(error.error.code) else {
                    await opened.session.leaveRoom(why: .expired)
                    return end(.ticketExpired)
                }
                services.sessions.close(opened.session)
                return end(.banned(error.error))
            }
            let now = services.clock.wallTime
            send(
                Answer.success(
                    call,
                    SessionOpened(
                        session: opened.session.secret, resumed: opened.resumed, user: identity.profile,
                        time: services.clock.roomTime.millisecondsSince1970,
                        expiresInSeconds: seconds(from: now, to: identity.ticket.end),
                        rooms: opened.session.place.map { [$0.key.room] } ?? [], mediaEpoch: services.media.epoch,
                        limits: services.statedLimits,
                        iceServers: services.relays.servers(for: identity.profile.id, at: now))))
            scheduleTicketAlarms(of: opened.session, end: identity.ticket.end)
        } catch {
            send(Answer.failure(call, error))
        }
    }

    private var clockReading: ClockReading {
        let time = services.clock.roomTime
        return ClockReading(
            time: time.millisecondsSince1970, monotonicUs: services.clock.now.nanoseconds / 1000,
            timeUs: time.nanoseconds / 1000)
    }

    private func renew(_ session: Session, ticket: String, call: CallID) async throws(Refusal) {
        let application = try await services.signIn.application(session.application)
        let proof = try services.signIn.verify(ticket, of: session.user, in: application)
        session.withState {
            $0.ticketNumber += 1
            $0.ticketMaker = proof.maker
        }
        do throws(Refusal) {
            try await services.signIn.checkAgain(proof, of: session.user, in: session.application)
        } catch {
            await session.leaveRoom(why: .expired)
            return self.end(.ticketExpired)
        }
        let end = proof.end
        send(Answer.success(call, SessionRenewed(expiresInSeconds: seconds(from: services.clock.wallTime, to: end))))
        scheduleTicketAlarms(of: session, end: end)
    }

    private func scheduleTicketAlarms(of session: Session, end: WallTime) {
        let number = session.withState { $0.ticketNumber }
        let left = end - services.clock.wallTime
        // Those of the ticket before go with it: a ticket may be good for years, and be renewed every minute.
        connection.cancelAlarms()
        for remaining in Self.expiryNotices + [.zero] {
            let wait = left.nanoseconds - remaining.nanoseconds
            // A notice that would already be due is not sent: the answer has just said the same.
            guard wait > 0 || remaining == .zero else { continue }
            connection.schedule(
                .ticket(number: number, remaining: remaining), in: .nanoseconds(min(max(0, wait), Self.longestAlarm)))
        }
    }

    /// A year; timers beyond would overflow the event loop's clock.
    private static let longestAlarm: Int64 = 365 * 86_400 * 1_000_000_000

    private func ticketAlarm(number: Int, remaining: TimeAmount) async {
        guard case .signedIn(let session) = phase, session.speaks(through: connection),
            session.withState({ $0.ticketNumber }) == number
        else { return }
        if remaining == .zero {
            await session.leaveRoom(why: .expired)
            end(.ticketExpired)
        } else {
            send(Answer.sessionExpiring(inSeconds: remaining.nanoseconds / 1_000_000_000))
        }
    }

    private func close(_ session: Session, call: CallID) async {
        let place = session.place
        services.sessions.close(session)
        isEnding = true
        let farewell: @Sendable () -> Void = { [connection] in
            connection.send(Answer.success(call, Answer.Empty()))
            connection.close(.signedOut)
        }
        guard let place else { return farewell() }
        await place.room.detach(session.token, why: .left, done: farewell)
    }

    /// The socket is gone, for whatever reason. Nothing comes after this.
    private func ended() async {
        guard case .signedIn(let session) = phase,
            services.sessions.lose(session, connection: connection, now: services.clock.now)
        else { return }
        await session.place?.room.detach(session.token, from: connection, why: .lost)
    }

    // MARK: calls of the signed in

    private func perform(_ body: Call.Body, of session: Session, call: CallID) async throws(Refusal) {
        switch body {
        case .openSession: throw Refusal(RoomError(.invalidRequest, "the session is already open"))
        case .renewSession(let asked): try await renew(session, ticket: asked.ticket, call: call)
        case .closeSession: await close(session, call: call)
        case .readClock:
            send(Answer.success(call, clockReading))
        case .setProfile(let asked): try await setProfile(session, asked, call: call)
        case .getProfiles(let asked):
            let profiles = try await services.signIn.profiles(asked.users, in: session.application)
            send(Answer.success(call, ProfilesAnswer(users: profiles)))
        case .rooms(let asked):
            try await RoomCalls(session: session, connection: connection, services: services).perform(asked, call: call)
        case .sendSignal(let draft):
            try services.signals.send(draft, by: session, over: connection) { [connection] result in
                switch result {
                case .success: connection.send(Answer.success(call, Answer.Empty()))
                case .failure(let error): connection.send(Answer.failure(call, error))
                }
            }
        case .offerMedia(let asked): try await offer(session, asked, call: call)
        case .viewPicture(let asked):
            let place = try await mediaPlace(session, room: asked.room)
            let right: RoomRights = asked.picture == .screen ? .receiveScreen : .receiveVideo
            guard asked.size == .off || place.rights.contains(right) else { throw Refusal(RoomRights.refusal) }
            services.media.view(asked.picture, as: PictureLayer(asked.size), by: place.peer, on: place.stage)
            send(Answer.success(call, Answer.Empty()))
        case .closeMedia(let asked):
            guard let place = session.place, place.key.room == asked.room else { throw Refusal(RoomError(.notInRoom)) }
            await place.room.closeMedia(for: session.token) { [connection] in
                connection.send(Answer.success(call, Answer.Empty()))
            }
        case .wallet(let asked):
            send(try await services.wallets.perform(asked, by: session.user, in: session.application, call: call))
        case .testLine(let asked): testLine(session, sdp: asked.sdp, call: call)
        case .endLineTest:
            services.lines.end(session.token)
            send(Answer.success(call, Answer.Empty()))
        case .stateLatency(let asked):
            guard let place = session.place, place.key.room == asked.room else { throw Refusal(RoomError(.notInRoom)) }
            let stated = asked.statement
            let equipment = SingerEquipment(
                latency: .milliseconds(Int64(stated.outputMs + stated.inputMs)),
                roundTrip: stated.roundTripMs.map { .milliseconds(Int64($0)) },
                buffer: stated.bufferMs.map { .milliseconds(Int64($0)) })
            await place.room.setEquipment(equipment, of: session.token)
            send(Answer.success(call, Answer.Empty()))
        }
    }

    private func setProfile(_ session: Session, _ asked: SetProfile, call: CallID) async throws(Refusal) {
        let (name, avatar, bio) = (asked.name, asked.avatar, asked.bio)
        try SignIn.check(name: name, avatar: avatar, bio: bio)
        let texts = SignIn.texts(name: name, bio: bio)
        try services.signIn.checkMute(texts, by: session.user, in: session.application)
        try services.signIn.checkWords(texts, in: session.application)
        var profile = session.profile
        let sessions = services.sessions
        defer { if let name { sessions.releaseName(name, for: session.user, in: session.application) } }
        if let name {
            guard name == profile.name || sessions.reserveName(name, for: session.user, in: session.application) else {
                throw Refusal(RoomError(.nameTaken))
            }
            profile.name = name
        }
        if let avatar { profile.avatar = avatar }
        if let bio { profile.bio = bio }
        try await services.signIn.save(profile, in: session.application)
        services.sessions.note(profile, of: session)
        await session.place?.room.setProfile(profile.brief, of: session.token)
        send(Answer.success(call, ProfileAnswer(user: profile)))
    }

    // MARK: media

    /// Does not hold up the calls behind it: the media plane answers when it has worked the offer out.
    private func offer(_ session: Session, _ asked: OfferMedia, call: CallID) async throws(Refusal) {
        let place = try await mediaPlace(session, room: asked.room)
        let offer = MediaOffer(
            stage: place.stage, peer: place.peer, number: asked.number, sdp: asked.sdp,
            lines: asked.lines.mapValues(MediaLine.init))
        Task { [services, connection] in  // ends with the answer
            let text: [UInt8]
            do throws(MediaRefusal) {
                let answer = try await services.media.answer(offer)
                text = Answer.success(
                    call,
                    MediaAnswered(
                        number: answer.number, sdp: answer.sdp,
                        slots: answer.slots.map(MediaAnswered.Slot.init),
                        pictures: answer.pictures.isEmpty
                            ? nil
                            : answer.pictures.map { MediaAnswered.Picture($0.view, mid: $0.mid) },
                        mediaEpoch: services.media.epoch,
                        iceServers: services.relays.servers(for: session.user, at: services.clock.wallTime)))
            } catch {
                text = Answer.failure(call, RoomError(error))
            }
            connection.send(text)
        }
    }

    /// Holds up no call either.
    private func testLine(_ session: Session, sdp: String, call: CallID) {
        Task { [services, connection] in  // ends with the answer
            do throws(RoomError) {
                let answer = try await services.lines.begin(sdp, by: session.token, from: connection.address)
                connection.send(
                    Answer.success(
                        call,
                        LineTestAnswer(
                            sdp: answer, seconds: Int(LineTests.length.nanoseconds / 1_000_000_000),
                            bitrate: LineTests.bitrate)))
            } catch {
                connection.send(Answer.failure(call, error))
            }
        }
    }

    private func mediaPlace(_ session: Session, room: RoomID) async throws(Refusal) -> MediaPlace {
        guard let place = session.place, place.key.room == room else { throw Refusal(RoomError(.notInRoom)) }
        do throws(RoomError) { return try await place.room.openMedia(for: session.token) } catch {
            throw Refusal(error)
        }
    }

    // MARK: sending

    private func send(_ text: [UInt8]) { connection.send(text) }

    private func end(_ reason: SocketCloseReason) {
        isEnding = true
        connection.close(reason)
    }

    private func seconds(from now: WallTime, to end: WallTime) -> Int64 {
        max(0, end.secondsSince1970 - now.secondsSince1970)
    }
}

extension MediaAnswered.Slot {
    fileprivate init(_ slot: MediaAnswer.Slot) {
        switch slot.sound {
        case .seat(let seat): self.init(seat: seat, mid: slot.mid)
        case .mix: self.init(mixMid: slot.mid)
        case .guest(let place): self.init(guest: place, mid: slot.mid)
        }
    }
}

extension PictureLayer {
    fileprivate init(_ size: PictureSize) {
        switch size {
        case .off: self = .none
        case .low: self = .low
        case .middle: self = .middle
        case .high: self = .high
        }
    }
}

extension MediaLine {
    fileprivate init(_ name: MediaLineName) {
        switch name {
        case .microphone: self = .microphone
        case .camera: self = .camera
        case .spare: self = .spare
        case .screen: self = .screen
        case .sound(let index): self = .sound(index)
        case .picture(let index): self = .picture(index)
        }
    }
}
