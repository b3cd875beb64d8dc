import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

/// A room under test with its people: applies what is decided, and keeps the record.
struct Stage {
    var state: DurableRoomState
    var people: [UserID: DecisionContext.Person] = [:]
    var policy = RoomPolicy()
    /// Milliseconds since 1970.
    var now: Int64 = 1_795_000_000_000
    private(set) var record: [AcceptedCommand] = []

    init(
        kind: RoomKind = .voice, seats: Int = 8, needsRequest: Bool = false, room: RoomID = .number(48_213),
        owner: UserID = .owner,
        setups: [SeatSetup]? = nil, pictures: PictureFormat = .vp8
    ) {
        state = DurableRoomState(room: room)
        let creation = RoomCreation(
            room: room, kind: kind,
            settings: RoomSettings(name: "Salon", needsRequest: needsRequest, pictureFormat: pictures),
            seats: setups ?? Array(repeating: SeatSetup(), count: seats))
        enter(owner)
        guard let decision = try? creation.decide(by: .named(owner), epoch: 1) else {
            Issue.record("the room was not created")
            return
        }
        accept(decision, by: owner)
    }

    /// The other room that commands are about.
    var target: RoomInfo?
    /// The gift that commands are about, as the catalogue has it.
    var gift: Gift? = Gift(id: "rose", name: "Rose", price: 10)
    var context: DecisionContext {
        var context = DecisionContext(now: now, people: people, policy: policy)
        context.target = target
        context.gift = gift
        return context
    }

    mutating func enter(_ users: UserID..., presence: Presence = .online) {
        for user in users { people[user] = DecisionContext.Person(profile: .named(user), presence: presence) }
    }

    mutating func accept(_ decision: Decision, by user: UserID?) {
        guard !decision.events.isEmpty else { return }
        let accepted = AcceptedCommand(time: now, by: user, events: decision.events)
        do {
            try state.apply(accepted)
            record.append(accepted)
        } catch {
            Issue.record("decided and not applicable: \(error)")
        }
    }

    @discardableResult
    mutating func run(_ command: RoomCommand, by user: UserID) throws(RoomError) -> Decision {
        try run(command, by: .person(.named(user)))
    }

    @discardableResult
    mutating func run(_ command: RoomCommand, by caller: Caller) throws(RoomError) -> Decision {
        var context = context
        if case .deleteMessage(let asked) = command { context.message = message(asked.chat) }
        let decision = try state.decide(command, by: caller, in: context)
        let form = command.name.type.answer
        if !form.fits(decision.result) { Issue.record("\(command.name) answers \(decision.result), not \(form)") }
        accept(decision, by: caller.profile.id)
        return decision
    }

    /// As those who are here have it.
    func message(_ number: UInt64) -> Message? {
        var found: Message?
        for event in record.flatMap(\.events) {
            switch event {
            case .messageSent(let message) where message.chat == number: found = message
            case .messageDeleted(let deletion) where deletion.chat == number: found = found?.withoutText
            default: break
            }
        }
        return found
    }

    mutating func say(_ text: String, by user: UserID) {
        #expect(refusal(.sendMessage(MessageDraft(.text(text))), by: user) == nil)
    }

    @discardableResult
    mutating func serve(_ command: ServerCommand) -> Decision {
        let decision = state.decide(command, in: context)
        accept(decision, by: nil)
        return decision
    }

    /// The refusal's name; `nil` if the command is accepted.
    mutating func refusal(_ command: RoomCommand, by user: UserID) -> RoomError.Code? {
        refusal(command, by: .person(.named(user)))
    }

    mutating func refusal(_ command: RoomCommand, by caller: Caller) -> RoomError.Code? {
        do throws(RoomError) {
            try run(command, by: caller)
            return nil
        } catch {
            return error.code
        }
    }

    func occupant(_ seat: Int) -> UserID? { state.seats[seat].occupant?.profile.id }
}

extension UserID {
    static let owner = UserID(literal: "olga")
    static let admin = UserID(literal: "adam")
    static let otherAdmin = UserID(literal: "anna")
    static let member = UserID(literal: "mia")
    static let other = UserID(literal: "max")
}

extension UserProfile {
    static func named(_ user: UserID) -> UserProfile { UserProfile(id: user, name: user.rawValue.capitalizedFirst) }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Song {
    static let ballad = Song(
        id: "ballad", title: "Ballad", durationMs: 60_000, accompaniment: "/songs/ballad/accompaniment.m4a",
        original: "/songs/ballad/original.m4a")
}

extension CommandResult.Form {
    /// Whether a command that says to answer so may answer that. A gift is answered by the ledger.
    fileprivate func fits(_ result: CommandResult) -> Bool {
        switch (self, result) {
        case (.done, .done), (.invited, .invited), (.sent, .sent), (.liked, .liked), (.scheduled, .scheduled),
            (.scheduledUnlessPaused, .scheduled), (.scheduledUnlessPaused, .done), (.gifted, .done):
            true
        default: false
        }
    }
}
