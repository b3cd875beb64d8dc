/// Carries a value from whoever makes it to the one thread that uses it from then on; hence `Sendable`, although Swift cannot see it.
/// Nobody touches the value before or beside that thread.
package struct Handover<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
