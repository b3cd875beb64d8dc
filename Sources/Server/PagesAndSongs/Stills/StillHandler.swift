package import HTTP
import HTTPTypes
import Hummingbird
import RoomModel
import RoomPorts
package import RoomService
import SignalProtocol

/// Shows pictures of rooms over HTTP.
package struct StillHandler: Sendable {
    private let rooms: RoomDirectory
    private let cards: ShareCards
    /// Where the drawn pictures are.
    private let pages: PageHandler?

    package init(rooms: RoomDirectory, cards: ShareCards, pages: PageHandler?) {
        self.rooms = rooms
        self.cards = cards
        self.pages = pages
    }

    package func addRoutes(to router: GatewayRouter) {
        router.get("v1/rooms/{room}/still/{file}") { request, _ in still(request) }
        router.get("v1/rooms/{room}/card/{file}") { request, _ in await card(request) }
    }

    /// What a room looks like now. Who has its number has read the list. It is kept no longer than it may be shown, and its address
    /// never means another picture.
    private func still(_ request: Request) -> Response {
        guard let (still, _, _) = shownStill(request) else { return Self.noStill }
        return picture(still.jpeg)
    }

    /// The same as messengers show it beside the room's link. Who asks too late, or where no picture can be read, gets a drawn one.
    private func card(_ request: Request) async -> Response {
        if let (still, number, room) = shownStill(request),
            let card = await cards.card(of: still, number: number, in: room)
        {
            return picture(card)
        }
        let parts = request.uri.path.split(separator: "/")
        guard let room = RoomSlug.room(parts[2]), let drawn = pages?.drawnCard(of: room) else { return Self.noStill }
        return Response(status: .found, headers: [.location: drawn, .cacheControl: "no-cache"])
    }

    private func shownStill(_ request: Request) -> (StillPicture, Int64, RoomID)? {
        let parts = request.uri.path.split(separator: "/")
        guard parts.count == 5, parts[4].hasSuffix(".jpg"), let number = Int64(parts[4].dropLast(4)),
            let room = RoomSlug.room(parts[2]), let still = rooms.still(number, of: room)
        else { return nil }
        return (still, number, room)
    }

    private static let noStill = HTTPReply.failure(
        code: 404, name: "not_found", message: "there is no such still, or it is shown no more", status: .notFound)

    private func picture(_ jpeg: [UInt8]) -> Response {
        HTTPReply.bytes(
            jpeg, type: "image/jpeg",
            headers: [
                .cacheControl: "public, max-age=60, immutable",
                // Apps of other sites show rooms too.
                .accessControlAllowOrigin: "*", .crossOriginResourcePolicy: "cross-origin",
            ])
    }
}
