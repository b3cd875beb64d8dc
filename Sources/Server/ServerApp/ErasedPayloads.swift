import RoomModel
import RoomPorts
import RoomService
import Webhooks

/// What the store keeps as bytes, for whoever erases a person there.
struct ErasedPayloads: StoredPayloads {
    func command(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) throws -> [UInt8] {
        try StoredRooms.command(payload, erasing: user, isEnded: isEnded)
    }

    func snapshot(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) throws -> [UInt8] {
        try StoredRooms.snapshot(payload, erasing: user, isEnded: isEnded)
    }

    func news(_ payload: [UInt8], erasing user: UserID, isEnded: Bool) -> [UInt8] {
        ErasedNews.without(user, in: payload, isOver: isEnded)
    }
}
