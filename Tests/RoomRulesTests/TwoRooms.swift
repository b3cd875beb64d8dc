import RoomEvents
import RoomModel
import RoomRules
import RoomTestSupport
import Testing

/// Two live rooms, each with its host on the first seat, and the post between them.
struct TwoRooms {
    enum Side: CaseIterable {
        case left, right
        var other: Side { self == .left ? .right : .left }
    }

    var left: Stage
    var right: Stage
    private var lastWords: Set<RoomLetter> = []

    init(seats: Int = 4, rightPictures: PictureFormat = .vp8) throws {
        left = Stage(kind: .live, seats: seats, room: .number(1), owner: .owner)
        right = Stage(kind: .live, seats: seats, room: .number(2), owner: .rival, pictures: rightPictures)
        for side in Side.allCases {
            let host = self[side].state.owner.id
            self[side].enter(.member, .other)
            try self[side].run(.takeSeat(TakeSeat(0)), by: host)
        }
    }

    subscript(side: Side) -> Stage {
        get { side == .left ? left : right }
        set { if side == .left { left = newValue } else { right = newValue } }
    }

    var now: Int64 {
        get { left.now }
        set {
            left.now = newValue
            right.now = newValue
        }
    }

    func host(_ side: Side) -> UserID { self[side].state.owner.id }

    @discardableResult
    mutating func run(_ command: RoomCommand, _ side: Side, by user: UserID? = nil) throws(RoomError) -> Decision {
        let other = self[side.other].state
        self[side].target = other.progress.phase == .open ? other.info(memberCount: 1, speaking: false) : nil
        return try self[side].run(command, by: user ?? host(side))
    }

    mutating func refusal(_ command: RoomCommand, _ side: Side, by user: UserID? = nil) -> RoomError.Code? {
        do throws(RoomError) {
            try run(command, side, by: user)
            return nil
        } catch {
            return error.code
        }
    }

    mutating func challenge(_ side: Side = .left, _ terms: PKTerms? = PKTerms(seconds: 180)) throws {
        now += RoomLimits.challengeIntervalMs
        try run(.challenge(ChallengeHost(self[side.other].state.room, terms)), side)
    }

    /// The letter that was said first gets through, if there is one, as often as the post has it.
    /// - Returns: false if none was waiting.
    mutating func deliver(from side: Side, times: Int = 1) -> Bool {
        guard let letter = self[side].state.links.mail.outbox.first(where: { !lastWords.contains($0) }) else {
            return false
        }
        // A room that has ended does not hear any more that its letters have got through.
        if self[side].state.progress.phase == .ended { lastWords.insert(letter) }
        deliver(letter, from: side, times: times)
        return true
    }

    /// The first letter of any session gets through: those of different sessions may overtake each other.
    mutating func deliverAny(from side: Side, times: Int, using random: inout some RandomNumberGenerator) {
        var sessions: Set<String> = []
        let first = self[side].state.links.mail.outbox.filter { sessions.insert($0.session).inserted }
        if let letter = first.randomElement(using: &random) { deliver(letter, from: side, times: times) }
    }

    private mutating func deliver(_ letter: RoomLetter, from side: Side, times: Int) {
        for _ in 0..<times { hear(letter, at: side.other) }
        self[side].serve(.delivered(session: letter.session, step: letter.step))
    }

    /// As the room hears it: once, in order, and where there still is a room.
    private mutating func hear(_ letter: RoomLetter, at side: Side) {
        guard self[side].state.progress.phase == .open else {
            self[side.other].serve(.partnerGone(session: letter.session))
            return
        }
        guard letter.step == self[side].state.links.mail.heard(in: letter.session) + 1 else { return }
        self[side].serve(.letter(letter, from: self[side.other].state.room))
    }

    /// All letters get through.
    mutating func settle() {
        while deliver(from: .left) || deliver(from: .right) {}
    }

    mutating func wait(_ milliseconds: Int64) {
        now += milliseconds
        for side in Side.allCases { self[side].serve(.pkTimeOver) }
    }

    /// Up to the first second in which points count.
    mutating func begin(_ terms: PKTerms = PKTerms(seconds: 180)) throws {
        try challenge(.left, terms)
        settle()
        let id = try #require(right.state.links.challenge?.id)
        try run(.answerChallenge(AnswerChallenge(id: id, agreed: true, pause: nil)), .right)
        settle()
        try run(.readyForPK, .left)
        try run(.readyForPK, .right)
        settle()
        wait(3_000)
    }

    mutating func gain(_ points: UInt64, _ side: Side) {
        guard let event = self[side].state.links.pointsGained(points) else { return }
        self[side].accept(Decision([event]), by: nil)
    }

    func match(_ side: Side) -> PKMatch? { self[side].state.links.pk.match }
    func links(_ side: Side) -> [HostLink] { self[side].state.links.pk.links }
}

extension UserID {
    static let rival = UserID(literal: "leo")
}
