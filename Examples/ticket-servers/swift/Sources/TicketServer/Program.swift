// A ticket server (TLSSigAPIv2) with Hummingbird and Ovation's library UserSig. See ../README.md.
import Foundation
import HTTPTypes
import Hummingbird
import UserSig

/// What the page asks: a first sign-in by a name, or the renewal of a user's ticket.
struct Question: Decodable {
    var name: String?
    var user: String?
}

struct Answer: ResponseEncodable {
    var app: UInt32
    var user: String
    var name: String
    var ticket: String
    var expiresInSeconds: Int64
}

/// A refusal with a code and a name as Ovation has them; the page shows its own sentence for each.
struct Refusal: ResponseEncodable {
    struct Details: Encodable {
        var code: Int
        var name: String
        var message: String
    }
    var error: Details

    static let notJSON = Refusal(error: .init(code: -32700, name: "parse_error", message: "the body is not JSON"))
    static let tooLarge = Refusal(error: .init(code: 80002, name: "message_too_large", message: "too large"))
    static let notSignedIn = Refusal(error: .init(code: 6014, name: "not_signed_in", message: "sign in first"))
}

/// The defaults of Hummingbird with a smaller limit: questions are short.
struct Context: RequestContext {
    var coreContext: CoreRequestContextStorage
    var maxUploadSize: Int { 16 * 1024 }

    init(source: Source) { coreContext = .init(source: source) }
}

struct Tickets {
    let application: UInt32
    let signer: TicketSigner
    /// Seconds for which a ticket is good.
    let lifetime: Int64

    func answer(_ request: Request, _ context: Context) async throws -> Response {
        do {
            let question = try await request.decode(as: Question.self, context: context)
            guard let (user, name) = visitor(question) else {
                return try respond(.unauthorized, Refusal.notSignedIn, request, context)
            }
            let now = Int64(Date().timeIntervalSince1970)
            let ticket = try signer.ticket(user: user, issuedAt: now, lifetime: lifetime)
            return try respond(
                .ok, Answer(app: application, user: user, name: name, ticket: ticket, expiresInSeconds: lifetime),
                request, context)
        } catch let error as any HTTPResponseError where error.status == .contentTooLarge {
            return try respond(.contentTooLarge, Refusal.tooLarge, request, context)
        } catch let error as any HTTPResponseError where error.status == .badRequest {
            return try respond(.badRequest, Refusal.notJSON, request, context)
        }
    }

    /// Who is asking. Here: whoever gives a name. Put your own session check in its place.
    private func visitor(_ question: Question) -> (user: String, name: String)? {
        let name = (question.name ?? question.user ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let user = name.replacing(/[^A-Za-z0-9_-]/.matchingSemantics(.unicodeScalar), with: "-").prefix(32)
            .trimmingCharacters(in: CharacterSet(charactersIn: "-"))
        return user.isEmpty ? nil : (user, name)
    }

    private func respond(
        _ status: HTTPResponse.Status, _ body: some ResponseEncodable, _ request: Request, _ context: Context
    ) throws -> Response {
        var response = try body.response(from: request, context: context)
        response.status = status
        return response
    }
}

@main
struct Program {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let application = environment["OVATION_APP"].flatMap({ UInt32($0) }),
            let key = environment["OVATION_KEY"],
            let lifetime = Int64(environment["LIFETIME"] ?? "3600"), let port = Int(environment["PORT"] ?? "8090")
        else {
            let complaint = "set OVATION_APP and OVATION_KEY; PORT and LIFETIME are numbers\n"
            FileHandle.standardError.write(Data(complaint.utf8))
            exit(78)  // EX_CONFIG
        }
        let tickets = Tickets(
            application: application, signer: TicketSigner(application: application, key: key), lifetime: lifetime)

        let router = Router(context: Context.self)
        router.add(
            middleware: CORSMiddleware(
                allowOrigin: .oneOf(environment["OVATION_ORIGIN"] ?? "http://localhost:8080"),
                allowHeaders: [.contentType], allowMethods: [.post], allowCredentials: true))
        router.post("/tickets") { try await tickets.answer($0, $1) }
        try await Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port))
        ).runService()
    }
}
