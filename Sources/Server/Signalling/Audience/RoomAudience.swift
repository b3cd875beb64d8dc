package import RoomPorts
import Synchronization

/// A room's listeners at this gateway: which event loops have some of them. Each loop's `LoopHub` knows who they are.
package final class RoomAudience: Audience {
    private struct State {
        /// The hub of each listener's connection.
        var places: [SessionToken: LoopHub] = [:]
        /// How many listeners each loop has.
        var counts: [ObjectIdentifier: (hub: LoopHub, count: Int)] = [:]
        /// Loops that have not taken up what was published to everybody, each as often as that happened.
        var owed = 0
        /// The room waits until they have.
        var isWaited = false
    }

    /// By which hubs know it, for ever.
    let number = RoomAudience.last.add(1, ordering: .relaxed).newValue
    private static let last = Atomic<UInt64>(0)

    private let state = Mutex(State())
    private let ready: @Sendable () -> Void

    package init(ready: @escaping @Sendable () -> Void) { self.ready = ready }

    package func join(_ session: SessionToken, by outbox: any Outbox) {
        // Who came over HTTP has no connection that news could go to.
        guard let connection = outbox as? SocketConnection else { return }
        state.withLock { state in
            remove(session, &state)
            let hub = connection.hub
            state.places[session] = hub
            state.counts[ObjectIdentifier(hub), default: (hub, 0)].count += 1
            hub.post(.join(self, session, connection))
        }
    }

    package func leave(_ session: SessionToken) {
        state.withLock { remove(session, &$0) }
    }

    private func remove(_ session: SessionToken, _ state: inout State) {
        guard let hub = state.places.removeValue(forKey: session) else { return }
        let key = ObjectIdentifier(hub)
        state.counts[key]?.count -= 1
        if state.counts[key]?.count == 0 { state.counts[key] = nil }
        hub.post(.leave(self, session))
    }

    package func publish(_ news: [LaneNews], to recipients: Recipients) {
        var news = PublishedNews(news, to: recipients)
        state.withLock { state in
            switch recipients {
            case .everybody:
                state.owed += state.counts.count
                for (hub, _) in state.counts.values { hub.post(.publish(self, news)) }
            case .only(let sessions):
                var apart: [ObjectIdentifier: (hub: LoopHub, sessions: Set<SessionToken>)] = [:]
                for session in sessions {
                    guard let hub = state.places[session] else { continue }
                    apart[ObjectIdentifier(hub), default: (hub, [])].sessions.insert(session)
                }
                state.owed += apart.count
                for (hub, sessions) in apart.values {
                    news.recipients = .only(sessions)
                    hub.post(.publish(self, news))
                }
            }
        }
    }

    /// More than one round is on its way: while the loops are at one, the next may wait for them.
    package var isBehind: Bool {
        state.withLock { state in
            state.isWaited = state.owed > state.counts.count
            return state.isWaited
        }
    }

    /// A loop has multiplied what was published to it.
    func hasTakenUp() {
        let isReady = state.withLock { state in
            state.owed -= 1
            guard state.isWaited, state.owed <= state.counts.count else { return false }
            state.isWaited = false
            return true
        }
        if isReady { ready() }
    }
}
