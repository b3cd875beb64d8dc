internal import Glibc
internal import Testing
internal import Timing

@testable internal import DatagramIO

@Suite struct SendRingTests {
    /// Plays the kernel: takes what `answers` says, in order, then everything.
    private final class Kernel {
        var answers: [Int32]
        var calls: [(first: Int, count: Int)] = []
        var taken: [Int] = []
        init(_ answers: [Int32] = []) { self.answers = answers }

        func send(_ first: Int, _ count: Int) -> Int32 {
            calls.append((first, count))
            let answer = answers.isEmpty ? Int32(count) : answers.removeFirst()
            if answer > 0 { taken += (first..<first + Int(answer)) }
            return answer
        }
    }

    private let start = Instant(nanoseconds: 1_000_000_000)

    private func fill(_ ring: SendRing, _ count: Int, at now: Instant) -> [Int] {
        (0..<count).map { _ in
            let next = ring.nextSlot()
            let slot = ring.commit(at: now)
            #expect(slot == next)
            return slot
        }
    }

    @Test("A partial send is continued where it stopped")
    func partialSend() {
        let ring = SendRing()
        let slots = fill(ring, 10, at: start)
        let kernel = Kernel([3, 4])
        ring.flush(at: start, send: kernel.send)
        #expect(kernel.taken == slots)
        #expect(kernel.calls.map(\.count) == [10, 7, 3])
        #expect(ring.stats.sent == 10)
        #expect(ring.count == 0)
    }

    @Test(
        "A datagram that is too large or refused is dropped alone; the rest leave",
        arguments: [EMSGSIZE, EPERM, ENETUNREACH])
    func refusedDatagram(code: Int32) {
        let ring = SendRing()
        let slots = fill(ring, 5, at: start)
        let kernel = Kernel([2, -code])
        ring.flush(at: start, send: kernel.send)
        #expect(kernel.taken == [slots[0], slots[1], slots[3], slots[4]])
        #expect(ring.stats.droppedTooLarge == (code == EMSGSIZE ? 1 : 0))
        #expect(ring.stats.droppedRefused == (code == EMSGSIZE ? 0 : 1))
        #expect(!ring.isBlocked)
    }

    @Test("A full kernel buffer keeps datagrams for 20 ms and does not spin", arguments: [EAGAIN, ENOBUFS])
    func blocked(code: Int32) {
        let ring = SendRing()
        let early = fill(ring, 3, at: start)
        let kernel = Kernel([1, -code])
        ring.flush(at: start, send: kernel.send)
        #expect(ring.isBlocked)
        #expect(kernel.calls.count == 2)
        #expect(ring.count == 2)

        let late = fill(ring, 2, at: start + .milliseconds(15))
        ring.flush(at: start + .milliseconds(21), send: kernel.send)
        #expect(kernel.taken == [early[0]] + late)
        #expect(ring.stats.droppedLate == 2)
        #expect(!ring.isBlocked)
    }

    @Test("A full queue drops its oldest datagrams, and runs never pass the end of the ring")
    func overflowAndWrap() {
        let ring = SendRing()
        let kernel = Kernel([100, -EAGAIN])
        _ = fill(ring, 300, at: start)
        ring.flush(at: start, send: kernel.send)
        #expect(ring.count == 200)
        let slots = fill(ring, SendRing.capacity, at: start)
        #expect(ring.count == SendRing.capacity)
        #expect(ring.stats.droppedLate == 200)
        kernel.taken = []
        ring.flush(at: start, send: kernel.send)
        #expect(kernel.taken == slots)
        #expect(kernel.calls.allSatisfy { $0.first + $0.count <= SendRing.slots })
        #expect(ring.count == 0)
    }

    @Test("Asking for a slot that is not used in the end costs no datagram that waits")
    func unusedSlot() {
        let ring = SendRing()
        let slots = fill(ring, SendRing.capacity, at: start)
        for _ in 0..<10 { #expect(!slots.contains(ring.nextSlot())) }
        #expect(ring.count == SendRing.capacity && ring.stats.droppedLate == 0)
        let last = ring.commit(at: start)
        let kernel = Kernel([])
        ring.flush(at: start, send: kernel.send)
        #expect(kernel.taken == Array(slots.dropFirst()) + [last] && ring.stats.droppedLate == 1)
    }
}
