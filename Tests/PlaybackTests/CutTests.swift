internal import MediaCodecs
internal import Testing
internal import Timing

@testable internal import Playback

/// Who lost the right to be heard is gone from the mix at once, although it lies 0.3 s behind.
@Suite struct CutTests {
    private static let singer = Singer.Equipment(latency: .milliseconds(35), use: .duet, statesPosition: true)

    @Test(
        "A12-S V06-S a singer who is cut is gone from the mix with the next block, also what had come and was to be heard later"
    )
    func cut() throws {
        let duet = try Duet(seed: 12, seconds: 5, equipment: [Self.singer], hasSong: false)
        duet.singers[0].leaves = duet.time(3)
        duet.run(to: 3)
        duet.desk.mix.cut(slot: 0, before: .max)
        duet.run(to: 4.5)
        func loudest(from: Double, to: Double) -> Float {
            let heard = duet.desk.heard
            let range = min(heard.count, Int(from * 48_000))..<min(heard.count, Int(to * 48_000))
            return heard[range].map(abs).max() ?? 0
        }
        // The mix is 0.3 s behind: without the cut he would be heard up to 3.0 s of it.
        #expect(loudest(from: 2, to: 2.69) > 0.1)
        // One block, its fade, the limiter's look-ahead and the encoder's.
        let end = 2.7 + 0.02 + 0.005 + Double(Desk.lag) / 48_000
        #expect(loudest(from: end, to: 4.2) < 0.01)
    }

    @Test("V06-S who is heard again after a cut is heard from there on, and packets from before it stay away")
    func afterTheCut() throws {
        let duet = try Duet(seed: 13, seconds: 6, equipment: [Self.singer], hasSong: false)
        duet.run(to: 2)
        let next = duet.singers[0].nextSequence
        duet.desk.mix.cut(slot: 0, before: next)
        duet.run(to: 5)
        let heard = duet.desk.heard
        func loudest(_ from: Double, _ to: Double) -> Float {
            heard[Int(from * 48_000)..<Int(to * 48_000)].map(abs).max() ?? 0
        }
        // What he had sung up to the cut would have been heard until 2.0 s; what he sings from there on is heard.
        #expect(loudest(1.75, 1.9) < 0.01)
        #expect(loudest(2.2, 4.5) > 0.1)
    }
}
