import RoomEvents
import RoomModel

extension AttributesDraft {
    /// R01: what an app keeps with the room. Only what is different afterwards is told.
    private func change(_ attributes: [String: String]) throws(RoomError) -> Decision {
        guard set.count + add.count <= AttributesDraft.most, remove.count <= AttributesDraft.most
        else {
            throw RoomError(.attributesFull, field: "set")
        }
        var wanted = set
        for (name, amount) in add {
            guard wanted.updateValue(try Self.sum(attributes[name], amount, name), forKey: name) == nil else {
                throw .invalid("add", "an attribute is either set or added to")
            }
        }
        for name in remove where wanted[name] != nil {
            throw .invalid("remove", "an attribute is either set or removed")
        }
        for (name, words) in wanted {
            let field = add[name] == nil ? "set" : "add"
            guard (1...AttributesDraft.nameBytes).contains(name.utf8.count), ReadableName.isReadable(name) else {
                throw .invalid(field, "the name of an attribute has 1…32 bytes that people can see")
            }
            guard words.utf8.count <= AttributesDraft.wordsBytes else {
                throw .invalid(field, "an attribute has up to 4,000 bytes")
            }
        }
        let gone = replace ? attributes.keys.filter { wanted[$0] == nil } : remove
        let change = AttributesChange(
            set: wanted.filter { attributes[$0] != $1 },
            removed: Set(gone).filter { attributes[$0] != nil }.sorted())
        guard !change.isEmpty else { return .nothing }
        let after = change.applied(to: attributes)
        guard after.count <= AttributesDraft.most,
            after.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= AttributesDraft.bytes,
            WireSize.of(after) <= RoomLimits.attributesWireBytes
        else { throw RoomError(.attributesFull, field: "set") }
        return Decision([.attributesChanged(change)])
    }

    /// Decided in the room's turn, so that of two who add at once neither is lost.
    private static func sum(_ present: String?, _ amount: Int64, _ name: String) throws(RoomError) -> String {
        guard let number = Int64(present ?? "0") else {
            throw .invalid("add", "the attribute \(name.prefix(32)) is no whole number")
        }
        let (sum, overflow) = number.addingReportingOverflow(amount)
        guard !overflow else { throw .invalid("add", "the sum is out of range") }
        return String(sum)
    }
}

extension AttributesDraft: RuledCommand {
    static var access: CommandAccess {
        CommandAccess(.hosts, operator: .writeRooms, audit: .change("setAttributes"))
    }

    func decide(
        by caller: Caller, _ permission: Permission, in room: DurableRoomState, _ context: DecisionContext
    ) throws(RoomError) -> Decision {
        try change(room.details.attributes)
    }
}

extension AttributesChange: RecordedEvent {
    func apply(to room: inout DurableRoomState, by author: UserID?, at time: Int64) throws(InapplicableEvent) {
        room.details.attributes = applied(to: room.details.attributes)
    }

    func news(in room: DurableRoomState, before: DurableRoomState, _ context: NewsContext) -> Announcement? {
        room.change(.attributesChanged(AttributesChanged(self, by: context.author)), context)
    }

    func erasing(_ user: UserID, in command: ErasedCommand) -> Self { command.isRoomEnded ? AttributesChange() : self }
}
