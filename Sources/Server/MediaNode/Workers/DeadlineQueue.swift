internal import Timing

/// Who is to be looked at when: a binary heap with lazy deletion. An entry that its owner no longer counts on is simply
/// thrown away when its time comes.
struct DeadlineQueue {
    struct Entry {
        var deadline: Instant
        /// The owner's handle.
        var handle: Int
        /// Tells the owner's present self from one that had the handle before.
        var generation: UInt32
    }

    private var heap: ContiguousArray<Entry> = []

    var next: Instant? { heap.first?.deadline }
    var count: Int { heap.count }

    mutating func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].deadline < heap[parent].deadline else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// The earliest entry, if its time has come.
    mutating func pop(until now: Instant) -> Entry? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].deadline < heap[smallest].deadline {
                smallest = child
            }
            guard smallest != parent else { return first }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
