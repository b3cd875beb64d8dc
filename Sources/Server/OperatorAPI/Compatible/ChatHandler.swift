import Foundation
package import HTTP
package import Hummingbird
import NIOCore
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol
package import Signalling
import Texts
import Timing

/// The published chat REST API (references.md), `/v4/<service>/<command>`: for back ends that call it already, who change the host's name
/// (R01). Everything is answered with the status 200, as documented; what is wrong stands in `ErrorCode`.
package struct ChatHandler: Sendable {
    /// The documented size of a request.
    private static let bodyLimit = 93_000
    /// As documented: so many of one call a second.
    private static let perSecond = Allowance(burst: 200, perSecond: 200)

    private struct Rated: Hashable {
        var application: ApplicationID
        var command: String
    }

    private let signIn: SignIn
    private let commands: ChatCommands
    private let clock: any TimeSource
    private let rates: ProgramRates
    private let address: @Sendable (Request, HTTPRequestContext) -> ClientAddress
    private let perCommand = SharedBuckets<Rated>(ChatHandler.perSecond)

    package init(
        _ services: CallDependencies, restrictions: OperatorRestrictions, rates: ProgramRates,
        address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress
    ) {
        signIn = services.signIn
        clock = services.clock
        commands = ChatCommands(
            rooms: OperatorRooms(rooms: services.rooms), signIn: services.signIn, signals: services.signals,
            standing: restrictions, clock: services.clock)
        self.rates = rates
        self.address = address
    }

    package func addRoutes(to router: GatewayRouter) {
        router.post("v4/**") { request, context in await respond(request, context) }
    }

    private func respond(_ request: Request, _ context: HTTPRequestContext) async -> Response {
        do throws(ChatFailure) {
            let (address, tooMany) = (
                address(request, context), ChatFailure(60_007, "too many requests from this address")
            )
            let (name, application, admin): (ChatCommands.Name, ApplicationID, UserID)
            do throws(ChatFailure) {
                (name, application, admin) = try await caller(request)
            } catch {
                throw rates.takeWrong(address, now: clock.now) == nil ? error : tooMany
            }
            if rates.take(address, now: clock.now) != nil { throw tooMany }
            let call = try await read(request, by: admin, of: application)
            let rated = Rated(application: call.application, command: name.rawValue)
            if perCommand.take(rated, now: clock.now) != nil {
                throw ChatFailure(60_007, "a call may be made 200 times a second")
            }
            return Self.reply(try await commands.perform(name, call))
        } catch {
            return Self.failed(error)
        }
    }

    private static func reply(_ more: some Encodable & Sendable) -> Response { HTTPReply.json(ChatReply(more: more)) }

    private static func failed(_ failure: ChatFailure) -> Response {
        HTTPReply.json(
            ChatReply<Answer.Empty>(status: "FAIL", info: failure.info, code: failure.code, more: nil))
    }

    // MARK: Who calls

    private func caller(
        _ request: Request
    ) async throws(ChatFailure) -> (ChatCommands.Name, ApplicationID, UserID) {
        let path = request.uri.path.split(separator: "/").dropFirst().joined(separator: "/")
        guard let name = ChatCommands.Name(rawValue: path) else {
            throw ChatFailure(60_002, "there is no call \(path.prefix(80)) here")
        }
        let query = request.uri.queryParameters
        guard let number = query["sdkappid"] else { throw ChatFailure(60_012, "sdkappid is missing") }
        guard let number = UInt32(number) else { throw ChatFailure(60_006, "sdkappid is no number") }
        guard let identifier = query["identifier"].flatMap({ UserID(String($0)) }) else {
            throw ChatFailure(60_004, "identifier is missing or wrong")
        }
        guard let ticket = query["usersig"].map(String.init), !ticket.isEmpty else {
            throw ChatFailure(60_005, "usersig is missing")
        }
        let application: RoomPorts.Application
        do throws(Refusal) {
            application = try await signIn.application(ApplicationID(number))
        } catch {
            throw error.error.code == .appUnknown
                ? ChatFailure(60_006, "there is no such sdkappid") : ChatFailure(error)
        }
        do throws(Refusal) { _ = try signIn.verify(ticket, of: identifier, in: application) } catch {
            throw Self.ticketFailure(error.error)
        }
        guard application.settings.admins.contains(identifier) else {
            throw ChatFailure(60_010, "\(identifier.rawValue) is no admin of the application (ovation app configure)")
        }
        return (name, application.id, identifier)
    }

    private func read(
        _ request: Request, by admin: UserID, of application: ApplicationID
    ) async throws(ChatFailure) -> ChatRequest {
        let body = try await body(of: request)
        let known: [UserProfile]
        do throws(Refusal) { known = try await signIn.profiles([admin], in: application) } catch {
            throw ChatFailure(error)
        }
        return ChatRequest(
            application: application, admin: known.first?.brief ?? UserProfile(id: admin), body: body.fields)
    }

    /// Read on one thread, and handed on there.
    private struct Body {
        var fields: [String: Any]
    }

    private func body(of request: Request) async throws(ChatFailure) -> Body {
        let bytes: [UInt8]
        do throws(BodyFailure) { bytes = try await request.text(upTo: Self.bodyLimit, in: .json) } catch {
            switch error {
            case .tooLarge: throw ChatFailure(60_003, "a request has at most \(Self.bodyLimit) bytes")
            case .tooManyMarks: throw ChatFailure(60_003, RequestText.refusal.error.message)
            case .notUTF8: throw ChatFailure(60_003, "the body is no JSON in UTF-8")
            }
        }
        guard let fields = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw ChatFailure(60_003, "the body is no JSON object")
        }
        return Body(fields: fields)
    }

    private static func ticketFailure(_ error: RoomError) -> ChatFailure {
        let code =
            switch (error.code, error.reason) {
            case (.ticketExpired, _): 70_001
            case (_, "malformed"): 70_003
            case (_, "user"): 70_013
            case (_, "app"): 70_014
            default: 70_009
            }
        return ChatFailure(code, error.message)
    }
}
