import NIOCore
import RoomModel
import RoomPorts
import Synchronization
import Testing

@testable import Gateway

@Suite struct OutboxTests {
    private final class Calls: Sendable {
        let wakes = Mutex(0)
        let overflows = Mutex(0)
    }

    private func outbox(_ calls: Calls = Calls()) -> ConnectionOutbox {
        ConnectionOutbox(wake: { calls.wakes.withLock { $0 += 1 } }, overflow: { calls.overflows.withLock { $0 += 1 } })
    }

    private func frame(_ text: String, chat: ChatSpan? = nil) -> EncodedFrame {
        EncodedFrame(text: Array(text.utf8), chat: chat)
    }

    private func drain(_ outbox: ConnectionOutbox) -> [String] {
        var texts: [String] = []
        while let bytes = outbox.next() {
            texts.append(Frames.parse(bytes).first.map { String(decoding: $0.payload, as: UTF8.self) } ?? "?")
        }
        return texts
    }

    @Test(
        "frames are as RFC 6455 says at every boundary of length",
        arguments: [0, 1, 125, 126, 127, 65535, 65536, 100_000])
    func lengths(length: Int) {
        let frames = Frames.parse(EncodedFrame(text: [UInt8](repeating: 0x61, count: length)).bytes)
        #expect(frames.count == 1 && frames[0].opcode == 1 && frames[0].payload.count == length)
    }

    @Test(
        "lanes keep their own order, and control leaves before all chatter that waits",
        arguments: [UInt64(1), 2, 3, 4, 5])
    func order(seed: UInt64) {
        var state = seed
        let outbox = outbox()
        var waiting: [NewsLane: [String]] = [:]
        for index in 0..<300 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if state >> 61 == 0 {
                #expect(
                    drain(outbox) == waiting[.control, default: []] + waiting[.chatter, default: []], "seed \(seed)")
                waiting = [:]
            } else {
                let lane: NewsLane = state >> 62 == 1 ? .control : .chatter
                waiting[lane, default: []].append("\(lane) \(index)")
                outbox.enqueue(frame("\(lane) \(index)"), lane: lane)
            }
        }
        #expect(drain(outbox) == waiting[.control, default: []] + waiting[.chatter, default: []], "seed \(seed)")
    }

    @Test(
        "a frame of another kind ends the connection instead of going missing", arguments: [NewsLane.control, .chatter])
    func foreignFrame(lane: NewsLane) {
        final class Foreign: NewsFrame {}
        let calls = Calls()
        let outbox = outbox(calls)
        outbox.enqueue(frame("before"), lane: lane)
        outbox.enqueue(Foreign(), lane: lane)
        outbox.enqueue(frame("after"), lane: lane)
        #expect(calls.overflows.withLock { $0 } == 1 && drain(outbox).isEmpty)
    }

    @Test("a room that is told anew has no old chatter left behind the answer; other rooms' stays")
    func anew() {
        let outbox = outbox()
        let (here, there) = (RoomID.number(1), RoomID.number(2))
        func chat(_ text: String, _ room: RoomID) {
            outbox.enqueue(
                EncodedFrame(text: Array(text.utf8), room: room, chat: nil), lane: .chatter)
        }
        chat("old", here)
        chat("other", there)
        outbox.enqueue(frame("seat"), lane: .control)
        outbox.forgetChatter(of: here)
        outbox.enqueue(frame("entered"), lane: .control)
        chat("new", here)
        #expect(drain(outbox) == ["seat", "entered", "other", "new"])
    }

    @Test("a long answer is made when it leaves, in its place, and takes its room until then")
    func longAnswer() {
        let calls = Calls()
        let outbox = outbox(calls)
        let made = Mutex(0)
        func answer(_ text: String, size: Int) {
            outbox.enqueue(size: size) {
                made.withLock { $0 += 1 }
                return Array(text.utf8)
            }
        }
        outbox.enqueue(frame("before"), lane: .control)
        answer("entered", size: 100)
        outbox.enqueue(frame("after"), lane: .control)
        #expect(made.withLock { $0 } == 0 && calls.wakes.withLock { $0 } == 1)
        #expect(drain(outbox) == ["before", "entered", "after"])
        #expect(made.withLock { $0 } == 1)

        answer("a", size: ConnectionOutbox.controlLimit.bytes)
        #expect(calls.overflows.withLock { $0 } == 0)
        answer("b", size: 1)
        #expect(calls.overflows.withLock { $0 } == 1)
        #expect(drain(outbox) == [] && made.withLock { $0 } == 1)
    }

    @Test("the event loop is woken once for many frames, and again only after it has found nothing")
    func waking() {
        let calls = Calls()
        let outbox = outbox(calls)
        for _ in 0..<5 { outbox.enqueue(frame("x"), lane: .control) }
        #expect(calls.wakes.withLock { $0 } == 1)
        #expect(drain(outbox).count == 5)
        outbox.enqueue(frame("y"), lane: .chatter)
        #expect(calls.wakes.withLock { $0 } == 2)
    }

    @Test(
        "chatter that is too much is shed oldest first, control stays, and the holes in the chat are announced in their place"
    )
    func shedding() throws {
        let outbox = outbox()
        outbox.enqueue(frame("seat"), lane: .control)
        let limit = ConnectionOutbox.chatterLimit.frames
        for number in 1...UInt64(limit + 10) {
            let span = ChatSpan(room: .number(7), epoch: 3, from: number, to: number)
            outbox.enqueue(frame("chat \(number)", chat: span), lane: .chatter)
        }
        let texts = drain(outbox)
        #expect(texts.count == 1 + 1 + limit)
        #expect(texts[0] == "seat")
        #expect(
            texts[1].contains("\"dropped\"") && texts[1].contains("\"epoch\":3") && texts[1].contains("\"from\":1")
                && texts[1].contains("\"to\":10"))
        #expect(texts[2] == "chat 11" && texts.last == "chat \(limit + 10)")
    }

    @Test("chatter is also bounded by its bytes")
    func sheddingByBytes() {
        let outbox = outbox()
        let large = String(repeating: "x", count: 100_000)
        for _ in 0..<20 { outbox.enqueue(frame(large), lane: .chatter) }
        #expect(drain(outbox).count == 5)
        // What has left takes no room any more.
        for _ in 0..<4 { outbox.enqueue(frame(large), lane: .chatter) }
        #expect(drain(outbox).count == 4)
    }

    @Test("control that is too much ends the connection once and forgets everything")
    func overflow() {
        let calls = Calls()
        let outbox = outbox(calls)
        for index in 0...ConnectionOutbox.controlLimit.frames { outbox.enqueue(frame("\(index)"), lane: .control) }
        #expect(calls.overflows.withLock { $0 } == 1)
        outbox.enqueue(frame("late"), lane: .control)
        #expect(drain(outbox).isEmpty)
        #expect(calls.overflows.withLock { $0 } == 1)

        let heavy = Calls()
        let byBytes = self.outbox(heavy)
        for _ in 0..<3 { byBytes.enqueue(frame(String(repeating: "x", count: 1 << 20)), lane: .control) }
        #expect(heavy.overflows.withLock { $0 } == 1)
    }
}

/// Server frames, taken apart.
enum Frames {
    struct Frame {
        var opcode: UInt8
        var payload: [UInt8]
    }

    static func parse(_ bytes: ByteBuffer) -> [Frame] {
        var bytes = bytes
        var frames: [Frame] = []
        while let first = bytes.readInteger(as: UInt8.self), let second = bytes.readInteger(as: UInt8.self) {
            var length = Int(second & 0x7f)
            switch length {
            case 126: length = bytes.readInteger(as: UInt16.self).map(Int.init) ?? -1
            case 127: length = bytes.readInteger(as: UInt64.self).map(Int.init) ?? -1
            default: break
            }
            guard first & 0xf0 == 0x80, second & 0x80 == 0, let payload = bytes.readBytes(length: length) else {
                return []
            }
            frames.append(Frame(opcode: first & 0xf, payload: payload))
        }
        return frames
    }
}
