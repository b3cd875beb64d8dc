import RoomModel
import RoomPorts
import Synchronization

/// What an upload may take of this server.
package struct UploadLimits: Sendable {
    /// Each upload holds a connection and writes to the disk.
    var atOnce = 4
    var atOncePerPerson = 1
    /// 60 MiB in that time is 70 KiB/s: a phone on a bad line.
    var longest = Duration.seconds(900)
    /// Whoever sends less than this on average keeps others from uploading.
    var leastBytesPerSecond = 4_096
    /// How often an upload is looked at.
    var lookInterval = Duration.seconds(15)
    /// The files, and 64 KiB for form fields and boundaries.
    var body = 2 * SongUpload.soundLimit + SongUpload.lyricsLimit + 64 << 10
    /// Of a refused upload so much more is read: what is under way by then on any line.
    var readOn = 4 << 20

    package init() {}

    /// Of pictures of people: 8 MiB in that time is 47 KiB/s, which any line has that shows this page.
    package static let faces: UploadLimits = {
        var limits = UploadLimits()
        limits.longest = .seconds(180)
        limits.body = PictureOrder.photographBytes
        return limits
    }()
}

/// How much of an upload has come; counted in one task and looked at in another.
final class UploadProgress: Sendable {
    private let limits: UploadLimits
    private let bytes = Atomic<Int>(0)

    init(_ limits: UploadLimits) { self.limits = limits }

    /// - Returns: whether so much may come.
    func add(_ count: Int) -> Bool { bytes.add(count, ordering: .relaxed).newValue <= limits.body }

    /// Whether it is to be ended, that long after its beginning.
    func isTooSlow(after passed: Duration) -> Bool {
        passed >= limits.longest
            || bytes.load(ordering: .relaxed) < Int(passed.components.seconds) * limits.leastBytesPerSecond
    }
}

/// Who is uploading.
final class UploadSlots: Sendable {
    private struct Person: Hashable {
        var application: ApplicationID
        var user: UserID
    }

    private let limits: UploadLimits
    private let taken = Mutex<[Person: Int]>([:])

    init(_ limits: UploadLimits) { self.limits = limits }

    /// - Returns: whether there is room for one more.
    func take(for user: UserID, of application: ApplicationID) -> Bool {
        let person = Person(application: application, user: user)
        return taken.withLock { taken in
            guard taken.values.reduce(0, +) < limits.atOnce, taken[person, default: 0] < limits.atOncePerPerson
            else { return false }
            taken[person, default: 0] += 1
            return true
        }
    }

    func giveBack(for user: UserID, of application: ApplicationID) {
        let person = Person(application: application, user: user)
        taken.withLock { taken in
            let left = taken[person, default: 1] - 1
            taken[person] = left > 0 ? left : nil
        }
    }
}
