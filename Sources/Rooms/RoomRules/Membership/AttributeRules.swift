import RoomModel

extension DurableRoomState {
    /// R01: what an app keeps with the room. Only what is different afterwards is told.
    func setAttributes(_ draft: AttributesDraft, _ context: DecisionContext) throws(RoomError) -> Decision {
        guard draft.set.count <= AttributesDraft.most, draft.remove.count <= AttributesDraft.most else {
            throw RoomError(.attributesFull, field: "set")
        }
        for name in draft.remove where draft.set[name] != nil {
            throw .invalid("remove", "an attribute is either set or removed")
        }
        for (name, words) in draft.set {
            guard (1...AttributesDraft.nameBytes).contains(name.utf8.count), ReadableName.isReadable(name) else {
                throw .invalid("set", "the name of an attribute has 1…32 bytes that people can see")
            }
            guard words.utf8.count <= AttributesDraft.wordsBytes else {
                throw .invalid("set", "an attribute has up to 4,000 bytes")
            }
            try DurableRoomState.check([name, words], against: context.filter, field: "set")
        }
        let gone = draft.replace ? attributes.keys.filter { draft.set[$0] == nil } : draft.remove
        let change = AttributesChange(
            set: draft.set.filter { attributes[$0] != $1 },
            removed: Set(gone).filter { attributes[$0] != nil }.sorted())
        guard !change.isEmpty else { return .nothing }
        let after = change.applied(to: attributes)
        guard after.count <= AttributesDraft.most,
            after.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= AttributesDraft.bytes,
            WireSize.of(after) <= RoomLimits.attributesWireBytes
        else { throw RoomError(.attributesFull, field: "set") }
        return Decision([.attributesChanged(change)])
    }
}
