internal import Foundation
internal import Ovation
internal import SignalProtocol

/// The calls of a room component that ask the server and hand its answer on.
struct RoomRequests: Sendable {
    let controller: RoomController

    // MARK: - Profile and directory

    func setSelfProfile(name: String, avatar: String, _ reply: ActionReply) {
        controller.signedIn(reply)?.client.perform(.setProfile(name: name, avatar: avatar, bio: nil)) {
            reply.answer($0)
        }
    }

    /// Rooms in the order asked; what is no id of a room is unknown, and left out like unknown ones.
    func roomInfo(
        _ ids: [Int64], refused: ActionReply, found: @escaping @Sendable ([ListedRoom]) -> Void
    ) {
        let ids = ids.compactMap { UInt32(exactly: $0).flatMap { RoomID(number: $0) } }
        controller.signedIn(refused)?.client.perform(.rooms(.getRooms(ids))) { result in
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
        guard let share = controller.signedIn(refused) else { return }
        share.client.perform(.getProfiles(ids.compactMap { UserID($0) })) { [controller] result in
            switch result {
            case .success(.profiles(let profiles)):
                let members = controller.room?.state
                found(profiles.map { RoomPerson(profile: $0, isMuted: members?.member($0.id)?.micMuted ?? true) })
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
        share.client.perform(.rooms(.listMembers(room.id, .everyone(limit: 200, cursor: cursor)))) {
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
        controller.perform(.takeSeat(index), reply) { $0.is(.alreadySeated) }
    }

    func pickSeat(_ index: Int, _ userId: String, _ reply: ActionReply) {
        guard let user = UserID(userId, reply) else { return }
        controller.perform(.pickSeat(index, user), reply)
    }

    // MARK: - Invitations

    /// - Returns: the id of the invitation, empty if none was sent.
    func sendInvitation(command: String, userId: String, content: String, _ reply: ActionReply) -> String {
        guard let user = UserID(userId, reply) else { return "" }
        guard controller.inside(reply) != nil else { return "" }
        let id = UUID().uuidString
        controller.perform(
            .sendInvitation(InvitationDraft(to: user, command: command, content: content, id: id)), reply)
        return id
    }

    // MARK: - Messages

    func send(_ body: MessageBody, _ reply: ActionReply) {
        if let count = LikeCount.count(in: body) { return like(count, reply) }
        controller.perform(.sendMessage(MessageDraft(body, id: UUID().uuidString)), reply)
    }

    private func like(_ count: Int, _ reply: ActionReply) {
        controller.inside(reply)?.perform(.sendLikes(count)) { [reporter = controller.reporter] result in
            if case .success = result { reporter.add(ownLikes: count) }
            reply.answer(result)
        }
    }
}
