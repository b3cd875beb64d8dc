import RoomEvents
import RoomModel
import RoomPorts
import RoomTestSupport
import SeededRandom
import Testing
import Timing

@testable import RoomService

/// G05: what a room keeps of its news, compared with a list of all of them.
@Suite struct RecentNewsTests {
    private func change(_ seq: UInt64) -> RoomNewsEvent {
        .change(
            RoomChange(
                seq: seq, time: 1, what: .microphoneMuted(MicrophoneMuted(user: .owner, muted: seq % 2 == 0, seat: 0))))
    }

    private func message(_ chat: UInt64, _ text: String) -> RoomNewsEvent {
        .message(Message(chat: chat, from: UserProfile(id: .owner), body: .text(text), time: 1))
    }

    private func isAfter(_ event: RoomNewsEvent, _ seq: UInt64, _ chat: UInt64) -> Bool {
        switch event {
        case .change(let change): change.seq > seq
        case .message(let message): message.chat > chat
        case .passing, .invitation, .challenge, .restriction: false
        }
    }

    @Test(
        "G05-S a gap is exact or none: all that came after the point, and none at all once anything of it was dropped",
        arguments: 1...6 as ClosedRange<UInt64>)
    func gaps(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let begin = (seq: UInt64.random(in: 0...9, using: &random), chat: UInt64.random(in: 0...9, using: &random))
        var recent = RecentNews(seq: begin.seq, chat: begin.chat)
        var (seq, chat) = begin
        var all: [RoomNewsEvent] = []
        // By number in some rooms, by bytes in others; by turns or mostly of one kind.
        let heavy = String(repeating: "x", count: seed % 2 == 0 ? 8_000 : 1)
        let messages = Int.random(in: 1...9, using: &random)
        for _ in 0..<1_600 {
            if Int.random(in: 0...9, using: &random) < messages {
                chat += 1
                all.append(message(chat, heavy))
            } else {
                seq += 1
                all.append(change(seq))
            }
            if let last = all.last { recent.append(last) }
            guard Int.random(in: 0..<80, using: &random) == 0 else { continue }
            // What must be kept: the newest, as many as fit both limits.
            var bytes = 0
            let kept = all.reversed().prefix(RecentNews.capacity).prefix { event in
                bytes += event.wireSize
                return bytes <= RecentNews.maximumBytes
            }
            let dropped = all.dropLast(kept.count)
            for _ in 0..<4 {
                let point = ResumePoint(
                    epoch: 1, seq: UInt64.random(in: begin.seq...(seq + 1), using: &random),
                    chat: UInt64.random(in: begin.chat...(chat + 1), using: &random))
                let isKnown =
                    point.seq <= seq && point.chat <= chat
                    && !dropped.contains { isAfter($0, point.seq, point.chat) }
                let gap = recent.gap(since: point)
                #expect(gap == (isKnown ? all.filter { isAfter($0, point.seq, point.chat) } : nil))
            }
        }
        #expect(all.count > RecentNews.capacity)
        let texts = all.compactMap { if case .message(let message) = $0 { message } else { nil } }
        #expect(recent.messages(50) == texts.suffix(min(50, recent.messages(.max).count)))
    }

    @Test("G05-S points before the room's first number and after its newest are none that it knows")
    func borders() {
        var recent = RecentNews(seq: 5, chat: 7)
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 5, chat: 7)) == [])
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 4, chat: 7)) == nil)
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 5, chat: 6)) == nil)
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 6, chat: 7)) == nil)
        recent.append(change(6))
        recent.append(message(8, "a"))
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 5, chat: 7)) == [change(6), message(8, "a")])
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 6, chat: 7)) == [message(8, "a")])
        #expect(recent.gap(since: ResumePoint(epoch: 1, seq: 5, chat: 8)) == [change(6)])
    }
}
