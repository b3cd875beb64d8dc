package import RoomModel
package import RoomPorts

/// An implementation of `RoomJournal` as the contract suite drives it.
package protocol JournalUnderTest: Sendable {
    /// The journal of the present process life.
    var journal: any RoomJournal { get async }
    /// What its entries change and note beside the rooms.
    var restrictions: any StandingRestrictions { get async }
    func audited(_ application: ApplicationID) async throws -> [AuditLine]
    /// Ends the process life in order and begins the next one over the same storage.
    func restart() async throws
    /// Makes commits fail with `JournalFailure.full` until told otherwise; `false` where the implementation has no such switch.
    func failCommits(_ failing: Bool) async -> Bool
}

/// One promise of the port.
package struct JournalPromise: Sendable, CustomStringConvertible {
    package var description: String
    package var check: @Sendable (_ subject: any JournalUnderTest) async throws -> Void

    init(_ description: String, check: @escaping @Sendable (any JournalUnderTest) async throws -> Void) {
        self.description = description
        self.check = check
    }
}

/// A promise that was not kept.
package struct BrokenPromise: Error, CustomStringConvertible {
    package var description: String
}

/// Throws unless `condition` holds.
func require(
    _ condition: Bool, _ otherwise: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) throws(BrokenPromise) {
    if !condition { throw BrokenPromise(description: "\(file):\(line): \(otherwise())") }
}

/// Throws unless both are the same.
func require<Value: Equatable>(
    _ found: Value, is expected: Value, file: StaticString = #fileID, line: UInt = #line
) throws(BrokenPromise) {
    try require(found == expected, "found \(found), expected \(expected)", file: file, line: line)
}
