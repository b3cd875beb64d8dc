import Commerce
import RoomEvents
import RoomModel
import RoomPorts
import RoomRules

/// What a turn does. Parts of a room append them to their turn, and name others that wait for the disk (`Release`); `RoomCore` acts on each
/// in its order.
enum Effect {
    // MARK: What is decided and stored

    /// Hands what was accepted to the journal.
    indirect case submit(Submission)
    /// Leaves when everything before it is stored.
    case release(Release)
    /// Something happens by itself: it is decided and carried out.
    indirect case decide(ServerCommand, Sequel)

    // MARK: Who is here

    case answer(PlannedAnswer)
    /// Lets in who has come.
    indirect case admit(RoomPeople.Entrance, RoomEntry)
    /// Who could not be let in.
    indirect case turnAway(RoomPeople.Entrance)
    /// Whether a session still has the right to be here, now that it knows that it is.
    indirect case askAgain(Attendee)
    indirect case departed(Attendance.Session, Departure)

    // MARK: Of the room

    /// The room has ended: everybody in it is free, and the directory has it no more.
    indirect case withdraw(RoomListing)
    /// Everybody has been told of the end.
    case close

    // MARK: Out of the room

    /// What an accepted command says, to people here and elsewhere.
    case news([Announcement])
    case out(Outward)
}

/// What leaves a room: to people in it, the directory, the media plane, other rooms and the store. It changes nothing here.
enum Outward {
    // MARK: To people in the room

    indirect case tell(Announcement)
    /// Who came or went; of big rooms only how many are here.
    indirect case tellOfPeople(PassingNews)
    /// Past the news of the room, to one of them.
    indirect case whisper(PassingNews, to: any Outbox)
    /// From now on the session gets news.
    indirect case welcome(Attendee)
    /// From now on it gets none.
    case dismiss(SessionToken)

    // MARK: To the directory

    /// What the room is like.
    indirect case show(RoomListing)
    /// How many are here.
    case showCount
    /// Whether somebody speaks.
    case showSpeaking

    // MARK: To the media plane

    case openStage(seats: Int, RoomKind, PictureFormat)
    indirect case play(SongPlay?)
    /// - Parameter seats: of a live room.
    case admitPeer(PeerID, RoomRights, seats: Int?)
    case closePeer(PeerID, confirmed: @Sendable () -> Void = {})
    /// A person's path has changed.
    case assignAgain(UserID)
    case setLatency(SingerEquipment, of: PeerID)

    // MARK: To others

    case log(RoomReport)
    case send([RoomLetter])
    indirect case parcel(RoomParcel)
    /// In the order in which it is decided, as what the journal carries.
    indirect case webhook(PassingNews)
    indirect case post(Transfer, TransferKey, order: UInt64)
    indirect case find(TransferKey, order: UInt64)
    indirect case review(MessageBody, by: UserProfile, number: UInt64)
    /// Of what no entry of the room carries.
    indirect case note(AuditLine)
    /// Not the room's to order: it changes nothing there.
    indirect case file(Report, Reply<Void>)
    /// Whom a host has banned from all rooms is put out of the others.
    indirect case expelElsewhere(Restriction, from: UserID)
}

/// Calls back who asked: with what was planned, or with why it was not to be.
struct PlannedAnswer {
    private let give: (RoomError?) -> Void

    init(_ give: @escaping (RoomError?) -> Void) { self.give = give }

    init<Value>(_ reply: @escaping Reply<Value>, _ result: Result<Value, RoomError>) {
        give = { failure in reply(failure.map { .failure($0) } ?? result) }
    }

    func callAsFunction(_ failure: RoomError? = nil) { give(failure) }
}

/// What follows a decision.
struct Sequel {
    /// Who asked; `nil` for the server itself.
    var by: UserID?
    /// The answer that is kept for repeats.
    var keyed: KeyedAnswer?
    /// Whose way on the media plane is closed before anything of it is said.
    var closing: PeerID?
    var answer: PlannedAnswer?
    /// What it changes in all rooms of the host; stored with it, or not at all.
    var standing: StandingChange?
    /// What the audit trail says of it; stored with it, or not at all.
    var line: AuditLine?
    /// What comes behind the news.
    var afterwards: [Effect] = []
    /// What comes behind the answer if it could not be stored.
    var otherwise: [Effect] = []
}

/// An accepted command on its way to the journal.
struct Submission {
    var accepted: AcceptedCommand
    var payload: [UInt8]
    /// Of its entry.
    var position: UInt64
    /// What everybody hears of it.
    var said: [Announcement]
    /// The room with it.
    var info: RoomInfo
    /// What it changes on the media plane.
    var steps: [StageStep]
    var sequel: Sequel

    var ends: Bool { accepted.events.contains { if case .ended = $0 { true } else { false } } }
    /// What is sung from now on; the outer `nil`: that does not change.
    var play: SongPlay?? {
        accepted.events.reduce(nil) { last, event in
            if case .songChanged(let change) = event { change.play } else { last }
        }
    }
    var letters: [RoomLetter] {
        accepted.events.compactMap { if case .letterPosted(let letter) = $0 { letter } else { nil } }
    }
}

/// What leaves together once it may: first what is shown, then the answer, then news, then what comes afterwards. Never before what was
/// decided before it.
struct Release {
    /// The journal position that must be stored first.
    let needs: UInt64
    /// Rules for the media plane, posted when the position is stored; the cuts among them must be in force before anything leaves.
    let steps: [StageStep]
    /// Whose way is closed, whatever becomes of the rest.
    let closing: PeerID?
    /// It was decided, and could not be applied.
    let isRefused: Bool
    var first: [Effect] = []
    var answer: PlannedAnswer?
    /// News, and what comes afterwards.
    var afterwards: [Effect] = []
    /// Behind the answer, which says why, if the position could not be stored.
    var otherwise: [Effect] = []

    init(
        needs: UInt64, closing: PeerID? = nil, answer: PlannedAnswer? = nil, first: [Effect] = [],
        afterwards: [Effect] = [], otherwise: [Effect] = []
    ) {
        self.needs = needs
        self.closing = closing
        steps = closing.map { [.close($0)] } ?? []
        isRefused = false
        self.first = first
        self.answer = answer
        self.afterwards = afterwards
        self.otherwise = otherwise
    }

    init(needs: UInt64, _ sequel: Sequel, steps: [StageStep] = [], isRefused: Bool = false) {
        self.needs = needs
        closing = sequel.closing
        self.steps = isRefused ? [] : (closing.map { [.close($0)] } ?? []) + steps
        self.isRefused = isRefused
        answer = sequel.answer
        afterwards = sequel.afterwards
        otherwise = sequel.otherwise
    }
}

extension Submission {
    /// What leaves when it is stored.
    func release(showing listing: RoomListing) -> Release {
        var release = Release(needs: position, sequel, steps: steps)
        let ends = ends
        // Before the answer: whoever has it and asks the directory finds there what it says.
        release.first = [ends ? .withdraw(listing) : .out(.show(listing))]
        if let play { release.first.append(.out(.play(play))) }
        var then: [Effect] = []
        then.reserveCapacity(release.afterwards.count + 3)
        if !said.isEmpty { then.append(.news(said)) }
        let letters = letters
        if !letters.isEmpty { then.append(.out(.send(letters))) }
        then += release.afterwards
        if ends { then.append(.close) }
        if accepted.isBeginning {
            then.append(.out(.openStage(seats: info.seats, info.kind, info.pictureFormat ?? .vp8)))
        }
        release.afterwards = then
        return release
    }
}
