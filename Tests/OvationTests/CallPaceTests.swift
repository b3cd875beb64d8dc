import NIOCore
import RoomModel
import SignalProtocol
import Synchronization
import Testing
import Timing

@testable import Ovation

/// Many calls at once, in virtual time, to a server that counts them as the real one does.
@Suite struct CallPaceTests {
    private let server = FakeServer()

    /// The server's allowance for a connection.
    private final class Allowance {
        var left = 120.0
        var filledAt: Instant
        var refused = 0

        init(now: Instant) { filledAt = now }

        func takes(_ now: Instant) -> Bool {
            left = min(120, left + (now - filledAt).seconds * 40)
            filledAt = now
            guard left >= 1 else {
                refused += 1
                return false
            }
            left -= 1
            return true
        }
    }

    /// Asks so many times at once; returns what became of it.
    private func ask(_ count: Int, _ conversation: SignalConnection) -> EventLog {
        let ends = EventLog()
        for number in 0..<count {
            conversation.perform(.getProfiles(GetProfiles([UserID("u\(number)") ?? "x"])), timeout: .seconds(60)) {
                result in
                switch result {
                case .success: ends.add("\(number)")
                case .failure(let error): ends.add(error.code.rawValue)
                }
            }
        }
        server.run()
        return ends
    }

    @Test("calls go at the server's pace and none is refused: first many at once, then so many a second, all in order")
    func paced() {
        let allowance = Allowance(now: server.now)
        server.on(.call(.profileGet)) { [server] call in
            guard allowance.takes(server.now) else { return .refuse(RoomError(.rateLimited)) }
            return .answer(ProfilesAnswer(users: []))
        }
        let conversation = server.signedIn()
        let ends = ask(250, conversation)
        let atOnce = ends.all.count
        #expect((90...96).contains(atOnce))
        server.pass(.seconds(1))
        #expect((30...33).contains(ends.all.count - atOnce))
        server.pass(.seconds(9))
        #expect(
            ends.all == (0..<250).map(String.init),
            "\(ends.all.enumerated().filter { "\($0.offset)" != $0.element }.prefix(5)) \(ends.all.count) \(server.sockets.count)"
        )
        #expect(allowance.refused == 0)
        // Rested, it goes at once again.
        server.pass(.seconds(5))
        let more = ask(50, conversation)
        #expect(more.all.count == 50 && allowance.refused == 0)
    }

    @Test("the pace is the one that the server states, and begins anew with each connection")
    func stated() {
        server.on(.call(.profileGet)) { _ in .answer(ProfilesAnswer(users: [])) }
        server.on(.call(.sessionOpen)) { [server] call in
            guard case .answer(let standard as SessionOpened) = server.standard(call) else { return .silence }
            var opened = standard
            opened.limits.callsAtOnce = 20
            opened.limits.callsPerSecond = 5
            return .answer(opened)
        }
        let conversation = server.signedIn()
        #expect(server.outlet.state.value.limits?.callsAtOnce == 20)
        let ends = ask(60, conversation)
        #expect((12...15).contains(ends.all.count), "sixteen with the sign-in and the clock")
        server.pass(.seconds(2))
        let soFar = ends.all.count
        #expect((18...24).contains(soFar))
        server.drop()
        server.pass(.seconds(1))
        #expect(ends.all.count - soFar >= 11)
        server.pass(.seconds(12))
        #expect(ends.all == (0..<60).map(String.init))
    }

    @Test("V17-K who asks faster than any pace is told so at once: the queue has an end")
    func bounded() {
        server.on(.call(.profileGet)) { _ in .silence }
        let conversation = server.signedIn()
        let ends = ask(CallLedger.limit + 10, conversation)
        #expect(ends.all.count { $0 == "too_many_calls" } >= 9)
        #expect(server.count(of: .call(.profileGet)) <= 96)
    }
}
