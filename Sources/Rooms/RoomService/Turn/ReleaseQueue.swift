import DequeModule
import RoomModel

/// The answers, news and steps for the media plane that a room has decided on and not sent yet, in the order of the decisions.
/// An item leaves only when everything that it may depend on is on the disk, and never before the item in front of it.
struct ReleaseQueue {
    private struct Item {
        let release: Release
        var failure: RoomError?
        var posting = Posting.notPosted
    }

    /// Legal successors: `notPosted` → `posted`.
    private enum Posting {
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
        /// May leave, or what stands in for it, if it could not be stored.
        case leave(Release, RoomError?)
    }

    private var items: Deque<Item> = []
    /// Everything up to this position is on the disk.
    private(set) var stored: UInt64 = 0
    private var postings: UInt64 = 0
    /// The media plane has left a cut unconfirmed, and has confirmed nothing since. It is not waited for again until it does:
    /// a plane that takes no commands forwards nothing either.
    private var isPlaneSilent = false

    var isEmpty: Bool { items.isEmpty }

    mutating func append(_ release: Release) { items.append(Item(release: release)) }

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
            return .leave(item.release, failure)
        }
        guard item.release.needs <= stored else { return .rest }
        switch item.posting {
        case .notPosted where !item.release.steps.isEmpty:
            let number = postings + 1
            postings = number
            items[0].posting = .posted(number, owed: item.release.steps.count { $0.isConfirmed })
            return .post(item.release.steps, number)
        case .posted(_, let owed) where owed > 0 && !isPlaneSilent: return .awaitCuts
        case .notPosted, .posted:
            items.removeFirst()
            return .leave(item.release, nil)
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
        for index in items.indices where items[index].release.needs >= position { items[index].failure = error }
    }
}
