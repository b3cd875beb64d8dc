import RoomModel
import RoomTestSupport
import Testing
import Timing

@testable import RoomService

/// V14: how loud everybody is, at an interval, and once at silence.
@Suite struct SpeakerLevelsTests {
    private let start = Instant(nanoseconds: 10_000_000_000)

    @Test("V14-S silence before anybody has spoken is no news; after a word it is told once")
    func silence() {
        var levels = SpeakerLevels()
        levels.hear([:])
        #expect(levels.ready(start) == nil)
        levels.hear([.owner: 40])
        #expect(levels.ready(start) == start)
        #expect(levels.take(at: start) == [.owner: 40] && levels.told == [.owner: 40])
        #expect(levels.ready(start) == nil)
        levels.hear([:])
        #expect(levels.ready(start) == start + SpeakerLevels.interval)
        #expect(levels.take(at: start + .seconds(1)) == [:])
        levels.hear([:])
        #expect(levels.ready(start + .seconds(2)) == nil)
    }

    @Test("V14-S a short word that is over before it could be told is told, and then its silence")
    func shortWord() {
        var levels = SpeakerLevels()
        levels.hear([.owner: 40, .member: 10])
        levels.hear([.owner: 20, .member: 30])
        levels.hear([:])
        #expect(levels.take(at: start) == [.owner: 40, .member: 30], "the loudest of the interval")
        #expect(levels.ready(start) == start + SpeakerLevels.interval)
        #expect(levels.take(at: start + .seconds(1)) == [:])
        #expect(levels.ready(start + .seconds(2)) == nil)
    }

    @Test("a crowd is told less often, together no more than ten thousand a second, and no one less than once a second")
    func crowds() {
        var levels = SpeakerLevels()
        levels.hear([.owner: 40])
        _ = levels.take(at: start)
        levels.hear([.owner: 50])
        let waits = [1, 2_000, 5_000, 10_000, 100_000].map { listeners in
            levels.ready(start, listeners: listeners).map { ($0 - start).seconds }
        }
        #expect(waits == [0.2, 0.2, 0.5, 1, 1])
    }
}
