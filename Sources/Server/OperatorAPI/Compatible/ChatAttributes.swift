import RoomModel
import SignalProtocol

/// What a back end keeps with a group (R01): the attributes of the room.
struct ChatAttributes: Sendable {
    let rooms: OperatorRooms

    /// Those that are there change, others are added.
    func change(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        try await submit(AttributesDraft(set: try given(request)), request)
    }

    /// These and no others.
    func set(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        try await submit(AttributesDraft(set: try given(request), replace: true), request)
    }

    func delete(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        try await submit(AttributesDraft(remove: try request.names("GroupAttr", limit: AttributesDraft.most)), request)
    }

    func clear(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        try await submit(AttributesDraft(replace: true), request)
    }

    struct List: Encodable, Sendable {
        struct Line: Encodable, Sendable {
            var key: String
            var value: String
        }
        var GroupAttrAry: [Line]
    }

    func read(_ request: ChatRequest) async throws(ChatFailure) -> List {
        let overview = try await rooms.overview(of: try request.group(), request)
        let attributes = (overview.attributes ?? [:]).sorted { $0.key < $1.key }
        return List(GroupAttrAry: attributes.map { List.Line(key: $0.key, value: $0.value) })
    }

    func submit(_ draft: AttributesDraft, _ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        do throws(ChatFailure) { return try await rooms.submit(.setAttributes(draft), request) } catch {
            // Too often has a number of its own here.
            throw error.code == 10_023 ? ChatFailure(10_049, error.info) : error
        }
    }

    private func given(_ request: ChatRequest) throws(ChatFailure) -> [String: String] {
        var attributes: [String: String] = [:]
        let objects = try request.objects("GroupAttr", limit: 1_000)
        guard objects.count <= AttributesDraft.most else {
            throw ChatFailure(10_047, "a group has up to 16 attributes")
        }
        for object in objects {
            guard let key = object["key"] as? String, !key.isEmpty, let value = object["value"] as? String,
                attributes.updateValue(value, forKey: key) == nil
            else { throw .invalid("GroupAttr") }
            guard key.utf8.count <= AttributesDraft.nameBytes else {
                throw ChatFailure(10_045, "the key of an attribute has up to 32 bytes")
            }
            guard value.utf8.count <= AttributesDraft.wordsBytes else {
                throw ChatFailure(10_046, "the value of an attribute has up to 4,000 bytes")
            }
        }
        return attributes
    }
}
