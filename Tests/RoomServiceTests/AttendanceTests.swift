import RoomModel
import RoomPorts
import RoomRules
import RoomTestSupport
import SeededRandom
import Testing

@testable import RoomService

/// Who is in a room, compared with lists that are searched.
@Suite struct AttendanceTests {
    /// What the attendance should say.
    private struct Model {
        struct Known {
            var token: SessionToken
            var user: UserID
            var connected = true
            var peer: PeerID?
        }
        /// In the order in which they were let in.
        var sessions: [Known] = []
        /// In the order in which they came.
        var roll: [UserID] = []
        var names: [UserID: String] = [:]
        var presences: [UserID: Presence] = [:]
        var microphones: [UserID: SessionToken] = [:]
        var peak = 0

        func microphone(of user: UserID) -> PeerID? {
            let own = sessions.filter { $0.user == user }
            if let chosen = microphones[user], let peer = own.first(where: { $0.token == chosen })?.peer { return peer }
            return own.last { $0.peer != nil }?.peer
        }
    }

    private func attendee(_ token: SessionToken, _ user: UserID, _ name: String) -> Attendee {
        Attendee(
            session: token, profile: UserProfile(id: user, name: name), outbox: RecordingOutbox(), mayEnter: { true },
            entered: { _ in }, departed: { _, _ in })
    }

    @Test("of any sequence of comings and goings the attendance keeps what lists would, in the order of arrival")
    func model() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var attendance = Attendance()
        var model = Model()
        var stays: [SessionToken: StayNumber] = [:]
        var lastStay = StayNumber(rawValue: 0)
        var nextPeer: UInt64 = 1
        // Enough of them that gaps on the roll stay for a while.
        let users = (0..<24).map { UserID(literal: "user-\($0)") }
        for step in 0..<3_000 {
            guard let user = users.randomElement(using: &random) else { return }
            let name = "name \(step)"
            let place = model.sessions.indices.randomElement(using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                // One of the user's three clients, for the first time or again.
                let number = UInt64((users.firstIndex(of: user) ?? 0) * 3 + Int.random(in: 1...3, using: &random))
                let token = SessionToken(rawValue: number)
                attendance.admit(attendee(token, user, name))
                if let known = model.sessions.firstIndex(where: { $0.token == token }) {
                    model.sessions[known].connected = true
                    #expect(attendance.sessions[token]?.stay == stays[token], "the same stay")
                } else {
                    model.sessions.append(.init(token: token, user: user))
                    let stay = attendance.sessions[token]?.stay ?? lastStay
                    #expect(stay.rawValue > lastStay.rawValue)
                    (stays[token], lastStay) = (stay, stay)
                }
                #expect(attendance.sessions[token]?.subscribed == false)
                come(user, name, in: &model)
            case 3:
                attendance.add(UserProfile(id: user, name: name))
                come(user, name, in: &model)
            case 4:
                guard let place else { continue }
                let peer: PeerID? = Bool.random(using: &random) ? nil : PeerID(rawValue: nextPeer)
                nextPeer += 1
                attendance.update(model.sessions[place].token) { $0.peer = peer }
                model.sessions[place].peer = peer
            case 5:
                guard let place else { continue }
                let connected = Bool.random(using: &random)
                attendance.update(model.sessions[place].token) {
                    $0.connected = connected
                    $0.subscribed = true
                }
                model.sessions[place].connected = connected
            case 6:
                guard let place else { continue }
                attendance.setMicrophone(model.sessions[place].token, of: model.sessions[place].user)
                model.microphones[model.sessions[place].user] = model.sessions[place].token
            case 7, 8:
                guard let place else { continue }
                let known = model.sessions.remove(at: place)
                #expect(attendance.remove(session: known.token)?.peer == known.peer)
                #expect(attendance.remove(session: known.token) == nil)
                if model.microphones[known.user] == known.token { model.microphones[known.user] = nil }
            case 9, 10:
                // A person goes after the last session.
                guard !model.sessions.contains(where: { $0.user == user }) else { continue }
                attendance.remove(user: user)
                model.roll.removeAll { $0 == user }
                model.presences[user] = nil
                model.names[user] = nil
            default:
                let presence = Bool.random(using: &random) ? Presence.online : .reconnecting
                attendance.setPresence(presence, of: user)
                attendance.setProfile(UserProfile(id: user, name: name))
                if model.roll.contains(user) {
                    model.presences[user] = presence
                    model.names[user] = name
                }
            }
            check(attendance, model, users, nextPeer, "step \(step), seed \(seed)")
        }
        for known in model.sessions { _ = attendance.remove(session: known.token) }
        for user in users { attendance.remove(user: user) }
        #expect(attendance.isEmpty, "something is kept of who is gone, seed \(seed)")
    }

    private func come(_ user: UserID, _ name: String, in model: inout Model) {
        if !model.roll.contains(user) {
            model.roll.append(user)
            model.presences[user] = .reconnecting
        }
        model.names[user] = name
        model.peak = max(model.peak, model.roll.count)
    }

    private func check(
        _ attendance: Attendance, _ model: Model, _ users: [UserID], _ nextPeer: UInt64, _ place: Comment
    ) {
        #expect(attendance.count == model.roll.count && attendance.peak == model.peak, place)
        #expect(Set(attendance.sessions.keys) == Set(model.sessions.map(\.token)), place)
        for user in users {
            let own = model.sessions.filter { $0.user == user }
            #expect(attendance.sessions(of: user) == own.map(\.token), place)
            #expect(attendance.isConnected(user) == own.contains(where: \.connected), place)
            #expect(attendance.people[user]?.presence == model.presences[user], place)
            #expect(attendance.people[user]?.profile.name == model.names[user], place)
            #expect(attendance.microphone(of: user)?.peer == model.microphone(of: user), place)
        }
        for known in model.sessions {
            #expect(attendance.user(of: known.token) == known.user, place)
            #expect(attendance.profile(of: known.token)?.name == model.names[known.user], place)
        }
        for number in max(1, Int(nextPeer) - 8)...Int(nextPeer) {
            let peer = PeerID(rawValue: UInt64(number))
            #expect(attendance.session(of: peer) == model.sessions.first { $0.peer == peer }?.token, place)
        }
        var pages: [UserID] = []
        var start: UInt64 = 0
        while true {
            let page = attendance.page(after: start, limit: 2)
            pages += page.users
            guard let next = page.next else { break }
            start = next
        }
        #expect(pages == model.roll, place)
    }
}
