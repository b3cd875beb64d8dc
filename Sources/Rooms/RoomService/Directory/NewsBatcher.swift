import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Gathers a room's news and publishes them: alone they leave at once, under load together, at most every 10 ms. What it does for each
/// flush depends on who gets something else than everybody, not on how many everybody are.
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
    mutating func welcome(_ session: SessionToken) {
        newcomers[session] = gathered.isEmpty ? nil : gathered.count
    }

    mutating func dismiss(_ session: SessionToken) { newcomers[session] = nil }

    /// When the gathered news may leave.
    func departure(_ now: Instant) -> Instant {
        let next = lastFlush + Self.gatheringTime
        return next > now ? next : now
    }

    /// - Parameter sessions: those of a person.
    mutating func flush(
        to audience: any Audience, sessions: (UserID) -> [SessionToken], room: RoomID, epoch: UInt64, at now: Instant
    ) {
        lastFlush = now
        defer {
            gathered.removeAll(keepingCapacity: true)
            newcomers.removeAll()
        }
        guard !gathered.isEmpty else { return }
        // Nothing of a room comes after its end. What shares a lane with it keeps its order.
        let end = gathered.firstIndex { $0.news.isEnd }
        if let end { gathered.removeSubrange((end + 1)...) }

        func publish(from start: Int, for user: UserID?, to recipients: Recipients) {
            var events: [NewsLane: [RoomNewsEvent]] = [:]
            for announcement in gathered[start...] {
                switch announcement.audience {
                case .these(let users):
                    guard let user, users.contains(user) else { continue }
                case .everyone: break
                }
                events[end == nil ? announcement.news.lane : .control, default: []].append(announcement.news)
            }
            let news = [NewsLane.control, .chatter].compactMap { lane in
                events[lane].map { LaneNews(RoomNews(room: room, epoch: epoch, events: $0), lane: lane) }
            }
            if !news.isEmpty { audience.publish(news, to: recipients) }
        }

        var apart: Set<SessionToken> = []
        var addressed: Set<UserID> = []
        for case .these(let users) in gathered.map(\.audience) { addressed.formUnion(users) }
        for user in addressed {
            for (start, tokens) in Dictionary(grouping: sessions(user), by: { newcomers[$0] ?? 0 }) {
                apart.formUnion(tokens)
                publish(from: start, for: user, to: .only(Set(tokens)))
            }
        }
        let others = newcomers.filter { !apart.contains($0.key) }
        for (start, tokens) in Dictionary(grouping: others.keys, by: { others[$0] ?? 0 }) {
            apart.formUnion(tokens)
            publish(from: start, for: nil, to: .only(Set(tokens)))
        }
        publish(from: 0, for: nil, to: .everybody(except: apart))
    }
}

extension RoomNewsEvent {
    /// What must arrive, and what may be shed when a connection is too slow.
    var lane: NewsLane {
        switch self {
        case .change, .invitation, .challenge, .restriction: .control
        case .message: .chatter
        case .passing(let news):
            switch news {
            // Who comes and goes is told only in rooms that are not big. A list that lacks one of them stays wrong, and a role that
            // is told before its bearer is lost.
            case .presence, .ownerAbsent, .ownerBack, .audienceEntered, .audienceLeft: .control
            case .levels, .likes, .count, .network, .pictures, .points: .chatter
            // Nothing tells a camera again that it is wanted.
            case .cameraWanted: .control
            // A connection is told by what writes to it.
            case .dropped: .chatter
            }
        }
    }
}
