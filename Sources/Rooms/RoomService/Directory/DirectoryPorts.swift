package import Commerce
package import RoomModel
package import RoomPorts
package import RoomRules

/// What the directory and its rooms need of the world. What an application decides for itself is asked for each time.
package struct DirectoryPorts: Sendable {
    package var journal: any RoomJournal
    package var ledger: any Ledger
    package var moderation: ModerationStores
    package var media: any MediaControl
    package var bus: any EventBus
    package var clock: any TimeSource
    package var audience: AudienceMaker
    package var policy: @Sendable (ApplicationID) -> RoomPolicy
    package var catalogue: @Sendable (ApplicationID) -> GiftCatalogue
    package var reach: any PeopleReach
    package var filter: @Sendable (ApplicationID) -> (any TextFilter)?
    package var webhooks: any WebhookSink
    package var review: any MessageReview
    package var report: @Sendable (RoomReport) -> Void

    package init(
        journal: any RoomJournal, ledger: any Ledger, moderation: ModerationStores, media: any MediaControl,
        bus: any EventBus, clock: any TimeSource, audience: @escaping AudienceMaker,
        policy: @escaping @Sendable (ApplicationID) -> RoomPolicy = { _ in RoomPolicy() },
        catalogue: @escaping @Sendable (ApplicationID) -> GiftCatalogue = { _ in GiftCatalogue() },
        reach: any PeopleReach = NobodyElsewhere(),
        filter: @escaping @Sendable (ApplicationID) -> (any TextFilter)? = { _ in nil },
        webhooks: any WebhookSink = NoWebhooks(), review: any MessageReview = NoWebhooks(),
        report: @escaping @Sendable (RoomReport) -> Void = { _ in }
    ) {
        self.journal = journal
        self.ledger = ledger
        self.moderation = moderation
        self.media = media
        self.bus = bus
        self.clock = clock
        self.audience = audience
        self.policy = policy
        self.catalogue = catalogue
        self.reach = reach
        self.filter = filter
        self.webhooks = webhooks
        self.review = review
        self.report = report
    }
}
