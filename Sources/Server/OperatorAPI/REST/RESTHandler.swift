import Digests
import Foundation
package import HTTP
import HTTPTypes
package import Hummingbird
import NIOCore
import RoomEvents
package import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
package import Signalling
import Texts
import Timing

/// The REST API for operators' programs, `/v1/…`.
package struct RESTHandler: Sendable {
    /// Removes the songs that somebody uploaded, and says how many there were; blocks.
    package typealias EraseSongs = @Sendable (UserID, ApplicationID) throws -> Int

    private static let messagesShown = 1...200

    private let operators: OperatorSignIn
    private let rooms: OperatorRooms
    private let wallets: WalletsResource
    private let gifts: GiftsResource
    private let records: RecordsResource
    private let applications: ApplicationsResource
    private let keys: KeysResource
    private let people: PeopleResource
    private let restrictions: RestrictionsResource
    private let webhooks: WebhooksResource
    private let words: WordsResource
    private let server: ServerResource
    private let trail: OperatorTrail
    private let clock: any TimeSource
    private let kept: KeptAnswers
    private let rates = ProgramRates()
    private let address: @Sendable (Request, HTTPRequestContext) -> ClientAddress
    private let isDraining: @Sendable () -> Bool

    package init(
        _ settings: OperatorSettings, _ operators: OperatorSignIn, _ services: CallDependencies,
        restrictions: OperatorRestrictions,
        eraseSongs: @escaping EraseSongs, faces: PersonFaces,
        address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress,
        isDraining: @escaping @Sendable () -> Bool
    ) {
        let stores = settings.stores
        self.operators = operators
        rooms = OperatorRooms(rooms: services.rooms)
        wallets = WalletsResource(wallets: services.wallets)
        gifts = GiftsResource(store: stores.gifts, catalogues: settings.catalogues)
        records = RecordsResource(records: stores.records, signIn: services.signIn, clock: services.clock)
        applications = ApplicationsResource(
            store: stores.accounts, signIn: services.signIn, people: restrictions.people,
            numbers: settings.firstApplication, changed: settings.applicationChanged)
        keys = KeysResource(
            store: stores.keys, operators: operators, signIn: services.signIn, clock: services.clock)
        words = WordsResource(control: settings.words)
        server = ServerResource(condition: settings.condition)
        webhooks = WebhooksResource(manager: settings.webhooks)
        people = PeopleResource(
            signIn: services.signIn, sessions: restrictions.people, restrictions: restrictions, rooms: rooms,
            personalData: stores.personalData, eraseSongs: eraseSongs, faces: faces,
            signals: services.signals)
        self.restrictions = RestrictionsResource(
            restrictions: restrictions, records: stores.records, clock: services.clock)
        trail = OperatorTrail(stores.audit, clock: services.clock)
        clock = services.clock
        kept = KeptAnswers(clock: services.clock)
        self.address = address
        self.isDraining = isDraining
    }

    package func addRoutes(to router: GatewayRouter) {
        for route in RESTRoute.all {
            router.on(RouterPath("v1/" + route.path), method: route.method) { request, context in
                await respond(route, request, context)
            }
        }
    }

    private func respond(_ route: RESTRoute, _ request: Request, _ context: HTTPRequestContext) async -> Response {
        do throws(Refusal) {
            // The router passes over empty parts, and what was meant as an id would be the next word.
            guard !request.uri.path.contains("//") else {
                throw Refusal(RoomError(.invalidRequest, "a path has no empty parts"))
            }
            let key = try await admit(request, context)
            let body = try await body(of: request, route)
            let parameters = try RESTParameters(route, request, body: body)
            let access = try await access(request, by: key, route)
            guard route.keepsAnswers, let once = try parameters.idempotencyKey() else {
                return try await perform(route, parameters, access)
            }
            let asked = KeptAnswers.Asked(
                method: route.method.rawValue, path: request.uri.path, query: request.uri.query ?? "",
                // Of a picture of some megabytes, what tells it from others.
                body: route.takesPicture ? SHA256.hash(body) : body)
            let program = KeptAnswers.Program(application: access.application, name: access.caller.name)
            return try await kept.answer(to: asked, under: once, of: program) { [self] in
                await answer(route, request, body, access)
            }
        } catch {
            var response = HTTPReply.failure(error)
            if response.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
            return response
        }
    }

    private func answer(
        _ route: RESTRoute, _ request: Request, _ body: [UInt8], _ access: OperatorAccess
    ) async -> KeptAnswers.Answer {
        let response: Response
        do throws(Refusal) {
            response = try await perform(route, try RESTParameters(route, request, body: body), access)
        } catch { response = HTTPReply.failure(error) }
        return await KeptAnswers.Answer(response)
    }

    private func access(
        _ request: Request, by key: OperatorKey, _ route: RESTRoute
    ) async throws(Refusal) -> OperatorAccess {
        switch route.work {
        case .applications, .keys: OperatorAccess(key, key.application ?? .server)
        case .records(.listAudit): try await operators.access(request, by: key, orServer: true)
        default: try await operators.access(request, by: key)
        }
    }

    /// - Returns: the key that the request shows.
    private func admit(_ request: Request, _ context: HTTPRequestContext) async throws(Refusal) -> OperatorKey {
        if isDraining() {
            throw Refusal(RoomError(.unavailable, "the server is going down", retryAfterMs: 5_000))
        }
        let address = address(request, context)
        let key: OperatorKey
        do throws(Refusal) { key = try await operators.key(request, from: address) } catch {
            guard error.error.code == .notSignedIn, let wait = rates.takeWrong(address, now: clock.now) else {
                throw error
            }
            throw Refusal(
                RoomError(.rateLimited, "too many requests without a good key from this address", retryAfterMs: wait))
        }
        if let wait = rates.take(address, now: clock.now) {
            throw Refusal(
                RoomError(.rateLimited, "at most 200 requests a second from one address", retryAfterMs: wait))
        }
        return key
    }

    private func body(of request: Request, _ route: RESTRoute) async throws(Refusal) -> [UInt8] {
        guard route.hasBody else { return [] }
        if route.takesPicture {
            do { return Array(try await request.body.collect(upTo: route.bodyLimit).readableBytesView) } catch {
                throw Refusal(RoomError(.faceTooLarge))
            }
        }
        do throws(BodyFailure) { return try await request.text(upTo: route.bodyLimit, in: .json) } catch {
            throw error.refusal(upTo: route.bodyLimit)
        }
    }

    // MARK: Work

    private func perform(
        _ route: RESTRoute, _ parameters: RESTParameters, _ access: OperatorAccess
    ) async throws(Refusal) -> Response {
        switch route.work {
        case .readRoom:
            let room = try await room(parameters, access)
            return HTTPReply.json(try await rooms.asked { await room.overview(reply: $0) })
        case .readMessages:
            let limit = try parameters.number("limit", in: Self.messagesShown, default: Self.messagesShown.upperBound)
            let room = try await room(parameters, access)
            return HTTPReply.json(
                ["messages": try await rooms.asked { await room.messages(limit, reply: $0) } as [Message]])
        case .listRooms:
            let query = try parameters.payload(RoomQuery.self)
            try trail.check(.readRooms, access, "listRooms")
            do throws(RoomError) { return HTTPReply.json(try rooms.rooms.list(query, of: access.application)) } catch {
                throw Refusal(error)
            }
        case .createRoom: return try await create(parameters, access)
        case .listMembers:
            let query = try parameters.payload(ListMembers.self).query
            let room = try await room(parameters, access)
            return HTTPReply.json(try await rooms.asked { await room.members(query, reply: $0) })
        case .listRestrictions:
            let room = try await room(parameters, access)
            return HTTPReply.json(try await rooms.asked { await room.restrictions(reply: $0) })
        case .removeMember:
            return try await submit(
                try parameters.command(.setRestriction, ["kind": .text("ban"), "seconds": .number(0)]), access)
        case .command(let name): return try await submit(try parameters.command(name), access)
        case .wallets(let operation): return try await wallets.perform(operation, parameters, access, trail)
        case .gifts(let operation): return try await gifts.perform(operation, parameters, access, trail)
        case .records(let operation): return try await records.perform(operation, parameters, access, trail)
        case .words(let operation): return try await words.perform(operation, parameters, access, trail)
        case .readServer: return try await server.read(access, trail)
        case .webhooks(let operation): return try await webhooks.perform(operation, parameters, access, trail)
        case .people(let operation): return try await people.perform(operation, parameters, access, trail)
        case .restrictions(let operation):
            return try await restrictions.perform(operation, parameters, access, trail)
        case .applications(let operation):
            return try await applications.perform(operation, parameters, access, trail)
        case .keys(let operation): return try await keys.perform(operation, parameters, access, trail)
        }
    }

    private func create(
        _ parameters: RESTParameters, _ access: OperatorAccess
    ) async throws(Refusal) -> Response {
        let asked = try parameters.payload(CreateRoom.self)
        try trail.check(.writeRooms, access, "createRoom")
        let owner = try await operators.profile(of: try parameters.user("owner"), in: access.application)
        let overview: RoomOverview = try await rooms.asked {
            await rooms.rooms.found(
                asked.creation, in: access.application, for: owner, by: access.caller, key: asked.key, reply: $0)
        }
        return HTTPReply.json(overview, status: .created)
    }

    private func submit(
        _ asked: (room: RoomID, command: RoomCommand, key: IdempotencyKey?), _ access: OperatorAccess
    ) async throws(Refusal) -> Response {
        HTTPReply.json(
            CommandAnswer(
                try await rooms.submit(
                    asked.command, to: asked.room, in: access.application, by: .operator(access.caller),
                    key: asked.key)))
    }

    /// A room that is to be read.
    private func room(_ parameters: RESTParameters, _ access: OperatorAccess) async throws(Refusal) -> Room {
        try trail.check(.readRooms, access, "readRoom")
        guard let id = parameters.room else { throw Refusal(RoomError(.roomIDInvalid)) }
        return try await rooms.find(id, in: access.application)
    }
}
