import RoomPorts

/// What a picture is for that somebody sends to be kept: its proportions and its sizes. All else is the same for every kind.
package struct FaceKind: Hashable, Sendable {
    package struct Size: Hashable, Sendable {
        package let name: String
        /// Of the longer side, in pixels. A smaller picture stays as it is.
        let side: Int
        /// The most: what a page that shows it loads.
        let bytes: Int
    }

    package let name: String
    /// Width and height of what comes out.
    let across: Int
    let down: Int
    /// From the largest on.
    package let sizes: [Size]

    /// A person: 48 points on a screen of two pixels a point, a card, a profile.
    package static let avatar = FaceKind(
        name: "avatar", across: 1, down: 1,
        sizes: [
            Size(name: "large", side: 640, bytes: 128 << 10), Size(name: "medium", side: 256, bytes: 32 << 10),
            Size(name: "small", side: 96, bytes: 8 << 10),
        ])
    /// A room: a line of a list, a card of the lobby, a whole page.
    package static let cover = FaceKind(
        name: "cover", across: 16, down: 9,
        sizes: [
            Size(name: "large", side: 1_280, bytes: 224 << 10), Size(name: "medium", side: 640, bytes: 80 << 10),
            Size(name: "small", side: 320, bytes: 24 << 10),
        ])
    package static let all = [avatar, cover]

    /// The size whose address stands for the picture.
    private static let usual = "medium"

    static func named(_ name: some StringProtocol) -> FaceKind? { all.first { $0.name == name } }

    func hasSize(_ name: some StringProtocol) -> Bool { sizes.contains { $0.name == name } }

    /// - Parameter folder: the address that the files stand below, without a slash at the end.
    func kept(_ id: String, under folder: String) -> KeptFace {
        let addresses = sizes.map { ($0.name, "\(folder)/\(FaceFiles.file($0))") }
        let sizes = Dictionary(uniqueKeysWithValues: addresses)
        return KeptFace(id: id, kind: name, picture: sizes[Self.usual] ?? "", sizes: sizes)
    }
}
