package import RoomModel

extension UserID {
    /// A literal for tests.
    package init(literal: String) {
        guard let id = UserID(literal) else { preconditionFailure("\(literal) is no user id") }
        self = id
    }
}
