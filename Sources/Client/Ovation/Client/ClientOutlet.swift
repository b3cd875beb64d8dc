internal import NIOCore
internal import Platform
internal import SignalProtocol
internal import Timing

/// What a client shows to the outside, across its sign-ins: state, events, clock.
final class ClientOutlet: Sendable {
    let state = StateBox(ClientState())
    let events = EventBroadcast<OvationClient.Event>()
    let clock: RoomClock
    let callTimeout: TimeAmount
    private let handler = Mutex<Callback<OvationClient.Delivery>?>(nil)
    private let owner = Mutex<WeakClient?>(nil)

    let hasAudio: Bool
    let usesTCP: Bool
    /// Addresses in rooms are relative to it.
    let server: ServerAddress

    /// Where songs come over TLS; nil: the system's.
    let certificates: CertificateFile?

    init(
        server: ServerAddress, callTimeout: TimeAmount, hasAudio: Bool, trustRoots: OvationClient.TrustRoots = .system,
        skew: (@Sendable (Instant) -> Instant)? = nil, usesTCP: Bool = false
    ) {
        clock = RoomClock(skew: skew)
        self.server = server
        self.callTimeout = callTimeout
        self.hasAudio = hasAudio
        self.usesTCP = usesTCP
        certificates = hasAudio ? CertificateFile(trustRoots) : nil
    }

    /// Whose outlet it is.
    var client: OvationClient? {
        get { owner.withLock { $0?.client } }
        set { owner.withLock { $0 = newValue.map(WeakClient.init) } }
    }

    func deliver(to handler: (@Sendable (OvationClient.Delivery) -> Void)?) {
        self.handler.withLock { $0 = handler.map(Callback.init) }
    }

    // On the event loop of the connection.

    func tell(_ event: OvationClient.Event) {
        events.send(event)
        handler.withLock { $0 }?(.client(event))
    }

    func deliver(_ event: RoomSession.Event, of room: RoomSession) {
        handler.withLock { $0 }?(.room(room, event))
    }

    /// A plain call.
    func ask(_ body: Call.Body, over line: SignalConnectionHandle) async throws(OvationError) -> CallAnswer {
        let timeout = callTimeout
        return try await line.ask { connection, token, completion in
            connection.perform(body, timeout: timeout, token: token, completion: completion)
        }
    }
}

private struct WeakClient: Sendable {
    weak let client: OvationClient?
    init(_ client: OvationClient) { self.client = client }
}
