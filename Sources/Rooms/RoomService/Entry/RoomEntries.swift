import RoomEvents
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What those who enter a room, or come back to it, are told. A crowd that comes at once costs one text.
struct RoomEntries {
    /// For how long the text of an entry is kept after the last one: a crowd comes at once.
    static let sharingTime = Interval.seconds(1)

    /// What an entry says that its turn does not know.
    struct Facts {
        /// The room as the directory shows it.
        var info: RoomInfo
        var mediaEpoch: UInt64
        var ownerAbsence: OwnerAbsence?
        /// What keeps the reader from writing.
        var chatMute: Restriction?
    }

    /// Its text is kept for those who enter next.
    private var lastSnapshot: RoomSnapshot?

    mutating func entry(
        for user: UserID, since point: ResumePoint?, _ facts: Facts, in turn: inout RoomTurn
    ) -> RoomEntry {
        let composer = EntryComposer(
            room: turn.key.room, epoch: turn.epoch, mediaEpoch: facts.mediaEpoch, info: facts.info,
            state: turn.state, recent: turn.recent, attendance: turn.attendance,
            ownerAbsence: facts.ownerAbsence, messages: turn.keptMessages, chatMute: facts.chatMute)
        return sharing(composer.entry(for: user, since: point), in: &turn)
    }

    /// What the reader gets by the text of those who entered just before, if nothing has happened meanwhile.
    private mutating func sharing(_ entry: RoomEntry, in turn: inout RoomTurn) -> RoomEntry {
        guard case .snapshot(var snapshot) = entry else { return entry }
        if let lastSnapshot, snapshot.shares(with: lastSnapshot) {
            snapshot.sharedText = lastSnapshot.sharedText
        } else {
            snapshot.sharedText = EntryText(wireSize: snapshot.sharedWireSize)
            lastSnapshot = snapshot
        }
        turn.deadlines.set(.sharedText, at: turn.now + Self.sharingTime)
        return .snapshot(snapshot)
    }

    /// Nobody has entered for a while.
    mutating func forgetSharedText() { lastSnapshot = nil }
}

extension RoomTurn {
    /// The last messages as those who enter are told them, which are kept ready.
    var keptMessages: [Message] {
        mutating get { recent.messages(policy().messages.onEntry, budget: EntryComposer.messageBytes) }
    }
}
