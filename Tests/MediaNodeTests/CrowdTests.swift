internal import DatagramIO
internal import Forwarding
internal import MediaTestSupport
internal import Testing
internal import Timing

@testable internal import MediaNode

/// Rooms in which packets of several speakers go to the audience together, over real sockets.
@Suite(.serialized) struct CrowdTests {
    @Test("everybody hears every speaker whole and in order, whether packets leave together or not", arguments: [1, 3])
    func heard(workers: Int) async throws {
        let party = try await Party {
            $0.workers = workers
            $0.fullHome = 0
            $0.smallestCrowd = workers == 1 ? 3 : 1
        }
        var people: [TestClient] = []
        for id in 1...6 as ClosedRange<UInt64> { people.append(try await party.joined(id)) }
        for slot in 0..<3 { await party.assign(slot, people[slot]) }
        // Each of another length, so that some are padded.
        let frames = (0..<60).map { number in
            (0..<3).map {
                [UInt8]([UInt8($0), UInt8(number)] + [UInt8](repeating: 7, count: 40 + (number * 7 + $0 * 11) % 30))
            }
        }
        let before = try #require(await party.node.counters())
        for (number, frame) in frames.enumerated() {
            for speaker in 0..<3 { people[speaker].speak(frame[speaker]) }
            await party.run {
                people.indices.allSatisfy { listener in
                    (0..<3).allSatisfy { $0 == listener || people[listener].payloads(on: $0).count == number + 1 }
                }
            }
        }
        for (index, listener) in people.enumerated() {
            for slot in 0..<3 where slot != index {
                #expect(listener.payloads(on: slot) == frames.map { $0[slot] })
                #expect(listener.heard[slot]?.isUnbroken == true)
            }
        }
        let counters = try #require(await party.node.counters())
        #expect(counters.audio.forwarded - before.audio.forwarded == 180)
        // Fewer messages than datagrams: some left together.
        #expect(counters.sockets.messages - before.sockets.messages < counters.sockets.sent - before.sockets.sent)
        // Who is muted is silent when that is answered, though packets wait.
        for speaker in 0..<3 { people[speaker].speak([1, 2, 3]) }
        await party.assign(0, people[0], muted: true)
        let heard = people.map { $0.payloads(on: 0).count }
        people[0].speak([9, 9, 9])
        people[1].speak([4, 4, 4])
        await party.run { people[5].payloads(on: 1).last == [4, 4, 4] }
        for listener in people.dropFirst() { #expect(!listener.payloads(on: 0).contains([9, 9, 9])) }
        #expect(heard.count == 6)
    }

    @Test(
        "on a thread that has much to do, packets of several speakers leave together in a small room too, until it has little"
    )
    func busy() async throws {
        let party = try await Party { $0.smallestCrowdWhenBusy = 3 }
        var people: [TestClient] = []
        for id in 1...6 as ClosedRange<UInt64> { people.append(try await party.joined(id)) }
        for slot in 0..<3 { await party.assign(slot, people[slot]) }
        var told = 0
        /// - Returns: how many datagrams left beside others of the same message.
        func together() async throws -> Int {
            let before = try #require(await party.node.counters()).sockets
            for _ in 0..<20 {
                told += 1
                for speaker in 0..<3 { people[speaker].speak([UInt8](repeating: UInt8(told), count: 80)) }
                await party.run { (0..<3).allSatisfy { people[5].payloads(on: $0).count == told } }
            }
            let after = try #require(await party.node.counters()).sockets
            return Int(after.sent - before.sent) - Int(after.messages - before.messages)
        }
        // Some do anyway, where one turn takes in several packets.
        let usual = try await together()
        await party.keepBusy()
        let busy = try await together()
        #expect(busy > usual + 50, "\(busy), \(usual)")
        await party.rest()
        #expect(try await together() < busy)
    }
}
