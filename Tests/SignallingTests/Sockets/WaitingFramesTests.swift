import NIOCore
import RoomModel
import RoomPorts
import SeededRandom
import Synchronization
import Testing

@testable import Signalling

@Suite struct WaitingFramesTests {
    private func frame(_ text: String, chat: ChatSpan? = nil) -> EncodedFrame {
        EncodedFrame(text: Array(text.utf8), chat: chat)
    }

    private func control(_ text: String) -> WaitingFrames.Control { .frame(frame(text).bytes) }

    private func drain(_ waiting: inout WaitingFrames) -> [String] {
        var texts: [String] = []
        while let bytes = waiting.next() {
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

    @Test("lanes keep their own order, and control leaves before all chatter that waits")
    func order() {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed: seed)
        var waiting = WaitingFrames()
        var expected: [NewsLane: [String]] = [:]
        for index in 0..<600 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                let drained = drain(&waiting)
                #expect(drained == expected[.control, default: []] + expected[.chatter, default: []], "seed \(seed)")
                #expect(waiting.isEmpty)
                expected = [:]
            case 1..<5:
                let isPut = waiting.append(control("control \(index)"))
                #expect(isPut)
                expected[.control, default: []].append("control \(index)")
            default:
                waiting.append(chatter: frame("chatter \(index)"))
                expected[.chatter, default: []].append("chatter \(index)")
            }
        }
    }

    @Test("a room that is told anew has no old chatter left behind the answer; other rooms' stays")
    func anew() {
        var waiting = WaitingFrames()
        let (here, there) = (RoomID.number(1), RoomID.number(2))
        waiting.append(chatter: EncodedFrame(text: Array("old".utf8), room: here))
        waiting.append(chatter: EncodedFrame(text: Array("other".utf8), room: there))
        let isPut = waiting.append(control("seat"))
        waiting.forgetChatter(of: here)
        let isPutToo = waiting.append(control("entered"))
        #expect(isPut && isPutToo)
        waiting.append(chatter: EncodedFrame(text: Array("new".utf8), room: here))
        #expect(drain(&waiting) == ["seat", "entered", "other", "new"])
    }

    @Test(
        "V02-S what waits of a room's chatter leaves before its end, with word of what was shed; other rooms' stays behind"
    )
    func end() {
        var waiting = WaitingFrames()
        let (here, there) = (RoomID.number(1), RoomID.number(2))
        for chat in 1...UInt64(WaitingFrames.chatterLimit.frames) {
            waiting.append(
                chatter: frame("here \(chat)", chat: ChatSpan(room: here, epoch: 1, from: chat, to: chat)))
        }
        waiting.append(chatter: EncodedFrame(text: Array("there".utf8), room: there))
        let isPut = waiting.append(control("seat"))
        let hurried = waiting.takeChatter(of: here)
        #expect(isPut && hurried.count == WaitingFrames.chatterLimit.frames)
        for bytes in hurried {
            let isPut = waiting.append(.frame(bytes))
            #expect(isPut)
        }
        let isEndPut = waiting.append(control("end"))
        let texts = drain(&waiting)
        #expect(isEndPut && texts.first == "seat" && texts.suffix(2) == ["end", "there"])
        #expect(
            texts[1].contains("dropped") && texts[2] == "here 2" && texts.last { $0.hasPrefix("here") } == "here 512")
    }

    @Test("a long answer is made when it leaves, in its place, and takes its room until then")
    func longAnswer() {
        var waiting = WaitingFrames()
        let made = Mutex(0)
        func answer(_ text: String, size: Int) -> Bool {
            waiting.append(
                .answer(size: size) {
                    made.withLock { $0 += 1 }
                    return Array(text.utf8)
                })
        }
        let arePut = [
            waiting.append(control("before")), answer("entered", size: 100), waiting.append(control("after")),
        ]
        #expect(arePut == [true, true, true])
        #expect(made.withLock { $0 } == 0)
        #expect(drain(&waiting) == ["before", "entered", "after"])
        #expect(made.withLock { $0 } == 1)
        let fits = [answer("a", size: WaitingFrames.controlLimit.bytes), answer("b", size: 1)]
        #expect(fits == [true, false])
    }

    @Test(
        "chatter that is too much is shed oldest first, control stays, and the holes in the chat are announced in their place"
    )
    func shedding() throws {
        var waiting = WaitingFrames()
        let isPut = waiting.append(control("seat"))
        #expect(isPut)
        let limit = WaitingFrames.chatterLimit.frames
        for number in 1...UInt64(limit + 10) {
            let span = ChatSpan(room: .number(7), epoch: 3, from: number, to: number)
            waiting.append(chatter: frame("chat \(number)", chat: span))
        }
        let texts = drain(&waiting)
        #expect(texts.count == 1 + 1 + limit)
        #expect(texts[0] == "seat")
        #expect(
            texts[1].contains("\"dropped\"") && texts[1].contains("\"epoch\":3") && texts[1].contains("\"from\":1")
                && texts[1].contains("\"to\":10"))
        #expect(texts[2] == "chat 11" && texts.last == "chat \(limit + 10)")
    }

    @Test("chatter is also bounded by its bytes")
    func sheddingByBytes() {
        var waiting = WaitingFrames()
        let large = String(repeating: "x", count: 100_000)
        for _ in 0..<20 { waiting.append(chatter: frame(large)) }
        #expect(drain(&waiting).count == 5)
        // What has left takes no room any more.
        for _ in 0..<4 { waiting.append(chatter: frame(large)) }
        #expect(drain(&waiting).count == 4)
    }

    @Test("control that is too much finds no room, by its number and by its bytes")
    func overflow() {
        var waiting = WaitingFrames()
        var fits: [Bool] = []
        for index in 0...WaitingFrames.controlLimit.frames { fits.append(waiting.append(control("\(index)"))) }
        #expect(fits.dropLast().allSatisfy(\.self) && fits.last == false)
        var heavy = WaitingFrames()
        let large = String(repeating: "x", count: 1 << 20)
        let fitsHeavy = [heavy.append(control(large)), heavy.append(control(large))]
        #expect(fitsHeavy == [true, false])
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
