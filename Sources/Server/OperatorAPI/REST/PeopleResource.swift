import HTTP
import Hummingbird
import NIOPosix
import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
import Signalling

/// People of an application: what others see of them, where they are, and that they are signed in at all.
struct PeopleResource: Sendable {
    enum Operation: Sendable, Hashable { case read, configure, signOut, erase, signal, setFace, removeFaces }
    /// To how many clients a signal went.
    private struct Signalled: Encodable {
        var clients: Int
    }

    /// What was erased.
    private struct Erased: Encodable {
        /// In what is stored.
        var rows = 0
        /// Of open rooms.
        var messages = 0
        /// Of their own, which have ended.
        var rooms: [RoomID] = []
        var songs = 0
        var faces = 0
        /// Copies of the store that were made earlier.
        var copies: [String] = []
    }

    private struct MadeFace: Encodable {
        var face: KeptFace
    }

    private struct RemovedFaces: Encodable {
        var faces: Int
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
    let eraseSongs: RESTHandler.EraseSongs
    let faces: PersonFaces
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
            let draft = try parameters.payload(SignalDraft.self)
            let sender =
                try parameters.text("from") == nil
                ? access.caller.profile
                : try await profile(try parameters.user("from"), access).brief
            return HTTPReply.json(Signalled(clients: try signals.send(draft, as: sender, in: access.application)))
        case .erase:
            try trail.check(.managePeople, access, "erasePerson")
            let user = try parameters.user()
            let erased = try await erase(user, access)
            trail.note(access, "erasePerson", target: user)
            return HTTPReply.json(erased)
        case .setFace:
            try trail.check(.managePeople, access, "setFace")
            let user = try parameters.user()
            let face = try await setFace(of: user, parameters, access)
            trail.note(access, "setFace", target: user, detail: ["kind": face.kind])
            return HTTPReply.json(MadeFace(face: face), status: .created)
        case .removeFaces:
            try trail.check(.managePeople, access, "removeFaces")
            let user = try parameters.user()
            let removed = try await removeFaces(of: user, access)
            trail.note(access, "removeFaces", target: user)
            return HTTPReply.json(RemovedFaces(faces: removed))
        }
    }

    /// A picture that a program sends for somebody. A face is shown from now on; the address of a cover is for their rooms.
    private func setFace(
        of user: UserID, _ parameters: RESTParameters, _ access: OperatorAccess
    ) async throws(Refusal) -> KeptFace {
        var query: [String: String] = [:]
        for name in PersonFaces.parameters { query[name] = try parameters.text(name) }
        let face = try await faces.keep(parameters.picture, query, user, access.application)
        guard face.kind == PersonFaces.shown else { return face }
        var profile = try await profile(user, access)
        profile.avatar = face.picture
        try await save(profile, access)
        return face
    }

    private func removeFaces(of user: UserID, _ access: OperatorAccess) async throws(Refusal) -> Int {
        let removed: Int
        do {
            removed = try await NIOThreadPool.singleton.runIfActive {
                [faces, application = access.application] in try faces.eraseAll(user, application)
            }
        } catch { throw Refusal(RoomError(.unavailable, retryAfterMs: 500)) }
        var profile = try await profile(user, access)
        guard profile.avatar.hasPrefix(PersonFaces.addresses) else { return removed }
        profile.avatar = ""
        try await save(profile, access)
        return removed
    }

    /// Others see it at once.
    private func save(_ profile: UserProfile, _ access: OperatorAccess) async throws(Refusal) {
        try await signIn.save(profile, in: access.application)
        for session in sessions.sessions.all(of: profile.id, in: access.application) {
            sessions.sessions.note(profile, of: session)
            await session.place?.room.setProfile(profile.brief, of: session.token)
        }
    }

    /// The rooms first, in their turns: what they keep then is clean, and the store has only what they do not write any more.
    private func erase(_ user: UserID, _ access: OperatorAccess) async throws(Refusal) -> Erased {
        await sessions.end(user, in: access.application, why: .signedOut)
        var erased = Erased()
        var open: [RoomInfo] = []
        try await rooms.forEach(in: access.application) { open.append($0) }
        for info in open {
            // A room that has ended meanwhile is the store's.
            guard let room = try? await rooms.find(info.room, in: access.application) else { continue }
            do throws(Refusal) {
                erased.messages += try await rooms.asked { await room.erase(user, by: access.caller, reply: $0) }
                if info.owner.id == user { erased.rooms.append(info.room) }
            } catch {
                guard [.roomClosed, .roomNotFound].contains(error.error.code) else { throw error }
            }
        }
        do {
            (erased.songs, erased.faces) = try await NIOThreadPool.singleton.runIfActive {
                [eraseSongs, faces, application = access.application] in
                (try eraseSongs(user, application), try faces.eraseAll(user, application))
            }
            erased.rows = try await personalData.erase(user, of: access.application)
        } catch { throw Refusal(RoomError(.unavailable, retryAfterMs: 500)) }
        // Only now: what was on its way to the disk is there, without its words.
        restrictions.store.forgetWords(of: user, in: access.application)
        erased.copies = personalData.copies()
        return erased
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
        try await save(profile, access)
        trail.note(access, "changeProfile", target: user, detail: ["name": profile.name])
        return person(profile, access)
    }
}
