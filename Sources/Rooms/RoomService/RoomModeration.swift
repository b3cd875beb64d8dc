import Foundation
import RoomModel
import RoomPorts
import RoomRules
import Timing

/// What those who run a room do is noted, and what people report is handed on. Both are bounded: each takes room on the disk.
final class RoomModeration {
    /// Refusals that a room has noted: more says nothing new of who tries.
    static let refusals = Allowance(burst: 20, perSecond: 0.2)
    /// Reports of one person: five, then one a minute.
    static let reports = Allowance(burst: 5, perSecond: 1.0 / 60)
    /// The last messages of somebody who is reported go along.
    static let evidenceMessages = 5
    /// Of one of them, in scalars: enough to see what it was. (A single character can be as long as a message.)
    static let evidenceScalars = 500

    private unowned let core: RoomCore
    private var actionsPerSecond = 0
    private var actions = TokenBuckets<UserID>(Allowance(burst: 0, perSecond: 0))
    private var refusals: TokenBucket
    private var attributeChanges: TokenBucket
    private var reports = TokenBuckets<UserID>(RoomModeration.reports)

    init(_ core: RoomCore) {
        self.core = core
        refusals = TokenBucket(Self.refusals, now: core.now)
        let changes = Double(RoomLimits.attributeChangesPerSecond)
        attributeChanges = TokenBucket(Allowance(burst: changes, perSecond: changes), now: core.now)
    }

    // MARK: Bans and mutes

    private var standing: any StandingRestrictions { core.dependencies.moderation.restrictions }

    /// The ban of that person from all rooms of this host, if it holds.
    func hostBan(of user: UserID) -> Restriction? {
        guard
            let ban = standing.restriction(
                .ban, of: user, from: .host(core.state.owner.id), in: core.key.application),
            ban.holds(at: core.wallNow)
        else { return nil }
        return ban
    }

    /// How many people this host has banned everywhere.
    var hostBanCount: Int {
        standing.count(from: .host(core.state.owner.id), in: core.key.application, at: core.wallNow)
    }

    /// The operator's mute of that person, if it holds.
    func standingMute(of user: UserID) -> Restriction? {
        standing.holding(.chatMute, of: user, in: core.key.application, at: core.wallNow)
    }

    /// What keeps that person from writing here.
    func chatMute(of user: UserID) -> Restriction? {
        core.state.chatMute(of: user, standing: standingMute(of: user), at: core.wallNow)
    }

    /// Tells somebody what keeps them from writing here from now on, now that a mute is over that did before.
    /// - Parameter lifted: the one that is over; `nil`: another one has begun.
    func tellMute(of user: UserID, lifted: Restriction?) {
        let held = chatMute(of: user).map { RestrictionNews($0, lifted: false) }
        guard core.phase == .open, let news = held ?? lifted.map({ RestrictionNews($0, lifted: true) }) else { return }
        core.inOrder { [unowned self] in core.tell(Announcement(.restriction(news), to: .these([user]))) }
    }

    /// Carries out a ban, or a removal.
    func ban(
        _ draft: RestrictionDraft, by moderator: UserID, _ decision: Decision, keyed answer: KeyedAnswer?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        let user = draft.user
        let ban: Restriction
        if draft.isRemoval {
            // Over as soon as it is said.
            let name = core.people.attendance.people[user]?.profile.name
            ban = Restriction(
                .ban, user: user, name: name ?? user.rawValue, until: core.wallNow, by: moderator, reason: draft.reason)
        } else {
            guard case .restricted(let restriction) = decision.events.last else { return }
            ban = restriction
        }
        let host = core.state.owner.id
        let former = hostBan(of: user)
        // On the disk before the room's own journal says so.
        if ban.everywhere { standing.set(ban, from: .host(host), in: core.key.application) }
        let outcome = outcome(of: decision)
        putOut(ban, decision, by: moderator, keyed: answer) { [unowned self] result in
            if ban.everywhere {
                switch result {
                case .success: core.dependencies.expelElsewhere(ban, host)
                // What the moderator is told is not done holds nowhere.
                case .failure: restore(former, of: user, from: host)
                }
            }
            reply(result.map { outcome })
        }
    }

    /// Carries out the end of a ban, in the room and everywhere.
    func liftBan(
        of user: UserID, by moderator: UserID, _ decision: Decision, keyed answer: KeyedAnswer?,
        reply: @escaping Reply<CommandOutcome>
    ) {
        let host = core.state.owner.id
        let former = hostBan(of: user)
        // On the disk before the room's own journal says so.
        standing.lift(.ban, of: user, from: .host(host), in: core.key.application)
        let outcome = outcome(of: decision)
        core.carryOut(
            decision, by: moderator, keyed: answer, answer: { reply(.success(outcome)) },
            refuse: { [unowned self] error in
                restore(former, of: user, from: host)
                reply(.failure(error))
            })
    }

    private func restore(_ former: Restriction?, of user: UserID, from host: UserID) {
        if let former {
            standing.set(former, from: .host(host), in: core.key.application)
        } else {
            standing.lift(.ban, of: user, from: .host(host), in: core.key.application)
        }
    }

    private func outcome(of decision: Decision) -> CommandOutcome {
        let numbered = decision.events.count { $0.isNumbered }
        return CommandOutcome(decision.result, seq: numbered > 0 ? core.state.seq + UInt64(numbered) : nil)
    }

    /// Somebody whom the host has banned everywhere, from another room of the same host.
    func expel(_ ban: Restriction) {
        guard core.phase == .open, ban.user != core.state.owner.id, core.people.attendance.people[ban.user] != nil
        else { return }
        putOut(ban, core.state.decide(.departed(ban.user, .kicked), in: core.context), by: ban.by, keyed: nil) { _ in }
    }

    private func putOut(
        _ ban: Restriction, _ decision: Decision, by moderator: UserID, keyed answer: KeyedAnswer?,
        done: @escaping (Result<Void, RoomError>) -> Void
    ) {
        let people = core.people
        let (wasHere, sessions) = people.putOut(ban.user)
        let tell = {
            for session in sessions where session.admission.isGranted {
                session.attendee.departed(session.stay, .removed(ban))
            }
        }
        let left = PassingNews.audienceLeft(ban.user, reason: .left)
        let tellOthers = { if wasHere { people.tellOfPeople(left) } }
        defer { if wasHere { people.tellWebhooks(left) } }
        core.carryOut(
            decision, by: moderator, keyed: answer,
            answer: {
                tell()
                done(.success(()))
            }, afterwards: tellOthers,
            // Who was put out is out, even if the ban could not be stored: it is for the moderator to say it again.
            refuse: { error in
                tell()
                tellOthers()
                done(.failure(error))
            })
        people.refreshHeir()
    }

    /// Who may not write or be here, the newest first; for those who run the room.
    func restrictions(for session: SessionToken, reply: @escaping Reply<RestrictionsPage>) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        guard let user = core.people.attendance.user(of: session) else {
            return core.answer(reply, .failure(RoomError(.notInRoom)))
        }
        guard core.state.runs(user) else { return core.answer(reply, .failure(RoomError(.permissionDenied))) }
        core.answer(reply, .success(restrictions))
    }

    var restrictions: RestrictionsPage {
        let now = core.wallNow
        return RestrictionsPage(restrictions: core.state.restrictions.reversed().filter { $0.holds(at: now) })
    }

    // MARK: The audit trail

    /// Takes one action out of what that person may do.
    /// - Returns: why it may not be done now.
    func take(_ command: RoomCommand, by caller: Caller) -> RoomError? {
        // Whoever changes them: it is told to everybody.
        if command.name == .setAttributes, !attributeChanges.take(now: core.now) {
            return RoomError(
                .rateLimited, "the attributes of a room change \(RoomLimits.attributeChangesPerSecond) times a second",
                retryAfterMs: attributeChanges.wait(now: core.now))
        }
        // Operators' requests are limited where they come in.
        guard command.name.isModeration, !caller.isOperator else { return nil }
        return takeAction(of: caller.profile.id).map { RoomError(.rateLimited, retryAfterMs: $0) }
    }

    /// - Returns: the milliseconds until that person may do another, if none is left.
    private func takeAction(of user: UserID) -> Int? {
        let limit = core.dependencies.policy().actionsPerSecond
        if limit != actionsPerSecond {
            actionsPerSecond = limit
            actions = TokenBuckets(Allowance(burst: 30 * Double(limit), perSecond: Double(limit)))
        }
        let wait = actions.wait(user, now: core.now)
        guard wait == 0 else { return wait }
        _ = actions.take(user, now: core.now)
        return nil
    }

    /// What is to be noted of a command that is about to be carried out; `nil`: nothing.
    func line(_ command: RoomCommand, by caller: Caller, message: Message?, outcome: String = "done") -> AuditLine? {
        guard command.name.isAudited else { return nil }
        // Seats and settings change as fast as programs ask; of a flood the beginning is noted, and the rest is in the journal.
        if outcome == "done", !command.name.isModeration, !caller.isOperator, takeAction(of: caller.profile.id) != nil {
            return nil
        }
        let aimed = AuditDetail.of(command, in: core.state, message: message)
        // What was refused has not been looked at: a stranger may have written it.
        let isDone = outcome == "done"
        let (actor, role, way): (UserID, AuditLine.Role, AuditLine.Way) =
            switch caller {
            case .person(let user): (user.id, AuditLine.Role(core.state.role(of: user.id)), .session)
            case .operator(let caller, _): (caller.name, .operator, .rest)
            }
        return AuditLine(
            application: core.key.application, room: core.key.room, actor: actor, role: role, way: way,
            action: command.name.rawValue,
            target: aimed.target, detail: isDone ? aimed.detail.json : "{}", reason: isDone ? aimed.reason : nil,
            outcome: outcome, time: core.wallNow)
    }

    /// A room that an operator creates.
    func line(of caller: Operator, creating owner: UserID) -> AuditLine {
        AuditLine(
            application: core.key.application, room: core.key.room, actor: caller.name, role: .operator, way: .rest,
            action: "createRoom", target: owner, time: core.wallNow)
    }

    /// Submitted behind the room's own entry, if it has one.
    func note(_ line: AuditLine) { core.dependencies.moderation.audit.note(line) }

    /// Notes that somebody tried what their role does not allow.
    func noteRefused(_ command: RoomCommand, by caller: Caller, _ error: RoomError) {
        guard command.name.isAudited, error.code == .permissionDenied, refusals.take(now: core.now) else { return }
        line(command, by: caller, message: nil, outcome: error.code.name).map { note($0) }
    }

    // MARK: Reports

    func report(_ draft: ReportDraft, by session: SessionToken, reply: @escaping Reply<Void>) {
        if let error = core.closedness { return core.answer(reply, .failure(error)) }
        guard let reporter = core.people.attendance.user(of: session) else {
            return core.answer(reply, .failure(RoomError(.notInRoom)))
        }
        let report: Report
        do throws(RoomError) {
            report = try checked(draft, by: reporter)
        } catch {
            return core.answer(reply, .failure(error))
        }
        // Not the room's to order: it changes nothing there.
        core.dependencies.moderation.reports.post(report) { result in
            reply(result.mapError { _ in RoomCore.unavailable })
        }
    }

    private func checked(_ draft: ReportDraft, by reporter: UserID) throws(RoomError) -> Report {
        guard draft.user != reporter else { throw .invalid("user", "one cannot report oneself") }
        if let words = draft.words, !Restriction.isReason(words) {
            throw .invalid("words", "a few words have up to 200 characters that people can see")
        }
        let reported = draft.message.flatMap { core.recent.message($0) }
        if draft.message != nil, reported?.from.id != draft.user { throw RoomError(.messageNotFound) }
        let person = core.people.attendance.people[draft.user]
        let said = core.recent.messages(of: draft.user, limit: Self.evidenceMessages)
        guard person != nil || reported != nil || !said.isEmpty else { throw RoomError(.userNotInRoom) }
        let wait = reports.wait(reporter, now: core.now)
        guard wait == 0 else {
            throw RoomError(.rateLimited, "you have reported much of late", retryAfterMs: wait)
        }
        _ = reports.take(reporter, now: core.now)
        let messages = (reported.map { [$0] } ?? []) + said.filter { $0.chat != reported?.chat }
        let evidence = AuditDetail(
            name: person?.profile.name ?? reported?.from.name ?? said.first?.from.name,
            seat: core.state.seat(of: draft.user), reported: draft.message,
            messages: messages.map(AuditDetail.Said.init))
        return Report(
            application: core.key.application, room: core.key.room, reporter: reporter, user: draft.user,
            cause: draft.cause, words: draft.words.flatMap { $0.isEmpty ? nil : $0 }, evidence: evidence.json,
            time: core.wallNow)
    }
}

extension RoomCommand.Name {
    /// What is done to people and their words, each time noted, and therefore no faster than people work.
    fileprivate var isModeration: Bool {
        switch self {
        case .deleteMessage, .setRestriction, .liftRestriction, .setRole, .setOwner: true
        default: false
        }
    }

    /// What is done about other people or their room, and can be asked about later.
    var isAudited: Bool {
        switch self {
        case .kickSeat, .muteSeat, .closeSeat, .allowCamera, .deleteMessage, .setRestriction, .liftRestriction,
            .updateRoom, .setAttributes, .setRole, .setOwner, .destroyRoom:
            true
        default: false
        }
    }
}

extension AuditLine.Role {
    init(_ role: Role) {
        self =
            switch role {
            case .owner: .owner
            case .admin: .admin
            case .member: .member
            }
    }
}

/// What exactly was done, or seen: a JSON object with what there is to say.
struct AuditDetail: Encodable {
    struct Said: Encodable {
        var chat: UInt64
        var time: Int64
        var text: String
        var command: String?
        var deleted: Bool?

        init(_ message: Message) {
            chat = message.chat
            time = message.time
            switch message.body {
            case .text(let text): self.text = Self.cut(text)
            case .custom(let command, let text):
                self.command = command
                self.text = Self.cut(text)
            }
            if message.deleted { deleted = true }
        }

        private static func cut(_ text: String) -> String {
            String(text.unicodeScalars.prefix(RoomModeration.evidenceScalars))
        }
    }

    /// Before and after.
    struct Change<Value: Encodable>: Encodable {
        var before: Value
        var after: Value

        init?(_ before: Value, _ after: Value?) where Value: Equatable {
            guard let after, after != before else { return nil }
            self.before = before
            self.after = after
        }
    }

    var name: String?
    var seat: Int?
    var on: Bool?
    var reported: UInt64?
    var messages: [Said]?
    var kind: RestrictionKind?
    var seconds: Int?
    var everywhere: Bool?
    var role: Change<String>?
    var title: Change<String>?
    var cover: Change<String>?
    var tags: Change<[String]>?
    var needsRequest: Change<Bool>?
    var slowSeconds: Change<Int>?
    var hostsOnly: Change<Bool>?
    var noLinks: Change<Bool>?
    /// Names alone: what they stand for is the app's.
    var attributes: [String]?

    init(
        name: String? = nil, seat: Int? = nil, reported: UInt64? = nil, messages: [Said]? = nil
    ) {
        self.name = name
        self.seat = seat
        self.reported = reported
        self.messages = messages
    }

    /// Whom a command is about, what exactly it is, and why.
    static func of(
        _ command: RoomCommand, in state: DurableRoomState, message: Message?
    ) -> (target: UserID?, detail: AuditDetail, reason: String?) {
        var detail = AuditDetail()
        func sitting(_ seat: Int) -> UserID? {
            state.seats.indices.contains(seat) ? state.seats[seat].occupant?.profile.id : nil
        }
        switch command {
        case .kickSeat(let seat):
            detail.seat = seat
            return (sitting(seat), detail, nil)
        case .muteSeat(let seat, let on), .closeSeat(let seat, let on), .allowCamera(let seat, let on):
            (detail.seat, detail.on) = (seat, on)
            return (sitting(seat), detail, nil)
        case .deleteMessage(let chat):
            detail.reported = chat
            detail.messages = message.map { [Said($0)] }
            return (message?.from.id, detail, nil)
        case .setRestriction(let draft):
            (detail.kind, detail.seconds) = (draft.kind, draft.seconds)
            if draft.everywhere { detail.everywhere = true }
            return (draft.user, detail, draft.reason)
        case .liftRestriction(let kind, let user):
            detail.kind = kind
            return (user, detail, nil)
        case .setRole(let user, let role):
            detail.role = Change(state.role(of: user).rawValue, role.rawValue)
            return (user, detail, nil)
        case .setOwner(let user): return (user, detail, nil)
        case .updateRoom(let update):
            let settings = state.settings
            detail.title = Change(settings.name, update.name)
            detail.cover = Change(settings.cover, update.cover)
            detail.tags = Change(settings.tags, update.tags)
            detail.needsRequest = Change(settings.needsRequest, update.needsRequest)
            detail.slowSeconds = Change(settings.chat.slowSeconds, update.slowSeconds)
            detail.hostsOnly = Change(settings.chat.hostsOnly, update.hostsOnly)
            detail.noLinks = Change(settings.chat.noLinks, update.noLinks)
            return (nil, detail, nil)
        case .setAttributes(let draft):
            detail.attributes = (Array(draft.set.keys) + draft.add.keys + draft.remove).sorted()
            return (nil, detail, nil)
        default: return (nil, detail, nil)
        }
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail to be encoded: no number is out of range.
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
