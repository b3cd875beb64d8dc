public import CPlatform

// Public, since what is `package` is not inlined into other modules. No product hands it on.

/// A value that one thread at a time reads and changes.
///
/// It is used as the one of `Synchronization`, which systems before iOS 18 and macOS 15 do not have.
///
/// @unchecked: `value` is touched under `lock` alone.
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable public init(_ value: consuming sending Value) {
        lock = .allocate(capacity: 1)
        ovation_lock_init(lock)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    @inlinable deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        ovation_lock_destroy(lock)
        lock.deallocate()
    }

    /// Runs `body` with the value while no other thread has it. `body` must not come here again.
    @inlinable public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        ovation_lock(lock)
        defer { ovation_unlock(lock) }
        return try body(&value.pointee)
    }
}
