import RoomEvents
import RoomModel
import RoomPorts
import RoomService
import SignalProtocol

/// What operators' programs ask of rooms, whichever way they come.
struct OperatorRooms: Sendable {
    let rooms: RoomDirectory

    func find(_ id: RoomID, in application: ApplicationID) async throws(Refusal) -> Room {
        do throws(RoomError) {
            return try await rooms.room(RoomKey(application: application, room: id))
        } catch {
            throw Refusal(error)
        }
    }

    func submit(
        _ command: RoomCommand, to id: RoomID, in application: ApplicationID, by caller: Caller,
        key: IdempotencyKey? = nil
    ) async throws(Refusal) -> CommandOutcome {
        let room = try await find(id, in: application)
        return try await asked { await room.submit(command, by: caller, key: key, reply: $0) }
    }

    /// All open rooms of an application, page by page, one after the other.
    func forEach(
        in application: ApplicationID, _ body: (RoomInfo) async throws(Refusal) -> Void
    ) async throws(Refusal) {
        var query = RoomQuery(limit: 100)
        repeat {
            let page: RoomPage
            do throws(RoomError) { page = try rooms.list(query, of: application) } catch { throw Refusal(error) }
            for info in page.rooms { try await body(info) }
            query.cursor = page.cursor
        } while query.cursor != nil
    }

    /// Asks a room, which answers in its turn.
    func asked<Value: Sendable>(
        _ ask: @escaping @Sendable (@escaping Reply<Value>) async -> Void
    ) async throws(Refusal) -> Value {
        let result: Result<Value, RoomError> = await withCheckedContinuation { continuation in
            Task { await ask { continuation.resume(returning: $0) } }
        }
        do throws(RoomError) { return try result.get() } catch { throw Refusal(error) }
    }
}
