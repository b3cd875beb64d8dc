internal import NIOCore
internal import NIOPosix
internal import Platform
internal import RoomModel

/// The connections of a client's sign-ins, one after the other.
final class ClientSession: Sendable {
    private let outlet: ClientOutlet
    private let opener: WebSocketOpener
    /// One for all sign-ins, so that the end of one comes before the beginning of the next.
    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    private let line = Mutex<SignalConnectionHandle?>(nil)

    init(_ outlet: ClientOutlet, trustRoots: OvationClient.TrustRoots) {
        self.outlet = outlet
        opener = WebSocketOpener(server: outlet.server, trustRoots: trustRoots)
    }

    /// Whoever is signed in; else why nobody is.
    func present() throws(OvationError) -> SignalConnectionHandle {
        guard let line = line.withLock({ $0 }) else {
            if case .signedOut(let error?) = outlet.state.value.phase { throw error }
            throw OvationError(.signedOut)
        }
        return line
    }

    /// Signs in. Whoever is signed in already is signed out first.
    func begin(_ credentials: SignalConnection.Credentials) async throws(OvationError) -> UserProfile {
        await end()
        let made: SignalConnectionHandle
        do {
            made = try await loop.submit { [outlet, loop, opener] in
                SignalConnectionHandle(
                    SignalConnection(
                        loop: loop, outlet: outlet, credentials: credentials, seed: .random(in: .min ... .max),
                        open: opener.open))
            }.get()
        } catch { throw OvationError.of(error) }
        exchange(for: made)?.run { $0.stop(OvationError(.signedOut)) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                made.run { $0.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            made.run { $0.stop(OvationError(.cancelled)) }
        }
        return try result.get()
    }

    /// Signs out, if anybody is signed in.
    func end() async {
        guard let former = exchange(for: nil) else { return }
        await withCheckedContinuation { continuation in
            former.run { $0.signOut { continuation.resume() } }
        }
    }

    /// Signs out without waiting.
    func drop() { exchange(for: nil)?.run { $0.signOut {} } }

    func retryNow() { line.withLock { $0 }?.run { $0.retryNow() } }

    private func exchange(for next: SignalConnectionHandle?) -> SignalConnectionHandle? {
        line.withLock { line in
            defer { line = next }
            return line
        }
    }
}
