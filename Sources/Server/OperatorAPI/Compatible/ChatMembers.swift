import RoomModel
import RoomService
import SignalProtocol

/// Who is in a group, and what a back end has marked them with (R01).
struct ChatMembers: Sendable {
    /// Of one call.
    private static let mostMarked = 500

    struct List: Encodable, Sendable {
        struct Line: Encodable, Sendable {
            var Member_Account: UserID
            var NickName: String
            var AvatarUrl: String
            var Marks: [Int]
        }
        var MemberList: [Line]
        /// For the next page; 0 on the last.
        var Timestamp: Int
    }

    let rooms: OperatorRooms

    /// Those who are in the room, a page after the other, in the order in which they came.
    func list(_ request: ChatRequest) async throws(ChatFailure) -> List {
        let room = try request.group()
        let cursor = try request.optionalNumber("Timestamp", in: 0...Int(Int32.max)) ?? 0
        let page = try await rooms.asking { () async throws(Refusal) -> MembersPage in
            let found = try await rooms.find(room, in: request.application)
            return try await rooms.asked {
                await found.members(.everyone(limit: 200, cursor: cursor == 0 ? nil : String(cursor)), reply: $0)
            }
        }
        return List(
            MemberList: page.members.map {
                List.Line(
                    Member_Account: $0.id, NickName: $0.profile.name, AvatarUrl: $0.profile.avatar,
                    Marks: $0.marks ?? [])
            },
            Timestamp: page.cursor.flatMap { Int($0) } ?? 0)
    }

    func mark(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        let room = try request.group()
        let isAdding = try request.number("CommandType", in: 1...2) == 1
        var changes: [MarksChange] = []
        for object in try request.objects("MemberList", limit: Self.mostMarked) {
            guard let user = (object["Member_Account"] as? String).flatMap({ UserID($0) }) else {
                throw .invalid("Member_Account")
            }
            changes.append(MarksChange(of: user, try marks(object["Marks"]), adding: isAdding))
        }
        let wanted = changes
        try await rooms.asking { () async throws(Refusal) in
            let found = try await rooms.find(room, in: request.application)
            try await rooms.asked { await found.mark(wanted, reply: $0) }
        }
        return ChatNothing()
    }

    private func marks(_ value: Any?) throws(ChatFailure) -> [Int] {
        guard let values = value as? [Any], (1...MarksChange.most).contains(values.count) else {
            throw .invalid("Marks")
        }
        var marks: [Int] = []
        for value in values {
            guard let mark = wholeNumber(value), MarksChange.numbers.contains(mark) else { throw .invalid("Marks") }
            marks.append(mark)
        }
        return marks
    }
}
