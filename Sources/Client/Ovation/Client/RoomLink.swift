internal import Foundation
public import RoomModel
internal import SignalProtocol

/// A link to a room, as the web app shows and shares it: `https://salon.example/r/48213`.
public struct RoomLink: Sendable, Hashable, CustomStringConvertible {
    /// The server that has the room.
    public let server: ServerAddress
    /// The room's id.
    public let room: RoomID

    /// The link to a room on a server.
    public init(server: ServerAddress, room: RoomID) {
        self.server = server
        self.room = room
    }

    /// Reads a link. What follows the room (`?…`, `#…`) is ignored.
    /// - Throws: `invalid_address` if the text is not the URL of a room.
    public init(_ text: String) throws(OvationError) {
        let whole = text.trimmingCharacters(in: .whitespacesAndNewlines)
        var page = whole.prefix { $0 != "?" && $0 != "#" }
        while page.hasSuffix("/") { page.removeLast() }
        guard page.contains("://"), let mark = page.range(of: "/r/", options: .backwards),
            let room = RoomSlug.room(page[mark.upperBound...])
        else { throw OvationError(.invalidAddress, "\(whole.debugDescription) is not the link of a room") }
        self.init(server: try ServerAddress(String(page[..<mark.lowerBound])), room: room)
    }

    /// An id as it stands in a link, not encoded: `48213` is the number, `~48213` and `my salon` are texts.
    package static func room(_ text: String) -> RoomID? { RoomSlug.id(text) }

    public var description: String { "\(server)/r/\(RoomSlug.slug(room))" }
}
