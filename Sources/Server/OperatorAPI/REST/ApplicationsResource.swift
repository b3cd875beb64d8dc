import HTTP
import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import SignalProtocol
import Signalling
import Timing

/// Applications and their secret keys (A01, A05, V20). A change is in force when the answer comes.
struct ApplicationsResource: Sendable {
    enum Operation: Sendable, Hashable { case list, create, configure, addKey, dropKey }

    /// An application without its secrets.
    private struct Entry: Encodable {
        var app: UInt32
        var name: String
        /// How many are good.
        var keys: Int
        var consent: String
        var secondSession: String
        var roomKeys: String
        var admins: [UserID]
        /// The one that was just made. It is told this once.
        var key: String?

        init(_ application: RoomPorts.Application, key: String? = nil) {
            app = application.id.rawValue
            name = application.name
            keys = application.keys.count
            consent = application.settings.consent.rawValue
            secondSession = application.settings.secondSession.rawValue
            roomKeys = application.settings.roomKeys.rawValue
            admins = application.settings.admins
            self.key = key
        }
    }

    private static let unavailable = Refusal(RoomError(.unavailable, retryAfterMs: 500))

    private let store: any AccountStore
    private let signIn: SignIn
    private let people: PersonSessions
    private let numbers: ApplicationID
    private let changed: @Sendable (RoomPorts.Application) -> Void
    /// Changes follow one another, so that none is made from what another has changed meanwhile.
    private let changes = SerialWork()

    /// - Parameters:
    ///   - numbers: from where on applications get the next free one.
    ///   - changed: takes what the disk has now into force.
    init(
        store: any AccountStore, signIn: SignIn, people: PersonSessions, numbers: ApplicationID,
        changed: @escaping @Sendable (RoomPorts.Application) -> Void
    ) {
        self.store = store
        self.signIn = signIn
        self.people = people
        self.numbers = numbers
        self.changed = changed
    }

    func perform(
        _ operation: Operation, _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        switch operation {
        case .list: return try await list(access, trail)
        case .create: return try await create(parameters, access, trail)
        case .configure:
            let change = try Self.change(parameters)
            let application = try await self.change(parameters, access, trail, "configureApplication") {
                application throws(RoomPorts.Application.Fault) in try application.apply(change)
            }
            return HTTPReply.json(Entry(application))
        case .addKey:
            let secret = ApplicationKey.make()
            let application = try await change(parameters, access, trail, "addApplicationKey") {
                application throws(RoomPorts.Application.Fault) in try application.add(key: secret)
            }
            return HTTPReply.json(Entry(application, key: secret), status: .created)
        case .dropKey:
            let application = try await change(parameters, access, trail, "dropApplicationKey") {
                application throws(RoomPorts.Application.Fault) in try application.dropOlderKey()
            }
            await people.endTickets(of: application, now: signIn.clock.now)
            return HTTPReply.json(Entry(application))
        }
    }

    private func list(_ access: OperatorAccess, _ trail: OperatorTrail) async throws(Refusal) -> Response {
        try trail.check(.manageApplications, access, "listApplications")
        let all: [RoomPorts.Application]
        do throws(JournalFailure) { all = try await store.applications() } catch { throw Self.unavailable }
        let seen = all.filter { access.reaches($0.id) }.sorted { $0.id.rawValue < $1.id.rawValue }
        return HTTPReply.json(["applications": seen.map { Entry($0) }])
    }

    private func create(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail
    ) async throws(Refusal) -> Response {
        try trail.check(.manageApplications, access, "createApplication")
        guard access.key.application == nil else { throw OperatorSignIn.otherApplication }
        let change = try Self.change(parameters)
        guard change.name != nil else { throw Refusal(.invalid("name", "the parameter name is missing")) }
        let asked = try parameters.application()
        let secret = ApplicationKey.make()
        let result = await changes.run { [store, numbers] () -> Result<RoomPorts.Application, Refusal> in
            do throws(JournalFailure) {
                let taken = Set(try await store.applications().map(\.id))
                guard taken.count < RoomPorts.Application.most else {
                    return .failure(
                        Refusal(
                            RoomError(
                                .permissionDenied, "there are \(RoomPorts.Application.most) applications already")))
                }
                if let asked, taken.contains(asked) {
                    return .failure(Refusal(.invalid("app", "there is an application \(asked.rawValue) already")))
                }
                guard let id = asked ?? RoomPorts.Application.nextID(from: numbers, taken: taken) else {
                    return .failure(Refusal(RoomError(.internalError)))
                }
                var application = RoomPorts.Application(id: id, name: "", keys: [secret])
                do throws(RoomPorts.Application.Fault) { try application.apply(change) } catch {
                    return .failure(Self.refusal(error))
                }
                try await store.save(application)
                return .success(application)
            } catch { return .failure(Self.unavailable) }
        }
        let application = try result.get()
        changed(application)
        signIn.forget(application.id)
        trail.note(
            OperatorAccess(access.key, application.id), "createApplication", detail: ["name": application.name])
        return HTTPReply.json(Entry(application, key: secret), status: .created)
    }

    private func change(
        _ parameters: RESTParameters, _ access: OperatorAccess, _ trail: OperatorTrail, _ action: String,
        _ body: @escaping @Sendable (inout RoomPorts.Application) throws(RoomPorts.Application.Fault) -> Void
    ) async throws(Refusal) -> RoomPorts.Application {
        guard let id = try parameters.application() else { throw Refusal(RoomError(.appUnknown)) }
        try trail.check(.manageApplications, access, action)
        guard access.reaches(id) else { throw OperatorSignIn.otherApplication }
        let result = await changes.run { [store, signIn, changed] () -> Result<RoomPorts.Application, Refusal> in
            do throws(JournalFailure) {
                guard var application = try await store.application(id) else {
                    return .failure(Refusal(RoomError(.appUnknown)))
                }
                do throws(RoomPorts.Application.Fault) { try body(&application) } catch {
                    return .failure(Self.refusal(error))
                }
                try await store.save(application)
                changed(application)
                signIn.forget(id)
                return .success(application)
            } catch { return .failure(Self.unavailable) }
        }
        let application = try result.get()
        trail.note(
            OperatorAccess(access.key, id), action,
            detail: application.audited)
        return application
    }

    private static func change(_ parameters: RESTParameters) throws(Refusal) -> ApplicationChange {
        typealias Settings = RoomPorts.Application.Settings
        var change = ApplicationChange(
            name: try parameters.text("name"), consent: try parameters.choice("consent", Settings.Consent.self),
            secondSession: try parameters.choice("secondSession", Settings.SecondSession.self),
            roomKeys: try parameters.choice("roomKeys", Settings.RoomKeys.self))
        if let names = try parameters.texts("admins") {
            var admins: [UserID] = []
            for name in names {
                guard let admin = UserID(name) else { throw Refusal(RoomError(.userIDInvalid, field: "admins")) }
                admins.append(admin)
            }
            change.admins = admins
        }
        return change
    }

    private static func refusal(_ fault: RoomPorts.Application.Fault) -> Refusal {
        switch fault {
        case .name: Refusal(.invalid("name", fault.message))
        case .admins: Refusal(.invalid("admins", fault.message))
        case .hasTwoKeys, .hasOneKey: Refusal(RoomError(.permissionDenied, fault.message))
        }
    }
}
