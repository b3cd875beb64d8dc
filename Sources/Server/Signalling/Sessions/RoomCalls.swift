import Commerce
import HTTP
import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol

/// The calls that rooms and their directory answer. Answers are put into the outbox by the room itself, in its turn,
/// so that they stand before the news that the call caused (V08).
struct RoomCalls: Sendable {
    let session: Session
    let connection: SocketConnection
    let services: CallDependencies

    func perform(_ asked: RoomsCall, call: CallID) async throws(Refusal) {
        switch asked {
        case .createRoom(let asked):
            try await create(asked.creation, key: asked.key, mapKey: asked.privateMapKey, call: call)
        case .enterRoom(let asked):
            try await enter(asked.room, since: asked.since, mapKey: asked.privateMapKey, call: call)
        case .listRooms(let query):
            let page: RoomPage
            do throws(RoomError) {
                page = try services.rooms.list(query, of: session.application)
            } catch {
                throw Refusal(error)
            }
            connection.send(Answer.success(call, page))
        case .getRooms(let asked):
            let infos = services.rooms.infos(asked.rooms, of: session.application)
            connection.send(Answer.success(call, RoomsAnswer(rooms: infos)))
        case .listInvitations(let asked):
            await (try await room(asked.room)).invitations(
                after: asked.cursor, for: session.token, reply: reply(to: call) { $0 })
        case .sendReport(let asked):
            await (try await room(asked.room)).report(
                asked.report, by: session.token, reply: reply(to: call) { _ in Answer.Empty() })
        case .listRestrictions(let asked):
            await (try await room(asked.room)).restrictions(for: session.token, reply: reply(to: call) { $0 })
        case .readGiftRanking(let asked):
            await (try await room(asked.room)).giftRanking(for: session.token, reply: reply(to: call) { $0 })
        case .listMembers(let asked):
            await (try await room(asked.room)).members(asked.query, for: session.token, reply: reply(to: call) { $0 })
        case .readRequestStill(let asked):
            await (try await room(asked.room)).requestStill(
                asked.id, for: session.token,
                reply: reply(to: call, RequestStillAnswer.init))
        case .setStill(let asked): try await setStill(asked.picture, in: asked.room, call: call)
        case .command(let id, .sendInvitation(let draft), let key) where draft.still != nil:
            try await invite(draft, in: id, key: key, call: call)
        case .command(let id, .rejectInvitation(let invitation), _) where session.place?.key.room != id:
            await (try await find(id)).decline(
                invitation.id, reason: invitation.reason, by: session.profile.brief,
                reply: reply(to: call, CommandAnswer.init))
        case .command(let id, .sendGift(let draft), let key?): await give(draft, in: id, key: key, call: call)
        case .command(let id, .exitRoom, let key): try await exit(id, key: key, call: call)
        case .command(let id, let command, let key):
            await (try await room(id)).submit(
                command, from: session.token, key: key, reply: reply(to: call, CommandAnswer.init))
        }
    }

    /// L01. What keeps the host from showing one comes first; then it is read and written anew, which holds up no other call.
    private func setStill(_ picture: StillPicture?, in id: RoomID, call: CallID) async throws(Refusal) {
        let room = try await room(id)
        let answer = reply(to: call, StillAnswer.init)
        guard let picture else {
            session.withState { $0.stills.cancel() }
            return await room.setStill(nil, from: session.token, reply: answer)
        }
        let turn: Int
        do throws(RoomError) {
            try await room.checkStill(from: session.token)
            turn = try session.beginsStill(at: services.clock.now)
        } catch {
            throw Refusal(error)
        }
        Task { [session, services] in  // ends with the answer
            defer { session.withState { $0.stills.end() } }
            do throws(RoomError) {
                let still = try await services.stills.rewritten(
                    picture, within: StillPicture.byteLimit, field: "picture")
                await room.setStill(
                    still, from: session.token, if: { session.withState { $0.stills.isNewest(turn) } }, reply: answer)
            } catch {
                answer(.failure(error))
            }
        }
    }

    /// L03. The request stands once what came with it has been written anew.
    private func invite(
        _ draft: InvitationDraft, in id: RoomID, key: IdempotencyKey?, call: CallID
    ) async throws(Refusal) {
        guard let sent = draft.still else { return }
        let room = try await room(id)
        let answer = reply(to: call, CommandAnswer.init)
        do throws(RoomError) {
            // Reading a picture costs a process, so what can be told without it comes first.
            try await room.checkStill(withInvitationTo: draft.to, from: session.token)
            _ = try session.beginsStill(at: services.clock.now)
        } catch {
            throw Refusal(error)
        }
        Task { [session, services] in  // ends with the answer
            defer { session.withState { $0.stills.end() } }
            do throws(RoomError) {
                var draft = draft
                draft.still = try await services.stills.rewritten(
                    sent, within: StillPicture.requestByteLimit, field: "still")
                await room.submit(.sendInvitation(draft), from: session.token, key: key, reply: answer)
            } catch {
                answer(.failure(error))
            }
        }
    }

    /// G02. Whoever repeats a gift is told what became of it, also when the room has ended since, or they have left it.
    private func give(_ draft: GiftDraft, in id: RoomID, key: IdempotencyKey, call: CallID) async {
        let answer = reply(to: call, CommandAnswer.init)
        let transfer = TransferKey(
            draft, by: session.user, in: RoomKey(application: session.application, room: id), key: key)
        let refuse: @Sendable (RoomError) -> Void = { [wallets = services.wallets] error in
            guard [.roomClosed, .roomNotFound, .notInRoom].contains(error.code) else { return answer(.failure(error)) }
            wallets.findGift(transfer) { answer($0.flatMap { $0.map(Result.success) ?? .failure(error) }) }
        }
        do throws(Refusal) {
            await (try await room(id)).submit(.sendGift(draft), from: session.token, key: key) { result in
                switch result {
                case .success(let outcome): answer(.success(outcome))
                case .failure(let error): refuse(error)
                }
            }
        } catch {
            refuse(error.error)
        }
    }

    private func create(
        _ creation: RoomCreation, key: IdempotencyKey?, mapKey: String?, call: CallID
    ) async throws(Refusal) {
        let application = session.application
        let rights = try await services.signIn.rights(
            by: mapKey, of: session.user, in: creation.room, creating: true, application: application)
        // One's own room can be created again from inside; anything else would be a second room.
        let isFree = session.withState { state in
            guard !state.isCreating, state.place == nil || state.place?.key.room == creation.room else { return false }
            state.isCreating = true
            return true
        }
        guard isFree else { throw Refusal(RoomError(.inAnotherRoom)) }
        await services.rooms.create(
            creation, in: application, by: session.profile.brief, key: key,
            as: { attendee(of: $0, with: rights ?? .all) }
        ) { [connection, session] result in
            session.withState { $0.isCreating = false }
            switch result {
            case .success((_, .snapshot(let snapshot))):
                connection.send(size: RoomEntry.snapshot(snapshot).wireSize) {
                    Answer.success(call, RoomCreated(snapshot: snapshot))
                }
            case .success((_, .resumed)):
                connection.send(Answer.failure(call, RoomError(.internalError)))
            case .failure(let error): connection.send(Answer.failure(call, error))
            }
        }
    }

    private func enter(
        _ id: RoomID, since: ResumePoint?, mapKey: String?, call: CallID
    ) async throws(Refusal) {
        let room = try await find(id)
        let rights = try await rights(by: mapKey, in: room)
        guard session.begins(entering: room) else { throw Refusal(RoomError(.inAnotherRoom)) }
        await room.attach(attendee(of: room, with: rights), since: since) { [connection, session] result in
            session.ends(entering: room)
            switch result {
            case .success(let entry):
                // What still waits of the room's chatter is older than what the answer tells.
                connection.forgetChatter(of: room.key.room)
                connection.send(size: entry.wireSize) { Answer.entered(call, entry) }
            case .failure(let error): connection.send(Answer.failure(call, error))
            }
        }
    }

    private func exit(_ id: RoomID, key: IdempotencyKey?, call: CallID) async throws(Refusal) {
        let room = try await room(id)
        let answer = reply(to: call, CommandAnswer.init)
        session.beginsExit()
        await room.submit(.exitRoom, from: session.token, key: key) { [session] result in
            session.endsExit()
            answer(result)
        }
    }

    /// Who is in the room already comes back with the rights that they have.
    private func rights(by mapKey: String?, in room: Room) async throws(Refusal) -> RoomRights {
        if mapKey == nil, let place = session.place, place.room === room, place.stay != nil { return place.rights }
        return try await services.signIn.rights(
            by: mapKey, of: session.user, in: room.key.room, creating: false, application: session.application) ?? .all
    }

    private func attendee(of room: Room, with rights: RoomRights) -> Attendee {
        Attendee(
            session: session.token, profile: session.profile.brief, outbox: connection, rights: rights,
            mayEnter: { [session, connection] in session.speaks(through: connection) },
            takeMessage: { [services, connection] in services.messageLimit.take(connection.address) },
            entered: { [session] stay in session.entered(room, stay, with: rights) },
            departed: { [session] stay, why in
                session.departed(stay, from: room)
                let connection = session.withState { $0.connection }
                switch why {
                // Who is out hears nothing more of the room.
                case .exited: connection?.forgetChatter(of: room.key.room)
                case .removed(let restriction):
                    connection?.forgetChatter(of: room.key.room)
                    connection?.send(RemovedNotice.text(room: room.key.room, restriction: restriction))
                case .ended, .lost, .replaced: break
                }
            })
    }

    /// The room of a call. Whether the session is in it, the room itself says: entering may still be on its way.
    private func room(_ id: RoomID) async throws(Refusal) -> Room {
        if let place = session.place, place.key.room == id { return place.room }
        return try await find(id)
    }

    private func find(_ id: RoomID) async throws(Refusal) -> Room {
        do throws(RoomError) {
            return try await services.rooms.room(RoomKey(application: session.application, room: id))
        } catch {
            throw Refusal(error)
        }
    }

    private func reply<Value, Result: Encodable & SendableMetatype>(
        to call: CallID, _ answer: @escaping @Sendable (Value) -> Result
    ) -> Reply<Value> {
        { [connection] result in
            switch result {
            case .success(let value): connection.send(Answer.success(call, answer(value)))
            case .failure(let error): connection.send(Answer.failure(call, error))
            }
        }
    }
}
