import RoomModel

/// What a room owes to the world, in the order in which it was decided: answers, news, directives to the media plane.
/// Nothing leaves before everything that it could have seen is on the disk, and nothing overtakes what stands before
/// it.
struct ReleaseQueue {
    struct Item {
        /// The journal position that must be stored first.
        var needs: UInt64
        /// Rules for the media plane, posted when the position is stored; the cuts among them must be in force before
        /// `deliver`.
        var steps: [StageStep] = []
        var deliver: () -> Void
        /// Instead of `deliver`, if the position could not be stored.
        var fail: (RoomError) -> Void
        var failure: RoomError?
        /// Set once the steps are posted.
        var posting: UInt64?
    }

    // A queue in an array: `head` moves, and the dead front is cut off when it is the larger part.
    private var items: [Item?] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    var count: Int { items.count - head }

    mutating func append(_ item: Item) { items.append(item) }

    var first: Item? {
        get { head < items.count ? items[head] : nil }
        set { if head < items.count { items[head] = newValue } }
    }

    mutating func removeFirst() {
        items[head] = nil
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64, head > items.count / 2 {
            items.removeFirst(head)
            head = 0
        }
    }

    /// Marks what needs that position or a later one.
    mutating func fail(from position: UInt64, with error: RoomError) {
        for index in head..<items.count where (items[index]?.needs ?? 0) >= position {
            items[index]?.failure = error
        }
    }
}
