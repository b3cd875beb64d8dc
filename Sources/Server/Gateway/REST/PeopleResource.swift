import Hummingbird
import NIOPosix
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol

/// People of an application: what others see of them, where they are, and that they are signed in at all.
struct PeopleResource: Sendable {
    enum Operation: Sendable, Hashable { case read, configure, signOut, erase, signal }

    /// To how many clients a signal went.
    private struct Signalled: Encodable {
        var clients: Int
    }

    /// What was erased.
    private struct Erased: Encodable {
        /// In the tables.
        var rows: Int
        /// Of open rooms.
        var messages = 0
        var songs = 0
    }

    private struct Person: Encodable {
        struct Stay: Encodable {
            var connected: Bool
            var room: RoomID?
        }
        var id: UserID
        var name: String
        var avatar: String
        var bio: String
        var sessions: [Stay]
        /// The operator's, not those of rooms and hosts.
        var restrictions: [Restriction]

        init(_ profile: UserProfile, _ sessions: [Session], _ restrictions: [Restriction]) {
            id = profile.id
            name = profile.name
            avatar = profile.avatar
            bio = profile.bio
            self.sessions = sessions.map { session in
                Stay(connected: session.withState { $0.connection != nil }, room: session.place?.key.room)
            }
            self.restrictions = restrictions
        }
    }

    let signIn: SignIn
    let sessions: PersonSessions
    let restrictions: OperatorRestrictions
    let rooms: OperatorRooms
    let personalData: any PersonalData
    let library: SongLibrary
    let signals: Signals

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .read:
            try trail.check(.managePeople, access, "readPerson")
            let user = try parameters.user()
            return HTTPReply.json(person(try await profile(user, access), access))
        case .configure:
            try trail.check(.managePeople, access, "changeProfile")
            return HTTPReply.json(try await configure(parameters, access, trail))
        case .signOut:
            try trail.check(.managePeople, access, "signOut")
            let user = try parameters.user()
            await sessions.end(user, in: access.application, why: .signedOut)
            trail.note(access, "signOut", target: user)
            return HTTPReply.json(Answer.Empty())
        case .signal:
            try trail.check(.writeMessages, access, "sendSignal")
            guard case .sendSignal(let draft) = try parameters.call(.signalSend) else {
                throw Refusal(RoomError(.internalError))
            }
            let sender =
                try parameters.text("from") == nil
                ? UserProfile(id: access.caller.name, name: access.caller.name.rawValue)
                : try await profile(try parameters.user("from"), access).brief
            return HTTPReply.json(Signalled(clients: try signals.send(draft, as: sender, in: access.application)))
        case .erase:
            try trail.check(.managePeople, access, "erasePerson")
            let user = try parameters.user()
            let erased = try await erase(user, access)
            trail.note(access, "erasePerson", target: user)
            return HTTPReply.json(erased)
        }
    }

    /// What open rooms have of somebody is deleted by the rooms, in their turns; what ended ones have goes with their journals.
    private func erase(_ user: UserID, _ access: OperatorAccess) async throws(Refusal) -> Erased {
        await sessions.end(user, in: access.application, why: .signedOut)
        restrictions.store.forgetWords(of: user, in: access.application)
        var erased: Erased
        do throws(JournalFailure) {
            erased = Erased(rows: try await personalData.erase(user, of: access.application))
        } catch { throw Refusal(RoomError(.unavailable, retryAfterMs: 500)) }
        erased.messages = try await deleteMessages(of: user, access)
        let (library, application) = (library, access.application)
        erased.songs =
            (try? await NIOThreadPool.singleton.runIfActive {
                let own = library.uploaded(to: application).filter { $0.by == user }
                for song in own { try library.remove(song.id, from: application) }
                return own.count
            }) ?? 0
        return erased
    }

    private func deleteMessages(of user: UserID, _ access: OperatorAccess) async throws(Refusal) -> Int {
        let moderator = Caller.operator(Operator(access.key.name, scopes: [.moderate]))
        var count = 0
        try await rooms.forEach(in: access.application) { id throws(Refusal) in
            // A room that has ended meanwhile has nothing to delete.
            guard let room = try? await rooms.find(id, in: access.application),
                let numbers: [UInt64] = try? await rooms.asked({ await room.messages(of: user, reply: $0) })
            else { return }
            for number in numbers {
                _ = try await rooms.submit(.deleteMessage(number), to: id, in: access.application, by: moderator)
                count += 1
            }
        }
        return count
    }

    private func person(_ profile: UserProfile, _ access: OperatorAccess) -> Person {
        Person(
            profile, sessions.sessions.all(of: profile.id, in: access.application),
            RestrictionKind.allCases.compactMap { restrictions.held($0, of: profile.id, in: access.application) })
    }

    private func profile(_ user: UserID, _ access: OperatorAccess) async throws(Refusal) -> UserProfile {
        try await signIn.profiles([user], in: access.application).first ?? UserProfile(id: user)
    }

    private func configure(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Person {
        let user = try parameters.user()
        let (name, avatar, bio) = (
            try parameters.text("name").map(DirectionMarks.withoutIdle), try parameters.text("avatar"),
            try parameters.text("bio")
        )
        try SignIn.check(name: name, avatar: avatar, bio: bio)
        try signIn.checkWords(SignIn.texts(name: name, bio: bio), in: access.application)
        var profile = try await profile(user, access)
        if let name { profile.name = name }
        if let avatar { profile.avatar = avatar }
        if let bio { profile.bio = bio }
        try await signIn.save(profile, in: access.application)
        for session in sessions.sessions.all(of: user, in: access.application) {
            sessions.sessions.note(profile, of: session)
            await session.place?.room.setProfile(profile.brief, of: session.token)
        }
        trail.note(access, "changeProfile", target: user, detail: ["name": profile.name])
        return person(profile, access)
    }
}
