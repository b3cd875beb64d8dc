package import RoomModel
package import RoomPorts
package import RoomRules
import Timing

// What is asked of a room: by people, by its own timers, by the operator.

extension RoomCore {
    package func submit(
        _ command: RoomCommand, from session: SessionToken, key: IdempotencyKey?, reply: @escaping Reply<CommandOutcome>
    ) {
        defer { endTurn() }
        if let error = closedness { return answer(reply, .failure(error)) }
        guard let user = attendance.profile(of: session) else { return answer(reply, .failure(RoomError(.notInRoom))) }
        var kept: KeyedAnswer?
        if let key {
            let fingerprint = command.fingerprint
            if let first = state.answers.answer(to: key, of: user.id, now: wallNow) {
                // A repeat of a command that is still being stored waits behind it.
                // What the first one did has a number up to the present one.
                return answer(
                    reply,
                    first.fingerprint == fingerprint
                        ? .success(CommandOutcome(first.result, seq: first.result == .done ? state.seq : nil))
                        : .failure(RoomError(.keyReused)))
            }
            kept = KeyedAnswer(user: user.id, key: key.rawValue, fingerprint: fingerprint, result: .done)
        }
        // Likes that are still being counted belong to the room that ends.
        if command == .destroyRoom, !likes.isEmpty { storeLikes() }
        let decision: Decision
        do throws(RoomError) {
            decision = try state.decide(command, by: user, in: context)
        } catch {
            return answer(reply, .failure(error))
        }
        kept?.result = decision.result
        switch command {
        case .exitRoom: leave(session) { reply(.success(CommandOutcome(.done))) }
        case .sendLikes(let count): like(UInt64(count), by: user.id) { reply($0.map { CommandOutcome($0) }) }
        default:
            if case .takeSeat = command { attendance.setMicrophone(session, of: user.id) }
            let numbered = decision.events.count { $0.isNumbered }
            let outcome = CommandOutcome(decision.result, seq: numbered > 0 ? state.seq + UInt64(numbered) : nil)
            carryOut(
                decision, by: user.id, keyed: kept, answer: { reply(.success(outcome)) },
                refuse: { reply(.failure($0)) })
            for case .seatTaken(_, let seated, _, _) in decision.events { notePresence(of: seated.id) }
            if case .setRole = command { refreshHeir() }
        }
    }

    /// Creates the room and lets its creator in, in one turn; or, if it is the creator's own open room, takes over the
    /// settings.
    package func create(
        _ creation: RoomCreation, by attendee: Attendee, key: IdempotencyKey?, reply: @escaping Reply<RoomEntry>
    ) {
        defer { endTurn() }
        let user = attendee.profile
        let isNew = phase == .empty
        if !isNew, let error = closedness { return answer(reply, .failure(error)) }
        let kept = key.map {
            KeyedAnswer(user: user.id, key: $0.rawValue, fingerprint: creation.fingerprint, result: .done)
        }
        if !isNew, let kept, let first = state.creation, first.user == kept.user, first.key == kept.key {
            guard first.fingerprint == kept.fingerprint else {
                return answer(reply, .failure(RoomError(.keyReused)))
            }
            return enter(attendee, since: nil, reply: reply)
        }
        do throws(RoomError) {
            let decision =
                isNew
                ? try DurableRoomState.decideCreation(creation, by: user, epoch: writer.epoch)
                : try state.decideRecreation(creation, by: user)
            carryOut(decision, by: user.id, keyed: kept)
        } catch {
            return answer(reply, .failure(error))
        }
        enter(attendee, since: nil, reply: reply)
    }

    /// What happens by itself.
    package func serve(_ command: ServerCommand) {
        defer { endTurn() }
        carryOut(command)
    }

    private func carryOut(_ command: ServerCommand) {
        guard phase == .open else { return }
        if command == .dismissed || command == .ownerAbsenceOver, !likes.isEmpty { storeLikes() }
        if command == .ownerAbsenceOver { ownerAbsence = nil }
        carryOut(state.decide(command, in: context), by: nil)
    }

    // MARK: Timers

    func fire(_ deadline: Deadline) {
        switch deadline {
        case .grace(let session): loseForGood(session)
        case .absence(let user): loseForGood(user)
        case .ownerAbsence: carryOut(.ownerAbsenceOver)
        case .invitation(let id): carryOut(.invitationTimedOut(id: id))
        case .consent(let user): carryOut(.consentTimedOut(user))
        case .song:
            carryOut(.songOver)
            awaitEndOfSong()
        // The end of the turn sends them.
        case .news: break
        case .likes: storeLikes()
        case .levels: tellLevels()
        case .network: tellNetwork()
        case .count: tell(.count(memberCount: attendance.count))
        case .confirmation: giveUpConfirmation()
        }
    }

    // MARK: Likes

    private func like(_ count: UInt64, by user: UserID, _ reply: @escaping Reply<CommandResult>) {
        // The total when this one is counted, whoever else is counted with it.
        let total = state.likes &+ likes.count &+ count
        likes.add(
            count, by: user, answer: { reply(.success(.liked(total: total))) }, refuse: { reply(.failure($0)) })
        let ready = likes.ready(now)
        if ready <= now { storeLikes() } else { deadlines.set(.likes, at: ready) }
    }

    func storeLikes() {
        guard phase == .open, !likes.isEmpty else { return }
        deadlines.cancel(.likes)
        let taken = likes.take(at: now)
        let total = state.likes &+ taken.count
        carryOut(
            Decision([.liked(count: taken.count, users: taken.users)]), by: nil,
            answer: { for answer in taken.answers { answer() } },
            afterwards: { [unowned self] in
                tell(.likes(LikesNews(total: total, added: taken.count, users: taken.users)))
            },
            refuse: { error in for refuse in taken.refusals { refuse(error) } })
    }

    // MARK: The media plane

    /// Where the session's media path belongs; the room will take its owner's sound from there.
    package func openMedia(for session: SessionToken) throws(RoomError) -> MediaPlace {
        if let error = closedness { throw error }
        // Who waits to be let in hears nothing yet.
        guard let known = attendance.sessions[session], known.admission.isGranted else { throw RoomError(.notInRoom) }
        if let peer = known.peer { return MediaPlace(stage: stage.stage, peer: peer) }
        let peer = PeerID(rawValue: dependencies.peerNumbers.next())
        stage.admit(peer)
        attendance.update(session) { $0.peer = peer }
        if let equipment = known.equipment { stage.setLatency(of: equipment, of: peer) }
        assignAgain(known.attendee.profile.id)
        return MediaPlace(stage: stage.stage, peer: peer)
    }

    package func setEquipment(_ stated: SingerEquipment, of session: SessionToken) {
        guard let known = attendance.sessions[session] else { return }
        let equipment = stated.completed(by: known.equipment)
        attendance.update(session) { $0.equipment = equipment }
        if let peer = known.peer { stage.setLatency(of: equipment, of: peer) }
    }

    /// - Parameter done: called once nothing goes either way any more.
    package func closeMedia(for session: SessionToken, done: @escaping @Sendable () -> Void = {}) {
        defer { endTurn() }
        guard let known = attendance.sessions[session], let peer = known.peer else { return done() }
        stage.close(peer, confirmed: done)
        forget(peer, of: session)
    }

    package func hear(_ fact: MediaFact) {
        defer { endTurn() }
        switch fact {
        case .connected(_, let peer), .recovered(_, let peer): note(peer, .live)
        case .lost(_, let peer): note(peer, .lost)
        case .closed(_, let peer):
            // Takes the admission back: an offer that was on its way meanwhile opens a path that the room knows nothing of.
            if let session = attendance.session(of: peer) {
                stage.close(peer)
                forget(peer, of: session)
            }
        case .levels(_, let heard):
            var users: [UserID: Int] = [:]
            for (peer, level) in heard {
                guard let user = attendance.session(of: peer).flatMap(attendance.user(of:)) else { continue }
                users[user] = Int(level)
            }
            levels.hear(users)
            if let ready = levels.ready(now), ready <= now { tellLevels() }
        case .network(_, let readings):
            hear(readings)
            if let ready = network.ready(now), ready <= now { tellNetwork() }
        }
    }

    /// Tells the media plane what is sung, for those who hear it from there.
    func playOnStage(_ play: SongPlay?) {
        stage.play(play.map(stageSong))
    }

    private func stageSong(_ play: SongPlay) -> StageSong {
        let file = play.track == .original ? play.song.original ?? play.song.accompaniment : play.song.accompaniment
        let roomTime = dependencies.clock.roomTime
        return StageSong(
            file: file, startAt: play.startAt.map { now + (WallTime(millisecondsSince1970: $0) - roomTime) },
            position: .milliseconds(play.positionMs))
    }

    private func note(_ peer: PeerID, _ media: Attendance.Session.Media) {
        guard let session = attendance.session(of: peer), let user = attendance.user(of: session) else { return }
        attendance.update(session) { $0.media = media }
        if media == .live { assignAgain(user) }
        notePresence(of: user)
    }

    func forget(_ peer: PeerID, of session: SessionToken) {
        guard let user = attendance.user(of: session) else { return }
        attendance.update(session) {
            $0.peer = nil
            $0.media = .none
        }
        assignAgain(user)
        notePresence(of: user)
    }

    private func hear(_ readings: [PeerID: PathReading]) {
        var singers: [UserID: NetworkWatch.Singer] = [:]
        for (peer, reading) in readings {
            guard let session = attendance.session(of: peer), let known = attendance.sessions[session],
                state.seat(of: known.attendee.profile.id) != nil
            else { continue }
            singers[known.attendee.profile.id] = NetworkWatch.Singer(reading, known.equipment)
        }
        network.hear(singers)
    }

    private func tellNetwork() {
        guard network.ready(now) != nil else { return }
        deadlines.cancel(.network)
        tell(.network(network.take(at: now)))
    }

    private func tellLevels() {
        guard levels.ready(now) != nil else { return }
        deadlines.cancel(.levels)
        let told = levels.take(at: now)
        announcer.show(speaking: !told.isEmpty)
        tell(.levels(told))
    }
}
