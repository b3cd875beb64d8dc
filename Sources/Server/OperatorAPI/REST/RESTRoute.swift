import HTTPTypes
import RoomModel
import RoomPorts
import SignalProtocol

/// One operation of the REST API. Most are a call of the signalling protocol, whose parameters come out of path, query and body.
struct RESTRoute: Sendable {
    enum Work: Sendable, Hashable {
        case command(RoomCommand.Name)
        case listRooms
        case createRoom
        case listMembers
        case listRestrictions
        /// A room as an operator sees it.
        case readRoom
        /// The last messages of a room.
        case readMessages
        /// Puts somebody out, who may come back.
        case removeMember
        case wallets(WalletsResource.Operation)
        case gifts(GiftsResource.Operation)
        case records(RecordsResource.Operation)
        case applications(ApplicationsResource.Operation)
        case keys(KeysResource.Operation)
        case people(PeopleResource.Operation)
        case restrictions(RestrictionsResource.Operation)
        case webhooks(WebhooksResource.Operation)
        case words(WordsResource.Operation)
        /// What the whole server carries.
        case readServer
    }

    let method: HTTPRequest.Method
    /// Below `/v1/`, with the names of its parameters in braces.
    let path: String
    let work: Work
    /// What may stand in the query, and whether it is a number.
    var query: [String: Bool] = [:]
    /// Bytes of a body.
    var bodyLimit = RESTParameters.bodyLimit
    /// Whether the body is a picture instead of JSON.
    var takesPicture = false

    /// As the manual writes it.
    var title: String { "\(method.rawValue) /v1/\(path)" }

    /// Methods with a body.
    var hasBody: Bool { method == .post || method == .put || method == .patch }

    /// Without a body nothing is asked for.
    var needsBody: Bool { hasBody && !Self.bodiless.contains(path) }

    /// Changes something that neither a room nor the ledger remembers under an `Idempotency-Key`.
    var keepsAnswers: Bool {
        switch work {
        // The room remembers a command, and who created it.
        case .command, .createRoom, .removeMember, .wallets: false
        default: method != .get
        }
    }

    private static let bodiless: Set = [
        "webhooks/{webhook}/test", "webhooks/{webhook}/replay", "applications/{app}/keys",
    ]

    /// Commands say their own paths.
    static let all = RoomCommand.Name.allCases.compactMap { RESTRoute($0) } + others

    private static let others: [RESTRoute] = [
        RESTRoute(
            method: .get, path: "rooms", work: .listRooms,
            query: ["kind": false, "query": false, "tag": false, "order": false, "cursor": false, "limit": true]),
        RESTRoute(method: .post, path: "rooms", work: .createRoom),
        RESTRoute(method: .get, path: "rooms/{room}", work: .readRoom),
        RESTRoute(
            method: .get, path: "rooms/{room}/members", work: .listMembers,
            query: ["cursor": false, "limit": true]),
        RESTRoute(method: .delete, path: "rooms/{room}/members/{user}", work: .removeMember),
        RESTRoute(method: .get, path: "rooms/{room}/messages", work: .readMessages, query: ["limit": true]),
        RESTRoute(method: .get, path: "rooms/{room}/restrictions", work: .listRestrictions),
        RESTRoute(method: .get, path: "users/{user}", work: .people(.read)),
        RESTRoute(method: .patch, path: "users/{user}", work: .people(.configure)),
        RESTRoute(method: .delete, path: "users/{user}", work: .people(.erase)),
        RESTRoute(method: .delete, path: "users/{user}/sessions", work: .people(.signOut)),
        RESTRoute(
            method: .post, path: "users/{user}/face", work: .people(.setFace),
            query: Dictionary(uniqueKeysWithValues: PersonFaces.parameters.map { ($0, false) }),
            bodyLimit: PictureOrder.photographBytes, takesPicture: true),
        RESTRoute(method: .delete, path: "users/{user}/face", work: .people(.removeFaces)),
        RESTRoute(method: .post, path: "users/{user}/signals", work: .people(.signal)),
        RESTRoute(method: .put, path: "users/{user}/restrictions/{kind}", work: .restrictions(.set)),
        RESTRoute(method: .delete, path: "users/{user}/restrictions/{kind}", work: .restrictions(.lift)),
        RESTRoute(
            method: .get, path: "restrictions", work: .restrictions(.list),
            query: ["kind": false, "cursor": true, "limit": true]),
        RESTRoute(method: .get, path: "users/{user}/wallet", work: .wallets(.read)),
        RESTRoute(
            method: .get, path: "users/{user}/statement", work: .wallets(.readStatement),
            query: ["account": false, "cursor": false, "limit": true]),
        RESTRoute(method: .post, path: "users/{user}/top-ups", work: .wallets(.topUp)),
        RESTRoute(method: .post, path: "users/{user}/refunds", work: .wallets(.refund)),
        RESTRoute(method: .get, path: "ledger", work: .wallets(.readLedger)),
        RESTRoute(method: .get, path: "gifts", work: .gifts(.list)),
        RESTRoute(method: .put, path: "gifts/{gift}", work: .gifts(.set)),
        RESTRoute(method: .delete, path: "gifts/{gift}", work: .gifts(.remove)),
        RESTRoute(
            method: .get, path: "reports", work: .records(.listReports),
            query: ["all": false, "cursor": true, "limit": true]),
        RESTRoute(method: .put, path: "reports/{report}/settlement", work: .records(.settleReport)),
        RESTRoute(
            method: .get, path: "audit", work: .records(.listAudit),
            query: ["cursor": true, "limit": true, "room": false, "user": false]),
        RESTRoute(
            method: .get, path: "words", work: .words(.list), query: ["cursor": false, "limit": true]),
        RESTRoute(method: .post, path: "words", work: .words(.change), bodyLimit: 1 << 20),
        RESTRoute(method: .post, path: "words/check", work: .words(.check)),
        RESTRoute(method: .get, path: "server", work: .readServer),
        RESTRoute(method: .get, path: "webhooks", work: .webhooks(.list)),
        RESTRoute(method: .post, path: "webhooks", work: .webhooks(.add)),
        RESTRoute(method: .patch, path: "webhooks/{webhook}", work: .webhooks(.change)),
        RESTRoute(method: .delete, path: "webhooks/{webhook}", work: .webhooks(.remove)),
        RESTRoute(method: .post, path: "webhooks/{webhook}/test", work: .webhooks(.test)),
        RESTRoute(
            method: .get, path: "webhooks/{webhook}/dead", work: .webhooks(.listDead),
            query: ["cursor": true, "limit": true]),
        RESTRoute(method: .post, path: "webhooks/{webhook}/replay", work: .webhooks(.replay)),
        RESTRoute(method: .get, path: "applications", work: .applications(.list)),
        RESTRoute(method: .post, path: "applications", work: .applications(.create)),
        RESTRoute(method: .patch, path: "applications/{app}", work: .applications(.configure)),
        RESTRoute(method: .post, path: "applications/{app}/keys", work: .applications(.addKey)),
        RESTRoute(method: .delete, path: "applications/{app}/keys/older", work: .applications(.dropKey)),
        RESTRoute(method: .get, path: "key", work: .keys(.readOwn)),
        RESTRoute(method: .get, path: "keys", work: .keys(.list)),
        RESTRoute(method: .post, path: "keys", work: .keys(.create)),
        RESTRoute(method: .delete, path: "keys/{id}", work: .keys(.revoke)),
    ]
}

extension RESTRoute {
    fileprivate init?(_ command: RoomCommand.Name) {
        guard let place = command.type.operatorPath else { return nil }
        self.init(
            method: HTTPRequest.Method(place.method), path: place.path, work: .command(command), query: place.query)
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: OperatorPath.Method) {
        self =
            switch method {
            case .post: .post
            case .put: .put
            case .patch: .patch
            case .delete: .delete
            }
    }
}
