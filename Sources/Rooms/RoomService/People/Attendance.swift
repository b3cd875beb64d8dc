import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Who is in the room now: sessions, and the people they belong to. Lives and dies with the process.
struct Attendance {
    final class Admission {
        var isGranted = false
    }

    struct Session {
        /// From its entry to its exit; attaching again does not change it.
        let stay: StayNumber
        var attendee: Attendee
        /// Whether a connection is there.
        var connected = true
        /// Whether the entry has been answered: from then on the session gets news.
        var subscribed = false
        /// Whether it was let in, so that it must be told when it is out. Shared with the entry that is still
        /// waiting to be answered when the session already goes.
        let admission = Admission()
        var peer: PeerID?
        var media = Media.none
        var equipment: SingerEquipment?

        /// `none` → `live` → `lost` ⇄ `live`; → `none` when the peer closes.
        enum Media { case none, live, lost }
    }

    /// One in so many on the roll may be a gap.
    private static let gapsClosedAt = 8

    private(set) var sessions: [SessionToken: Session] = [:]
    /// Everybody in the room, as the rules see them. Also who has a seat and no session: after a restart, or while the
    /// grace time runs.
    private(set) var people: [UserID: DecisionContext.Person] = [:]
    private var tokens: [UserID: [SessionToken]] = [:]
    /// Which session's microphone a person speaks by, if they have several.
    private var microphones: [UserID: SessionToken] = [:]
    /// Which session a person shares a screen from.
    private var screens: [UserID: SessionToken] = [:]
    private var peers: [PeerID: SessionToken] = [:]
    /// Marks of people who are here; they go with them.
    private var marks: [UserID: [Int]] = [:]
    /// In the order in which they came. Who has gone leaves a gap: closing it each time would cost as much as the room is large.
    private var roll: [(arrival: UInt64, user: UserID?)] = []
    private var gaps: Int { roll.count - arrivals.count }
    private var arrivals: [UserID: UInt64] = [:]
    private var nextArrival: UInt64 = 1
    private var nextStay: UInt64 = 1
    /// Most people at once.
    private(set) var peak = 0

    var count: Int { people.count }

    /// Whether nothing is kept of anybody.
    var isEmpty: Bool {
        sessions.isEmpty && people.isEmpty && tokens.isEmpty && microphones.isEmpty && screens.isEmpty && peers.isEmpty
            && arrivals.isEmpty && marks.isEmpty
    }

    func user(of session: SessionToken) -> UserID? { sessions[session]?.attendee.profile.id }
    func profile(of session: SessionToken) -> UserProfile? {
        guard let user = user(of: session) else { return nil }
        return people[user]?.profile
    }
    func session(of peer: PeerID) -> SessionToken? { peers[peer] }
    func sessions(of user: UserID) -> [SessionToken] { tokens[user] ?? [] }
    func isConnected(_ user: UserID) -> Bool { sessions(of: user).contains { sessions[$0]?.connected == true } }

    // MARK: Coming and going

    /// Lets a session in, or back in with a new connection.
    mutating func admit(_ attendee: Attendee) {
        let user = attendee.profile.id
        if var session = sessions[attendee.session] {
            session.attendee = attendee
            session.connected = true
            session.subscribed = false
            sessions[attendee.session] = session
        } else {
            sessions[attendee.session] = Session(stay: StayNumber(rawValue: nextStay), attendee: attendee)
            nextStay += 1
            tokens[user, default: []].append(attendee.session)
        }
        add(attendee.profile)
    }

    /// Somebody who is in the room without a session.
    mutating func add(_ profile: UserProfile) {
        let presence = people[profile.id]?.presence ?? .reconnecting
        people[profile.id] = DecisionContext.Person(profile: profile, presence: presence)
        guard arrivals[profile.id] == nil else { return }
        arrivals[profile.id] = nextArrival
        roll.append((nextArrival, profile.id))
        nextArrival += 1
        peak = max(peak, people.count)
    }

    mutating func update(_ token: SessionToken, _ change: (inout Session) -> Void) {
        guard var session = sessions[token] else { return }
        let former = session.peer
        change(&session)
        sessions[token] = session
        if former != session.peer {
            if let former { peers[former] = nil }
            if let peer = session.peer { peers[peer] = token }
        }
    }

    /// - Parameter peer: `nil`: the session has no media path any more.
    mutating func setPath(_ peer: PeerID?, of session: SessionToken) {
        update(session) {
            $0.peer = peer
            if peer == nil { $0.media = .none }
        }
    }

    mutating func setProfile(_ profile: UserProfile) { people[profile.id]?.profile = profile }
    mutating func setPresence(_ presence: Presence, of user: UserID) { people[user]?.presence = presence }
    mutating func setMicrophone(_ session: SessionToken, of user: UserID) { microphones[user] = session }
    mutating func setScreen(_ session: SessionToken, of user: UserID) { screens[user] = session }

    /// Whoever is not here is passed over.
    /// - Returns: whether there was room for them all.
    mutating func mark(_ change: MarksChange) -> Bool {
        guard people[change.user] != nil else { return true }
        let former = Set(marks[change.user] ?? [])
        let after = change.adding ? former.union(change.marks) : former.subtracting(change.marks)
        guard after.count <= MarksChange.most else { return false }
        marks[change.user] = after.isEmpty ? nil : after.sorted()
        return true
    }

    func marks(of user: UserID) -> [Int]? { marks[user] }

    mutating func remove(session token: SessionToken) -> Session? {
        guard let session = sessions.removeValue(forKey: token) else { return nil }
        let user = session.attendee.profile.id
        tokens[user]?.removeAll { $0 == token }
        if tokens[user]?.isEmpty == true { tokens[user] = nil }
        if microphones[user] == token { microphones[user] = nil }
        if screens[user] == token { screens[user] = nil }
        if let peer = session.peer { peers[peer] = nil }
        return session
    }

    /// Takes a person off the roll; their sessions are removed by then.
    mutating func remove(user: UserID) {
        people[user] = nil
        marks[user] = nil
        guard let arrival = arrivals.removeValue(forKey: user) else { return }
        roll[place(after: arrival - 1)].user = nil
        // Gaps are passed over by whoever asks for a page: they stay few beside those who are here.
        if gaps * Self.gapsClosedAt > roll.count { roll.removeAll { $0.user == nil } }
    }

    // MARK: Looking

    /// The session by whose microphone a person speaks: the one that took the seat, if it still has a media path, else
    /// the newest that has one.
    func microphone(of user: UserID) -> (session: SessionToken, peer: PeerID)? {
        if let token = microphones[user], let peer = sessions[token]?.peer { return (token, peer) }
        for token in sessions(of: user).reversed() {
            if let peer = sessions[token]?.peer { return (token, peer) }
        }
        return nil
    }

    /// The path by which a person's screen comes: that of the session which shares it, and after a restart of the server, which knows
    /// none, that of the microphone.
    func screen(of user: UserID) -> PeerID? {
        guard let token = screens[user] else { return microphone(of: user)?.peer }
        return sessions[token]?.peer
    }

    /// Whether that session is the one by which its user's camera comes, and their screen.
    func pictures(of token: SessionToken) -> (camera: Bool, screen: Bool) {
        guard let user = user(of: token) else { return (false, false) }
        return (microphone(of: user)?.session == token, screens[user] == token)
    }

    /// People in the order in which they came, after that arrival.
    func page(after arrival: UInt64, limit: Int) -> (users: [UserID], next: UInt64?) {
        var (users, last): ([UserID], UInt64?) = ([], nil)
        for (arrival, user) in roll[place(after: arrival)...] {
            guard let user else { continue }
            guard users.count < limit else { return (users, last) }
            users.append(user)
            last = arrival
        }
        return (users, nil)
    }

    private func place(after arrival: UInt64) -> Int {
        var low = 0
        var high = roll.count
        while low < high {
            let middle = (low + high) / 2
            if roll[middle].arrival <= arrival { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RoomTurn {
    /// Gives people marks. One change is made, or refused, by itself: those before it stay.
    mutating func mark(_ changes: [MarksChange], reply: @escaping Reply<Void>) {
        if let error = closedness { return answer(reply, .failure(error)) }
        for change in changes where !attendance.mark(change) {
            return answer(
                reply,
                .failure(.invalid("marks", "\(change.user.rawValue) would have more than \(MarksChange.most) marks")))
        }
        answer(reply, .success(()))
    }
}
