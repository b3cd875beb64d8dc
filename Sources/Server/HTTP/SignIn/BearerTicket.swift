import HTTPTypes
package import Hummingbird
package import RoomModel
import RoomPorts
package import SignalProtocol

/// Who makes a request over HTTP: `Authorization: Bearer <app>:<user>:<ticket>`.
package struct BearerTicket: Sendable {
    package var application: ApplicationID
    package var user: UserID
    package var proof: TicketProof

    package init(_ request: Request, _ signIn: SignIn) async throws(Refusal) {
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
