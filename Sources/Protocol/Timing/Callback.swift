/// A closure to be kept in a generic container.
///
/// A bare closure must not be kept there: each access to a `Mutex<(…) -> Void>` wraps the closure that is in it once more, and what is
/// called often becomes slower with every call. Inside a struct it stays as it is.
package struct Callback<Value>: Sendable {
    private let take: @Sendable (Value) -> Void

    package init(_ take: @escaping @Sendable (Value) -> Void) { self.take = take }

    package func callAsFunction(_ value: Value) { take(value) }
}
