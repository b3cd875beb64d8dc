import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Tells the people in a room and the directory what has changed. It gets only what the release queue has let go.
struct RoomAnnouncer {
    private let room: RoomID
    private let dependencies: RoomDependencies
    private var batcher = NewsBatcher()
    private let audience: any Audience
    /// What the directory shows.
    private var listing: RoomListing?
    private var isListingNew = false

    /// - Parameter ready: called from any thread when the audience has caught up.
    init(room: RoomID, dependencies: RoomDependencies, ready: @escaping @Sendable () -> Void) {
        self.room = room
        self.dependencies = dependencies
        audience = dependencies.audience(ready)
    }

    // MARK: People

    mutating func tell(_ announcement: Announcement) { batcher.add(announcement) }

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
