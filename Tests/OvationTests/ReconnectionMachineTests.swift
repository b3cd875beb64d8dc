import RoomModel
import Testing
import Timing

@testable import Ovation

@Suite struct ReconnectionMachineTests {
    private typealias Machine = ReconnectionMachine

    /// A machine with a clock beside it.
    private struct Run {
        var machine: ReconnectionMachine
        var now = Instant(nanoseconds: 0)

        init(canRenewTicket: Bool = false, seed: UInt64 = 1) {
            machine = ReconnectionMachine(canRenewTicket: canRenewTicket, seed: seed)
        }

        @discardableResult
        mutating func tell(_ input: Machine.Input) -> [Machine.Action] { machine.handle(input, at: now) }

        @discardableResult
        mutating func pass(_ interval: Interval) -> [Machine.Action] {
            now = now + interval
            return machine.handle(.deadline, at: now)
        }

        mutating func connect() {
            for input in [Machine.Input.socketOpened, .signedIn, .roomsResumed] { tell(input) }
        }

        /// Signed in, as it is most of the time.
        static func ready(canRenewTicket: Bool = false, seed: UInt64 = 1) -> Run {
            var run = Run(canRenewTicket: canRenewTicket, seed: seed)
            run.tell(.start)
            run.connect()
            return run
        }

        var wait: Interval? {
            if case .waiting(let until, _) = machine.phase { until - now } else { nil }
        }
    }

    private let lost = Machine.Input.socketClosed(code: nil, farewell: nil)

    @Test("socket, sign-in, rooms, ready: one after the other")
    func opening() {
        var run = Run()
        #expect(run.tell(.start) == [.openSocket])
        #expect(run.tell(.socketOpened) == [.signIn])
        #expect(run.tell(.signedIn) == [.resumeRooms])
        #expect(run.tell(.roomsResumed) == [.ready])
        #expect(run.machine.phase == .ready(since: run.now))
    }

    @Test("waits double from 0.5 s to 10 s, thirty per cent either way, and differ between clients")
    func backOff() {
        var firsts: Set<Int64> = []
        for seed in UInt64(0)..<200 {
            var run = Run.ready(seed: seed)
            run.tell(lost)
            for expected in [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000] as [Int64] {
                guard let wait = run.wait else {
                    Issue.record("seed \(seed): does not wait")
                    return
                }
                #expect((expected * 7 / 10...expected * 13 / 10 + 1).contains(wait.milliseconds), "seed \(seed)")
                if expected == 500 { firsts.insert(wait.nanoseconds) }
                #expect(run.pass(wait) == [.openSocket])
                run.tell(lost)
            }
        }
        #expect(firsts.count > 150)
        #expect(firsts.max().map { $0 > 600_000_000 } == true && firsts.min().map { $0 < 400_000_000 } == true)
    }

    @Test("a connection that held starts the waits anew, one that broke at once does not")
    func steady() {
        var run = Run.ready()
        func next(after held: Interval, _ run: inout Run) -> Int64 {
            run.now = run.now + held
            run.tell(lost)
            let wait = run.wait ?? .zero
            run.pass(wait)
            run.connect()
            return wait.milliseconds
        }
        #expect(next(after: .milliseconds(100), &run) < 700)
        #expect((700...1_300).contains(next(after: .milliseconds(100), &run)))
        #expect((1_400...2_600).contains(next(after: .milliseconds(4_900), &run)))
        #expect(next(after: .seconds(6), &run) < 700)
    }

    @Test("whoever signs in hears at once that the server is not there")
    func firstFailure() {
        let error = OvationError(.serverUnreachable)
        var run = Run()
        run.tell(.start)
        #expect(run.tell(.handshakeFailed(error)) == [.dropSocket, .close(error)])
        #expect(run.machine.phase == .closed(error))
        #expect(run.tell(.start) == [] && run.tell(.retryNow) == [])
    }

    @Test("A04-K G06-K after 1000, 4001, 4006 and 4007 it stays closed, with the server's own word if it gave one")
    func finalCodes() {
        for (code, name) in [
            (UInt16(1_000), "signed_out"), (4_001, "session_replaced"), (4_006, "signed_out"),
            (4_007, "banned_here_for_good"),
        ] {
            let own = code == 4_007 ? OvationError.Code.bannedHereForGood : .sessionReplaced
            for word in [nil, OvationError(own, "elsewhere")] {
                var run = Run.ready()
                let actions = run.tell(.socketClosed(code: code, farewell: word))
                guard case .close(let error)? = actions.last else {
                    Issue.record("\(code): \(actions)")
                    continue
                }
                #expect(
                    error.code.rawValue == name
                        && (word == nil || ![4_001, 4_007].contains(code) || error.message == "elsewhere"))
                #expect(run.machine.nextDeadline == nil)
            }
        }
    }

    @Test("after every other code it comes back")
    func passingCodes() {
        for code in [nil, 1_001, 1_002, 1_006, 1_007, 1_011, 4_003, 4_004, 4_005] as [UInt16?] {
            var run = Run.ready()
            run.tell(.socketClosed(code: code, farewell: code == 4_005 ? OvationError(.rateLimited) : nil))
            #expect(run.wait != nil, "\(code ?? 0)")
        }
    }

    @Test("A10-K after 4002 a ticket is fetched before the next connection; without a way to one it is over (6206)")
    func expired() {
        var run = Run.ready(canRenewTicket: true)
        let actions = run.tell(.socketClosed(code: 4_002, farewell: nil))
        #expect(actions.last == .renewTicket && actions.first == .dropSocket)
        #expect(run.tell(.ticketFetched(nil)) == [.openSocket])

        var without = Run.ready()
        guard case .close(let error)? = without.tell(.socketClosed(code: 4_002, farewell: nil)).last else {
            Issue.record("it goes on")
            return
        }
        #expect(error.number == 6_206)
    }

    @Test("A10-K an expired ticket at sign-in is renewed once; a second refusal is final, with its own name")
    func renewedOnce() {
        let refusal = OvationError(.ticketExpired)
        for isFirst in [true, false] {
            var run = isFirst ? Run(canRenewTicket: true) : Run.ready(canRenewTicket: true)
            if isFirst { run.tell(.start) } else { run.tell(lost) }
            if let wait = run.wait { run.pass(wait) }
            run.tell(.socketOpened)
            #expect(run.tell(.handshakeFailed(refusal)).last == .renewTicket)
            run.tell(.ticketFetched(nil))
            run.tell(.socketOpened)
            #expect(run.tell(.handshakeFailed(refusal)) == [.dropSocket, .close(refusal)])
            #expect(refusal.number == -100_018)
        }
    }

    @Test("A10-K a renewal that finds no server is tried again while there was a session; a refused one is final")
    func renewalFails() {
        var run = Run.ready(canRenewTicket: true)
        run.tell(.socketClosed(code: 4_002, farewell: nil))
        run.tell(.ticketFetched(OvationError(.serverUnreachable)))
        #expect(run.wait != nil)
        var refused = Run.ready(canRenewTicket: true)
        refused.tell(.socketClosed(code: 4_002, farewell: nil))
        let actions = refused.tell(.ticketFetched(OvationError(.permissionDenied)))
        #expect(actions == [.close(OvationError(.sessionExpired))], "the session's end is what counts")
        // Nor does one that never answers hold everything up.
        var silent = Run.ready(canRenewTicket: true)
        silent.tell(.socketClosed(code: 4_002, farewell: nil))
        silent.pass(Machine.renewalLimit)
        #expect(silent.wait != nil)
    }

    @Test(
        "refusals that no repetition mends end a session that was ready; others, and what the server asks, are waited for"
    )
    func hope() {
        for code in [OvationError.Code.appUnknown, .userIDInvalid, .ticketNotYetValid, .nameTaken, .sessionReplaced] {
            var run = Run.ready()
            run.tell(lost)
            run.pass(run.wait ?? .zero)
            run.tell(.socketOpened)
            #expect(run.tell(.handshakeFailed(OvationError(code))).last == .close(OvationError(code)))
        }
        var run = Run.ready()
        run.tell(lost)
        run.pass(run.wait ?? .zero)
        run.tell(.socketOpened)
        run.tell(.handshakeFailed(OvationError(.unavailable, retryAfter: .milliseconds(7_500))))
        #expect(run.wait == .milliseconds(7_500), "the server said when")
    }

    @Test("a handshake that hangs is given up after ten seconds, and a silent connection at once")
    func silence() {
        var run = Run.ready()
        #expect(run.tell(.silent).first == .dropSocket)
        run.pass(run.wait ?? .zero)
        run.tell(.socketOpened)
        #expect(run.pass(.milliseconds(9_999)) == [])
        #expect(run.pass(.milliseconds(1)).first == .dropSocket)
        #expect(run.wait != nil)
    }

    @Test("trying now does not wait")
    func retryNow() {
        var run = Run.ready()
        run.tell(lost)
        #expect(run.tell(.retryNow) == [.openSocket])
        #expect(run.tell(.retryNow) == [], "one try at a time")
    }

    @Test("whatever happens in whatever order: one socket at a time, nothing after the end, never stuck")
    func anything() {
        for seed in UInt64(1)...400 {
            var random = SplitMix64(seed: seed)
            var run = Run(canRenewTicket: seed % 2 == 0, seed: seed)
            var hasSocket = false
            var isClosed = false
            run.tell(.start)
            hasSocket = true
            for step in 0..<300 {
                let inputs: [Machine.Input] = [
                    .start, .socketOpened, .socketOpened, .signedIn, .signedIn, .roomsResumed, .roomsResumed, .silent,
                    .handshakeFailed(OvationError(.timeout)), .handshakeFailed(OvationError(.ticketExpired)),
                    .socketClosed(code: nil, farewell: nil), .socketClosed(code: 4_002, farewell: nil),
                    .ticketFetched(nil), .ticketFetched(OvationError(.timeout)), .ticketGiven, .retryNow, .deadline,
                    .deadline, (random.next() % 40) == 0 ? .stop(OvationError(.signedOut)) : .deadline,
                ]
                run.now = run.now + .milliseconds(Int64((random.next() % 4_000)))
                let input = inputs[Int((random.next() % UInt64(inputs.count)))]
                let actions = run.tell(input)
                for action in actions {
                    #expect(!isClosed, "seed \(seed), step \(step): \(action) after the end")
                    switch action {
                    case .openSocket:
                        #expect(!hasSocket, "seed \(seed), step \(step): two sockets")
                        hasSocket = true
                    case .dropSocket: hasSocket = false
                    case .close:
                        #expect(!hasSocket, "seed \(seed), step \(step): closed with a socket")
                        isClosed = true
                    case .signIn, .resumeRooms, .ready:
                        #expect(hasSocket, "seed \(seed), step \(step): \(action) without a socket")
                    case .renewTicket, .lost: break
                    }
                }
                // What is neither connected nor over has a time at which it goes on.
                switch run.machine.phase {
                case .ready, .closed, .idle: #expect(run.machine.nextDeadline == nil)
                case .opening, .waiting, .renewing: #expect(run.machine.nextDeadline != nil)
                }
                if case .closed = run.machine.phase { #expect(isClosed, "seed \(seed): closed without a word") }
            }
        }
    }
}
