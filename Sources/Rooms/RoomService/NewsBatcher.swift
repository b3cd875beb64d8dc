import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Gathers a room's news and sends them: alone they leave at once, under load together, at most every 10 ms.
/// They are encoded once for everybody who gets the same.
struct NewsBatcher {
    /// Under load, news wait no longer than this for company.
    static let gatheringTime = Interval.milliseconds(10)

    private var gathered: [Announcement] = []
    /// Who came while news were gathered: they begin at that index, since their entry told them what stands before it.
    private var newcomers: [SessionToken: Int] = [:]
    private var lastFlush = Instant.distantPast

    var isEmpty: Bool { gathered.isEmpty }

    mutating func add(_ announcement: Announcement) { gathered.append(announcement) }

    /// From now on the session gets news.
    mutating func welcome(_ session: SessionToken) { newcomers[session] = gathered.count }

    /// When the gathered news may leave.
    func departure(_ now: Instant) -> Instant {
        let next = lastFlush + Self.gatheringTime
        return next > now ? next : now
    }

    mutating func flush(
        to sessions: [SessionToken: Attendance.Session], room: RoomID, epoch: UInt64, by encoder: any NewsEncoder,
        at now: Instant
    ) {
        lastFlush = now
        defer {
            gathered.removeAll(keepingCapacity: true)
            newcomers.removeAll()
        }
        guard !gathered.isEmpty else { return }
        var addressed: Set<UserID> = []
        for case .these(let users) in gathered.map(\.audience) { addressed.formUnion(users) }

        func frames(from start: Int, for user: UserID?) -> [(any NewsFrame, NewsLane)] {
            var events: [NewsLane: [RoomNewsEvent]] = [:]
            for announcement in gathered[start...] {
                switch announcement.audience {
                case .these(let users):
                    guard let user, users.contains(user) else { continue }
                case .everyone: break
                }
                events[announcement.news.lane, default: []].append(announcement.news)
            }
            return [NewsLane.control, .chatter].compactMap { lane in
                guard let events = events[lane] else { return nil }
                return (encoder.frame(RoomNews(room: room, epoch: epoch, events: events)), lane)
            }
        }

        var shared: [Int: [(any NewsFrame, NewsLane)]] = [:]
        for (token, session) in sessions where session.subscribed && session.connected {
            let start = newcomers[token] ?? 0
            guard start < gathered.count else { continue }
            let user = session.attendee.profile.id
            let mine: [(any NewsFrame, NewsLane)]
            if addressed.contains(user) {
                mine = frames(from: start, for: user)
            } else if let ready = shared[start] {
                mine = ready
            } else {
                mine = frames(from: start, for: nil)
                shared[start] = mine
            }
            for (frame, lane) in mine { session.attendee.outbox.enqueue(frame, lane: lane) }
        }
    }
}

extension RoomNewsEvent {
    /// What must arrive, and what may be shed when a connection is too slow.
    var lane: NewsLane {
        switch self {
        case .change, .invitation, .challenge: .control
        case .message: .chatter
        case .passing(let news):
            switch news {
            // Who comes and goes is told only in rooms that are not big. A list that lacks one of them stays wrong, and a role that
            // is told before its bearer is lost.
            case .presence, .ownerAbsent, .ownerBack, .audienceEntered, .audienceLeft: .control
            case .levels, .likes, .count, .network, .pictures, .points: .chatter
            // Nothing tells a camera again that it is wanted.
            case .cameraWanted: .control
            }
        }
    }
}
