internal import Codecs
internal import RTP
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// Cameras that list their layers in an order of their own.
@Suite struct LayerOrderTests {
    static let listed = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    private final class Room {
        let stage = VideoStage(slots: 1)
        let camera = MemberID(rawValue: 1)
        let format: VideoFormat
        var now = Instant(nanoseconds: 1_000_000_000)
        /// What each viewer got: the number of the layer, and whether it is the first of a key frame.
        var seen: [Int: [(layer: Int, isKeyFrame: Bool)]] = [:]
        var asked = 0
        private var viewers: [PictureViewer] = []
        private var frame: UInt64 = 0

        init(_ format: VideoFormat) {
            self.format = format
            stage.assign(slot: 0, to: camera, isCut: false)
            // Three who choose a size, and one who does not.
            for layer in 0..<4 {
                let viewer = PictureViewer(MemberID(rawValue: UInt64(layer) + 10), handle: layer)
                let line = ViewerLine(
                    slot: 0, ssrc: SSRC(UInt32(layer) + 50), stream: 0, format: format, firstSequence: 1,
                    firstTimestamp: 1)
                viewers.append(viewer)
                if layer < 3 { stage.limit(viewer.member, slot: 0, toLayer: layer, at: now, send: send, ask: ask) }
                stage.setViewer(viewer, lines: [line], at: now, send: send, ask: ask)
            }
        }

        func send(_ handle: Int, _ packet: OutgoingPacket, _ content: UnsafeRawBufferPointer) {
            seen[handle, default: []].append((Int(content[content.count - 2]), content[content.count - 1] == 1))
        }

        func ask(_ member: MemberID, _ ssrc: SSRC) { asked += 1 }

        /// Ten frames a second, of which the first is a key frame. `widths` are those of the layers in the order in which they are listed; a
        /// width of 1,280 takes as many bytes a frame, or what `takes` says.
        func film(_ seconds: Int, _ widths: [Int], takes: [Int]? = nil) {
            for number in 0..<seconds * 10 {
                now = now + .milliseconds(100)
                frame += 1
                for (layer, width) in widths.enumerated() where width > 0 {
                    let isKeyFrame = number % 10 == 0
                    let packet = PicturePacket(
                        ssrc: SSRC(UInt32(layer) + 100), layer: layer, sequence: 1_000 + frame,
                        timestamp: UInt32(frame) * 9_000, marker: true, format: format, arrival: now)
                    let payload =
                        head(width, isKeyFrame) + [UInt8](repeating: 9, count: takes?[layer] ?? width)
                        + [UInt8(layer), isKeyFrame ? 1 : 0]
                    payload.withUnsafeBytes { stage.forward(packet, from: camera, payload: $0, send: send, ask: ask) }
                }
                stage.deliver(at: now, send: send)
            }
        }

        /// In H.264 the size is not to be read: the parameters come in pieces.
        private func head(_ width: Int, _ isKeyFrame: Bool) -> [UInt8] {
            let side = [UInt8(width & 0xff), UInt8(width >> 8)]
            switch format {
            case .vp8: return isKeyFrame ? [0x10, 0, 0, 0, 0x9d, 0x01, 0x2a] + side + side : [0x10, 1, 0, 0]
            default:
                guard isKeyFrame else { return [0x41] }
                return [0x78, 0, 1, 0x67, 0, 1, 0x68, UInt8((width + 3) >> 8), UInt8((width + 3) & 0xff), 0x65]
            }
        }

        /// The layers that the four got last.
        var last: [Int?] { (0..<4).map { seen[$0]?.last?.layer } }
    }

    @Test(
        "L11-S viewers get the size that they chose, and the largest if they chose none, in whatever order a camera lists its layers",
        arguments: listed, [VideoFormat.vp8, .h264])
    func orders(order: [Int], format: VideoFormat) {
        let room = Room(format)
        let sizes = [320, 640, 1_280]
        // order[n] is the rank of the nth listed.
        room.film(5, order.map { sizes[$0] })
        let ranked = (0..<3).map { order.firstIndex(of: $0) }
        #expect(room.last == ranked + [ranked[2]])
        // Two of them, whichever are missing.
        for missing in 0..<3 {
            let room = Room(format)
            room.film(5, order.map { $0 == missing ? 0 : sizes[$0] })
            #expect(room.last[0] == order.firstIndex(of: missing == 0 ? 1 : 0), "without \(missing)")
            #expect(room.last[3] == order.firstIndex(of: missing == 2 ? 1 : 2), "without \(missing)")
        }
    }

    @Test("L11-S announced layers change their places only at key frames, and nobody's picture breaks off")
    func again() {
        let room = Room(.vp8)
        room.film(3, [320, 640, 1_280])
        #expect(room.last == [0, 1, 2, 2])
        // A moment in which the smallest takes most changes nothing, and neither does one in which all take the same.
        let asked = room.asked
        room.film(4, [320, 640, 1_280], takes: [1_200, 400, 400])
        room.film(2, [320, 640, 1_280], takes: [700, 700, 700])
        #expect(room.last == [0, 1, 2, 2] && room.asked == asked)
        // The program behind the camera begins to send them the other way round.
        let before = room.seen.mapValues(\.count)
        room.film(3, [1_280, 640, 320])
        #expect(room.last == [2, 1, 0, 0])
        for viewer in 0..<4 {
            let since = room.seen[viewer]?.dropFirst(before[viewer] ?? 0) ?? []
            for (one, next) in zip(since, since.dropFirst()) where one.layer != next.layer { #expect(next.isKeyFrame) }
            #expect(since.count >= 30)
        }
    }

    @Test(
        "L11-S layers of one size are ranked by what they take, and stay where they are while that is nearly the same")
    func rates() {
        let room = Room(.vp8)
        room.film(5, [640, 640, 640], takes: [1_200, 600, 200])
        #expect(room.last == [2, 1, 0, 0])
        let asked = room.asked
        for _ in 0..<5 {
            room.film(2, [640, 640, 640], takes: [650, 600, 550])
            room.film(2, [640, 640, 640], takes: [550, 600, 650])
        }
        #expect(room.last == [2, 1, 0, 0] && room.asked == asked)
    }
}
