import Commerce
import RoomModel
import RoomPorts
import RoomRules
import RoomService
import RoomTestSupport

/// Listens to what people are told, and compares it with the disk.
struct Witness {
    typealias Violation = Truths.Violation

    let disk: SimulatedDisk
    private(set) var trace = Trace()
    var counts = Counts()

    init(_ disk: SimulatedDisk) { self.disk = disk }

    mutating func note(_ line: String) { trace.add(line) }

    /// - Parameter now: in milliseconds since 1970.
    mutating func listen(_ person: SimulatedPerson, _ room: RoomKey, _ truths: inout Truths, at now: Int64) throws {
        for entry in person.entry.take() { try hear(entry, person, room, &truths) }
        for heard in person.outbox.drain() {
            guard case .news(let event, _) = heard, var point = person.point else { continue }
            note("\(person.profile.id.rawValue) \(event.summary)")
            try truths.hear(event, in: room, after: &point)
            person.point = point
        }
        for wish in person.wishes {
            for answer in wish.takeAnswers() { try hear(answer, to: wish, person, room, truths) }
        }
        person.wishes.removeAll { $0.isAnswered }
        for complaint in person.complaints {
            for answer in complaint.answer.take() { try hear(answer, to: complaint, person) }
        }
        for departure in person.departures.take() {
            note("\(person.profile.id.rawValue) is out: \(departure.summary)")
            if case .removed = departure { counts.removals += 1 }
            // Who has lost the connection has left it already.
            if person.isConnected { person.depart() }
        }
        try checkPresence(of: person, in: truths[room], at: now)
    }

    /// Who is kept out is not inside, and nobody is in a room that has ended.
    private func checkPresence(of person: SimulatedPerson, in truth: Truth?, at now: Int64) throws {
        guard person.isInside, person.isConnected, let state = truth?.state else { return }
        let id = person.profile.id
        if id != state.owner.id, state.restrictions.restriction(.ban, of: id, at: now) != nil {
            throw Violation(description: "\(id.rawValue) is banned and inside")
        }
    }

    private mutating func hear(
        _ entry: Result<RoomEntry, RoomError>, _ person: SimulatedPerson, _ room: RoomKey, _ truths: inout Truths
    ) throws {
        switch entry {
        case .success(.snapshot(let snapshot)):
            person.isInside = true
            guard let truth = truths[room] else { throw Violation(description: "an entry into no room") }
            if snapshot.seq > truth.state.progress.seq || snapshot.chat > truth.state.progress.chat {
                throw Violation(description: "an entry tells of what is not stored")
            }
            if person.life != truth.life { person.forgetWishes() }
            person.life = truth.life
            person.point = ResumePoint(epoch: snapshot.epoch, seq: snapshot.seq, chat: snapshot.chat)
        case .success(.resumed(let gap)):
            counts.gaps += 1
            person.isInside = true
            guard var point = person.point else { throw Violation(description: "a gap since nothing") }
            if person.life != truths[room]?.life { throw Violation(description: "a gap into another life of the room") }
            for event in gap.events { try truths.hear(event, in: room, after: &point) }
            guard point.seq == gap.seq, point.chat == gap.chat else {
                throw Violation(description: "the gap ends at \(point), the room is at \(gap.seq), \(gap.chat)")
            }
            person.point = ResumePoint(epoch: gap.epoch, seq: gap.seq, chat: gap.chat)
        case .failure(let error):
            note("\(person.profile.id.rawValue) may not enter: \(error.code.name)")
            person.disconnect()
            return
        }
        note("\(person.profile.id.rawValue) is in at \(person.point.map { "\($0)" } ?? "no point")")
    }

    private mutating func hear(
        _ answer: Result<CommandOutcome, RoomError>, to wish: Wish, _ person: SimulatedPerson, _ room: RoomKey,
        _ truths: Truths
    ) throws {
        let name = person.profile.id.rawValue
        switch answer {
        case .failure(let error):
            note("\(name) \(wish.key.rawValue) \(error.code.name)")
            counts.refusals += 1
            if error.code == .unavailable { person.doubtful.append(wish) }
            if error.code == .chatMuted { counts.muted += 1 }
            if error.code != .unavailable, case .sendMessage(let draft) = wish.command,
                case .text(let text) = draft.body,
                truths[room]?.holds(text) == true, error.code != .notInRoom, error.code != .roomClosed
            {
                throw Violation(description: "\(wish.key.rawValue) is refused and stored: \(error.code.name)")
            }
        case .success(let outcome):
            note("\(name) \(wish.key.rawValue) \(outcome.result)")
            if let first = person.granted.first(where: { $0.wish.key == wish.key }), first.result != outcome.result {
                throw Violation(description: "\(wish.key.rawValue) has two answers")
            }
            try checkGranted(outcome.result, wish, person, room, truths)
            if !outcome.result.isLiked { person.granted = person.granted.suffix(20) + [(wish, outcome.result)] }
        }
    }

    /// Whoever is told that something is done finds it on the disk.
    private mutating func checkGranted(
        _ result: CommandResult, _ wish: Wish, _ person: SimulatedPerson, _ room: RoomKey, _ truths: Truths
    ) throws {
        switch (result, wish.command) {
        case (.sent(let chat, _), .sendMessage(let draft)):
            counts.messages += 1
            if truths[room]?.message(chat)?.body != draft.body {
                throw Violation(description: "\(wish.key.rawValue) is told as sent and is not on the disk")
            }
        case (.gifted(let number, let balance), .sendGift(let draft)):
            counts.gifts += 1
            let key = TransferKey(draft, by: person.profile.id, in: room, key: wish.key)
            guard let paid = try disk.transfer(key), paid.id == number, paid.fromBalance == balance else {
                throw Violation(description: "\(wish.key.rawValue) is told as paid and is not in the ledger")
            }
        default: break
        }
    }

    private mutating func hear(
        _ answer: Result<Void, RoomError>, to complaint: Complaint, _ person: SimulatedPerson
    ) throws {
        let kept = try disk.reports(saying: complaint.words)
        switch answer {
        case .success:
            counts.reports += 1
            if kept != 1 {
                throw Violation(description: "\(complaint.words) is told as reported and kept \(kept) times")
            }
        case .failure(let error):
            if error.code != .unavailable, kept > 0 {
                throw Violation(description: "\(complaint.words) is refused and kept")
            }
        }
    }
}

/// What has happened, so that a test can see that it has.
struct Counts: Equatable {
    var steps = 0, kills = 0, failedCommits = 0, untoldCommits = 0, gifts = 0, messages = 0, gaps = 0, repeats = 0
    var refusals = 0, lives = 0, removals = 0, muted = 0, reports = 0, erased = 0
    var challenges = 0, links = 0, results = 0, lostParcels = 0

    static func += (sum: inout Counts, other: Counts) {
        for field in [
            \Counts.steps, \.kills, \.failedCommits, \.untoldCommits, \.gifts, \.messages, \.gaps, \.repeats,
            \.refusals,
            \.lives, \.removals, \.muted, \.reports, \.erased, \.challenges, \.links, \.results, \.lostParcels,
        ] { sum[keyPath: field] += other[keyPath: field] }
    }
}

extension CommandResult {
    /// Its total goes on growing.
    fileprivate var isLiked: Bool { if case .liked = self { true } else { false } }
}

extension RoomNewsEvent {
    /// What of it is the same in each run.
    fileprivate var summary: String {
        switch self {
        case .change(let change): "change \(change.seq) \(change.time)"
        case .message(let message): "message \(message.chat) \(message.body)"
        case .passing, .invitation, .challenge, .restriction: "news"
        }
    }
}

extension Departure {
    fileprivate var summary: String {
        switch self {
        case .exited: "exited"
        case .lost: "lost"
        case .ended: "ended"
        case .replaced: "replaced"
        case .removed: "removed"
        }
    }
}

/// What has happened, as a number; the last of it in words.
struct Trace {
    private static let wordsKept = 40

    /// FNV-1a.
    private(set) var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    private(set) var last: [String] = []

    mutating func add(_ line: String) {
        for byte in line.utf8 { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        last.append(line)
        if last.count > Self.wordsKept { last.removeFirst() }
    }
}
