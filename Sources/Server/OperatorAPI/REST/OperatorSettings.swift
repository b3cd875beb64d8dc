package import RoomModel
package import RoomPorts

/// What the gateway knows of operators' programs.
package struct OperatorSettings: Sendable {
    package var stores: OperatorStores
    package var catalogues: GiftCatalogues
    package var webhooks: any WebhookControl
    package var words: any WordControl
    package var condition: ServerCondition
    /// From where on new applications get the next free number.
    package var firstApplication: ApplicationID
    /// Takes an application as it is now into force.
    package var applicationChanged: @Sendable (RoomPorts.Application) -> Void

    package init(
        stores: OperatorStores, catalogues: GiftCatalogues, webhooks: any WebhookControl,
        words: any WordControl, condition: ServerCondition, firstApplication: ApplicationID,
        applicationChanged: @escaping @Sendable (RoomPorts.Application) -> Void
    ) {
        self.stores = stores
        self.catalogues = catalogues
        self.webhooks = webhooks
        self.words = words
        self.condition = condition
        self.firstApplication = firstApplication
        self.applicationChanged = applicationChanged
    }
}
