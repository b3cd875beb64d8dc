public import CPlatform

// Public, since what is `package` is not inlined into other modules. No product hands it on.

/// A word that several threads read and write without a lock. It is used as the one of `Synchronization`, which systems before iOS 18
/// and macOS 15 do not have.
///
/// @unchecked: the word is touched by atomic operations alone.
public struct Atomic<Value: AtomicWord>: ~Copyable, @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<UInt64>

    @inlinable public init(_ value: Value) {
        word = .allocate(capacity: 1)
        word.initialize(to: value.word)
    }

    @inlinable deinit { word.deallocate() }

    @inlinable public func load(ordering: AtomicLoadOrdering) -> Value {
        switch ordering {
        case .relaxed: Value(word: ovation_load_relaxed(word))
        case .acquiring: Value(word: ovation_load_acquire(word))
        case .sequentiallyConsistent: Value(word: ovation_load_seq(word))
        }
    }

    @inlinable public func store(_ value: Value, ordering: AtomicStoreOrdering) {
        switch ordering {
        case .relaxed: ovation_store_relaxed(word, value.word)
        case .releasing: ovation_store_release(word, value.word)
        case .sequentiallyConsistent: ovation_store_seq(word, value.word)
        }
    }

    /// - Returns: what it was before.
    @inlinable @discardableResult
    public func exchange(_ value: Value, ordering: AtomicUpdateOrdering) -> Value {
        switch ordering {
        case .relaxed: Value(word: ovation_exchange_relaxed(word, value.word))
        case .acquiring, .releasing, .acquiringAndReleasing: Value(word: ovation_exchange_acq_rel(word, value.word))
        case .sequentiallyConsistent: Value(word: ovation_exchange_seq(word, value.word))
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    /// Overflow wraps.
    @inlinable @discardableResult
    public func wrappingAdd(
        _ value: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) {
        let old =
            switch ordering {
            case .relaxed: Value(word: ovation_add_relaxed(word, value.word))
            case .acquiring, .releasing, .acquiringAndReleasing: Value(word: ovation_add_acq_rel(word, value.word))
            case .sequentiallyConsistent: Value(word: ovation_add_seq(word, value.word))
            }
        return (old, old &+ value)
    }

    @inlinable @discardableResult
    public func wrappingSubtract(
        _ value: Value, ordering: AtomicUpdateOrdering
    ) -> (oldValue: Value, newValue: Value) { wrappingAdd(0 &- value, ordering: ordering) }
}

/// As C has them: what another thread sees of the writes before a store once it has loaded what was stored.
@frozen public enum AtomicLoadOrdering { case relaxed, acquiring, sequentiallyConsistent }
@frozen public enum AtomicStoreOrdering { case relaxed, releasing, sequentiallyConsistent }
@frozen public enum AtomicUpdateOrdering {
    case relaxed, acquiring, releasing, acquiringAndReleasing, sequentiallyConsistent
}

/// What fits into an atomic word.
public protocol AtomicWord {
    var word: UInt64 { get }
    init(word: UInt64)
}

extension AtomicWord where Self: FixedWidthInteger {
    @inlinable public var word: UInt64 { UInt64(truncatingIfNeeded: self) }
    @inlinable public init(word: UInt64) { self.init(truncatingIfNeeded: word) }
}

extension Int: AtomicWord {}
extension Int32: AtomicWord {}
extension UInt: AtomicWord {}
extension UInt64: AtomicWord {}

extension Bool: AtomicWord {
    @inlinable public var word: UInt64 { self ? 1 : 0 }
    @inlinable public init(word: UInt64) { self = word != 0 }
}
