import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Tells the people in a room and the directory what has changed, and keeps how far they have been told. It gets only what the
/// release queue has let go.
struct RoomAnnouncer {
    private let room: RoomID
    private let dependencies: RoomDependencies
    private var batcher = NewsBatcher()
    private let audience: any Audience
    /// How far the people in the room have been told.
    private(set) var told: (seq: UInt64, chat: UInt64) = (0, 0)
    /// What the directory shows.
    private var listing: RoomListing?
    private var isListingNew = false

    /// - Parameter ready: called from any thread when the audience has caught up.
    init(room: RoomID, dependencies: RoomDependencies, ready: @escaping @Sendable () -> Void) {
        self.room = room
        self.dependencies = dependencies
        audience = dependencies.audience(ready)
    }

    /// A room that has been loaded has told everything that is stored.
    mutating func begin(seq: UInt64, chat: UInt64) { told = (seq, chat) }

    // MARK: People

    mutating func tell(_ announcement: Announcement) {
        switch announcement.news {
        case .change(let change): told.seq = max(told.seq, change.seq)
        case .message(let message): told.chat = max(told.chat, message.chat)
        case .passing, .invitation, .challenge, .restriction: break
        }
        batcher.add(announcement)
    }

    /// From now on the session gets news.
    mutating func welcome(_ session: SessionToken, by outbox: any Outbox) {
        batcher.welcome(session)
        audience.join(session, by: outbox)
    }

    /// From now on it gets none.
    mutating func dismiss(_ session: SessionToken) {
        batcher.dismiss(session)
        audience.leave(session)
    }

    /// When gathered news may leave; `nil` if there are none, or while those before are on their way.
    func departure(_ now: Instant) -> Instant? {
        batcher.isEmpty || audience.isBehind ? nil : batcher.departure(now)
    }

    mutating func send(epoch: UInt64, at now: Instant, sessions: (UserID) -> [SessionToken]) {
        batcher.flush(to: audience, sessions: sessions, room: room, epoch: epoch, at: now)
    }

    // MARK: The directory

    mutating func show(_ listing: RoomListing) {
        isListingNew = isListingNew || self.listing != listing
        self.listing = listing
    }

    /// The part of it that comes and goes; nothing while the directory does not have the room.
    mutating func show(memberCount: Int? = nil, speaking: Bool? = nil) {
        guard var listing else { return }
        if let memberCount { listing.info.memberCount = memberCount }
        if let speaking { listing.info.speaking = speaking }
        show(listing)
    }

    /// Shows the directory what has changed.
    mutating func publish() {
        guard isListingNew, let listing else { return }
        isListingNew = false
        dependencies.publish(listing)
    }

    /// The directory has the room no more.
    func withdraw() { dependencies.publish(nil) }
}
