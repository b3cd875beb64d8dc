import DatagramIO
import MediaTestSupport
import RoomPorts
import ServerTestSupport
import Testing
import Timing
import Wire

/// People with a session and a media path, over real sockets; nothing waits for time to pass.
final class MediaParty {
    private static let patience = Interval.seconds(60)

    struct Person {
        let signal: SignalClient
        let media: TestClient
        let room: JSON
    }

    private let poller: Poller
    private var clients: [TestClient] = []

    init() throws { poller = try Poller() }

    /// Signs in, enters the room, or makes one of two seats, and opens a media path.
    func enter(_ name: String, at server: TestServer, room: JSON?, lifetime: Int64 = 86_400) async throws -> Person {
        let signal = try await server.signedIn(name, lifetime: lifetime)
        if let room { try await signal.call("room.enter", ["room": room]) }
        let room =
            if let room { room } else { try await signal.call("room.create", ["name": "Salon", "seats": 2])["room"] }
        let media = try client(slots: 2)
        let offer = media.nextOffer()
        let answer = try await signal.call(
            "media.offer", ["room": room, "number": .number(Double(offer.number)), "sdp": .string(offer.sdp)])
        try media.take(sdp: answer["sdp"].string ?? "")
        await run { media.isConnected }
        return Person(signal: signal, media: media, room: room)
    }

    /// A microphone that has no session; its offers go another way.
    func outsider() throws -> TestClient { try client(slots: 0) }

    private func client(slots: Int) throws -> TestClient {
        let client = try TestClient(
            UInt64(clients.count + 1), on: StageID(rawValue: 0), slots: slots, ip: IPAddress(v4: 127, 0, 0, 1))
        try poller.add(client.socket, tag: clients.count)
        clients.append(client)
        return client
    }

    /// Lets all work until `condition` holds; `speaker` says `frame` again and again until then: a first frame may come before the
    /// server's side of its path is through.
    func run(
        speaking speaker: TestClient? = nil, _ frame: [UInt8] = [], sourceLocation: SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) async {
        let end = SystemClock.now() + Self.patience
        while true {
            speaker?.speak(frame)
            for client in clients { client.work() }
            if condition() { return }
            let now = SystemClock.now()
            guard now < end else {
                Issue.record("what should happen did not", sourceLocation: sourceLocation)
                return
            }
            let next = clients.map(\.nextDeadline).reduce(now + .milliseconds(5)) { min($0, $1) }
            _ = poller.wait(until: next, now: now)
            await Task.yield()
        }
    }

    /// Whether none of them has heard such a frame when the server has said goodbye to all of them.
    func areDeaf(_ people: [Person], to frame: [UInt8]) async -> Bool {
        await run { people.allSatisfy { $0.media.closeReason != nil } }
        return people.allSatisfy { person in
            person.media.heard.values.allSatisfy { !$0.contains { $0.payload.first == frame.first } }
        }
    }
}
