import Foundation
import NIOCore
import NIOEmbedded
import RoomModel
import SignalProtocol
import Synchronization
import Timing

@testable import Ovation

/// A server in virtual time on the other side of a conversation. It reads calls and writes answers with the code of the real one.
final class FakeServer {
    enum Reply {
        case answer(any Encodable & Sendable)
        case refuse(RoomError)
        /// The call is never answered.
        case silence
    }

    final class Socket: SignalSocket {
        var isWritable = true
        var isClosed = false
        fileprivate weak var server: FakeServer?
        fileprivate let report: (SocketEvent) -> Void

        fileprivate init(_ server: FakeServer, _ report: @escaping (SocketEvent) -> Void) {
            self.server = server
            self.report = report
        }

        func send(_ text: [UInt8]) { server?.receive(text, from: self) }
        func close() { isClosed = true }
    }

    let loop = EmbeddedEventLoop()
    let outlet = ClientOutlet(server: .local, callTimeout: .seconds(15), hasAudio: false)
    /// Nobody answers at the address.
    var isDown = false
    private(set) var sockets: [Socket] = []
    private(set) var calls: [Call] = []
    /// Kept, as a client keeps its own, and an app its rooms.
    private var conversations: [SignalConnection] = []
    private var sessions: [RoomSession] = []
    private var scripts: [Method: (Call) -> Reply] = [:]
    /// What was delivered, in order, with what tests add to it.
    let log = EventLog()

    init() {
        outlet.deliver { [log] delivery in
            switch delivery {
            case .client(let event): log.add("\(event)")
            case .room(_, let event): log.add(event.brief)
            }
        }
    }

    func on(_ method: Method, _ script: @escaping (Call) -> Reply) { scripts[method] = script }

    /// Answers the first calls like this, then like `then`, or as ever.
    func on(_ method: Method, first replies: [Reply], then last: Reply? = nil) {
        var left = replies
        on(method) { [unowned self] call in
            left.isEmpty ? last ?? standard(call) : left.removeFirst()
        }
    }

    func count(of method: Method) -> Int { calls.count { $0.method == method } }

    func bodies(of method: Method) -> [Call.Body] { calls.filter { $0.method == method }.map(\.body) }

    var methods: [Method] { calls.map(\.method).filter { $0 != .call(.clockRead) && $0 != .call(.roomMembers) } }

    var socket: Socket? { sockets.last }

    // MARK: the conversation

    func conversation(
        ticket: String = "ticket-1", renewTicket: (@Sendable () async throws -> String)? = nil
    ) -> SignalConnection {
        let conversation = SignalConnection(
            loop: loop, outlet: outlet,
            credentials: SignalConnection.Credentials(
                application: ApplicationID(1), user: "bob", ticket: ticket, name: "Bob", avatar: nil,
                renewTicket: renewTicket, client: .init(name: "tests", version: "1")),
            seed: 1
        ) { [unowned self] _, report in open(report) }
        conversations.append(conversation)
        return conversation
    }

    /// A conversation that is signed in.
    func signedIn(renewTicket: (@Sendable () async throws -> String)? = nil) -> SignalConnection {
        let conversation = conversation(renewTicket: renewTicket)
        conversation.start { _ in }
        run()
        return conversation
    }

    /// In a room; unless told, in that of the example.
    func entered(_ conversation: SignalConnection, _ room: RoomID = .number(48_213)) -> RoomSession? {
        let box = Mutex<RoomSession?>(nil)
        conversation.enter(room, timeout: .seconds(15)) { result in box.withLock { $0 = try? result.get() } }
        run()
        let session = box.withLock { $0 }
        if let session { sessions.append(session) }
        return session
    }

    func run() { loop.run() }

    /// Virtual time, as conversations see it: the type itself has a `now` that shows the machine's.
    var now: Instant { Instant((loop as any EventLoop).now) }

    /// In the next turn of the loop.
    func soon(_ body: @escaping () -> Void) {
        let bound = NIOLoopBound(body, eventLoop: loop)
        loop.execute { bound.value() }
    }

    func pass(_ time: TimeAmount) { loop.advanceTime(by: time) }

    // MARK: its side

    func news(_ events: [RoomNewsEvent], room: RoomID = .number(48_213), epoch: UInt64 = 1) {
        deliver(RoomNews(room: room, epoch: epoch, events: events).text)
    }

    func deliver(_ text: [UInt8]) {
        guard let socket, !socket.isClosed else { return }
        socket.report(.text(ByteBuffer(bytes: text)))
        run()
    }

    func deliver(_ text: String) { deliver(Array(text.utf8)) }

    func beat() {
        socket?.report(.heard)
        run()
    }

    func becomeWritable() {
        socket?.isWritable = true
        socket?.report(.writable)
        run()
    }

    /// The connection ends while a call is being written to it.
    func breakOff() {
        guard let socket, !socket.isClosed else { return }
        socket.isClosed = true
        socket.report(.closed(nil))
    }

    /// The connection ends.
    func drop(_ code: UInt16? = nil) {
        guard let socket, !socket.isClosed else { return }
        socket.isClosed = true
        socket.report(.closed(code))
        run()
    }

    private func open(_ report: @escaping (SocketEvent) -> Void) {
        let bound = NIOLoopBound((self, report), eventLoop: loop)
        loop.execute {
            let (server, report) = bound.value
            if server.isDown { return report(.failed(OvationError(.serverUnreachable))) }
            let socket = Socket(server, report)
            server.sockets.append(socket)
            report(.opened(socket))
        }
    }

    private func receive(_ text: [UInt8], from socket: Socket) {
        // What is written to a dead socket reaches nobody.
        guard !socket.isClosed else { return }
        guard let call = try? Call.decode(.init(text)) else { return log.add("unreadable call") }
        calls.append(call)
        let reply = scripts[call.method]?(call) ?? standard(call)
        let answer: [UInt8]
        switch reply {
        case .answer(let result): answer = Self.success(call.id, result)
        case .refuse(let error): answer = Answer.failure(call.id, error)
        case .silence: return
        }
        let bound = NIOLoopBound(socket, eventLoop: loop)
        loop.execute {
            let socket = bound.value
            if !socket.isClosed { socket.report(.text(ByteBuffer(bytes: answer))) }
        }
    }

    private static func success<Result: Encodable & Sendable>(_ id: CallID, _ result: Result) -> [UInt8] {
        Answer.success(id, result)
    }

    func standard(_ call: Call) -> Reply {
        switch call.body {
        case .openSession(let opening):
            .answer(
                SessionOpened(
                    session: "secret-\(sockets.count)", resumed: opening.resume != nil,
                    user: UserProfile(id: opening.user, name: opening.name ?? ""), time: 1_000,
                    expiresInSeconds: 86_400,
                    rooms: [], mediaEpoch: 1, limits: .init(textBytes: 12_288, seats: 16)))
        case .renewSession: .answer(SessionRenewed(expiresInSeconds: 86_400))
        case .readClock: .answer(ClockReading(time: 1_795_267_200_000, monotonicUs: 5))
        case .rooms(.createRoom): .answer(RoomCreated(snapshot: .example()))
        case .rooms(.enterRoom(let asked)): .answer(RoomEntered(.snapshot(.example(room: asked.room))))
        case .rooms(.listRooms): .answer(RoomPage(rooms: []))
        case .rooms(.getRooms): .answer(RoomsAnswer(rooms: []))
        case .rooms(.listMembers):
            .answer(
                MembersPage(
                    members: [People.member(People.alice, role: .owner), People.member(People.bob)], count: 2))
        case .rooms(.setStill): .answer(StillAnswer(still: 1))
        case .rooms(.command(_, .sendMessage, _)): .answer(CommandAnswer(CommandOutcome(.sent(chat: 1, time: 1))))
        case .rooms(.command(_, .sendInvitation(let draft), _)):
            .answer(CommandAnswer(CommandOutcome(.invited(id: draft.id ?? "i", position: 1))))
        case .rooms(.command(_, .sendLikes, _)): .answer(CommandAnswer(CommandOutcome(.liked(total: 1))))
        case .rooms(.command(_, .sendGift, _)):
            .answer(CommandAnswer(CommandOutcome(.gifted(number: 1, balance: 1))))
        case .wallet: .answer(Wallet(coins: 1, earnings: 1))
        case .rooms(.command): .answer(CommandAnswer(CommandOutcome(.done)))
        case .setProfile, .getProfiles, .closeSession, .offerMedia, .viewPicture, .closeMedia, .stateLatency,
            .endLineTest, .testLine, .sendSignal,
            .rooms(.listInvitations), .rooms(.listRestrictions), .rooms(.sendReport), .rooms(.readRequestStill),
            .rooms(.readGiftRanking):
            .answer(Answer.Empty())
        }
    }
}

/// What happened, in order, from any thread.
final class EventLog: Sendable {
    private let entries = Mutex<[String]>([])
    var all: [String] { entries.withLock { $0 } }
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    func clear() { entries.withLock { $0 = [] } }
}

extension RoomSession.Event {
    /// In a few words.
    var brief: String {
        switch self {
        case .infoChanged: "info"
        case .seatsChanged(let seats): "list " + seats.map { $0.user?.rawValue ?? "-" }.joined(separator: " ")
        case .seatTaken(let taken): "taken \(taken.seat.index) \(taken.user.id)"
        case .seatLeft(let seat, let user, let reason, _):
            "left \(seat.index) \(user.id) \(reason?.rawValue ?? "unseen")"
        case .message(let message): "message \(message.chat)"
        case .messagesMissed(let numbers): "missed \(numbers)"
        case .memberEntered(let member): "entered \(member.id)"
        case .memberLeft(let user, _): "gone \(user.id)"
        case .connectionLost: "lost"
        case .resumed: "resumed"
        case .ended(let end): "ended \(end.reason)"
        case .gone(let error): "gone \(error.code)"
        case .invitation(let news): "invitation \(news.invitation.id) \(news.invitation.state)"
        default: "\(self)"
        }
    }
}
