import Hummingbird
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol

/// People of an application: what others see of them, where they are, and that they are signed in at all.
struct PeopleResource: Sendable {
    enum Operation: Sendable, Hashable { case read, configure, signOut }

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

        init(_ profile: UserProfile, _ sessions: [Session]) {
            id = profile.id
            name = profile.name
            avatar = profile.avatar
            bio = profile.bio
            self.sessions = sessions.map { session in
                Stay(connected: session.withState { $0.connection != nil }, room: session.place?.key.room)
            }
        }
    }

    let signIn: SignIn
    let sessions: SessionRegistry

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .read:
            try trail.check(.managePeople, access, "readPerson")
            let user = try parameters.user()
            return HTTPReply.json(
                Person(try await profile(user, access), sessions.all(of: user, in: access.application)))
        case .configure:
            try trail.check(.managePeople, access, "changeProfile")
            return HTTPReply.json(try await configure(parameters, access, trail))
        case .signOut:
            try trail.check(.managePeople, access, "signOut")
            let user = try parameters.user()
            await sessions.signOut(user, in: access.application)
            trail.note(access, "signOut", target: user)
            return HTTPReply.json(Answer.Empty())
        }
    }

    private func profile(_ user: UserID, _ access: OperatorAccess) async throws(Refusal) -> UserProfile {
        try await signIn.profiles([user], in: access.application).first ?? UserProfile(id: user)
    }

    private func configure(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Person {
        let user = try parameters.user()
        let (name, avatar, bio) = (
            try parameters.text("name"), try parameters.text("avatar"), try parameters.text("bio")
        )
        try SignIn.check(name: name, avatar: avatar, bio: bio)
        try signIn.checkWords(name: name, bio: bio, in: access.application)
        var profile = try await profile(user, access)
        if let name { profile.name = name }
        if let avatar { profile.avatar = avatar }
        if let bio { profile.bio = bio }
        try await signIn.save(profile, in: access.application)
        let held = sessions.all(of: user, in: access.application)
        for session in held {
            sessions.note(profile, of: session)
            await session.place?.room.setProfile(profile.brief, of: session.token)
        }
        trail.note(access, "changeProfile", target: user, detail: ["name": profile.name])
        return Person(profile, held)
    }
}
