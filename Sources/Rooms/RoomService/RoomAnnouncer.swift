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
    /// How far the people in the room have been told.
    private(set) var told: (seq: UInt64, chat: UInt64) = (0, 0)
    /// What the directory shows.
    private var listing: RoomListing?
    private var isListingNew = false

    init(room: RoomID, dependencies: RoomDependencies) {
        self.room = room
        self.dependencies = dependencies
    }

    /// A room that has been loaded has told everything that is stored.
    mutating func begin(seq: UInt64, chat: UInt64) { told = (seq, chat) }

    // MARK: People

    mutating func tell(_ announcement: Announcement) {
        switch announcement.news {
        case .change(let change): told.seq = max(told.seq, change.seq)
        case .message(let message): told.chat = max(told.chat, message.chat)
        case .passing, .invitation, .challenge: break
        }
        batcher.add(announcement)
    }

    /// From now on the session gets news.
    mutating func welcome(_ session: SessionToken) { batcher.welcome(session) }

    /// When gathered news may leave; `nil` if there are none.
    func departure(_ now: Instant) -> Instant? { batcher.isEmpty ? nil : batcher.departure(now) }

    mutating func send(to sessions: [SessionToken: Attendance.Session], epoch: UInt64, at now: Instant) {
        batcher.flush(to: sessions, room: room, epoch: epoch, by: dependencies.encoder, at: now)
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
