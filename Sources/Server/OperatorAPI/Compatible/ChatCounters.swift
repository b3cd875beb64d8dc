import RoomModel
import SignalProtocol

/// What a back end counts with a group (R01): attributes of the room that are whole numbers.
struct ChatCounters: Sendable {
    struct List: Encodable, Sendable {
        struct Line: Encodable, Sendable {
            var Key: String
            var Value: Int64
        }
        var GroupCounter: [Line]
    }

    private enum Mode: String { case set = "Set", increase = "Increase", decrease = "Decrease" }

    let attributes: ChatAttributes

    /// - Returns: those that were named, after the change.
    func change(_ request: ChatRequest) async throws(ChatFailure) -> List {
        let name = try request.optionalText("Mode") ?? Mode.set.rawValue
        guard let mode = Mode(rawValue: name) else { throw .invalid("Mode") }
        var given: [String: Int64] = [:]
        for object in try request.objects("GroupCounter", limit: AttributesDraft.most) {
            guard let key = object["Key"] as? String, !key.isEmpty, let value = wholeNumber(object["Value"]),
                // A decrease is the opposite of its value.
                value != .min, given.updateValue(Int64(value), forKey: key) == nil
            else { throw .invalid("GroupCounter") }
            guard key.utf8.count <= AttributesDraft.nameBytes else {
                throw ChatFailure(10_045, "the key of a counter has up to 32 bytes")
            }
        }
        let draft =
            switch mode {
            case .set: AttributesDraft(set: given.mapValues(String.init))
            case .increase: AttributesDraft(add: given)
            case .decrease: AttributesDraft(add: given.mapValues { -$0 })
            }
        _ = try await attributes.submit(draft, request)
        return try await list(Set(given.keys), request)
    }

    func read(_ request: ChatRequest) async throws(ChatFailure) -> List {
        try await list(request.has("GroupCounterKeys") ? Set(try keys(request)) : nil, request)
    }

    func delete(_ request: ChatRequest) async throws(ChatFailure) -> ChatNothing {
        try await attributes.submit(AttributesDraft(remove: try keys(request)), request)
    }

    private func keys(_ request: ChatRequest) throws(ChatFailure) -> [String] {
        try request.texts("GroupCounterKeys", limit: AttributesDraft.most)
    }

    private func list(_ keys: Set<String>?, _ request: ChatRequest) async throws(ChatFailure) -> List {
        let attributes = try await attributes.read(request).GroupAttrAry
        return List(
            GroupCounter: attributes.compactMap { attribute in
                guard keys?.contains(attribute.key) ?? true else { return nil }
                return Int64(attribute.value).map { List.Line(Key: attribute.key, Value: $0) }
            })
    }
}
