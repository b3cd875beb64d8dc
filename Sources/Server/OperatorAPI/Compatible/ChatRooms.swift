import RoomEvents
import RoomModel
import RoomService
import SignalProtocol

/// An answer that says no more than that it went well.
struct ChatNothing: Encodable, Sendable {}

// What the calls of the chat REST API ask of rooms.
extension OperatorRooms {
    func asking<Value: Sendable>(
        _ body: () async throws(Refusal) -> Value
    ) async throws(ChatFailure) -> Value {
        do throws(Refusal) { return try await body() } catch { throw ChatFailure(error) }
    }

    @discardableResult
    func submit(_ command: RoomCommand, _ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        let room = try request.group()
        _ = try await asking { () async throws(Refusal) in
            try await submit(command, to: room, in: request.application, by: .operator(request.caller))
        }
        return ChatNothing()
    }

    func overview(of room: RoomID, _ request: ChatRequest) async throws(ChatFailure) -> RoomOverview {
        try await asking { () async throws(Refusal) -> RoomOverview in
            let found = try await find(room, in: request.application)
            return try await asked { await found.overview(reply: $0) }
        }
    }
}
