package import NIOCore
import RoomModel
import RoomPorts
import Synchronization

/// What rooms and sessions have for the connections of one event loop. Whoever has something posts it from any thread, in its turn and
/// without waiting; the loop takes up what was posted in that order, and multiplies a room's news by those of its listeners whose
/// connections it has. A room's turn costs a post for each loop, however many listen.
package final class LoopHub: Sendable {
    enum Post: Sendable {
        case control(SocketConnection, WaitingFrames.Control)
        case chatter(SocketConnection, EncodedFrame)
        case forgetChatter(SocketConnection, of: RoomID)
        case close(SocketConnection, SocketCloseReason)
        case join(RoomAudience, SessionToken, SocketConnection)
        case leave(RoomAudience, SessionToken)
        case publish(RoomAudience, PublishedNews)
    }

    /// Connections that are written to before the loop looks after what they send.
    static let writtenAtOnce = 512

    private struct Mailbox {
        var posts: [Post] = []
        /// The loop has been asked to take up what is posted, and has not come to the end of it.
        var isWoken = false
    }

    private let loop: any EventLoop
    private let mailbox = Mutex(Mailbox())
    private let work: NIOLoopBoundBox<HubWork>

    package init(_ loop: any EventLoop) {
        self.loop = loop
        work = NIOLoopBoundBox.makeBoxSendingValue(HubWork(), eventLoop: loop)
    }

    func post(_ post: Post) {
        let wakes = mailbox.withLock { mailbox in
            mailbox.posts.append(post)
            defer { mailbox.isWoken = true }
            return !mailbox.isWoken
        }
        if wakes { loop.execute { self.takeUp() } }
    }

    private func takeUp() {
        let work = work.value
        var budget = Self.writtenAtOnce
        while budget > 0 {
            if work.isDone {
                let posts = mailbox.withLock { mailbox in
                    let posts = mailbox.posts
                    mailbox.posts = []
                    if posts.isEmpty { mailbox.isWoken = false }
                    return posts
                }
                guard !posts.isEmpty else { return work.writeOut() }
                work.begin(posts)
            }
            work.go(on: &budget)
        }
        work.writeOut()
        loop.execute { self.takeUp() }
    }
}

/// News that are multiplied, as each connection gets them.
struct PublishedNews: Sendable {
    private(set) var control: EncodedFrame?
    private(set) var chatter: EncodedFrame?
    /// Both frames, as they leave where nothing waits.
    let bytes: ByteBuffer
    var recipients: Recipients

    init(_ news: [LaneNews], to recipients: Recipients) {
        self.recipients = recipients
        for part in news {
            switch part.lane {
            case .control: control = EncodedFrame(part.news)
            case .chatter: chatter = EncodedFrame(part.news)
            }
        }
        guard let control, var rest = chatter?.bytes else {
            bytes = control?.bytes ?? chatter?.bytes ?? ByteBuffer()
            return
        }
        var both = control.bytes
        both.writeBuffer(&rest)
        bytes = both
    }
}

/// The hubs of a server's event loops.
final class LoopHubs: Sendable {
    private let hubs = Mutex<[ObjectIdentifier: LoopHub]>([:])

    func hub(of loop: any EventLoop) -> LoopHub {
        hubs.withLock { hubs in
            if let hub = hubs[ObjectIdentifier(loop)] { return hub }
            let hub = LoopHub(loop)
            hubs[ObjectIdentifier(loop)] = hub
            return hub
        }
    }
}

/// The loop's own side of a hub: who listens to which room, and what it is at.
final class HubWork {
    private var rooms: [UInt64: RoomListeners] = [:]
    private var posts: ArraySlice<LoopHub.Post> = []
    /// How far the news at the front of `posts` have come.
    private var published = 0
    /// Connections that have something waiting which has not been tried.
    private var filled: [ConnectionHandler] = []

    var isDone: Bool { posts.isEmpty }

    func begin(_ posts: [LoopHub.Post]) {
        self.posts = posts[...]
        published = 0
    }

    /// - Parameter budget: connections that may be written to; takes off those that were.
    func go(on budget: inout Int) {
        while budget > 0, let post = posts.first {
            switch post {
            case .control(let connection, let waiting):
                budget -= 1
                fill(connection) { $0.wait(waiting) }
            case .chatter(let connection, let frame):
                budget -= 1
                fill(connection) { $0.wait(chatter: frame) }
            case .forgetChatter(let connection, let room): connection.handler?.forgetChatter(of: room)
            case .close(let connection, let reason): connection.handler?.close(reason)
            case .join(let audience, let session, let connection):
                guard let handler = connection.handler else { break }
                rooms[audience.number, default: RoomListeners()].add(session, handler)
            case .leave(let audience, let session):
                rooms[audience.number]?.remove(session)
                if rooms[audience.number]?.isEmpty == true { rooms[audience.number] = nil }
            case .publish(let audience, let news):
                guard multiply(news, audience, &budget) else { return }
                audience.hasTakenUp()
            }
            posts.removeFirst()
            published = 0
        }
    }

    /// Returns whether everybody has it.
    private func multiply(_ news: PublishedNews, _ audience: RoomAudience, _ budget: inout Int) -> Bool {
        guard let listeners = rooms[audience.number] else { return true }
        switch news.recipients {
        case .only(let sessions):
            for session in sessions {
                guard let handler = listeners.handler(of: session) else { continue }
                budget -= 1
                deliver(news, to: handler)
            }
            return true
        case .everybody(let except):
            let end = min(listeners.count, published + max(1, budget))
            for index in published..<end {
                let listener = listeners[index]
                if except.isEmpty || !except.contains(listener.session) { deliver(news, to: listener.handler) }
            }
            budget -= end - published
            published = end
            return end == listeners.count
        }
    }

    private func deliver(_ news: PublishedNews, to handler: ConnectionHandler) {
        handler.deliver(news)
        noteFilled(handler)
    }

    private func fill(_ connection: SocketConnection, _ put: (ConnectionHandler) -> Void) {
        guard let handler = connection.handler else { return }
        put(handler)
        noteFilled(handler)
    }

    private func noteFilled(_ handler: ConnectionHandler) {
        if handler.noteFilled() { filled.append(handler) }
    }

    /// Lets the connections write what waits.
    func writeOut() {
        for handler in filled { handler.writeOut() }
        filled.removeAll(keepingCapacity: true)
    }
}

/// Those of a room's listeners who are connected to one event loop. Their order means nothing.
struct RoomListeners {
    struct Listener {
        let session: SessionToken
        let handler: ConnectionHandler
    }

    private var listeners: ContiguousArray<Listener> = []
    private var places: [SessionToken: Int] = [:]

    var isEmpty: Bool { listeners.isEmpty }
    var count: Int { listeners.count }
    subscript(_ index: Int) -> Listener { listeners[index] }

    func handler(of session: SessionToken) -> ConnectionHandler? { places[session].map { listeners[$0].handler } }

    mutating func add(_ session: SessionToken, _ handler: ConnectionHandler) {
        let listener = Listener(session: session, handler: handler)
        if let place = places[session] {
            listeners[place] = listener
        } else {
            places[session] = listeners.count
            listeners.append(listener)
        }
    }

    mutating func remove(_ session: SessionToken) {
        guard let place = places.removeValue(forKey: session) else { return }
        let last = listeners.removeLast()
        guard place < listeners.count else { return }
        listeners[place] = last
        places[last.session] = place
    }
}
