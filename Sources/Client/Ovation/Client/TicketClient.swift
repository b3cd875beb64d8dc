internal import Foundation
internal import NIOCore
internal import Platform
internal import RoomModel
internal import SignalProtocol

/// Asks a server for its own tickets (`POST /v1/tickets`, Documentation/build/protocol.md §9).
struct TicketClient: Sendable {
    let server: ServerAddress
    let trustRoots: OvationClient.TrustRoots

    struct Given: Decodable, Sendable {
        var app: ApplicationID
        var user: UserID
        var name: String
        var ticket: String
    }

    /// A ticket under that name.
    func ticket(for name: String) async throws(OvationError) -> Given { try await post(["name": name]) }

    /// A new ticket for the same user, by the old one.
    func renew(_ user: UserID, ticket: String) async throws(OvationError) -> String {
        try await post(["user": user.rawValue, "ticket": ticket]).ticket
    }

    /// A ticket under that name, and what renews it.
    func guest(_ name: String) async throws(OvationError) -> (given: Given, renew: @Sendable () async throws -> String)
    {
        let given = try await ticket(for: name)
        let present = Mutex(given.ticket)
        return (
            given,
            {
                let renewed = try await renew(given.user, ticket: present.withLock { $0 })
                present.withLock { $0 = renewed }
                return renewed
            }
        )
    }

    private func post(_ body: [String: String]) async throws(OvationError) -> Given {
        let answer = try await HTTPExchange(server: server, trustRoots: trustRoots)
            .post("/v1/tickets", SignalText.encode(body))
        // Servers whose tickets come from elsewhere do not have the door.
        if answer.status == 404 { throw OvationError(.signInUnavailable) }
        if let refusal = answer.refusal { throw refusal }
        do { return try JSONDecoder().decode(Given.self, from: Data(answer.body.readableBytesView)) } catch {
            throw OvationError(.invalidAnswer, "the server's ticket cannot be read: \(error)")
        }
    }
}
