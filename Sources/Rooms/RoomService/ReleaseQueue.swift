import DequeModule
import RoomModel

/// The answers, news and steps for the media plane that a room has decided on and not sent yet, in the order of the decisions.
/// An item leaves only when everything that it may depend on is on the disk, and never before the item in front of it.
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
        fileprivate var failure: RoomError?
        fileprivate var posting = Posting.notPosted

        init(
            needs: UInt64, steps: [StageStep] = [], deliver: @escaping () -> Void,
            fail: @escaping (RoomError) -> Void
        ) {
            self.needs = needs
            self.steps = steps
            self.deliver = deliver
            self.fail = fail
        }
    }

    /// Legal successors: `notPosted` → `posted`.
    fileprivate enum Posting {
        case notPosted
        /// Under that number; so many confirmations are still owed.
        case posted(UInt64, owed: Int)
    }

    /// What is to be done next.
    enum Next {
        /// Nothing can leave before the journal says more.
        case rest
        /// The media plane owes confirmations.
        case awaitCuts
        /// To be told the media plane, under that number.
        case post([StageStep], UInt64)
        /// To be called: an answer, news, or what stands in for them.
        case leave(() -> Void)
    }

    private var items: Deque<Item> = []
    /// Everything up to this position is on the disk.
    private(set) var stored: UInt64 = 0
    private var postings: UInt64 = 0
    /// The media plane has left a cut unconfirmed, and has confirmed nothing since. It is not waited for again until it does:
    /// a plane that takes no commands forwards nothing either.
    private var isPlaneSilent = false

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ item: Item) { items.append(item) }

    /// The room has been loaded up to that position.
    mutating func begin(stored position: UInt64) { stored = position }

    mutating func noteStored(_ position: UInt64) { stored = max(stored, position) }

    /// The media plane has confirmed a step of each of these postings. They come in any order, at most as many as are owed.
    mutating func noteConfirmed(_ confirmed: [UInt64]) {
        guard !confirmed.isEmpty else { return }
        isPlaneSilent = false
        guard case .posted(let number, let owed)? = items.first?.posting else { return }
        items[0].posting = .posted(number, owed: owed - confirmed.count { $0 == number })
    }

    /// Takes out what may leave; asked again and again until it says `rest` or `awaitCuts`.
    mutating func next() -> Next {
        guard let item = items.first else { return .rest }
        if let failure = item.failure {
            items.removeFirst()
            return .leave { item.fail(failure) }
        }
        guard item.needs <= stored else { return .rest }
        switch item.posting {
        case .notPosted where !item.steps.isEmpty:
            let number = postings + 1
            postings = number
            items[0].posting = .posted(number, owed: item.steps.count { $0.isConfirmed })
            return .post(item.steps, number)
        case .posted(_, let owed) where owed > 0 && !isPlaneSilent: return .awaitCuts
        case .notPosted, .posted:
            items.removeFirst()
            return .leave(item.deliver)
        }
    }

    /// The media plane has owed a confirmation for too long. False if it owes none.
    mutating func giveUpConfirmation() -> Bool {
        guard case .posted(_, let owed)? = items.first?.posting, owed > 0 else { return false }
        isPlaneSilent = true
        return true
    }

    /// Marks what needs that position or a later one.
    mutating func fail(from position: UInt64, with error: RoomError) {
        for index in items.indices where items[index].needs >= position { items[index].failure = error }
    }
}
