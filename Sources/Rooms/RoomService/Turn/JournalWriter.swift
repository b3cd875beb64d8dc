import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

/// A room's way to its journal: what is submitted, under which epoch, and when a snapshot is due.
struct JournalWriter {
    /// A snapshot is stored this many entries after its own position: a room that is read again after a crash replays at
    /// least these, and so still has the exact gap of everybody who was there. The next one is taken then, which bounds the time that
    /// loading takes.
    static let snapshotLag: UInt64 = 256

    private let key: RoomKey
    private let dependencies: RoomDependencies
    private let inbox: RoomInbox
    private let format = JournalFormat()
    private(set) var epoch: UInt64 = 0
    /// How often the room has been loaded.
    private(set) var incarnation: UInt64 = 0
    private var pending: DurableRoomState?
    /// A room that has just been loaded needs no snapshot yet.
    private var firstSnapshot: UInt64 = 0

    init(key: RoomKey, dependencies: RoomDependencies, inbox: RoomInbox) {
        self.key = key
        self.dependencies = dependencies
        self.inbox = inbox
    }

    /// The journal has been read: what was submitted before is of a former life.
    mutating func begin(epoch: UInt64, at position: UInt64) {
        incarnation += 1
        self.epoch = epoch
        firstSnapshot = position + Self.snapshotLag
        pending = nil
        inbox.begin(incarnation)
    }

    /// The journal has failed.
    mutating func fail() { pending = nil }

    /// - Parameter state: with the command in it, and maybe more.
    mutating func submit(_ submission: Submission, in state: DurableRoomState) {
        let (accepted, position) = (submission.accepted, submission.position)
        let outgoing = dependencies.webhooks.outgoing(
            submission.said.map(\.news), created: accepted.isBeginning ? submission.info : nil, of: key,
            at: accepted.time)
        let entry = JournalEntry(
            key: key, kind: accepted.kind, position: position, epoch: epoch, payload: submission.payload,
            outgoing: outgoing, standing: submission.sequel.standing, line: submission.sequel.line)
        dependencies.journal.submit(entry) { [inbox, incarnation] result in
            inbox.stored(position, result, incarnation: incarnation)
        }
        switch accepted.kind {
        case .chat: dependencies.counters.noteMessage()
        case .durable: dependencies.counters.noteChange()
        }
        if position >= firstSnapshot, pending == nil { pending = state }
    }

    /// Stores a snapshot once everything in it, and enough after it, is stored itself.
    mutating func storeSnapshot(stored: UInt64) {
        guard let ready = pending, ready.progress.position + Self.snapshotLag <= stored else { return }
        pending = nil
        // Thousands of kept answers take milliseconds to encode, in which the room would decide nothing.
        dependencies.aside { [key, journal = dependencies.journal, report = dependencies.report] in
            do {
                journal.saveSnapshot(try JournalFormat().encode(ready), of: key, at: ready.progress.position)
            } catch {
                report(.inapplicable(key, "\(error)"))
            }
        }
    }

    /// Stores a snapshot behind what has been submitted: nothing from before it is kept but messages.
    mutating func storeNow(_ state: DurableRoomState) {
        pending = nil
        firstSnapshot = state.progress.position + Self.snapshotLag
        do {
            dependencies.journal.saveSnapshot(try format.encode(state), of: key, at: state.progress.position)
        } catch {
            dependencies.report(.inapplicable(key, "\(error)"))
        }
    }

    /// The room is over.
    func close() { dependencies.journal.close(key) }
}
