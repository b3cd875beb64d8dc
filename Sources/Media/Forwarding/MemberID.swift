/// Someone on a stage, as its owner numbers them. Opaque here.
package struct MemberID: Hashable, Sendable {
    package var rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
