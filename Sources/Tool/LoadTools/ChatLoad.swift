internal import DatagramIO
internal import Foundation
package import Ovation
internal import Timing
package import UserSig

/// A room full of people, and what becomes of the messages that are said in it.
package struct ChatLoad {
    /// Whom the load goes to.
    package enum Server: Sendable {
        case ovation(ServerAddress, TicketSigner)
        /// Lines that read `/sub` and write `/pub`: nginx with nchan, or the benchmark's floor.
        case channel(ServerAddress)
    }

    package struct Plan: Sendable {
        package var members = 100
        package var publishers = 10
        /// Of a message's text, in bytes.
        package var size = 200
        /// The first member's IPv4 address, and how many have the same.
        package var addresses = "127.64.0.1"
        package var perAddress = 500
        package var serverProcess: Int32?
        package var warmUp = 1.0
        package init() {}
    }

    package enum Work: Sendable {
        /// So many messages a second, for so many seconds each; `untilLate`: until it is too much.
        case messages([Double], seconds: Double, untilLate: Bool)
        /// Nothing is said, and no room entered.
        case lines
        /// More messages a second than the room lets through, and four seat changes a second among them.
        case flood(Double, seconds: Double)
        /// So many messages a second, until the server goes and everybody is back.
        case comeback(Double)
    }

    package enum Report: Sendable {
        case messages(ChatReport)
        case lines(LinesReport)
        case flood(FloodReport)
        case comeback(ReturnReport)

        package var text: String {
            switch self {
            case .messages(let report): report.text
            case .lines(let report): report.text
            case .flood(let report): report.text
            case .comeback(let report): report.text
            }
        }

        package var json: String {
            switch self {
            case .messages(let report): ChatReport.json(report)
            case .lines(let report): ChatReport.json(report)
            case .flood(let report): ChatReport.json(report)
            case .comeback(let report): ChatReport.json(report)
            }
        }
    }

    /// What a text may have, in bytes: its number and instant, and no more than a room takes.
    package static let sizes = ChatText.least...12_000
    /// More than that is too late (`p99`, in milliseconds).
    package static let latest = 50.0
    private static let lateInARow = 3
    /// Lines on their way in at once: no more than a server's queue of connections holds.
    private static let enteringAtOnce = 64
    private static let patience = Interval.seconds(120)
    /// For the last copies of a stretch.
    private static let last = Interval.seconds(5)

    private let plan: Plan
    private let crowd: Crowd
    private let publishers: Int

    /// Runs a load from beginning to end; `report` is called with each result, on a thread of the load's own.
    package static func run(
        _ work: Work, to server: Server, _ plan: Plan, report: @escaping @Sendable (Report) -> Void
    ) async throws {
        if let process = plan.serverProcess, ProcessUsage(of: process) == nil {
            throw LoadFailure("what process \(process) uses cannot be read")
        }
        var thread: WorkerThread?
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            do {
                thread = try WorkerThread(name: "load") {
                    done.resume(with: Result { try ChatLoad(work, to: server, plan).run(work, report) })
                }
            } catch {
                done.resume(throwing: LoadFailure("\(error)"))
            }
        }
        withExtendedLifetime(thread) {}
    }

    private init(_ work: Work, to server: Server, _ plan: Plan) throws {
        self.plan = plan
        publishers = min(plan.publishers, plan.members)
        let (address, chat): (ServerAddress, any LoadedChat)
        switch server {
        case .ovation(let server, let signer):
            address = server
            var (isIdle, comesBack) = (false, false)
            switch work {
            case .lines: isIdle = true
            case .comeback: comesBack = true
            case .messages, .flood: break
            }
            chat = OvationChat(
                host: "\(server.host):\(server.port)", signer: signer, lines: plan.members, isIdle: isIdle,
                comesBack: comesBack)
        case .channel(let server):
            address = server
            chat = ChannelChat(host: "\(server.host):\(server.port)", members: plan.members)
        }
        guard !address.isSecure else { throw LoadFailure("this load does not speak TLS: give an http: address") }
        crowd = try Crowd(
            members: plan.members, publishers: publishers, text: ChatText(size: plan.size), chat: chat,
            server: LineAddresses.server(host: address.host, port: address.port),
            addresses: LineAddresses(first: plan.addresses, perAddress: plan.perAddress))
    }

    private func run(_ work: Work, _ report: (Report) -> Void) throws {
        let joined = try join()
        switch work {
        case .lines: report(.lines(joined))
        case .flood(let rate, let seconds): report(.flood(try flood(rate, seconds)))
        case .comeback(let rate):
            // Whoever is to end the server learns that everybody is in.
            report(.lines(joined))
            report(.comeback(try comeBack(rate)))
        case .messages(let rates, let seconds, let untilLate):
            // Messages that come often leave together, and cost less: the first rate that is too much need not be the last that is not.
            var late = 0
            for rate in rates where !untilLate || late < Self.lateInARow {
                let measured = try measure(rate, seconds)
                report(.messages(measured))
                late = measured.isWhole && (measured.latency?.p99 ?? 0) <= Self.latest ? 0 : late + 1
            }
        }
    }

    // MARK: Entering

    private func join() throws -> LinesReport {
        try crowd.open(0)
        try enter(1)
        let (before, kernel) = (memory, Self.kernelBytes)
        let start = SystemClock.now()
        var opened = 1
        while opened < crowd.count {
            while opened < crowd.count, opened - crowd.inside < Self.enteringAtOnce {
                try crowd.open(opened)
                opened += 1
            }
            try enter(opened == crowd.count ? opened : opened - Self.enteringAtOnce / 2)
        }
        let count = Double(max(1, crowd.count - 1))
        let grown = before.flatMap { before in memory.map { Double($0 - before) / count } }
        return LinesReport(
            members: crowd.count, seconds: (SystemClock.now() - start).seconds, serverBytes: grown,
            kernelBytes: Double(Self.kernelBytes - kernel) / count)
    }

    private func enter(_ count: Int) throws {
        try crowd.work(until: SystemClock.now() + Self.patience) { crowd.inside >= count }
        guard crowd.inside >= count else {
            throw LoadFailure("\(crowd.inside) of \(crowd.count) lines are in after \(Int(Self.patience.seconds)) s")
        }
    }

    private var memory: Int? { plan.serverProcess.flatMap { ProcessUsage(of: $0)?.proportionalBytes } }

    private static var kernelBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Slab:") }
        return (line?.split(separator: " ")[1]).flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
    }

    // MARK: Saying

    /// Says texts at that rate, from number 0 on; gives back how many. Their instants are those of the plan, so that what waits for a
    /// busy load counts as late too.
    private func say(_ rate: Double, _ seconds: Double, isDone: () -> Bool = { false }) throws -> UInt32 {
        let start = SystemClock.now()
        let end = start + Self.interval(seconds)
        var number: UInt32 = 0
        while true {
            let due = start + Self.interval(Double(number) / rate)
            guard due < end, !isDone() else { return number }
            try crowd.work(until: due, isDone: isDone)
            try crowd.say(number, by: crowd.firstPublisher + Int(number) % publishers, at: due)
            number += 1
        }
    }

    private static func interval(_ seconds: Double) -> Interval { Interval(nanoseconds: Int64(seconds * 1e9)) }

    private func measure(_ rate: Double, _ seconds: Double) throws -> ChatReport {
        crowd.beginMeasuring()
        let warm = try say(rate, plan.warmUp)
        try settle(warm)
        crowd.beginMeasuring()
        let (before, own) = (plan.serverProcess.flatMap(ProcessUsage.init(of:)), ProcessUsage(of: getpid()))
        let (host, start) = (HostUsage(), SystemClock.now())
        let said = try say(rate, seconds)
        try settle(said)
        let passed = (SystemClock.now() - start).seconds
        let (after, ownAfter) = (plan.serverProcess.flatMap(ProcessUsage.init(of:)), ProcessUsage(of: getpid()))
        let measured = crowd.measure
        var report = ChatReport(
            members: plan.members, rate: rate, seconds: passed, said: Int(said), refused: measured.refused,
            expected: Int(said) * plan.members, delivered: measured.delivered,
            incomplete: plan.members - crowd.whole(said),
            deliveriesPerSecond: Double(measured.delivered) / passed,
            bytesPerDelivery: Double(measured.bytes) / Double(max(1, measured.delivered)),
            textsPerFrame: Double(measured.delivered) / Double(max(1, measured.frames)),
            latency: .init(measured.latencies),
            readerShare: ((ownAfter?.cpuSeconds ?? 0) - (own?.cpuSeconds ?? 0)) / passed,
            cores: HostUsage().since(host).map {
                .init(busy: $0.busy / passed, softInterrupts: $0.softInterrupts / passed, stolen: $0.stolen / passed)
            })
        if let before, let after {
            let used = after.cpuSeconds - before.cpuSeconds
            report.serverMicroseconds = used * 1e6 / Double(max(1, measured.delivered))
            report.frameMicroseconds = used * 1e6 / Double(max(1, measured.frames))
            report.serverShare = used / passed
            report.serverBytes = after.proportionalBytes
        }
        return report
    }

    /// Until everything has come, or will not any more.
    private func settle(_ said: UInt32) throws {
        let expected = Int(said) * plan.members
        try crowd.work(until: SystemClock.now() + Self.last) { crowd.measure.delivered >= expected }
    }

    // MARK: Flooding

    /// Between two changes of a seat: fewer than the room's news that leave together.
    private static let seatInterval = Interval.milliseconds(250)

    private func flood(_ rate: Double, _ seconds: Double) throws -> FloodReport {
        crowd.beginMeasuring()
        let before = plan.serverProcess.flatMap(ProcessUsage.init(of:))
        let start = SystemClock.now()
        let end = start + Self.interval(seconds)
        var (number, nextSeat): (UInt32, Instant) = (0, start)
        while true {
            let due = start + Self.interval(Double(number) / rate)
            guard due < end else { break }
            if nextSeat <= due {
                try crowd.work(until: nextSeat)
                try crowd.changeSeat(at: nextSeat)
                nextSeat = nextSeat + Self.seatInterval
            } else {
                try crowd.work(until: due)
                // Line 0 changes seats, and says nothing: its calls are not to wait for each other.
                try crowd.say(number, by: crowd.firstPublisher + 1 + Int(number) % max(1, publishers - 1), at: due)
                number += 1
            }
        }
        let changes = crowd.measure.seatChanges.count
        let seats = changes * plan.members
        let said = Int(number)
        try crowd.work(until: SystemClock.now() + Self.last) {
            let measure = crowd.measure
            return measure.taken.count + measure.refused >= said && measure.seatLatencies.count >= seats
                && measure.delivered >= measure.taken.count * plan.members
        }
        let passed = (SystemClock.now() - start).seconds
        let after = plan.serverProcess.flatMap(ProcessUsage.init(of:))
        let measured = crowd.measure
        return FloodReport(
            members: plan.members, rate: rate, seconds: passed, said: said, taken: measured.taken.count,
            refused: measured.refused, expected: measured.taken.count * plan.members, delivered: measured.delivered,
            seatChanges: changes, seatsExpected: seats, seatsDelivered: measured.seatLatencies.count,
            seatLatency: .init(measured.seatLatencies),
            serverShare: before.flatMap { before in after.map { ($0.cpuSeconds - before.cpuSeconds) / passed } })
    }

    // MARK: Coming back

    private func comeBack(_ rate: Double) throws -> ReturnReport {
        crowd.beginMeasuring()
        // The numbers that are kept of each member are bounded by the time that a server has to go.
        _ = try say(rate, Self.patience.seconds) { crowd.comeback.lost != nil }
        guard let lost = crowd.comeback.lost else {
            throw LoadFailure("the server did not go within \(Int(Self.patience.seconds)) s")
        }
        try crowd.work(until: SystemClock.now() + Self.patience) { crowd.comeback.back != nil }
        guard let back = crowd.comeback.back, let accepted = crowd.comeback.accepted else {
            throw LoadFailure("\(crowd.inside) of \(crowd.count) are back after \(Int(Self.patience.seconds)) s")
        }
        try crowd.work(until: SystemClock.now() + Self.last)
        let missing = crowd.missing(among: crowd.measure.taken)
        return ReturnReport(
            members: plan.members, sinceLoss: (back - lost).seconds, sinceAccepted: (back - accepted).seconds,
            snapshots: crowd.comeback.snapshots, taken: crowd.measure.taken.count, lost: missing.lost,
            doubled: missing.doubled)
    }
}
