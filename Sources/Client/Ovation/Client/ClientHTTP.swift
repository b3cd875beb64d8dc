internal import Foundation
internal import NIOCore

/// The HTTP requests of a client, as who is signed in.
struct ClientHTTP: Sendable {
    let server: ServerAddress
    let trustRoots: OvationClient.TrustRoots
    /// Says who is signed in.
    let authorization: @Sendable () async throws(OvationError) -> String

    func exchange(isSignedIn: Bool = true) async throws(OvationError) -> HTTPExchange {
        var exchange = HTTPExchange(server: server, trustRoots: trustRoots)
        if isSignedIn { exchange.authorization = try await authorization() }
        return exchange
    }

    /// Removes something that the server keeps under an id.
    /// - Parameter missing: thrown for what can be no id.
    func delete(_ id: String, under path: String, missing: OvationError.Code) async throws(OvationError) {
        let name = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard !name.isEmpty else { throw OvationError(missing) }
        if let refusal = try await exchange().delete("\(path)/\(name)").refusal { throw refusal }
    }

    static func read<Value: Decodable>(_: Value.Type, of answer: HTTPAnswer) throws(OvationError) -> Value {
        if let refusal = answer.refusal { throw refusal }
        do { return try JSONDecoder().decode(Value.self, from: Data(answer.body.readableBytesView)) } catch {
            throw OvationError(.invalidAnswer, "what the server says cannot be read: \(error)")
        }
    }
}
