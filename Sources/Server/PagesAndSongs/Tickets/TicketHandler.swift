import Foundation
package import HTTP
import HTTPTypes
package import Hummingbird
import RoomModel
import SignalProtocol
import Texts

/// Gives tickets to people who have no account, over HTTP.
package struct TicketHandler: Sendable {
    /// Bodies that are read are a name or a ticket.
    private static let bodyLimit = 16 << 10

    private let issuer: TicketIssuer?
    private let origins: OriginRule
    private let address: @Sendable (Request, HTTPRequestContext) -> ClientAddress

    /// - Parameter issuer: `nil`: this server makes no tickets.
    package init(
        issuer: TicketIssuer?, origins: OriginRule,
        address: @escaping @Sendable (Request, HTTPRequestContext) -> ClientAddress
    ) {
        self.issuer = issuer
        self.origins = origins
        self.address = address
    }

    package func addRoutes(to router: GatewayRouter) {
        router.post("v1/tickets") { request, context in await answer(request, context) }
    }

    private struct TicketRequest: Decodable {
        var name: String?
        var user: String?
        var ticket: String?
    }

    private func answer(_ request: Request, _ context: HTTPRequestContext) async -> Response {
        let address = address(request, context)
        guard let issuer, issuer.serves(address) else {
            return HTTPReply.failure(
                code: 404, name: "not_found", message: "this server makes no tickets here", status: .notFound)
        }
        // A foreign page can send a form here, but not one of this type without asking first (CORS), and not under our origin.
        guard HTTPReply.isType(request, "application/json") else {
            return HTTPReply.failure(
                code: 415, name: "unsupported_media_type", message: "send application/json",
                status: .unsupportedMediaType)
        }
        guard origins.allows(origin: request.headers[.origin], host: request.head.authority) else {
            return HTTPReply.originRefused
        }
        let body: [UInt8]
        do throws(BodyFailure) { body = try await request.text(upTo: Self.bodyLimit, in: .json) } catch {
            return HTTPReply.failure(error.refusal(upTo: Self.bodyLimit))
        }
        do throws(Refusal) {
            guard let wanted = try? JSONDecoder().decode(TicketRequest.self, from: Data(body)) else {
                throw Refusal(RoomError(.invalidRequest, "the body is {\"name\"} or {\"user\",\"ticket\"}"))
            }
            if let user = wanted.user, let ticket = wanted.ticket {
                return HTTPReply.json(try await issuer.renew(user: user, ticket: ticket))
            }
            guard let name = wanted.name else { throw Refusal(.invalid("name", "the parameter name is missing")) }
            return HTTPReply.json(try await issuer.issue(name: name, to: address))
        } catch {
            return HTTPReply.failure(error)
        }
    }
}
