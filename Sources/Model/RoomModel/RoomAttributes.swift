/// What changes of a room's attributes: words under names, which the app keeps with the room for everybody in it. The server stores and
/// tells them, and reads nothing in them.
package struct AttributesChange: Codable, Hashable, Sendable {
    /// The new words, by name.
    package var set: [String: String]
    /// Names that are gone.
    package var removed: [String]

    package init(set: [String: String] = [:], removed: [String] = []) {
        self.set = set
        self.removed = removed
    }

    package var isEmpty: Bool { self.set.isEmpty && removed.isEmpty }

    private enum CodingKeys: String, CodingKey { case set, removed }

    // By hand, since changes stand in the journal: what is added later has a default here.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        set = try fields.decodeIfPresent([String: String].self, forKey: .set) ?? [:]
        removed = try fields.decodeIfPresent([String].self, forKey: .removed) ?? []
    }

    /// The attributes after the change.
    package func applied(to attributes: [String: String]) -> [String: String] {
        var changed = attributes
        for name in removed { changed[name] = nil }
        changed.merge(set) { _, new in new }
        return changed
    }
}

/// What somebody wants to change of a room's attributes.
package struct AttributesDraft: CommandPayload {
    package static let name = RoomCommand.Name.setAttributes
    package static var operatorPath: OperatorPath? { OperatorPath(.patch, "rooms/{room}/attributes") }
    package var asCommand: RoomCommand { .setAttributes(self) }

    // The published sizes (references.md, chat REST API).
    /// How many a room keeps.
    package static let most = 16
    package static let nameBytes = 32
    /// Of one.
    package static let wordsBytes = 4_000
    /// Of all, with their names.
    package static let bytes = 16_000

    package var set: [String: String]
    /// What is to be added to the whole numbers that stand there, less than nought to take away; who is not there is nought.
    package var add: [String: Int64]
    /// Names that are to go; those that are not there are passed over.
    package var remove: [String]
    /// Whether all others are to go.
    package var replace: Bool

    package init(
        set: [String: String] = [:], add: [String: Int64] = [:], remove: [String] = [], replace: Bool = false
    ) {
        self.set = set
        self.add = add
        self.remove = remove
        self.replace = replace
    }

    package var texts: [SaidText] {
        self.set.flatMap { [SaidText(.attributeName, $0, "set"), SaidText(.attributeValue, $1, "set")] }
            + add.keys.map { SaidText(.attributeName, $0, "add") }
            + remove.map { SaidText(.wordOfTheProtocol, $0, "remove") }
    }

    private enum CodingKeys: String, CodingKey { case set, add, remove, replace }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            set: try fields.decodeIfPresent([String: String].self, forKey: .set) ?? [:],
            add: try fields.decodeIfPresent([String: Int64].self, forKey: .add) ?? [:],
            remove: try fields.decodeIfPresent([String].self, forKey: .remove) ?? [],
            replace: try fields.decodeIfPresent(Bool.self, forKey: .replace) ?? false)
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        if !self.set.isEmpty { try fields.encode(self.set, forKey: .set) }
        if !add.isEmpty { try fields.encode(add, forKey: .add) }
        if !remove.isEmpty { try fields.encode(remove, forKey: .remove) }
        if replace { try fields.encode(true, forKey: .replace) }
    }
}

/// What the app keeps with the room has changed.
public struct AttributesChanged: EventPayload, Codable, Hashable, Sendable {
    /// The new words, by name.
    public var set: [String: String]
    /// Names that are gone.
    public var removed: [String]
    /// Who changed it.
    public var by: UserID?

    /// A change by somebody.
    public init(set: [String: String], removed: [String], by: UserID? = nil) {
        self.set = set
        self.removed = removed
        self.by = by
    }

    package init(_ change: AttributesChange, by: UserID? = nil) {
        self.init(set: change.set, removed: change.removed, by: by)
    }

    package var change: AttributesChange { AttributesChange(set: self.set, removed: removed) }

    private enum CodingKeys: String, CodingKey { case set, removed, by }

    /// What is not told of has not changed.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try AttributesChange(from: decoder), by: try fields.decodeIfPresent(UserID.self, forKey: .by))
    }

    package var type: EventType { .attributesChanged }
    package var wireSize: Int {
        2 * WireSize.object + WireSize.of(self.set) + removed.reduce(0) { $0 + WireSize.of($1) + 1 }
    }
}
