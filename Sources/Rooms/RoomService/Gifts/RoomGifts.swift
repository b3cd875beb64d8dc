import Commerce
import RoomEvents
package import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Gifts in a room (G02): ordered by the rules, paid in the ledger, told by the room. Money is moved before anybody hears of it, and a room
/// that could not tell of a gift finds it in the ledger when it is loaded again.
struct RoomGifts {
    /// While many come, news of gifts wait no longer than this for company.
    static let gatheringTime = Interval.milliseconds(100)
    /// What a room lets through: each goes to everybody.
    static let perSecond = Allowance(burst: 100, perSecond: 100)
    /// What one person can send; apps gather what is tapped within 250 ms.
    static let perPerson = Allowance(burst: 20, perSecond: 5)
    /// Orders that the ledger has not answered. It answers thousands a second, so as many wait only behind a slow disk.
    static let ordersAtOnce = 100
    static let ordersWaitMs = 100
    /// How long after a failure the ledger is asked what became of an order.
    static let doubtTime = Interval.milliseconds(500)
    /// How often it is asked. After that the gift stands in the statements alone: an entry that cannot be read holds up nobody.
    static let doubtAttempts = 20
    /// An erasure that waits for gifts is asked for again within that time. Meanwhile no more of that person's are begun, or it would wait for
    /// as long as anybody gives.
    static let erasureTime = Interval.seconds(30)
    /// For how long the next one counts as in a row.
    static let comboTime = Interval.seconds(5)

    private struct Paid {
        var transfer: PostedTransfer
        var detail: GiftDetail
        /// Who wait for the answer.
        var replies: [Reply<CommandOutcome>]
        /// When, in milliseconds since 1970: it counts for the PK that ran then, however long it waits to be told.
        var time: Int64
    }

    fileprivate struct Order {
        enum Course {
            /// Asked for by somebody.
            case sent
            /// The room would not let it through for this reason, were it not paid already.
            case refused(RoomError)
            /// The ledger has failed so often: whether it is paid is not known, and nobody waits any more.
            case doubtful(failures: Int)
        }

        var key: TransferKey
        /// Whom it is for.
        var to: UserID
        var course: Course
        var reply: Reply<CommandOutcome> = { _ in }
    }

    private struct Row: Hashable {
        var gift: String
        var from: UserID
        var to: UserID
    }

    private let catalogue: @Sendable () -> GiftCatalogue
    /// Those who ordered, by the number of their posting.
    private var ordered: [UInt64: Order] = [:]
    private var lastOrder: UInt64 = 0
    /// What may be paid though the ledger has failed. Until that is known nothing is told: gifts are told in the ledger's order, and what
    /// stands before the last one that was told counts as told.
    private var doubts: [Order] = []
    /// On the disk, and not told yet.
    private var paid: [Int64: Paid] = [:]
    private var lastTold = Instant.distantPast
    private var combos: [Row: (count: Int, at: Instant)] = [:]
    /// Who is to be erased, and until when that is waited for.
    private var leaving: [UserID: Instant] = [:]
    private var bucket: TokenBucket
    private var people = TokenBuckets<UserID>(RoomGifts.perPerson)

    /// - Parameter catalogue: what can be given, asked for each gift.
    init(catalogue: @escaping @Sendable () -> GiftCatalogue, at now: Instant) {
        self.catalogue = catalogue
        bucket = TokenBucket(Self.perSecond, now: now)
    }

    // MARK: Ordering

    mutating func send(
        _ draft: GiftDraft, by user: UserProfile, key: IdempotencyKey,
        reply: @escaping Reply<CommandOutcome>, in turn: inout RoomTurn
    ) {
        if let wait = takeShare(of: user.id, at: turn.now) {
            return turn.answer(
                reply, .failure(RoomError(.rateLimited, "too many gifts at once", retryAfterMs: wait)))
        }
        let receiver = draft.to ?? turn.state.owner.id
        guard ![user.id, receiver].contains(where: { leaving[$0].map { turn.now < $0 } ?? false }) else {
            return turn.answer(reply, .failure(RoomCore.unavailable))
        }
        let key = TransferKey(draft, by: user.id, in: turn.key, key: key)
        lastOrder += 1
        do throws(RoomError) {
            var context = turn.context
            context.gift = catalogue()[draft.gift]
            let order = try draft.order(by: user, in: turn.state, context)
            let detail = try GiftDetail(gift: order.gift, count: order.count, from: user, to: order.to).encoded()
            let transfer = Transfer(
                from: .wallet(user.id), to: .earnings(order.to.id), coins: order.coins,
                purpose: .gift(to: turn.life, detail: detail))
            ordered[lastOrder] = Order(key: key, to: receiver, course: .sent, reply: reply)
            turn.add(.post(transfer, key, order: lastOrder))
        } catch {
            // A repeat is answered like the first, whoever has left the stage or what is no longer offered since.
            ordered[lastOrder] = Order(key: key, to: receiver, course: .refused(error), reply: reply)
            turn.add(.find(key, order: lastOrder))
        }
    }

    /// The milliseconds until the room, or the sender, may have another one; `nil`: now. An attempt costs its sender's share, and the room's
    /// only once it is paid: who has no coins keeps nobody from giving.
    private mutating func takeShare(of user: UserID, at now: Instant) -> Int? {
        // In doubt nothing is told, so what is paid meanwhile counts too.
        let waiting = ordered.count + doubts.count + (isInDoubt ? paid.count : 0)
        guard waiting < Self.ordersAtOnce else { return Self.ordersWaitMs }
        let wait = bucket.wait(now: now)
        return wait > 0 ? wait : people.take(user, now: now)
    }

    // MARK: Paid

    /// The ledger's answers, in its order.
    mutating func hear(_ postings: [RoomInbox.Posting], in turn: inout RoomTurn) {
        for posting in postings {
            guard let order = ordered.removeValue(forKey: posting.number) else { continue }
            let reply = order.reply
            switch posting.result {
            case .success(nil): turn.answer(reply, .failure(order.refusal))
            case .success(.posted(let transfer, let again)):
                // What was paid before takes nothing of what the room lets through now.
                if !again { _ = bucket.take(now: turn.now) }
                take(transfer, reply, in: &turn)
            case .success(.refused(.balanceLow(let balance))):
                turn.answer(reply, .failure(RoomError(.balanceLow, reason: "\(balance)")))
            case .success(.refused(.balanceFull)):
                turn.answer(reply, .failure(RoomError(.unavailable, "whoever is to get it can hold no more coins")))
            case .success(.refused(.keyReused)): turn.answer(reply, .failure(RoomError(.keyReused)))
            case .failure:
                turn.answer(reply, .failure(RoomCore.unavailable))
                doubt(order, in: &turn)
            }
        }
        if turn.phase == .loading { answerPaid(in: &turn) }
        if !paid.isEmpty { tellWhenDue(in: &turn) }
    }

    /// People hear of it when the room has been loaded; who has paid is told so now, however long that takes.
    mutating func answerPaid(in turn: inout RoomTurn) {
        for (number, one) in paid {
            for reply in one.replies { turn.answer(reply, .success(outcome(one.transfer))) }
            paid[number]?.replies = []
        }
    }

    /// A failure does not say that nothing is paid: a disk can fail after it has stored.
    private mutating func doubt(_ order: Order, in turn: inout RoomTurn) {
        guard turn.phase != .over, let failures = order.failuresBefore, failures < Self.doubtAttempts else { return }
        if !doubts.contains(where: { $0.key == order.key }) {
            doubts.append(Order(key: order.key, to: order.to, course: .doubtful(failures: failures + 1)))
        }
        awaitDoubts(in: &turn)
    }

    private func awaitDoubts(in turn: inout RoomTurn) {
        guard !doubts.isEmpty, !turn.deadlines.isSet(.doubts) else { return }
        turn.deadlines.set(.doubts, at: turn.now + Self.doubtTime)
    }

    /// Asks the ledger what became of the orders at which it failed.
    mutating func settleDoubts(in turn: inout RoomTurn) {
        for doubt in doubts {
            lastOrder += 1
            ordered[lastOrder] = doubt
            turn.add(.find(doubt.key, order: lastOrder))
        }
        doubts = []
    }

    private mutating func take(
        _ transfer: PostedTransfer, _ reply: @escaping Reply<CommandOutcome>, in turn: inout RoomTurn
    ) {
        // Of another room or life: the key is the sender's, not the room's.
        guard case .gift(let life, let bytes) = transfer.transfer.purpose, life == turn.life, turn.phase != .over
        else { return turn.answer(reply, .success(outcome(transfer))) }
        if paid[transfer.id] != nil {
            paid[transfer.id]?.replies.append(reply)
        } else if let detail = GiftDetail(bytes) {
            // By the room's clock, which the clock of the ledger need not agree with.
            paid[transfer.id] = Paid(transfer: transfer, detail: detail, replies: [reply], time: turn.wallNow)
        } else {
            turn.answer(reply, .success(outcome(transfer)))
        }
    }

    private func outcome(_ transfer: PostedTransfer, seq: UInt64? = nil) -> CommandOutcome {
        CommandOutcome(.gifted(number: transfer.id, balance: transfer.fromBalance), seq: seq)
    }

    /// The room has been loaded: what was paid and never told is told now, or when nothing is in doubt any more.
    mutating func resume(_ found: [PostedTransfer], in turn: inout RoomTurn) {
        awaitDoubts(in: &turn)
        for transfer in found where transfer.id > turn.state.figures.gifts.upTo && paid[transfer.id] == nil {
            guard case .gift(_, let bytes) = transfer.transfer.purpose,
                let detail = GiftDetail(bytes)
            else { continue }
            paid[transfer.id] = Paid(transfer: transfer, detail: detail, replies: [], time: transfer.time)
        }
        if !paid.isEmpty { tell(in: &turn) }
    }

    /// The room is over. Who waits for the ledger is told so: what was paid is the receiver's, and stands in both statements.
    mutating func end(in turn: inout RoomTurn) {
        let inDoubt = RoomError(
            .unavailable, "the room ended while this was being paid: the statement tells whether it was")
        for order in ordered.values { turn.add(.answer(PlannedAnswer(order.reply, .failure(inDoubt)))) }
        (ordered, doubts) = ([:], [])
        for paid in paid.values {
            let result = Result<CommandOutcome, RoomError>.success(outcome(paid.transfer))
            for reply in paid.replies { turn.add(.answer(PlannedAnswer(reply, result))) }
        }
        paid = [:]
    }

    // MARK: Telling

    /// Something is paid and waits for company.
    var hasUntold: Bool { !paid.isEmpty }

    private mutating func tellWhenDue(in turn: inout RoomTurn) {
        guard turn.isOpen, !isInDoubt else { return }
        let due = lastTold + Self.gatheringTime
        if due <= turn.now { tell(in: &turn) } else { turn.deadlines.set(.gifts, at: due) }
    }

    /// An erasure has to wait: what concerns that person comes to its end, and nothing is added.
    mutating func letGo(of user: UserID, at now: Instant) {
        leaving = leaving.filter { now < $0.value }
        leaving[user] = now + Self.erasureTime
    }

    mutating func noteErased(_ user: UserID) { leaving[user] = nil }

    /// Whether something that is being paid, is in doubt or waits to be told is somebody's, or for them.
    func concern(_ user: UserID) -> Bool {
        ordered.values.contains { $0.concerns(user) } || doubts.contains { $0.concerns(user) }
            || paid.values.contains { $0.detail.from.id == user || $0.detail.to.id == user }
    }

    private var isInDoubt: Bool { !doubts.isEmpty || ordered.values.contains { $0.isDoubtful } }

    /// Tells everybody what was paid since the last time. While the room is being loaded it waits for that; and what is paid once its end
    /// is decided waits until that is stored, or has failed. What waits for a doubt when the room ends stands in the statements alone.
    mutating func tell(in turn: inout RoomTurn) {
        guard turn.isOpen, !isInDoubt else { return }
        let taken = paid.values.sorted { $0.transfer.id < $1.transfer.id }
        paid = [:]
        // A repeat, or told already before the room was loaded again.
        let upTo = turn.state.figures.gifts.upTo
        let (told, fresh) = (taken.filter { $0.transfer.id <= upTo }, taken.filter { $0.transfer.id > upTo })
        for paid in told { for reply in paid.replies { turn.answer(reply, .success(outcome(paid.transfer))) } }
        guard !fresh.isEmpty else { return }
        lastTold = turn.now
        let seq = turn.state.progress.seq + 1
        for paid in fresh { turn.gain(coins: Int(paid.transfer.transfer.coins), at: paid.time) }
        let answers = fresh.flatMap { paid in paid.replies.map { ($0, outcome(paid.transfer, seq: seq)) } }
        turn.carryOut(
            Decision([.gifted(.init(fresh.map { sent($0, at: turn.now) }))] + [turn.takeGained()].compactMap { $0 }),
            Sequel(
                answer: PlannedAnswer { failure in
                    // It is paid: a repeat by the same key gets that answer.
                    for (reply, outcome) in answers { reply(failure.map { .failure($0) } ?? .success(outcome)) }
                }))
    }

    private mutating func sent(_ paid: Paid, at now: Instant) -> SentGift {
        let detail = paid.detail
        let row = Row(gift: detail.gift.id, from: detail.from.id, to: detail.to.id)
        combos = combos.filter { now - $0.value.at <= Self.comboTime }
        let combo = (combos[row]?.count ?? 0) + detail.count
        combos[row] = (combo, now)
        return SentGift(
            number: paid.transfer.id, gift: detail.gift, count: detail.count, combo: combo, from: detail.from,
            to: detail.to, time: paid.transfer.time)
    }
}

extension RoomGifts.Order {
    fileprivate var isDoubtful: Bool { if case .doubtful = course { true } else { false } }

    fileprivate func concerns(_ user: UserID) -> Bool { to == user || key.poster == .user(user) }

    /// How often the ledger has failed at it before; `nil`: nothing can be paid of it.
    fileprivate var failuresBefore: Int? {
        switch course {
        case .sent: 0
        case .doubtful(let failures): failures
        case .refused: nil
        }
    }

    /// Why nothing of it is paid.
    fileprivate var refusal: RoomError {
        if case .refused(let error) = course { error } else { RoomCore.unavailable }
    }
}

extension RoomTurn {
    /// To which its gifts belong.
    fileprivate var life: RoomLife { RoomLife(key: key, createdIn: state.beginning.createdIn) }
}

extension TransferKey {
    /// A gift's, of whoever pays for it.
    package init(_ draft: GiftDraft, by user: UserID, in room: RoomKey, key: IdempotencyKey) {
        self.init(
            application: room.application, poster: .user(user), key: key.rawValue,
            fingerprint: "\(room.room.description) \(RoomCommand.sendGift(draft).fingerprint)")
    }
}
