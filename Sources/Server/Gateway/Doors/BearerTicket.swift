import HTTPTypes
import Hummingbird
import RoomModel
import RoomPorts
import SignalProtocol

/// Who makes a request over HTTP: `Authorization: Bearer <app>:<user>:<ticket>`.
struct BearerTicket: Sendable {
    var application: ApplicationID
    var user: UserID
    var proof: TicketProof

    init(_ request: Request, _ signIn: SignIn) async throws(Refusal) {
        let words = (request.headers[.authorization] ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw Refusal(RoomError(.notSignedIn)) }
        let parts = words[1].split(separator: ":", maxSplits: 2)
        guard parts.count == 3, let number = UInt32(parts[0]), let user = UserID(String(parts[1])) else {
            throw Refusal(RoomError(.notSignedIn, "the header is Bearer <app>:<user>:<ticket>"))
        }
        let known = try await signIn.application(ApplicationID(number))
        proof = try signIn.verify(String(parts[2]), of: user, in: known)
        application = known.id
        self.user = user
    }
}
