import Digests
import Foundation
package import HTTP
import HTTPTypes
package import Hummingbird
import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
package import Signalling
import Texts
import Timing

/// The published room API (L15; references.md): `POST /` with the action in `X-TC-Action`, signed. For back ends that call
/// it already, by a client library or by hand, who change the host's name.
package struct RoomAPIHandler: Sendable {
    /// What the actions take is short.
    private static let bodyLimit = 64 << 10
    /// As documented: so many of one action a second.
    private static let perSecond = Allowance(burst: 20, perSecond: 20)
    private static let version = "2019-07-22"
    /// As documented.
    private static let mostUsers = 10

    private enum Action: String {
        case dismissRoom = "DismissRoom"
        case dismissRoomByText = "DismissRoomByStrRoomId"
        case removeUser = "RemoveUser"
        case removeUserByText = "RemoveUserByStrRoomId"

        var hasTextID: Bool { self == .dismissRoomByText || self == .removeUserByText }
    }

    private struct Rated: Hashable {
        var key: String
        var action: Action
    }

    private let operators: OperatorSignIn
    private let signIn: SignIn
    private let rooms: OperatorRooms
    private let clock: any TimeSource
    private let rates: ProgramRates
    private let address: @Sendable (Request, HTTPRequestContext) -> ClientAddress
    private let perAction = SharedBuckets<Rated>(RoomAPIHandler.perSecond)

    package init(
        _ operators: OperatorSignIn, _ services: CallDependencies, rates: ProgramRates,
        address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress
    ) {
        self.operators = operators
        signIn = services.signIn
        rooms = OperatorRooms(rooms: services.rooms)
        clock = services.clock
        self.rates = rates
        self.address = address
    }

    package func addRoutes(to router: GatewayRouter) {
        router.post("") { request, context in await respond(request, context) }
    }

    private func respond(_ request: Request, _ context: HTTPRequestContext) async -> Response {
        do throws(RoomAPIFailure) {
            let (address, tooMany) = (
                address(request, context),
                RoomAPIFailure("RequestLimitExceeded", "too many requests from this address")
            )
            let (action, body, key): (Action, [UInt8], OperatorKey)
            do throws(RoomAPIFailure) {
                (action, body, key) = try await asked(request)
            } catch {
                throw rates.takeWrong(address, now: clock.now) == nil ? error : tooMany
            }
            if rates.take(address, now: clock.now) != nil { throw tooMany }
            if perAction.take(Rated(key: key.id, action: action), now: clock.now) != nil {
                throw RoomAPIFailure("RequestLimitExceeded", "an action may be asked for 20 times a second")
            }
            try await perform(action, try RoomAPICall(body), by: key)
            return HTTPReply.json(RoomAPIReply(nil))
        } catch {
            return HTTPReply.json(RoomAPIReply(error))
        }
    }

    private func asked(_ request: Request) async throws(RoomAPIFailure) -> (Action, [UInt8], OperatorKey) {
        guard let name = Self.header("X-TC-Action", request) else {
            throw RoomAPIFailure("MissingParameter", "X-TC-Action is missing")
        }
        guard let action = Action(rawValue: name) else {
            throw RoomAPIFailure("InvalidAction", "there is no action \(name.prefix(80)) here")
        }
        guard Self.header("X-TC-Version", request) == Self.version else {
            throw RoomAPIFailure("NoSuchVersion", "X-TC-Version is \(Self.version)")
        }
        let body: [UInt8]
        do throws(BodyFailure) { body = try await request.text(upTo: Self.bodyLimit, in: .json) } catch {
            switch error {
            case .tooLarge: throw RoomAPIFailure("RequestSizeLimitExceeded", "a body has at most 64 KiB")
            case .tooManyMarks: throw RoomAPIFailure("InvalidParameter", RequestText.refusal.error.message)
            case .notUTF8: throw RoomAPIFailure("InvalidParameter", "the body is no JSON in UTF-8")
            }
        }
        return (action, body, try await signer(request, body))
    }

    private static func header(_ name: String, _ request: Request) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }

    // MARK: Who calls

    private func signer(_ request: Request, _ body: [UInt8]) async throws(RoomAPIFailure) -> OperatorKey {
        guard HTTPReply.isType(request, "application/json") else {
            throw RoomAPIFailure("InvalidParameter", "the body is application/json")
        }
        guard let signature = request.headers[.authorization].flatMap({ TC3Signature($0) }) else {
            throw RoomAPIFailure(
                "AuthFailure.InvalidAuthorization", "sign by TC3-HMAC-SHA256, content-type and host included")
        }
        let call = TC3Call(request, body: body)
        guard signature.isFresh(call, now: clock.wallTime.secondsSince1970) else {
            throw RoomAPIFailure(
                "AuthFailure.SignatureExpire", "X-TC-Timestamp is more than five minutes off, or of another day")
        }
        let key: OperatorKey?
        do throws(Refusal) { key = try await operators.key(id: signature.secretID) } catch {
            throw RoomAPIFailure(error)
        }
        guard let key else {
            throw RoomAPIFailure("AuthFailure.SecretIdNotFound", "there is no such SecretId (see: ovation key list)")
        }
        guard signature.isRight(call, secret: TC3Signature.secret(digest: key.digest)) else {
            throw RoomAPIFailure(
                "AuthFailure.SignatureFailure", "the signature is not that of this call by this SecretId")
        }
        return key
    }

    // MARK: Work

    private func perform(_ action: Action, _ call: RoomAPICall, by key: OperatorKey) async throws(RoomAPIFailure) {
        let application = try call.application()
        guard key.application == nil || key.application == application else {
            throw RoomAPIFailure("UnauthorizedOperation.SdkAppId", "the SecretId is for another application")
        }
        do throws(Refusal) { _ = try await signIn.application(application) } catch { throw RoomAPIFailure(error) }
        let room = try call.room(text: action.hasTextID)
        let caller = Caller.operator(Operator(UserID.program(key.name), scopes: key.scopes))
        switch action {
        case .dismissRoom, .dismissRoomByText:
            do throws(Refusal) {
                _ = try await rooms.submit(.destroyRoom, to: room, in: application, by: caller)
            } catch {
                throw RoomAPIFailure(error)
            }
        case .removeUser, .removeUserByText:
            for user in try call.users(limit: Self.mostUsers) {
                do throws(Refusal) {
                    let removal = RestrictionDraft(.ban, of: user, seconds: 0)
                    _ = try await rooms.submit(.setRestriction(removal), to: room, in: application, by: caller)
                } catch {
                    // Who has left is out.
                    if error.error.code != .userNotInRoom { throw RoomAPIFailure(error) }
                }
            }
        }
    }
}
