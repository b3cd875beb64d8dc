import Commerce
import Foundation
import HTTP
import NIOCore
import NIOEmbedded
import NIOWebSocket
import RoomModel
import RoomPorts
import RoomService
import RoomTestSupport
import SignalProtocol
import Synchronization
import Testing
import Timing
import UserSig

@testable import Signalling

/// Whom people sign in to: everything of a server but its sockets.
final class ConversationHouse: Sendable {
    static let application = Application(id: ApplicationID(1_400_000_009), name: "Test", keys: ["a key"])
    let clock = VirtualRoomClock()
    let journal = MemoryJournal()
    var restrictions: MemoryRestrictions { journal.restrictions }
    let reviewer = ScriptedReviewer()
    let services: CallDependencies

    init(
        relays: RelayServers = .none, messagesPerAddress: Allowance = AdmissionLimits().messagesPerAddress,
        limits: AdmissionLimits = AdmissionLimits(),
        filter: (any TextFilter)? = nil,
        rewrite: @escaping @Sendable ([UInt8], PictureOrder) async -> PictureFinding = { _, _ in .unavailable }
    ) async throws {
        let media = RecordingMedia()
        let rooms = RoomDirectory(
            DirectoryPorts(
                journal: journal, ledger: MemoryLedger(), moderation: journal.moderation, media: media,
                bus: RecordingBus(),
                clock: clock,
                audience: { RoomAudience(ready: $0) }))
        try await rooms.start()
        let messageLimit = MessageLimit(messagesPerAddress, clock: clock)
        let sessions = SessionRegistry(ownsNameOf: { $0.rawValue.hasPrefix("guest-") })
        services = CallDependencies(
            signIn: SignIn(
                accounts: MemoryAccounts([Self.application]), restrictions: journal.restrictions, clock: clock),
            sessions: sessions, rooms: rooms, media: media, clock: clock,
            lines: LineTests(rooms: rooms, media: media, clock: clock), relays: relays,
            messageLimit: messageLimit, changes: ChangeLimit(limits, rooms: rooms, clock: clock),
            wallets: Wallets(
                settings: WalletSettings(ledger: MemoryLedger(), catalogue: { _ in GiftCatalogue() })),
            signals: Signals(
                sessions: sessions, restrictions: journal.restrictions, review: reviewer, messageLimit: messageLimit,
                clock: clock, filter: { _ in filter }),
            stills: SentStills(rewrite: rewrite),
            statedLimits: SessionOpened.Limits(textBytes: 12 << 10, seats: 16))
    }

    func ticket(_ user: String, lifetime: Int64) throws -> String {
        try TicketSigner(application: Self.application.id.rawValue, key: Self.application.keys[0]).ticket(
            user: user, issuedAt: clock.wallTime.secondsSince1970, lifetime: lifetime)
    }
}

/// Knows a dispatcher without keeping it.
private final class KnownReceiver: Sendable {
    private struct Place { weak var dispatcher: CallDispatcher? }
    private let place = Mutex(Place())

    func note(_ dispatcher: CallDispatcher) { place.withLock { $0.dispatcher = dispatcher } }
    var isGone: Bool { place.withLock { $0.dispatcher == nil } }
}

/// One client's end of a connection whose time passes when a test says so.
final class ConversationLine {
    private let house: ConversationHouse
    private let channel = NIOAsyncTestingChannel()
    private let connection: SocketConnection
    private let receiver = KnownReceiver()
    private var calls = 0
    /// Everything that came, as text; a close frame as `close 4001`.
    private(set) var heard: [String] = []
    /// Of the session, once it is open.
    private(set) var secret = ""

    init(_ house: ConversationHouse) async throws {
        self.house = house
        let services = house.services
        connection = try await channel.testingEventLoop.executeInContext { [channel, receiver] in
            let connection = SocketConnection(
                address: ClientAddress(text: "192.0.2.1"), loop: channel.eventLoop, clock: services.clock,
                receiver: {
                    let dispatcher = CallDispatcher($0, services: services)
                    receiver.note(dispatcher)
                    return dispatcher
                })
            try channel.pipeline.syncOperations.addHandler(WebSocketFrameEncoder())
            try channel.pipeline.syncOperations.addHandler(ConnectionHandler(connection))
            return connection
        }
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
    }

    /// Signs in with a ticket that lasts so many seconds; gives the answer.
    @discardableResult
    func open(_ user: String, lifetime: Int64 = 86_400, resume: String = "") async throws -> String {
        let ticket = try house.ticket(user, lifetime: lifetime)
        let opened = try await call(
            "session.open",
            """
            {"version":1,"app":\(ConversationHouse.application.id),"user":"\(user)","ticket":"\(ticket)","resume":"\(resume)"}
            """)
        // The alarms are set after the answer: from here on they are.
        try await call("clock.read")
        secret = String(try #require(opened.firstMatch(of: /"session":"([0-9a-f]{32})"/)?.1))
        return opened
    }

    /// Calls, and does not wait.
    func send(_ method: String, _ params: String = "{}") async throws {
        calls += 1
        let text = #"{"jsonrpc":"2.0","id":\#(calls),"method":"\#(method)","params":\#(params)}"#
        try await channel.writeInbound(frame(.text, Array(text.utf8)))
    }

    /// Sends anything, and calls in the same breath.
    func send(text: String, before method: String, _ params: String) async throws {
        calls += 1
        let call = #"{"jsonrpc":"2.0","id":\#(calls),"method":"\#(method)","params":\#(params)}"#
        let frames = [text, call].map { frame(.text, Array($0.utf8)) }
        try await channel.testingEventLoop.executeInContext { [channel] in
            for frame in frames { channel.pipeline.fireChannelRead(frame) }
        }
    }

    /// Calls, and waits for the answer: whatever came due before has been said by then.
    @discardableResult
    func call(_ method: String, _ params: String = "{}") async throws -> String {
        try await send(method, params)
        return try await answer(to: calls)
    }

    /// Waits for the answer to a call by its number. Where the number stands among a message's keys is not fixed.
    func answer(to call: Int) async throws -> String {
        struct Answer: Decodable { var id: Int? }
        return try await first("the answer to call \(call)") {
            (try? JSONDecoder().decode(Answer.self, from: Data($0.utf8)))?.id == call
        }
    }

    /// Waits for the first message that contains the text. Rooms gather news for some milliseconds, so a little time
    /// goes by in the house, but less than any of its limits.
    @discardableResult
    func hears(_ text: String) async throws -> String {
        try await first(text) { $0.contains(text) }
    }

    private func first(_ what: String, where fits: (String) -> Bool) async throws -> String {
        // The rooms and the conversation run on other threads, and take their turns while this one yields.
        for round in 1...100_000 {
            try await listen()
            if let found = heard.first(where: fits) { return found }
            if round.isMultiple(of: 100) { house.clock.advance(by: .milliseconds(5)) }
            await Task.yield()
        }
        throw Failure(description: "waited in vain for \(what); heard \(heard)")
    }

    private func listen() async throws {
        await channel.testingEventLoop.run()
        while let bytes = try await channel.readOutbound(as: ByteBuffer.self) {
            for frame in Frames.parse(bytes) {
                switch frame.opcode {
                case 0x1: heard.append(String(decoding: frame.payload, as: UTF8.self))
                case 0x8: heard.append("close \(frame.payload.reduce(0) { $0 << 8 | Int($1) })")
                default: break
                }
            }
        }
    }

    /// Time passes for the client and, where it is the one that keeps time, for the whole house. It answers pings.
    func pass(_ seconds: Int64, keepingTime: Bool = true) async throws {
        var left = seconds
        while left > 0, channel.isActive {
            let step = min(left, 4)
            left -= step
            try await channel.writeInbound(frame(.pong))
            if keepingTime { house.clock.advance(by: .seconds(step)) }
            await channel.testingEventLoop.advanceTime(by: .seconds(step))
        }
    }

    /// The path is dead: time passes and nothing comes through.
    func passInSilence(_ seconds: Int64, keepingTime: Bool = true) async {
        if keepingTime { house.clock.advance(by: .seconds(seconds)) }
        await channel.testingEventLoop.advanceTime(by: .seconds(seconds))
    }

    var isOpen: Bool { channel.isActive }

    /// Everything that came has been done, and the connection's end noted.
    var isForgotten: Bool { receiver.isGone }

    /// How many alarms wait for this client.
    func alarms() async throws -> Int {
        try await channel.testingEventLoop.executeInContext { [connection] in connection.alarmCount }
    }

    /// What came unasked since the last look.
    func news() async throws -> [String] {
        try await call("clock.read")
        defer { heard = [] }
        return heard.filter { !$0.contains(#""id":"#) }
    }

    /// Of what came unasked since the last look, the seconds that each notice of the ticket's end tells; `nil` for
    /// anything else.
    func notices() async throws -> [Int?] {
        try await news().map { text in
            guard text.contains(#""session.expiring""#) else { return nil }
            return text.firstMatch(of: /"expiresInSeconds":(\d+)/).flatMap { Int($0.1) }
        }
    }

    private func frame(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: opcode, maskKey: [0, 0, 0, 0], data: ByteBuffer(bytes: payload))
    }

    struct Failure: Error, CustomStringConvertible { var description: String }
}
