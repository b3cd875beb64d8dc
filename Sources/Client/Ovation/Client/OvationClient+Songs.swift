internal import Foundation
internal import NIOCore
public import RoomModel

extension OvationClient {
    /// The songs that the server brings along, for rooms of the kind `chorus`. Nobody needs to be signed in for it.
    public func songs() async throws(OvationError) -> [Song] {
        struct List: Decodable { var songs: [Song] }
        let answer = try await HTTPExchange(server: server, trustRoots: configuration.trustRoots).get("/v1/songs")
        if let refusal = answer.refusal { throw refusal }
        do { return try JSONDecoder().decode(List.self, from: Data(answer.body.readableBytesView)).songs } catch {
            throw OvationError(.invalidAnswer, "the server's list of songs cannot be read: \(error)")
        }
    }
}

extension ServerAddress {
    /// The whole address of what a song, a profile or a room names: paths are relative to the server, other addresses stay.
    public func resolve(_ address: String) -> String {
        if address.contains("://") { return address }
        return description + (address.hasPrefix("/") ? "" : "/") + address
    }
}
