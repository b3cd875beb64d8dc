import Commerce
import RoomEvents
package import RoomModel
import RoomPorts
import RoomRules
import Timing

/// Gifts in a room (G02): ordered by the rules, paid in the ledger, told by the room. Money is moved before anybody hears of it, and a room
/// that could not tell of a gift finds it in the ledger when it is loaded again.
final class RoomGifts {
    /// While many come, news of gifts wait no longer than this for company.
    static let gatheringTime = Interval.milliseconds(100)
    /// What a room lets through: each goes to everybody.
    static let perSecond = Allowance(burst: 100, perSecond: 100)
    /// What one person can send; apps gather what is tapped within 250 ms.
    static let perPerson = Allowance(burst: 20, perSecond: 5)
    /// Orders that the ledger has not answered. It answers thousands a second, so as many wait only behind a slow disk.
    static let ordersAtOnce = 100
    static let ordersWaitMs = 100
    /// For how long the next one counts as in a row.
    static let comboTime = Interval.seconds(5)

    private struct Paid {
        var transfer: PostedTransfer
        var detail: GiftDetail
        /// Who wait for the answer.
        var replies: [Reply<CommandOutcome>]
    }

    private struct Order {
        var reply: Reply<CommandOutcome>
        /// Why the room would not let it through, were it not paid already.
        var refusal: RoomError?
    }

    private struct Row: Hashable {
        var gift: String
        var from: UserID
        var to: UserID
    }

    private unowned let core: RoomCore
    /// Those who ordered, by the number of their posting.
    private var ordered: [UInt64: Order] = [:]
    private var lastOrder: UInt64 = 0
    /// On the disk, and not told yet.
    private var paid: [Int64: Paid] = [:]
    private var lastTold = Instant.distantPast
    private var combos: [Row: (count: Int, at: Instant)] = [:]
    private lazy var bucket = TokenBucket(Self.perSecond, now: core.now)
    private var people = TokenBuckets<UserID>(RoomGifts.perPerson)

    init(_ core: RoomCore) { self.core = core }

    // MARK: Ordering

    func send(
        _ draft: GiftDraft, by user: UserProfile, key: IdempotencyKey,
        reply: @escaping Reply<CommandOutcome>
    ) {
        if let wait = takeTurn(of: user.id) {
            return core.answer(
                reply, .failure(RoomError(.rateLimited, "too many gifts at once", retryAfterMs: wait)))
        }
        let key = TransferKey(draft, by: user.id, in: core.key, key: key)
        lastOrder += 1
        let number = lastOrder
        do throws(RoomError) {
            var context = core.context
            context.gift = core.dependencies.catalogue()[draft.gift]
            let order = try core.state.orderGift(draft, by: user, in: context)
            let detail = try GiftDetail(gift: order.gift, count: order.count, from: user, to: order.to).encoded()
            let transfer = Transfer(
                from: .wallet(user.id), to: .earnings(order.to.id), coins: order.coins,
                purpose: .gift(to: life, detail: detail))
            ordered[number] = Order(reply: reply)
            core.dependencies.ledger.post(transfer, key: key) { [inbox = core.inbox] in
                inbox.posted(number, $0.map(\.self))
            }
        } catch {
            // A repeat is answered like the first, whoever has left the stage or what is no longer offered since.
            ordered[number] = Order(reply: reply, refusal: error)
            core.dependencies.ledger.find(key) { [inbox = core.inbox] in inbox.posted(number, $0) }
        }
    }

    private var life: RoomLife { RoomLife(key: core.key, createdIn: core.state.createdIn) }

    /// The milliseconds until the room, or the sender, may have another one; `nil`: now. An attempt costs its sender's share, and the room's
    /// only once it is paid: who has no coins keeps nobody from giving.
    private func takeTurn(of user: UserID) -> Int? {
        guard ordered.count < Self.ordersAtOnce else { return Self.ordersWaitMs }
        let wait = bucket.wait(now: core.now)
        return wait > 0 ? wait : people.take(user, now: core.now)
    }

    // MARK: Paid

    /// The ledger's answers, in its order.
    func hear(_ postings: [RoomInbox.Posting]) {
        for posting in postings {
            guard let order = ordered.removeValue(forKey: posting.number) else { continue }
            let reply = order.reply
            switch posting.result {
            case .success(nil): core.answer(reply, .failure(order.refusal ?? RoomCore.unavailable))
            case .success(.posted(let transfer, let again)):
                // What was paid before takes nothing of what the room lets through now.
                if !again { _ = bucket.take(now: core.now) }
                take(transfer, reply)
            case .success(.refused(.balanceLow(let balance))):
                core.answer(reply, .failure(RoomError(.balanceLow, reason: "\(balance)")))
            case .success(.refused(.balanceFull)):
                core.answer(reply, .failure(RoomError(.unavailable, "whoever is to get it can hold no more coins")))
            case .success(.refused(.keyReused)): core.answer(reply, .failure(RoomError(.keyReused)))
            case .failure: core.answer(reply, .failure(RoomCore.unavailable))
            }
        }
        if !paid.isEmpty { tellWhenDue() }
    }

    private func take(_ transfer: PostedTransfer, _ reply: @escaping Reply<CommandOutcome>) {
        // Of another room or life: the key is the sender's, not the room's.
        guard case .gift(let life, let bytes) = transfer.transfer.purpose, life == self.life, core.phase != .over
        else { return core.answer(reply, .success(outcome(transfer))) }
        if paid[transfer.id] != nil {
            paid[transfer.id]?.replies.append(reply)
        } else if let detail = GiftDetail(bytes) {
            paid[transfer.id] = Paid(transfer: transfer, detail: detail, replies: [reply])
        } else {
            core.answer(reply, .success(outcome(transfer)))
        }
    }

    private func outcome(_ transfer: PostedTransfer, seq: UInt64? = nil) -> CommandOutcome {
        CommandOutcome(.gifted(number: transfer.id, balance: transfer.fromBalance), seq: seq)
    }

    /// The room has been loaded: what was paid and never told is told now.
    func resume(_ found: [PostedTransfer]) {
        for transfer in found where transfer.id > core.state.gifts.upTo && paid[transfer.id] == nil {
            guard case .gift(_, let bytes) = transfer.transfer.purpose,
                let detail = GiftDetail(bytes)
            else { continue }
            paid[transfer.id] = Paid(transfer: transfer, detail: detail, replies: [])
        }
        if !paid.isEmpty { tell() }
    }

    /// The room is over. Who waits for the ledger is told so: what was paid is the receiver's, and stands in both statements.
    func end() {
        for order in ordered.values {
            order.reply(
                .failure(
                    RoomError(
                        .unavailable, "the room ended while this was being paid: the statement tells whether it was")))
        }
        ordered = [:]
        for paid in paid.values { for reply in paid.replies { reply(.success(outcome(paid.transfer))) } }
        paid = [:]
    }

    // MARK: Telling

    /// Something is paid and waits for company.
    var hasUntold: Bool { !paid.isEmpty }

    private func tellWhenDue() {
        guard core.phase == .open else { return }
        let due = lastTold + Self.gatheringTime
        if due <= core.now { tell() } else { core.deadlines.set(.gifts, at: due) }
    }

    /// Tells everybody what was paid since the last time. While the room is being loaded it waits for that.
    func tell() {
        guard core.phase == .open else { return }
        let taken = paid.values.sorted { $0.transfer.id < $1.transfer.id }
        paid = [:]
        // A repeat, or told already before the room was loaded again.
        let upTo = core.state.gifts.upTo
        let (told, fresh) = (taken.filter { $0.transfer.id <= upTo }, taken.filter { $0.transfer.id > upTo })
        for paid in told { for reply in paid.replies { core.answer(reply, .success(outcome(paid.transfer))) } }
        guard !fresh.isEmpty else { return }
        lastTold = core.now
        let seq = core.state.seq + 1
        core.correspondence.gain(coins: fresh.reduce(0) { $0 + Int($1.transfer.transfer.coins) })
        core.carryOut(
            Decision([.gifted(fresh.map(sent))] + [core.correspondence.takeGained()].compactMap { $0 }), by: nil,
            answer: { [self] in
                for paid in fresh {
                    for reply in paid.replies { reply(.success(outcome(paid.transfer, seq: seq))) }
                }
            },
            refuse: { error in
                // It is paid: a repeat by the same key gets that answer.
                for paid in fresh { for reply in paid.replies { reply(.failure(error)) } }
            })
    }

    private func sent(_ paid: Paid) -> SentGift {
        let detail = paid.detail
        let row = Row(gift: detail.gift.id, from: detail.from.id, to: detail.to.id)
        combos = combos.filter { core.now - $0.value.at <= Self.comboTime }
        let combo = (combos[row]?.count ?? 0) + detail.count
        combos[row] = (combo, core.now)
        return SentGift(
            number: paid.transfer.id, gift: detail.gift, count: detail.count, combo: combo, from: detail.from,
            to: detail.to, time: paid.transfer.time)
    }
}

extension TransferKey {
    /// A gift's, of whoever pays for it.
    package init(_ draft: GiftDraft, by user: UserID, in room: RoomKey, key: IdempotencyKey) {
        self.init(
            application: room.application, poster: .user(user), key: key.rawValue,
            fingerprint: "\(room.room.description) \(RoomCommand.sendGift(draft).fingerprint)")
    }
}
