import Foundation
import RoomModel
import ServerTestSupport
import Synchronization
import Testing

@testable import Ovation

/// Tests against whole servers: one after the other, so that they do not wait for each other's processor time.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveServerTests {}

extension TestServer {
    /// A client that has not signed in.
    func sdk(
        _ configure: (inout OvationClient.Configuration) -> Void = { _ in }
    ) throws -> OvationClient {
        var configuration = OvationClient.Configuration(callTimeout: .seconds(60))
        configuration.audio = .off
        configure(&configuration)
        return OvationClient(server: try ServerAddress("127.0.0.1:\(port)"), configuration: configuration)
    }

    /// A client that is signed in.
    func signIn(
        _ user: UserID, lifetime: Int64 = 86_400,
        renewTicket: (@Sendable () async throws -> String)? = nil
    ) async throws -> OvationClient {
        let client = try sdk { $0.renewTicket = renewTicket }
        try await client.signIn(
            app: ApplicationID(TestServer.application), user: user,
            ticket: try ticket(user.rawValue, lifetime: lifetime), name: user.rawValue.capitalized)
        return client
    }
}

extension EventStream {
    /// The events up to the first that fits, that one included.
    func upTo(_ fits: (Element) -> Bool) async throws -> [Element] {
        var heard: [Element] = []
        for try await event in self {
            heard.append(event)
            if fits(event) { break }
        }
        return heard
    }
}

extension StateChanges {
    /// The first state that fits.
    func first(where fits: (Element) -> Bool) async -> Element? {
        for await state in self where fits(state) { return state }
        return nil
    }
}

/// The name of the error that a call must lead to.
func refusal(_ call: () async throws -> Void) async -> String {
    do {
        try await call()
        return "accepted"
    } catch {
        return (error as? OvationError)?.code.rawValue ?? "\(error)"
    }
}
