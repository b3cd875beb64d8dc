internal import Foundation
internal import NIOCore

extension OvationClient {
    /// What the server says of itself before anybody signs in (`GET /v1/config`): its version.
    package func serverVersion() async throws(OvationError) -> String {
        struct Stated: Decodable { var version: String }
        let answer = try await HTTPExchange(server: server, trustRoots: configuration.trustRoots).get("/v1/config")
        guard answer.status == 200,
            let stated = try? JSONDecoder().decode(Stated.self, from: Data(answer.body.readableBytesView))
        else {
            throw OvationError(.serverUnreachable, "what answers there is no Ovation server (HTTP \(answer.status))")
        }
        return stated.version
    }
}
