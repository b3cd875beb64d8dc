internal import Foundation
internal import Ovation
internal import SignalProtocol

/// The calls of a room component that ask the server and hand its answer on.
struct RoomRequests: Sendable {
    let controller: RoomController

    // MARK: - Profile and directory

    func setSelfProfile(name: String, avatar: String, _ reply: ActionReply) {
        // An empty name leaves the user's name as it is.
        let body = Call.Body.setProfile(SetProfile(name: name.isEmpty ? nil : name, avatar: avatar, bio: nil))
        controller.signedIn(reply)?.client.perform(body) { reply.answer($0) }
    }

    /// Rooms in the order asked; what is no id of a room is unknown, and left out like unknown ones.
    func roomInfo(
        _ ids: [Int64], refused: ActionReply, found: @escaping @Sendable ([ListedRoom]) -> Void
    ) {
        let ids = ids.compactMap { UInt32(exactly: $0).flatMap { RoomID(number: $0) } }
        controller.signedIn(refused)?.client.perform(.rooms(.getRooms(GetRooms(ids)))) { result in
            switch result {
            case .success(.rooms(let rooms)): found(rooms)
            case .success: refused(TRTCCode.failed, "the answer is not from an Ovation server")
            case .failure(let error): refused(error.outcome.code, error.outcome.message)
            }
        }
    }

    /// Everybody in the room, or people by id, in the order asked.
    func people(
        _ ids: [String]?, refused: ActionReply, found: @escaping @Sendable ([RoomPerson]) -> Void
    ) {
        guard let ids else {
            if let room = controller.inside(refused) { everybody(in: room, after: nil, [], refused, found) }
            return
        }
        people(ids.compactMap { UserID($0) }[...], [], refused, found)
    }

    /// As many in one call as the server takes.
    private static let peopleAtOnce = 100

    private func people(
        _ ids: ArraySlice<UserID>, _ before: [UserProfile], _ refused: ActionReply,
        _ found: @escaping @Sendable ([RoomPerson]) -> Void
    ) {
        guard let share = controller.signedIn(refused) else { return }
        let rest = ids.dropFirst(Self.peopleAtOnce)
        share.client.perform(.getProfiles(GetProfiles(Array(ids.prefix(Self.peopleAtOnce))))) { [controller] result in
            switch result {
            case .success(.profiles(let profiles)):
                let all = before + profiles
                guard rest.isEmpty else { return people(rest, all, refused, found) }
                let members = controller.room?.state
                found(all.map { RoomPerson(profile: $0, isMuted: members?.member($0.id)?.micMuted ?? true) })
            case .success: refused(TRTCCode.failed, "the answer is not from an Ovation server")
            case .failure(let error): refused(error.outcome.code, error.outcome.message)
            }
        }
    }

    private func everybody(
        in room: RoomSession, after cursor: String?, _ before: [RoomPerson], _ refused: ActionReply,
        _ found: @escaping @Sendable ([RoomPerson]) -> Void
    ) {
        guard let share = controller.signedIn(refused) else { return }
        share.client.perform(.rooms(.listMembers(ListMembers(room.id, .everyone(limit: 200, cursor: cursor))))) {
            result in
            switch result {
            case .success(.members(let page)):
                let people = before + page.members.map { RoomPerson(profile: $0.profile, isMuted: $0.micMuted) }
                guard let cursor = page.cursor else { return found(people) }
                everybody(in: room, after: cursor, people, refused, found)
            case .success: refused(TRTCCode.failed, "the answer is not from an Ovation server")
            case .failure(let error): refused(error.outcome.code, error.outcome.message)
            }
        }
    }

    // MARK: - Seats

    /// Who sits already has what they want, as in the published component.
    func enterSeat(_ index: Int, _ reply: ActionReply) {
        controller.perform(.takeSeat(TakeSeat(index)), reply) { $0.code == .alreadySeated }
    }

    func pickSeat(_ index: Int, _ userId: String, _ reply: ActionReply) {
        guard let user = UserID(userId, reply) else { return }
        controller.perform(.pickSeat(PickSeat(index, user)), reply)
    }

    // MARK: - Invitations

    /// - Returns: the id of the invitation, empty if none was sent.
    func sendInvitation(command: String, userId: String, content: String, _ reply: ActionReply) -> String {
        guard let user = UserID(userId, reply) else { return "" }
        guard let room = controller.inside(reply) else { return "" }
        let draft = InvitationDraft(to: user, command: command, content: content, id: UUID().uuidString)
        room.perform(.sendInvitation(draft)) { result in
            guard case .failure(let error) = result, error.code == .invalidParams, error.field == "timeoutSeconds"
            else {
                return reply.answer(result)
            }
            // Whoever is signed in but not in the room is asked for a time; the longest there is comes closest to no end.
            var draft = draft
            draft.timeoutSeconds = Self.longestInvitation
            room.perform(.sendInvitation(draft)) { reply.answer($0) }
        }
        return draft.id ?? ""
    }

    private static let longestInvitation = 3_600

    /// The answer to an invitation of a room that one is not in goes to that room.
    func accept(_ id: String, _ reply: ActionReply) {
        guard let room = controller.invitedElsewhere(id) else {
            return controller.perform(.acceptInvitation(AcceptInvitation(id: id)), reply)
        }
        reply(TRTCCode.failed, "this invitation is to room \(room.text): call enterRoom first")
    }

    func reject(_ id: String, _ reply: ActionReply) {
        let command = RoomCommand.rejectInvitation(RejectInvitation(id: id, reason: nil))
        guard let room = controller.invitedElsewhere(id) else { return controller.perform(command, reply) }
        let call = Call.Body.rooms(.command(room, command, key: IdempotencyKey(UUID().uuidString)))
        controller.signedIn(reply)?.client.perform(call) { reply.answer($0) }
    }

    // MARK: - Messages

    func send(_ body: MessageBody, _ reply: ActionReply) {
        if let count = LikeCount.count(in: body) { return like(count, reply) }
        controller.perform(.sendMessage(MessageDraft(body, id: UUID().uuidString)), reply)
    }

    private func like(_ count: Int, _ reply: ActionReply) {
        controller.inside(reply)?.perform(.sendLikes(SendLikes(count))) { [reporter = controller.reporter] result in
            if case .success = result { reporter.add(ownLikes: count) }
            reply.answer(result)
        }
    }
}
