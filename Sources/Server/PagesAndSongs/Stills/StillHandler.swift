package import HTTP
import HTTPTypes
package import Hummingbird
import RoomModel
package import RoomService
import SignalProtocol

/// Shows pictures of rooms over HTTP.
package struct StillHandler: Sendable {
    private let rooms: RoomDirectory

    package init(rooms: RoomDirectory) { self.rooms = rooms }

    package func addRoutes(to router: GatewayRouter) {
        router.get("v1/rooms/{room}/still/{file}") { request, _ in answer(request) }
    }

    /// What a room looks like now. Who has its number has read the list. It is kept no longer than it may be shown, and its address
    /// never means another picture.
    private func answer(_ request: Request) -> Response {
        let parts = request.uri.path.split(separator: "/")
        guard parts.count == 5, parts[3] == "still", parts[4].hasSuffix(".jpg"),
            let number = Int64(parts[4].dropLast(4)),
            let room = RoomSlug.room(parts[2]), let still = rooms.still(number, of: room)
        else {
            return HTTPReply.failure(
                code: 404, name: "not_found", message: "there is no such still, or it is shown no more",
                status: .notFound)
        }
        return HTTPReply.bytes(
            still.jpeg, type: "image/jpeg",
            headers: [
                .cacheControl: "public, max-age=60, immutable",
                // Apps of other sites show rooms too.
                .accessControlAllowOrigin: "*", .crossOriginResourcePolicy: "cross-origin",
            ])
    }
}
