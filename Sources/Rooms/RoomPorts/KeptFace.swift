/// A picture of somebody that the server keeps, as people and programs are told of it.
package struct KeptFace: Encodable, Hashable, Sendable {
    package var id: String
    /// What it is for: the name of a `FaceKind`.
    package var kind: String
    /// The address of the middle size, for profiles and rooms: a path of this server.
    package var picture: String
    /// The addresses of all sizes, by their names.
    package var sizes: [String: String]

    package init(id: String, kind: String, picture: String, sizes: [String: String]) {
        self.id = id
        self.kind = kind
        self.picture = picture
        self.sizes = sizes
    }
}
