import RoomPorts
import Synchronization

/// What uploads of one kind may take of this server.
package struct UploadLimits: Sendable {
    /// Each kind has its own: songs that take minutes keep nobody's picture waiting.
    var places = UploadSlots.Numbers(all: 6, perApplication: 4, perAddress: 2)
    /// 60 MiB in that time is 70 KiB/s: a phone on a bad line.
    var longest = Duration.seconds(900)
    /// From then on one that would not come home in time is late: it gives way to others who were turned away.
    var longestWhileWanted = Duration.seconds(180)
    /// Whoever sends less than this for half a minute keeps others from uploading.
    var leastBytesPerSecond = 4_096
    /// How often an upload is looked at.
    var lookInterval = Duration.seconds(15)
    /// At how many looks together: a phone changes its cell in fifteen seconds.
    var looks = 2
    /// The files, and 64 KiB for form fields and boundaries.
    var body = 2 * SongUpload.soundLimit + SongUpload.lyricsLimit + 64 << 10
    /// Of a refused upload so much more is read: what is under way by then on any line.
    var readOn = 4 << 20

    package init() {}

    /// Of pictures of people: 8 MiB in that time is 47 KiB/s, which any line has that shows this page.
    package static let faces: UploadLimits = {
        var limits = UploadLimits()
        // A class behind one address sends its pictures after each other.
        limits.places = UploadSlots.Numbers(all: 6, perApplication: 5, perAddress: 3)
        limits.longest = .seconds(180)
        limits.longestWhileWanted = .seconds(45)
        limits.body = PictureOrder.photographBytes
        return limits
    }()
}

/// How much of an upload has come; counted in one task and looked at in another.
final class UploadProgress: Sendable {
    private let limits: UploadLimits
    /// What is to come.
    private let length: Int
    private let bytes = Atomic<Int>(0)
    private let isWhole = Atomic<Bool>(false)
    private let wasLate = Atomic<Bool>(false)

    /// - Parameter length: what the sender states; without it the largest body is waited for.
    init(_ limits: UploadLimits, length: Int? = nil) {
        self.limits = limits
        self.length = min(length ?? limits.body, limits.body)
    }

    /// - Returns: whether so much may come.
    func add(_ count: Int) -> Bool { bytes.add(count, ordering: .relaxed).newValue <= limits.body }

    /// All has come. From here on the sender waits for this server.
    func end() { isWhole.store(true, ordering: .relaxed) }

    /// Whether the last look found that it would not come home in time.
    var isLate: Bool { wasLate.load(ordering: .relaxed) && !isWhole.load(ordering: .relaxed) }

    /// How much had come at the looks before, the newest last.
    struct Looks {
        fileprivate var counts: [Int] = []
    }

    /// Looks at it once more.
    /// - Returns: whether it is to be ended, that long after its beginning.
    func isTooSlow(after passed: Duration, _ looks: inout Looks) -> Bool {
        if isWhole.load(ordering: .relaxed) { return false }
        guard passed < limits.longest else { return true }
        let count = bytes.load(ordering: .relaxed)
        let isBehind = Double(count) / Double(length) < passed / limits.longest
        wasLate.store(isBehind && passed >= limits.longestWhileWanted, ordering: .relaxed)
        defer { looks.counts = looks.counts.suffix(limits.looks - 1) + [count] }
        guard looks.counts.count == limits.looks, let before = looks.counts.first else { return false }
        let least = limits.looks * Int(limits.lookInterval.components.seconds) * limits.leastBytesPerSecond
        return count - before < least
    }
}
