import Ovation
import Synchronization
import Testing

@testable import TRTCCompat

/// A mute that a lost connection swallows.
@Suite struct MuteStatementTests {
    /// A room that fails like this, call by call, and then hears.
    private final class Room: Sendable {
        let said = Mutex<[Bool]>([])
        let warned = Mutex(0)
        let wish = Mutex<Bool?>(true)
        private let failures: Mutex<[OvationError.Code]>
        private let meanwhile: @Sendable (Room) -> Void

        init(_ failures: [OvationError.Code], meanwhile: @escaping @Sendable (Room) -> Void = { _ in }) {
            self.failures = Mutex(failures)
            self.meanwhile = meanwhile
        }

        func begin() {
            let statement = MuteStatement { [self] in
                wish.withLock { $0 }
            } say: { [self] isMuted, done in
                said.withLock { $0.append(isMuted) }
                guard let code = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
                meanwhile(self)
                done(OvationError(code))
            } warn: { [self] _ in
                warned.withLock { $0 += 1 }
            }
            statement.begin()
        }
    }

    @Test("V11-C a mute that a lost connection swallowed is said again when it is back, with one warning")
    func saidAgain() {
        let room = Room([.offline, .connectionLost, .timeout])
        room.begin()
        #expect(room.said.withLock { $0 } == [true, true, true, true])
        #expect(room.warned.withLock { $0 } == 1)
    }

    @Test("V11-C a mute that the room refuses is not said again")
    func refused() {
        let room = Room([.seatMuted])
        room.begin()
        #expect(room.said.withLock { $0 } == [true] && room.warned.withLock { $0 } == 1)
    }

    @Test("V11-C a mute that was taken back, or whose room was left, is not said again", arguments: [false, nil])
    func takenBack(_ wish: Bool?) {
        let room = Room([.offline]) { room in room.wish.withLock { $0 = wish } }
        room.begin()
        #expect(room.said.withLock { $0 } == [true])
    }
}
