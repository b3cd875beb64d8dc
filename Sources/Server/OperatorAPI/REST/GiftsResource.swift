package import Commerce
import HTTP
import Hummingbird
import RoomEvents
package import RoomModel
import RoomPorts
import SignalProtocol
import Synchronization
import Timing

/// The applications' catalogues as they are now.
package final class GiftCatalogues: Sendable {
    private let held = Mutex<[ApplicationID: GiftCatalogue]>([:])

    package init() {}

    package func current(of application: ApplicationID) -> GiftCatalogue {
        held.withLock { $0[application] ?? GiftCatalogue() }
    }

    package func set(_ catalogue: GiftCatalogue, of application: ApplicationID) {
        held.withLock { $0[application] = catalogue }
    }
}

/// What people can give. A change is in force at once; what was given before stays as it was.
struct GiftsResource: Sendable {
    enum Operation: Sendable, Hashable { case list, set, remove }

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))

    let store: any GiftStore
    let catalogues: GiftCatalogues
    /// Changes follow one another, so that the catalogue in use is the one on the disk.
    private let changes = SerialWork()

    init(store: any GiftStore, catalogues: GiftCatalogues) {
        self.store = store
        self.catalogues = catalogues
    }

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        let application = access.application
        switch operation {
        case .list: return HTTPReply.json(GiftsAnswer(gifts: catalogues.current(of: application).gifts))
        case .set:
            try trail.check(.writeGifts, access, "setGift")
            let gift = try Self.gift(parameters)
            if let problem = GiftCatalogue.problem(with: gift) { throw Refusal(.invalid("gift", problem)) }
            try await change(application) { [store] catalogue in
                guard catalogue[gift.id] != nil || catalogue.gifts.count < GiftCatalogue.most else {
                    return .failure(
                        Refusal(
                            RoomError(.permissionDenied, "an application has at most \(GiftCatalogue.most) gifts")))
                }
                do throws(JournalFailure) { try await store.save(gift, of: application) } catch {
                    return .failure(Self.unavailable)
                }
                return .success(())
            }
            trail.note(access, "setGift", detail: gift.audited)
            return HTTPReply.json(gift)
        case .remove:
            try trail.check(.writeGifts, access, "removeGift")
            let id = try parameters.text("gift") ?? ""
            try await change(application) { [store] _ in
                do throws(JournalFailure) {
                    return try await store.remove(id, of: application)
                        ? .success(()) : .failure(Refusal(RoomError(.giftUnknown)))
                } catch { return .failure(Self.unavailable) }
            }
            trail.note(access, "removeGift", detail: ["gift": id])
            return HTTPReply.json(Answer.Empty())
        }
    }

    private func change(
        _ application: ApplicationID,
        _ body: @escaping @Sendable (GiftCatalogue) async -> Result<Void, Refusal>
    ) async throws(Refusal) {
        let result = await changes.run { [store, catalogues] () -> Result<Void, Refusal> in
            let result = await body(catalogues.current(of: application))
            // What is on the disk is what is true, whatever came of the change.
            if let now = try? await store.gifts(of: application) { catalogues.set(now, of: application) }
            return result
        }
        try result.get()
    }

    private static func gift(_ parameters: RESTParameters) throws(Refusal) -> Gift {
        Gift(
            id: try parameters.text("gift") ?? "", name: DirectionMarks.withoutIdle(try parameters.text("name") ?? ""),
            names: (try parameters.textsByName("names") ?? [:]).mapValues(DirectionMarks.withoutIdle),
            price: try parameters.whole("price"), picture: try parameters.text("picture") ?? "",
            isLarge: try parameters.flag("large"))
    }
}
