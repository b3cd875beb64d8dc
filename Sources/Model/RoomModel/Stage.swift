/// Chooses how everybody sees the people on the stage.
package struct ArrangeStage: CommandPayload {
    package static let name = RoomCommand.Name.arrangeStage
    package static var operatorPath: OperatorPath? { OperatorPath(.put, "rooms/{room}/stage") }
    package var asCommand: RoomCommand { .arrangeStage(self) }

    package var form: StageLayout.Form
    /// Who stands in the first place; `nil`: the host.
    package var large: UserID?

    package init(_ layout: StageLayout) {
        form = layout.form
        large = layout.large
    }

    package var layout: StageLayout { StageLayout(form: form, large: large) }
}

/// How everybody in a live room sees the people on its stage, as the host has chosen it.
public struct StageLayout: Codable, Hashable, Sendable {
    /// The sizes of the pictures.
    @nonexhaustive public enum Form: String, Codable, Hashable, Sendable, CaseIterable {
        /// All about as large.
        case grid
        /// One large, the others in a column beside it.
        case spotlight
    }

    /// The sizes of the pictures.
    public var form: Form
    /// Who stands in the first place; `nil`: the host.
    public var large: UserID?

    /// Creates the value from its parts.
    public init(form: Form = .grid, large: UserID? = nil) {
        self.form = form
        self.large = large
    }

    /// As it is before anybody has chosen.
    package var isUsual: Bool { form == .grid && large == nil }
}

/// The stage of a live room is arranged in another way from now on.
public struct StageArranged: StoredPayload, Codable, Hashable, Sendable {
    /// The arrangement.
    public var stage: StageLayout
    /// Who arranged it.
    public var by: UserID?

    /// A stage that is arranged so.
    public init(_ stage: StageLayout, by: UserID? = nil) {
        self.stage = stage
        self.by = by
    }

    package var type: EventType { .stageArranged }
}
