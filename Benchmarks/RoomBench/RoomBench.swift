import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import UserSig

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// R1: durable seat commands. Each of so many people owns a room, and closes and opens a seat of it as fast as the server answers, one
/// command at a time. Prints commands a second, what one waits, and the server's processor time a command.
///
/// With `--rate 10000` the people send so many a second together, each in its turn, whether the last was answered or not; a wait counts
/// from when the command was due. With `--metrics PORT` it tells how many transactions the server's disk took.
///
/// R2 with `--fill 51` and `--ask TIME`: so many commands in each room, and then, of a server that was started at that time (nanoseconds
/// since 1970), how long it took until every room has answered.
@main
struct RoomBench {
    struct Plan {
        var port = 0
        var server: Int32 = 0
        var application: UInt32 = 0
        var key = ""
        var rooms = 300
        var atOnce = 1
        /// Commands a second of all together; 0: as fast as the server answers.
        var rate = 0.0
        /// Where the server tells its metrics; 0: nowhere.
        var metrics = 0
        var warmUp = 2.0
        var seconds = 10.0
        var seats = 8
        /// Commands in each room; 0: as many as there is time for.
        var fill = 0
        /// When the server was started.
        var asked: Int64?
    }

    static func main() async throws {
        var plan = Plan()
        let arguments = Array(CommandLine.arguments.dropFirst())
        for (name, value) in zip(arguments, arguments.dropFirst()) {
            switch name {
            case "--port": plan.port = Int(value) ?? 0
            case "--server": plan.server = Int32(value) ?? 0
            case "--app": plan.application = UInt32(value) ?? 0
            case "--rooms": plan.rooms = Int(value) ?? plan.rooms
            case "--rate": plan.rate = Double(value) ?? 0
            case "--metrics": plan.metrics = Int(value) ?? 0
            case "--at-once": plan.atOnce = Int(value) ?? plan.atOnce
            case "--seconds": plan.seconds = Double(value) ?? plan.seconds
            case "--seats": plan.seats = Int(value) ?? plan.seats
            case "--fill": plan.fill = Int(value) ?? 0
            case "--ask": plan.asked = Int64(value)
            default: break
            }
        }
        plan.key = ProcessInfo.processInfo.environment["OVATION_KEY"] ?? ""
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let signer = TicketSigner(application: plan.application, key: plan.key)
        let now = Int64(Date().timeIntervalSince1970)
        if let began = plan.asked { return try await ask(plan, signer, began: began, on: group) }
        let owners = try await withThrowingTaskGroup { tasks in
            for number in 0..<plan.rooms {
                let user = "owner-\(number)"
                let ticket = try signer.ticket(user: user, issuedAt: now, lifetime: 86_400)
                tasks.addTask { [plan] in
                    try await Owner.connect(plan, user: user, ticket: ticket, room: 10_000 + number, group: group)
                }
            }
            var owners: [Owner] = []
            for try await owner in tasks { owners.append(owner) }
            return owners
        }
        for (index, owner) in owners.enumerated() {
            if plan.rate > 0 {
                let period = Double(plan.rooms) / plan.rate
                owner.begin(every: period, after: period * Double(index) / Double(plan.rooms))
            } else {
                owner.begin()
            }
        }
        if plan.fill > 0 {
            for owner in owners { try await owner.filled() }
            print("\(plan.rooms) rooms with \(plan.seats) seats, \(plan.fill) commands in each")
            exit(0)
        }
        try await Task.sleep(for: .seconds(plan.warmUp))
        for owner in owners { try await owner.reset() }
        let (cpu, start) = (serverSeconds(plan.server), ContinuousClock.now)
        let commits = commits(plan.metrics)
        try await Task.sleep(for: .seconds(plan.seconds))
        var waits: [Int64] = []
        for owner in owners { waits += try await owner.reset() }
        let elapsed = (ContinuousClock.now - start) / .seconds(1)
        let used = serverSeconds(plan.server) - cpu
        let written = Self.commits(plan.metrics).flatMap { end in commits.map { end - $0 } }
        waits.sort()
        guard !waits.isEmpty else {
            print("no command was answered")
            exit(1)
        }
        func milliseconds(_ share: Double) -> Double {
            Double(waits[min(waits.count - 1, Int(Double(waits.count) * share))]) / 1e6
        }
        print(
            String(
                format: "%d rooms, %@: %.0f commands/s, p50 %.1f ms, p99 %.1f ms,", plan.rooms,
                plan.rate > 0 ? "\(Int(plan.rate)) a second in all" : "\(plan.atOnce) at once each",
                Double(waits.count) / elapsed, milliseconds(0.5), milliseconds(0.99)),
            String(
                format: "server %.0f %% of a core, %.0f µs a command", 100 * used / elapsed,
                1e6 * used / Double(waits.count)) + (written.map { ", \(Int($0)) commits, each an fsync" } ?? ""))
        exit(0)
    }

    /// Transactions on the server's disk since its start.
    private static func commits(_ port: Int) -> Double? {
        guard port > 0, let url = URL(string: "http://127.0.0.1:\(port)/metrics"),
            let text = try? String(contentsOf: url, encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ovation_store_commits_total ") })
        else { return nil }
        return line.split(separator: " ").last.flatMap { Double($0) }
    }

    /// Asks every room for something that only the room itself can refuse, and waits for all answers.
    private static func ask(
        _ plan: Plan, _ signer: TicketSigner, began: Int64, on group: MultiThreadedEventLoopGroup
    ) async throws {
        let ticket = try signer.ticket(user: "asker", issuedAt: began / 1_000_000_000, lifetime: 86_400)
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                let asker = try await Owner.connect(
                    plan, user: "asker", ticket: ticket, room: nil, group: group)
                asker.askAll(plan.rooms)
                try await asker.filled()
                break
            } catch {
                // The server is not there yet.
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        let passed = Date().timeIntervalSince1970 - Double(began) / 1e9
        print(String(format: "%d rooms have answered %.2f s after the server was started", plan.rooms, passed))
        exit(0)
    }

    /// Processor time of the server, in seconds.
    private static func serverSeconds(_ process: Int32) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let rest = text.split(separator: ")").last?.split(separator: " "), rest.count > 13,
            let user = Double(rest[11]), let system = Double(rest[12])
        else { return .nan }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

/// One person with one room and one connection, on its event loop alone.
/// Unchecked, since it is touched on that loop alone; `channel` is set once, before anybody else has the owner.
final class Owner: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// Without a room of its own it asks all of them.
    private let room: Int?
    private let seats: Int
    private let atOnce: Int
    private let isPaced: Bool
    private let ready: EventLoopPromise<Void>
    /// All commands that were to be made are answered.
    private let isFilled: EventLoopPromise<Void>
    private var left: Int
    private let opening: String
    private var channel: (any Channel)?
    private var next = 3
    private var sent: [Int: UInt64] = [:]
    private var waits: [Int64] = []

    private init(
        _ plan: RoomBench.Plan, room: Int?, opening: String, ready: EventLoopPromise<Void>,
        isFilled: EventLoopPromise<Void>
    ) {
        self.room = room
        seats = plan.seats
        atOnce = plan.atOnce
        isPaced = plan.rate > 0
        left = plan.fill > 0 ? plan.fill : .max
        self.isFilled = isFilled
        self.opening = opening
        self.ready = ready
    }

    static func connect(
        _ plan: RoomBench.Plan, user: String, ticket: String, room: Int?, group: MultiThreadedEventLoopGroup
    ) async throws -> Owner {
        let loop = group.next()
        let opening =
            #"{"jsonrpc":"2.0","id":1,"method":"session.open","params":{"version":1,"app":\#(plan.application),"user":"\#(user)","ticket":"\#(ticket)"}}"#
        let ready = loop.makePromise(of: Void.self)
        let owner = Owner(
            plan, room: room, opening: opening, ready: ready, isFilled: loop.makePromise(of: Void.self))
        let upgraded = try await ClientBootstrap(group: loop).connect(host: "127.0.0.1", port: plan.port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(
                    maxFrameSize: 1 << 20,
                    upgradePipelineHandler: { channel, _ in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(owner)
                            return true
                        }
                    })
                var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/v1/connect")
                head.headers.add(name: "Host", value: "127.0.0.1:\(plan.port)")
                head.headers.add(name: "Content-Length", value: "0")
                head.headers.add(name: "Sec-WebSocket-Protocol", value: "ovation.v1")
                let configuration = NIOTypedHTTPClientUpgradeConfiguration<Bool>(
                    upgradeRequestHead: head, upgraders: [upgrader],
                    notUpgradingCompletionHandler: { $0.eventLoop.makeSucceededFuture(false) })
                return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                    configuration: .init(upgradeConfiguration: configuration))
            }
        }
        guard try await upgraded.get() else { throw Refused(text: "the upgrade was refused") }
        owner.open()
        try await ready.futureResult.get()
        return owner
    }

    struct Refused: Error { var text: String }

    func begin() {
        channel?.eventLoop.execute { for _ in 0..<self.atOnce { self.command() } }
    }

    /// Sends a command every so many seconds.
    func begin(every period: Double, after delay: Double) {
        guard let channel else { return }
        let start = DispatchTime.now().uptimeNanoseconds + UInt64((delay + 0.1) * 1e9)
        channel.eventLoop.execute { self.sendDue(start, every: UInt64(period * 1e9)) }
    }

    private func sendDue(_ due: UInt64, every period: UInt64) {
        guard let channel else { return }
        channel.eventLoop.scheduleTask(deadline: .uptimeNanoseconds(due)) {
            self.command(due: due)
            self.sendDue(due + period, every: period)
        }
    }

    /// The waits since the last call, in nanoseconds.
    @discardableResult
    func reset() async throws -> [Int64] {
        guard let channel else { return [] }
        return try await channel.eventLoop.submit {
            defer { self.waits = [] }
            return self.waits
        }.get()
    }

    func handlerAdded(context: ChannelHandlerContext) { channel = context.channel }

    /// Once the upgrade is done: what is written before it goes out as HTTP.
    private func open() { channel?.eventLoop.execute { self.send(self.opening) } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if frame.opcode == .ping {
            context.writeAndFlush(
                wrapOutboundOut(
                    WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)),
                promise: nil)
            return
        }
        if frame.opcode == .connectionClose {
            var data = frame.unmaskedData
            print("closed with \(data.readInteger(as: UInt16.self) ?? 0)")
            exit(1)
        }
        guard frame.opcode == .text, let id = answered(frame.unmaskedData) else { return }
        switch id {
        case 1:
            guard let room else { return ready.succeed() }
            send(
                #"{"jsonrpc":"2.0","id":2,"method":"room.create","params":{"room":\#(room),"name":"Bench","seats":\#(seats)}}"#
            )
        case 2: ready.succeed()
        default:
            guard let began = sent.removeValue(forKey: id) else { return }
            waits.append(Int64(DispatchTime.now().uptimeNanoseconds - began))
            if isPaced { return }
            if left > 0 { command() } else if sent.isEmpty { isFilled.succeed() }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ready.fail(Refused(text: "closed"))
        isFilled.fail(Refused(text: "closed"))
    }

    func filled() async throws { try await isFilled.futureResult.get() }

    func askAll(_ rooms: Int) {
        channel?.eventLoop.execute {
            self.left = rooms
            for _ in 0..<min(rooms, Self.askedAtOnce) { self.command() }
        }
    }

    /// Calls that wait for each other, of a connection: a server takes 512.
    private static let askedAtOnce = 256

    private func command(due: UInt64? = nil) {
        left -= 1
        let room = room ?? 10_000 + left
        let id = next
        next += 1
        sent[id] = due ?? DispatchTime.now().uptimeNanoseconds
        send(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"seat.close","params":{"room":\#(room),"seat":1,"closed":\#(id.isMultiple(of: 2))}}"#
        )
    }

    private func send(_ text: String) {
        guard let channel else { return }
        var bytes = channel.allocator.buffer(capacity: text.utf8.count)
        bytes.writeString(text)
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: bytes), promise: nil)
    }

    /// The id of an answer; `nil` for news. A refusal ends the run: it would be measured as an answer.
    private func answered(_ bytes: ByteBuffer) -> Int? {
        bytes.withUnsafeReadableBytes { bytes in
            // News have a method, and people's ids are in quotes: the first number after "id": is the call's.
            guard bytes.firstRange(of: Array("\"method\"".utf8)) == nil else { return nil }
            var rest = bytes[...]
            while let place = rest.firstRange(of: Self.id) {
                var number: Int?
                for byte in rest[place.upperBound...].prefix(while: { (0x30...0x39).contains($0) }) {
                    number = (number ?? 0) * 10 + Int(byte - 0x30)
                }
                if let number {
                    // Who is in no room is refused by each: that is the answer of the room.
                    let isRefused = bytes.firstRange(of: Array("\"error\"".utf8)) != nil
                    if isRefused, room != nil || bytes.firstRange(of: Array("not_in_room".utf8)) == nil {
                        print("refused: \(String(decoding: bytes, as: UTF8.self))")
                        exit(1)
                    }
                    return number
                }
                rest = rest[place.upperBound...]
            }
            return nil
        }
    }

    private static let id = Array("\"id\":".utf8)
}
