/// A part of an answer that is the same for many, as it leaves for them.
package protocol SharedText: AnyObject, Sendable {
    /// How long it is at most.
    var wireSize: Int { get }
    /// As the first who needed it wrote it; from any thread.
    func bytes(or write: () -> [UInt8]) -> [UInt8]
}

/// Something that a value carries along and that is no part of it: values that differ in it alone are equal.
@propertyWrapper
package struct Carried<Value: Sendable>: Hashable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (_: Carried, _: Carried) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}
