import RoomModel
import RoomPorts
import SignalProtocol

/// What is wanted of a picture that is sent, as the query says it: `kind`, and the part, in parts of the upright picture's sides.
struct FaceOrder: Hashable, Sendable {
    static let parameters = ["kind", "x", "y", "width", "height"]
    /// What the rounding of decimals may be too much.
    private static let rounding = 0.000_001

    let kind: FaceKind
    private let part: PictureOrder.Part

    /// - Parameter query: the parameters that are there.
    /// - Throws: `invalid_params` with the field.
    init(_ query: [String: String]) throws(Refusal) {
        guard let kind = query["kind"].flatMap({ FaceKind.named($0) }) else {
            let names = FaceKind.all.map(\.name).joined(separator: ", ")
            throw Refusal(.invalid("kind", "kind is one of \(names)"))
        }
        var part = PictureOrder.Part(across: kind.across, down: kind.down)
        if Self.parameters.dropFirst().contains(where: { query[$0] != nil }) {
            part.left = try Self.millionths("x", query)
            part.top = try Self.millionths("y", query)
            part.width = try Self.millionths("width", query, upTo: 1 - Double(part.left) / 1_000_000)
            part.height = try Self.millionths("height", query, upTo: 1 - Double(part.top) / 1_000_000)
            for (name, length) in [("width", part.width), ("height", part.height)] where length == 0 {
                throw Refusal(.invalid(name, "\(name) is more than 0"))
            }
        }
        self.kind = kind
        self.part = part
    }

    private static func millionths(
        _ name: String, _ query: [String: String], upTo limit: Double = 1
    ) throws(Refusal) -> Int {
        guard let value = query[name].flatMap({ Double($0) }), value >= 0, value <= limit + rounding else {
            throw Refusal(
                .invalid(name, "x, y, width and height are given together, from 0 to 1, and stay within the picture"))
        }
        return Int((min(value, limit) * Double(PictureOrder.Part.whole)).rounded())
    }

    var picture: PictureOrder {
        PictureOrder(
            .photograph, crop: .part(part), sizes: kind.sizes.map { PictureOrder.Size(side: $0.side, bytes: $0.bytes) })
    }
}
