internal import DatagramIO
internal import Dispatch
internal import MediaTestSupport
internal import RoomPorts
internal import SDP
internal import Synchronization
internal import Testing
internal import Timing
internal import Wire

@testable internal import MediaNode

/// A media plane, some clients, and the facts that came. Everything runs over real sockets of this host and waits for
/// what should happen; nothing waits for time to pass.
final class Party {
    static let patience = Interval.seconds(20)

    let node: MediaPlane
    let stage: StageID
    let ip: IPAddress
    private(set) var clients: [TestClient] = []
    let facts = FactLog()
    private let leap = Leap()
    private let poller: Poller
    private let listening: Task<Void, Never>

    init(
        slots: Int = 4, kind: StageKind = .voice, ip: IPAddress = IPAddress(v4: 127, 0, 0, 1),
        mixer: (any AudienceMixer)? = nil,
        configure: (inout MediaNodeConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = MediaNodeConfiguration()
        configuration.port = 0
        configuration.bindAddresses = [ip]
        configure(&configuration)
        node = try await MediaPlane.start(configuration, mixer: mixer) { [leap] in
            SystemClock.now() + Interval(nanoseconds: leap.look())
        }
        self.ip = ip
        stage = StageID(rawValue: 77)
        node.openStage(stage, slots: slots, kind: kind)
        poller = try Poller()
        listening = Task { [facts, stream = node.facts] in
            for await fact in stream { facts.append(fact) }
            facts.end()
        }
    }

    deinit { node.stop() }

    func client(_ id: UInt64, slots: Int = 4, ip: IPAddress? = nil, on stage: StageID? = nil) throws -> TestClient {
        let client = try TestClient(id, on: stage ?? self.stage, slots: slots, ip: ip ?? self.ip)
        try poller.add(client.socket, tag: clients.count)
        clients.append(client)
        return client
    }

    /// A client that has joined.
    func joined(
        _ id: UInt64, slots: Int = 4, pictures: Int = 0, hasCamera: Bool = false, encoding: PictureEncoding = .vp8,
        ip: IPAddress? = nil, on stage: StageID? = nil
    ) async throws -> TestClient {
        let client = try client(id, slots: slots, ip: ip, on: stage)
        client.pictures = pictures
        client.encoding = encoding
        client.hasCamera = hasCamera
        try await client.negotiate(with: node)
        await run { client.isConnected }
        // Our side may be through a moment before the server's: sound sent before that would be lost.
        await run { isTold(MediaFact.connected, of: client) }
        return client
    }

    /// Two who have joined; the first `speakers` of them on the slots 0 and 1.
    static func ofTwo(speaking speakers: Int = 0) async throws -> (Party, TestClient, TestClient) {
        let party = try await Party()
        let people = try await party.joined(2, speaking: speakers)
        return (party, people[0], people[1])
    }

    /// Three who have joined; the first `speakers` of them on the slots 0, 1 and 2.
    static func ofThree(speaking speakers: Int = 0) async throws -> (Party, TestClient, TestClient, TestClient) {
        let party = try await Party()
        let people = try await party.joined(3, speaking: speakers)
        return (party, people[0], people[1], people[2])
    }

    private func joined(_ count: Int, speaking speakers: Int) async throws -> [TestClient] {
        var people: [TestClient] = []
        for id in 1...UInt64(count) { people.append(try await joined(id)) }
        for (slot, speaker) in people.prefix(speakers).enumerated() { await assign(slot, speaker) }
        return people
    }

    func assign(
        _ slot: Int, _ client: TestClient?, muted: Bool = false, dark: Bool = false, on stage: StageID? = nil
    ) async {
        await withCheckedContinuation { continuation in
            node.assign(slot: slot, to: client?.id, muted: muted, dark: dark, on: stage ?? self.stage) {
                continuation.resume()
            }
        }
    }

    /// Lets time pass at the media plane, and only there.
    func leap(_ time: Interval) async {
        leap.nanoseconds.add(time.nanoseconds, ordering: .relaxed)
        // Any command wakes the worker, which then sees what is due.
        _ = await node.counters()
    }

    /// Keeps the media plane's thread busy while `body` runs, and lets each of its looks at the clock cost that much of its time from then
    /// on: as if it were very slow.
    func slow(_ perLook: Interval, _ body: () -> Void) async {
        let (isHeld, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        node.assign(slot: 3, to: nil, muted: false, dark: false, on: stage) {
            isHeld.signal()
            isFree.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                continuation.resume()
            }
        }
        body()
        leap.perLook.store(perLook.nanoseconds, ordering: .relaxed)
        isFree.signal()
    }

    /// Gives the media plane so much to do that it hardly ever waits, until it says so itself: on a busy machine that takes longer.
    func keepBusy() async {
        let end = SystemClock.now() + Self.patience
        while SystemClock.now() < end, await node.counters().map({ $0.load < 0.9 }) ?? false {
            await withCheckedContinuation { continuation in
                // Told on the worker's thread, within its turn.
                node.assign(slot: 3, to: nil, muted: false, dark: false, on: stage) {
                    let work = SystemClock.now() + .milliseconds(50)
                    while SystemClock.now() < work {}
                    continuation.resume()
                }
            }
        }
    }

    /// Nothing was to do for a while.
    func rest() async {
        await leap(.seconds(5))
        await leap(.zero)
    }

    /// Lets the clients work until `condition` holds; records an issue if it never does.
    func run(
        sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
    ) async {
        let end = SystemClock.now() + Self.patience
        while true {
            for client in clients { client.work() }
            if condition() { return }
            let now = SystemClock.now()
            guard now < end else {
                Issue.record("what should happen did not", sourceLocation: sourceLocation)
                return
            }
            // Facts come by another way than datagrams: look again after a moment at the latest.
            let next = clients.map(\.nextDeadline).reduce(now + .milliseconds(5)) { min($0, $1) }
            _ = poller.wait(until: next, now: now)
            await Task.yield()
        }
    }

    /// Whether that fact came, for example `MediaFact.closed`, of each of these clients.
    func isTold(_ fact: (StageID, PeerID) -> MediaFact, of clients: TestClient...) -> Bool {
        clients.allSatisfy { facts.contains(fact($0.stage, $0.id)) }
    }

    func timesTold(_ fact: (StageID, PeerID) -> MediaFact, of client: TestClient) -> Int {
        facts.count(fact(stage, client.id))
    }

    /// Lets everything that was sent before get through: `speaker` is heard by `listener` with a frame of its own. The
    /// media plane reads its socket in order, so what came before has been dealt with, and its results left before.
    func fence(_ speaker: TestClient, to listener: TestClient, on slot: Int) async {
        let frame = [0xee] + (0..<8).map { _ in UInt8.random(in: 0...(.max)) }
        speaker.speak(frame)
        await run { listener.payloads(on: slot).contains(frame) }
    }
}

extension TestClient {
    /// Offers and takes the answer.
    func negotiate(with node: MediaPlane) async throws {
        node.admit(id, on: stage)
        let offer = nextOffer()
        let lines: [String: MediaLine] = isCameraSpare ? ["camera": .spare] : [:]
        let answer = try await node.answer(
            MediaOffer(stage: stage, peer: id, number: offer.number, sdp: offer.sdp, lines: lines))
        self.answer = answer
        try take(sdp: answer.sdp)
    }
}

/// How far the media plane's clock is ahead of this host's.
private final class Leap: Sendable {
    let nanoseconds = Atomic<Int64>(0)
    /// It goes on by so much whenever somebody looks at it.
    let perLook = Atomic<Int64>(0)

    func look() -> Int64 { nanoseconds.add(perLook.load(ordering: .relaxed), ordering: .relaxed).newValue }
}

/// The facts so far, in order.
final class FactLog: Sendable {
    private let state = Mutex<(facts: [MediaFact], isEnded: Bool)>(([], false))

    func append(_ fact: MediaFact) { state.withLock { $0.facts.append(fact) } }
    func end() { state.withLock { $0.isEnded = true } }
    var all: [MediaFact] { state.withLock { $0.facts } }
    var isEnded: Bool { state.withLock { $0.isEnded } }
    func contains(_ fact: MediaFact) -> Bool { all.contains(fact) }
    func count(_ fact: MediaFact) -> Int { all.filter { $0 == fact }.count }

    var levels: [[PeerID: UInt8]] {
        all.compactMap { if case .levels(_, let levels) = $0 { levels } else { nil } }
    }

    var network: [[PeerID: PathReading]] {
        all.compactMap { if case .network(_, let readings) = $0 { readings } else { nil } }
    }
}
