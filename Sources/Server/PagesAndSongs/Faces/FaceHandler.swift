package import HTTP
import HTTPGrammar
import HTTPTypes
package import Hummingbird
import NIOCore
import NIOPosix
package import RoomModel
package import RoomPorts
package import SignalProtocol
import Timing

/// Pictures of people and for their rooms over HTTP: sent, listed, removed, and shown.
package final class FaceHandler: Sendable {
    /// Somebody tries a few pictures and a few cuts of them; then one every 20 s, a second of a processor's time each.
    private static let allowance = Allowance(burst: 8, perSecond: 0.05)

    package let library: FaceLibrary
    private let signIn: SignIn
    private let clock: any TimeSource
    private let rewrite: @Sendable (_ picture: [UInt8], PictureOrder) async -> PictureFinding
    private let uploads: Uploads
    private let rates = SharedBuckets<FaceLibrary.Owner>(allowance)

    /// - Parameters:
    ///   - rewrite: reads a stranger's picture and writes it anew.
    ///   - pause: lets time pass between two looks at an upload.
    package init(
        library: FaceLibrary, signIn: SignIn, limits: UploadLimits = .faces, clock: any TimeSource,
        rewrite: @escaping @Sendable (_ picture: [UInt8], PictureOrder) async -> PictureFinding,
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.library = library
        self.signIn = signIn
        self.clock = clock
        self.rewrite = rewrite
        uploads = Uploads(limits, clock: clock, pause: pause)
    }

    /// - Parameter address: where a request comes from.
    package func addRoutes(
        to router: GatewayRouter, address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress
    ) {
        router.get("v1/faces") { request, _ in await self.list(request) }
        router.post("v1/faces") { request, context in await self.upload(request, from: address(request, context)) }
        router.delete("v1/faces/{id}") { request, context in
            await self.remove(context.parameters.get("id") ?? "", request)
        }
        router.get("faces/{app}/{id}/{file}") { request, context in await self.file(request, context) }
    }

    private struct List: Encodable { var faces: [KeptFace] }
    private struct Made: Encodable { var face: KeptFace }

    // MARK: One's own

    private func list(_ request: Request) async -> Response {
        do throws(Refusal) {
            let owner = try await owner(request)
            return HTTPReply.json(List(faces: library.all(of: owner)))
        } catch { return HTTPReply.failure(error) }
    }

    func upload(_ request: Request, from address: ClientAddress) async -> Response {
        do throws(Refusal) {
            let owner = try await owner(request)
            let query = request.uri.queryParameters
            let order = try FaceOrder(
                Dictionary(
                    FaceOrder.parameters.compactMap { name in query[name[...]].map { (name, String($0)) } },
                    uniquingKeysWith: { first, _ in first }))
            let length = try statedLength(request)
            // Before a place, which others want; taken with the place, so that who finds none has lost nothing.
            try checkRate(rates.wait(owner, now: clock.now))
            let place = try library.reserve(for: owner)
            defer { library.release(place) }
            let made: [[UInt8]]
            do {
                made = try await uploads.take(of: owner.user, in: owner.application, from: address, length: length) {
                    received in
                    try self.checkRate(self.rates.take(owner, now: self.clock.now))
                    return try await self.read(try await self.picture(request, received), order)
                }
            } catch let refusal as Refusal { throw refusal } catch is Uploads.NoSlot {
                throw Refusal(RoomError(.unavailable, "too many uploads at once: try again", retryAfterMs: 3_000))
            } catch {
                return error is UploadWatch.TooSlow ? Self.tooSlow : HTTPReply.failure(Self.brokenOff)
            }
            // An upload takes minutes: whoever was banned meanwhile leaves nothing behind.
            _ = try await self.owner(request)
            return HTTPReply.json(Made(face: try await keep(made, as: order.kind, in: place)), status: .created)
        } catch { return HTTPReply.failure(error) }
    }

    /// Refuses at once what is too large if its sender waits with it, or if it would not be read to its end; who sends a little too much
    /// hears of it behind the body, where the answer is not lost.
    private func statedLength(_ request: Request) throws(Refusal) -> Int? {
        let length = request.headers[.contentLength].flatMap { Int($0) }
        if let length, length > uploads.limits.body,
            request.headers[.expect] != nil || length > uploads.limits.body + uploads.limits.readOn
        {
            throw Self.tooLarge
        }
        return length
    }

    /// - Parameter wait: milliseconds until one more may come; `nil` if it may now.
    private func checkRate(_ wait: Int?) throws(Refusal) {
        guard let wait else { return }
        throw Refusal(RoomError(.rateLimited, "a picture at a time, and not many", retryAfterMs: wait))
    }

    private func remove(_ id: String, _ request: Request) async -> Response {
        do throws(Refusal) {
            let owner = try await owner(request)
            let isGone: Bool
            do {
                isGone = try await NIOThreadPool.singleton.runIfActive { [library] in
                    try library.remove(id, of: owner)
                }
            } catch { throw Refusal(RoomError(.unavailable, retryAfterMs: 500)) }
            guard isGone else { throw Refusal(RoomError(.faceNotFound)) }
            return HTTPReply.json([String: String]())
        } catch { return HTTPReply.failure(error) }
    }

    private func owner(_ request: Request) async throws(Refusal) -> FaceLibrary.Owner {
        let bearer = try await BearerTicket(request, signIn)
        return FaceLibrary.Owner(application: bearer.application, user: bearer.user)
    }

    // MARK: Keeping

    /// For a person whom an operator's program names.
    /// - Parameter query: as in the address of an upload.
    package func keep(
        _ picture: [UInt8], _ query: [String: String], of user: UserID, in application: ApplicationID
    ) async throws(Refusal) -> KeptFace {
        let order = try FaceOrder(query)
        guard picture.count <= uploads.limits.body else { throw Self.tooLarge }
        let place = try library.reserve(for: FaceLibrary.Owner(application: application, user: user))
        defer { library.release(place) }
        return try await keep(try await read(picture, order), as: order.kind, in: place)
    }

    /// - Returns: a JPEG for each size of the kind.
    private func read(_ picture: [UInt8], _ order: FaceOrder) async throws(Refusal) -> [[UInt8]] {
        switch await rewrite(picture, order.picture) {
        case .pictures(let made):
            guard made.count == order.kind.sizes.count else { throw Refusal(RoomError(.internalError)) }
            return made
        case .unreadable:
            let least = PictureOrder.photographLeastSide
            throw Refusal(
                RoomError(
                    .faceFormat,
                    "this is no JPEG, PNG or still WebP that can be read, or fewer than \(least) pixels a side are used"
                ))
        case .tooLarge: throw Self.tooLarge
        case .noLibrary(let what): throw Refusal(RoomError(.uploadsUnavailable, "pictures cannot be read: \(what)"))
        case .unavailable: throw Refusal(RoomError(.uploadsUnavailable))
        case .busy:
            throw Refusal(RoomError(.unavailable, "many pictures wait to be read: try again", retryAfterMs: 3_000))
        }
    }

    private func keep(
        _ pictures: [[UInt8]], as kind: FaceKind, in place: FaceLibrary.Place
    ) async throws(Refusal) -> KeptFace {
        let time = clock.wallTime.millisecondsSince1970
        do {
            return try await NIOThreadPool.singleton.runIfActive { [library] in
                try library.keep(pictures, as: kind, in: place, at: time)
            }
        } catch let refusal as Refusal { throw refusal } catch { throw Refusal(RoomError(.unavailable)) }
    }

    private func picture(_ request: Request, _ received: UploadProgress) async throws -> [UInt8] {
        var picture: [UInt8] = []
        try await uploads.read(request.body, received, tooLarge: Self.tooLarge) { picture += $0.readableBytesView }
        return picture
    }

    // MARK: Showing

    /// A picture that somebody keeps; it never changes. Without a sign-in: who has its address has been shown it.
    private func file(_ request: Request, _ context: HTTPRequestContext) async -> Response {
        let name = request.uri.path.dropFirst("/faces/".count)
        guard let path = library.file(name) else { return Self.nothing }
        var shown = UploadedFile(name, type: "image/jpeg")
        // Apps of other sites show people too.
        shown.headers[.accessControlAllowOrigin] = "*"
        shown.headers[.crossOriginResourcePolicy] = "cross-origin"
        if let known = shown.known(to: request) { return known }
        // Removed by hand, it is gone.
        guard let body = try? await FileIO().loadFile(path: path, context: context) else { return Self.nothing }
        return Response(status: .ok, headers: shown.headers, body: body)
    }

    private static let nothing = HTTPReply.failure(
        code: 404, name: "not_found", message: "there is no such picture, or it has been removed", status: .notFound)
    private static let tooLarge = Refusal(RoomError(.faceTooLarge))
    private static let brokenOff = Refusal(RoomError(.invalidRequest, "the body broke off"))
    private static let tooSlow = HTTPReply.failure(
        code: -3, name: "timeout", message: "the upload was too slow and was ended", status: .requestTimeout)
}
