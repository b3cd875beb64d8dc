import Dispatch
import Platform
import Testing

@Suite struct PlatformTests {
    private static let threads = 8
    private static let rounds = 20_000

    /// From several threads at once.
    private func everywhere(_ body: @escaping @Sendable (_ thread: Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: Self.threads, execute: body)
    }

    @Test("a value in a lock is changed by one thread at a time")
    func mutex() {
        let counts = Mutex([0, 0])
        everywhere { _ in
            for _ in 0..<Self.rounds {
                counts.withLock { counts in
                    counts[0] += 1
                    counts[1] = counts[0]
                }
            }
        }
        #expect(counts.withLock { $0 } == [Self.threads * Self.rounds, Self.threads * Self.rounds])
    }

    @Test("what a lock holds is released with it, and an error leaves it open")
    func ends() {
        final class Held: Sendable {}
        struct Failure: Error {}
        weak var held: Held?
        do {
            let made = Held()
            held = made
            let box = Mutex<Held?>(made)
            #expect(throws: Failure.self) { try box.withLock { _ in throw Failure() } }
            box.withLock { $0 = nil }
            box.withLock { $0 = made }
        }
        #expect(held == nil)
    }

    @Test("an atomic word loses no addition, and gives each taker another value")
    func additions() {
        let sum = Atomic<Int32>(-5)
        let taken = Atomic<UInt64>(0)
        let wins = Atomic(0)
        let isOpen = Atomic(true)
        everywhere { thread in
            for _ in 0..<Self.rounds {
                sum.wrappingAdd(thread.isMultiple(of: 2) ? 3 : -3, ordering: .relaxed)
                taken.wrappingAdd(1, ordering: .acquiringAndReleasing)
            }
            if isOpen.exchange(false, ordering: .acquiringAndReleasing) {
                wins.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
        }
        #expect(sum.load(ordering: .relaxed) == -5)
        #expect(taken.load(ordering: .acquiring) == UInt64(Self.threads * Self.rounds))
        #expect(wins.load(ordering: .sequentiallyConsistent) == 1 && !isOpen.load(ordering: .relaxed))
    }

    @Test("words keep their sign and their range")
    func ranges() {
        let number = Atomic<Int32>(.min)
        #expect(number.load(ordering: .relaxed) == .min)
        #expect(number.wrappingSubtract(1, ordering: .relaxed) == (.min, .max))
        #expect(number.load(ordering: .relaxed) == .max)
        let great = Atomic<UInt64>(.max)
        #expect(great.exchange(7, ordering: .relaxed) == .max && great.load(ordering: .acquiring) == 7)
        great.store(.max, ordering: .releasing)
        #expect(great.wrappingAdd(2, ordering: .sequentiallyConsistent) == (.max, 1))
        let negative = Atomic(-1)
        #expect(negative.load(ordering: .sequentiallyConsistent) == -1)
    }

    @Test("what was written before a release is seen after an acquire")
    func ordering() {
        let ready = Atomic(0)
        let box = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        box.initialize(to: 0)
        defer { box.deallocate() }
        nonisolated(unsafe) let value = box
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for round in 1...200 {
                if thread == 0 {
                    while ready.load(ordering: .acquiring) != 2 * round - 2 {}
                    value.pointee = round
                    ready.store(2 * round - 1, ordering: .releasing)
                } else {
                    while ready.load(ordering: .acquiring) != 2 * round - 1 {}
                    if value.pointee != round { wrong.wrappingAdd(1, ordering: .relaxed) }
                    ready.store(2 * round, ordering: .releasing)
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
