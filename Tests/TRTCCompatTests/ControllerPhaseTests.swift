import Testing
import Timing

@testable import TRTCCompat

/// Who is signed in and in which room, whatever comes in which order.
@Suite struct ControllerPhaseTests {
    private final class Room: Sendable {}
    private typealias Phase = ControllerPhase<Int, Room>

    private var entries = EntryNumber()

    private func signedIn(_ share: Int = 1) -> Phase {
        var phase = Phase.signedOut
        _ = phase.beginSignIn { _ in false }
        _ = phase.endSignIn(share)
        return phase
    }

    private func unexpected() { Issue.record("an answer of another kind") }

    @Test("V03-C an answer to an entry that was given up means nothing to the one that is on its way")
    mutating func lateAnswer() {
        var phase = signedIn()
        let (first, second) = (entries.next(), entries.next())
        guard case .began = phase.beginEntry(first) else { return unexpected() }
        let none = phase.abandon()
        #expect(none == nil)
        guard case .began = phase.beginEntry(second) else { return unexpected() }
        let isFirstWanted = phase.endEntry(first, nil)
        let room = Room()
        let isSecondWanted = phase.endEntry(second, room)
        #expect(!isFirstWanted && isSecondWanted && phase.room === room)
    }

    @Test("V19-C a room that was given up is left once, and another can be entered at once")
    mutating func abandoned() {
        var phase = signedIn()
        let room = Room()
        let number = entries.next()
        _ = phase.beginEntry(number)
        _ = phase.endEntry(number, room)
        // Lost again before anything else happened.
        let left = [phase.abandon()?.room, phase.abandon()?.room]
        #expect(left[0] === room && left[1] == nil && phase.room == nil)
        guard case .began = phase.beginEntry(entries.next()) else { return unexpected() }
    }

    @Test("A04-C another user signs in only outside of rooms; the same one renews the ticket anywhere")
    mutating func signIn() {
        var phase = signedIn(7)
        let number = entries.next()
        _ = phase.beginEntry(number)
        guard case .isInRoom = phase.beginSignIn(isSame: { _ in false }) else { return unexpected() }
        guard case .same(7) = phase.beginSignIn(isSame: { _ in true }) else { return unexpected() }
        guard case .isInRoom = phase.signOut() else { return unexpected() }
        let isWanted = phase.endEntry(number, nil)
        #expect(isWanted && phase.room == nil)
        guard case .began(former: 7) = phase.beginSignIn(isSame: { _ in false }) else { return unexpected() }
        guard case .isSigningIn = phase.beginSignIn(isSame: { _ in true }) else { return unexpected() }
        #expect(phase.share == nil)
    }

    /// Everything in any order, as apps call it.
    private struct Walk {
        var phase = Phase.signedOut
        var entries = EntryNumber()
        var shares = 0
        /// Signed in and not yet signed out.
        var open: Set<Int> = []
        var pending: [EntryNumber] = []
        /// The newest that began.
        var entering: EntryNumber?
        /// Entered, and the server not yet told that they were left.
        var rooms: [Room] = []

        mutating func forget(_ room: Room?) { rooms.removeAll { $0 === room } }

        /// The share ends once, and with it whatever it was in.
        mutating func end(_ share: Int?) {
            guard let share else { return }
            let former = open.remove(share)
            #expect(former != nil, "signed out twice")
            rooms = []
        }

        mutating func step(_ random: inout SplitMix64) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                let isSame = Bool.random(using: &random)
                if case .began(let former) = phase.beginSignIn(isSame: { _ in isSame }) { end(former) }
            case 1...2:
                shares += 1
                if phase.endSignIn(shares) { open.insert(shares) }
            case 3: _ = phase.endSignIn(nil)
            case 4: if case .ended(let share) = phase.signOut() { end(share) }
            case 5: end(phase.lose())
            case 6...7:
                if case .began(let share, let number) = phase.beginEntry(entries.next()) {
                    #expect(open.contains(share))
                    pending.append(number)
                    entering = number
                }
            case 8...9:
                guard let number = pending.randomElement(using: &random) else { return }
                pending.removeAll { $0 == number }
                let room = Bool.random(using: &random) ? Room() : nil
                guard phase.endEntry(number, room) else { return }
                #expect(number == entering, "only the newest entry counts")
                if let room { rooms.append(room) }
            case 10:
                guard let room = phase.room else { return }
                let answers = [phase.leave(Room()), phase.leave(room), phase.leave(room)]
                #expect(answers == [false, true, false])
                forget(room)
            default: if let (_, room) = phase.abandon() { forget(room) }
            }
        }
    }

    @Test(
        "A04-C V03-C in any order: each sign-in ends once, each room that was entered is left once", arguments: 0..<50)
    func walk(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var walk = Walk()
        for _ in 0..<2_000 {
            walk.step(&random)
            #expect(walk.open == Set(walk.phase.share.map { [$0] } ?? []))
            #expect(walk.rooms.count <= 1, "one room at a time")
            if let room = walk.phase.room { #expect(walk.rooms.contains { $0 === room }) }
        }
        walk.end(walk.phase.destroy())
        #expect(walk.open.isEmpty && walk.phase.isDestroyed)
        _ = walk.phase.beginSignIn { _ in false }
        let isWanted = walk.phase.endSignIn(1)
        #expect(!isWanted && walk.phase.isDestroyed)
    }
}
