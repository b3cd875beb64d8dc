package import Commerce
package import RoomModel
package import RoomPorts
package import RoomRules
import Synchronization

/// All that a room needs of the world, chosen by whoever opens it.
package struct RoomDependencies: Sendable {
    package var journal: any RoomJournal
    package var ledger: any Ledger
    /// What can be given.
    package var catalogue: @Sendable () -> GiftCatalogue
    package var moderation: ModerationStores
    package var reach: any PeopleReach
    /// Puts somebody whom a host has banned everywhere out of that host's other rooms.
    package var expelElsewhere: @Sendable (Restriction, _ host: UserID) -> Void
    /// Stops texts; `nil`: none.
    package var filter: @Sendable () -> (any TextFilter)?
    /// Tells operators what happens.
    package var webhooks: any WebhookSink
    /// Looks at messages before they are told.
    package var review: any MessageReview
    package var counters: RoomCounters
    /// What people may have noted and kept for the operator, in all rooms together.
    package var allowances: PersonalAllowances
    package var media: any MediaControl
    package var bus: any EventBus
    /// Another open room, as the directory shows it.
    package var find: @Sendable (RoomID) -> RoomInfo?
    package var clock: any TimeSource
    /// Those who get the room's news.
    package var audience: AudienceMaker
    /// The operator's decisions; asked for each decision, so that they can change while rooms are open.
    package var policy: @Sendable () -> RoomPolicy
    /// Numbers for media peers.
    package var peerNumbers: Serial
    /// What the directory shows of the room: only what is on the disk; `nil` when it is to show it no more. Called before
    /// the answer to the command that changed it.
    package var publish: @Sendable (RoomListing?) -> Void
    /// The room's journal failed: it wants to be loaded anew.
    package var reload: @Sendable () -> Void
    /// The room has ended, or was never really created.
    package var ended: @Sendable () -> Void
    package var report: @Sendable (RoomReport) -> Void
    /// Does work that no turn waits for, in any order.
    package var aside: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Runs what waits for somebody, beside the room.
    package var concurrently: Concurrently

    package init(
        journal: any RoomJournal, ledger: any Ledger, moderation: ModerationStores,
        catalogue: @escaping @Sendable () -> GiftCatalogue = { GiftCatalogue() },
        reach: any PeopleReach = NobodyElsewhere(),
        expelElsewhere: @escaping @Sendable (Restriction, _ host: UserID) -> Void = { _, _ in },
        filter: @escaping @Sendable () -> (any TextFilter)? = { nil },
        webhooks: any WebhookSink = NoWebhooks(), review: any MessageReview = NoWebhooks(),
        counters: RoomCounters = RoomCounters(), allowances: PersonalAllowances = PersonalAllowances(),
        media: any MediaControl, bus: any EventBus, clock: any TimeSource,
        audience: @escaping AudienceMaker,
        policy: @escaping @Sendable () -> RoomPolicy, peerNumbers: Serial,
        find: @escaping @Sendable (RoomID) -> RoomInfo? = { _ in nil },
        publish: @escaping @Sendable (RoomListing?) -> Void = { _ in }, reload: @escaping @Sendable () -> Void = {},
        ended: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (RoomReport) -> Void = { _ in },
        aside: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
        concurrently: @escaping Concurrently = inTask
    ) {
        self.journal = journal
        self.ledger = ledger
        self.catalogue = catalogue
        self.moderation = moderation
        self.reach = reach
        self.expelElsewhere = expelElsewhere
        self.filter = filter
        self.webhooks = webhooks
        self.review = review
        self.counters = counters
        self.allowances = allowances
        self.media = media
        self.bus = bus
        self.find = find
        self.clock = clock
        self.audience = audience
        self.policy = policy
        self.peerNumbers = peerNumbers
        self.publish = publish
        self.reload = reload
        self.ended = ended
        self.report = report
        self.aside = aside
        self.concurrently = concurrently
    }
}

/// What the operator should read in the log.
package enum RoomReport: Hashable, Sendable {
    case journalFailed(RoomKey, JournalFailure)
    /// The room's journal cannot be read; the room stays closed and untouched.
    case damaged(RoomKey, String)
    /// A mistake of ours: a decision that could not be applied.
    case inapplicable(RoomKey, String)
    /// The media plane did not confirm a cut in time.
    case cutUnconfirmed(RoomKey)
}

/// Numbers that are never given twice while the process lives.
package final class Serial: Sendable {
    private let last = Mutex<UInt64>(0)
    package init() {}
    package func next() -> UInt64 {
        last.withLock {
            $0 += 1
            return $0
        }
    }
}

/// Where what waits for somebody runs. It returns at once.
package typealias Concurrently = @Sendable (@escaping @Sendable () async -> Void) -> Void

/// Unstructured on purpose: what is begun here ends by itself, and nobody waits for it.
package let inTask: Concurrently = { work in Task { await work() } }
