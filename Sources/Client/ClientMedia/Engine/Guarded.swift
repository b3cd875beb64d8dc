internal import Platform

/// A value behind a lock.
///
/// `@unchecked Sendable` by this rule: the value, which may be made of classes that are not `Sendable`, is touched inside
/// `with` only, and nothing of it is handed out of it.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = Mutex(())
    private var value: Value

    init(_ value: Value) { self.value = value }

    func with<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
        try lock.withLock { _ throws(Failure) -> Result in try body(&value) }
    }
}
