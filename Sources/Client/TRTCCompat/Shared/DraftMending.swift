internal import Ovation
internal import RoomModel

/// The published components make a room of whatever they are given. What this server would refuse is made into what it takes, and told.
struct DraftMending {
    private(set) var draft: RoomDraft
    /// What was changed, in sentences.
    private(set) var changes: [String] = []

    init(_ draft: RoomDraft) {
        self.draft = draft
        mendName()
        mendSeats()
        mendCover()
    }

    private mutating func mendName() {
        var name = String(draft.name.filter { $0 == " " || ReadableName.isReadable(String($0)) })
        while name.count > RoomLimits.nameCharacters.upperBound || name.utf8.count > RoomLimits.nameBytes {
            name.removeLast()
        }
        let isNameless = !ReadableName.isReadable(name)
        if isNameless { name = draft.id?.text ?? "" }
        guard name != draft.name else { return }
        changes.append(
            isNameless
                ? "roomName is empty: the room is called \(name)"
                : "roomName is longer than 64 characters, or has some that nobody sees: the room is called \(name)")
        draft.name = name
    }

    private mutating func mendSeats() {
        let (least, most) = (RoomLimits.seats.lowerBound, RoomLimits.seats.upperBound)
        if draft.seats.count < least {
            draft.seats = [SeatSetup()]
            changes.append("seatCount is 0: the room has one seat, the owner's")
        } else if draft.seats.count > most {
            draft.seats.removeLast(draft.seats.count - most)
            changes.append("a room has up to \(most) seats: the others are left out")
        }
    }

    /// An asset's name is a relative address to the server, under which no browser finds anything.
    private mutating func mendCover() {
        let cover = draft.cover
        let isTaken = WebAddress.isAcceptable(cover, bytes: RoomLimits.urlBytes)
        guard !cover.isEmpty, !isTaken || !cover.contains(where: { ":/.".contains($0) }) else { return }
        draft.cover = ""
        changes.append("coverUrl is no https:, http: or relative URL: the room has no cover")
    }
}
