import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What those who enter a room, or come back to it, are told. A crowd that comes at once costs one text.
final class RoomEntries {
    /// For how long the text of an entry is kept after the last one: a crowd comes at once.
    static let sharingTime = Interval.seconds(1)

    private unowned let core: RoomCore
    /// Its text is kept for those who enter next.
    private var lastSnapshot: RoomSnapshot?

    init(_ core: RoomCore) { self.core = core }

    func entry(for user: UserID, since point: ResumePoint?) -> RoomEntry {
        sharing(composer.entry(for: user, since: point))
    }

    private var composer: EntryComposer {
        EntryComposer(
            room: core.key.room, epoch: core.writer.epoch, mediaEpoch: core.media.epoch, info: core.listing.info,
            state: core.state, recent: core.recent, attendance: core.people.attendance,
            ownerAbsence: core.owner.absence,
            messages: core.recent.messages(
                core.dependencies.policy().messages.onEntry, budget: EntryComposer.messageBytes),
            chatMute: { [core] in core.restrictions.chatMute(of: $0) }, now: core.wallNow)
    }

    /// What the reader gets by the text of those who entered just before, if nothing has happened meanwhile.
    private func sharing(_ entry: RoomEntry) -> RoomEntry {
        guard case .snapshot(var snapshot) = entry else { return entry }
        if let lastSnapshot, snapshot.shares(with: lastSnapshot) {
            snapshot.sharedText = lastSnapshot.sharedText
        } else {
            snapshot.sharedText = EntryText(wireSize: snapshot.sharedWireSize)
            lastSnapshot = snapshot
        }
        core.deadlines.set(.sharedText, at: core.now + Self.sharingTime)
        return .snapshot(snapshot)
    }

    /// Nobody has entered for a while.
    func forgetSharedText() { lastSnapshot = nil }
}
