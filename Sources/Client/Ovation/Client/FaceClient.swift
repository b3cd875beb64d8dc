internal import Foundation

/// The pictures that a server keeps of a user, and for their rooms.
struct FaceClient: Sendable {
    let http: ClientHTTP

    func upload(_ picture: Data, as kind: Face.Kind, crop: Face.Crop?) async throws(OvationError) -> Face {
        struct Made: Decodable { var face: FaceEntry }
        guard picture.count <= OvationClient.faceBytesMost else { throw OvationError(.faceTooLarge) }
        var query = URLComponents()
        query.queryItems = [URLQueryItem(name: "kind", value: kind.rawValue)]
        if let crop {
            for (name, value) in [("x", crop.x), ("y", crop.y), ("width", crop.width), ("height", crop.height)] {
                query.queryItems?.append(URLQueryItem(name: name, value: String(value)))
            }
        }
        let answer = try await http.exchange().upload(
            "/v1/faces?" + (query.percentEncodedQuery ?? ""), type: Self.type(of: picture), [.bytes(Array(picture))]
        ) { _ in }
        return try ClientHTTP.read(Made.self, of: answer).face.face
    }

    func list() async throws(OvationError) -> [Face] {
        struct List: Decodable { var faces: [FaceEntry] }
        return try ClientHTTP.read(List.self, of: try await http.exchange().get("/v1/faces")).faces.map(\.face)
    }

    func delete(_ id: String) async throws(OvationError) {
        try await http.delete(id, under: "/v1/faces", missing: .faceNotFound)
    }

    /// What the picture is by its first bytes, for proxies on the way; the server looks at the bytes itself.
    private static func type(of picture: Data) -> String {
        if picture.starts(with: [0xFF, 0xD8]) { return "image/jpeg" }
        if picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        return picture.starts(with: Data("RIFF".utf8)) ? "image/webp" : "application/octet-stream"
    }
}

/// A picture as it stands on the wire.
private struct FaceEntry: Decodable {
    var id: String
    var kind: String
    var picture: String
    var sizes: [String: String]

    var face: Face { Face(id: id, kind: Face.Kind(rawValue: kind), picture: picture, sizes: sizes) }
}
