internal import Codecs
internal import RTP
internal import Testing
internal import Timing

@testable internal import Forwarding

/// What differs by the format in which pictures come.
@Suite struct PictureFormatTests {
    private final class Room {
        let stage = VideoStage(slots: 1)
        let anchor = MemberID(rawValue: 1)
        var now = Instant(nanoseconds: 1_000_000_000)
        /// By viewer: each packet with its payload as it is on the wire.
        var seen: [Int: [(packet: OutgoingPacket, payload: [UInt8])]] = [:]
        private var viewers: [PictureViewer] = []
        private var sequences: [UInt64] = [50, 9_000]

        init() { stage.assign(slot: 0, to: anchor, isCut: false) }

        private func send(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
            var patch = [UInt8](repeating: 0, count: PayloadPatch.maximumLength)
            patch.withUnsafeMutableBytes { packet.patch.write(to: $0.baseAddress!) }
            seen[handle, default: []].append((packet, patch.prefix(packet.patch.count) + Array(payload)))
        }

        func watch(_ member: Int, _ format: VideoFormat) {
            let viewer = PictureViewer(MemberID(rawValue: UInt64(member)), handle: member)
            viewers.append(viewer)
            let line = ViewerLine(
                slot: 0, ssrc: SSRC(UInt32(member) * 100), stream: 0, format: format, firstSequence: 100,
                firstTimestamp: 5_000)
            stage.setViewer(viewer, lines: [line], at: now, send: send, ask: { _, _ in })
        }

        /// The packets of one frame of a layer.
        func film(_ payloads: [[UInt8]], _ format: VideoFormat, layer: Int = 0, timestamp: UInt32) {
            for (index, payload) in payloads.enumerated() {
                let packet = PicturePacket(
                    ssrc: SSRC(9 + UInt32(layer)), layer: layer, sequence: sequences[layer], timestamp: timestamp,
                    marker: index == payloads.count - 1, format: format, arrival: now)
                sequences[layer] += 1
                payload.withUnsafeBytes {
                    stage.forward(packet, from: anchor, payload: $0, send: send, ask: { _, _ in })
                }
            }
            stage.deliver(at: now, send: send)
            now = now + .milliseconds(33)
        }
    }

    @Test(
        "H.264: a viewer begins with the parameters of a key frame, although the key frame shows itself later; never without them"
    )
    func h264() {
        let room = Room()
        room.watch(2, .h264)
        room.watch(3, .vp8)
        room.film([[0x65, 1]], .h264, timestamp: 1)
        // Intra-refresh: parameters, and no key frame.
        room.film([[0x67, 1], [0x68, 1], [0x41, 1]], .h264, timestamp: 2)
        #expect(room.seen.isEmpty)
        room.film([[0x67, 1], [0x68, 1], [0x65, 1], [0x65, 2]], .h264, timestamp: 3)
        #expect(room.seen[2]?.map(\.payload) == [[0x67, 1], [0x68, 1], [0x65, 1], [0x65, 2]])
        #expect(room.seen[2]?.map(\.packet.sequence) == [100, 101, 102, 103] && room.seen[3] == nil)
    }

    /// I, L and B (RFC 9628 §4.2), picture id, layer, count of base layers; a packet that begins no frame has no B.
    private func vp9(_ picture: UInt16, base: UInt8, isKey: Bool, starts: Bool = true) -> [UInt8] {
        [
            (isKey ? 0xa0 : 0xe0) | (starts ? 8 : 0), 0x80 | UInt8(picture >> 8), UInt8(picture & 0xff), 0, base,
            UInt8(base),
        ]
    }

    @Test(
        "L07-S VP9: a viewer begins with a key frame, and its picture ids and counts go on by one through a change of layer"
    )
    func vp9() {
        let room = Room()
        room.watch(2, .vp9)
        room.watch(3, .vp8)
        room.film([vp9(400, base: 4, isKey: false)], .vp9, timestamp: 1_000)
        #expect(room.seen.isEmpty)
        room.film(
            [vp9(401, base: 5, isKey: true), vp9(401, base: 5, isKey: true, starts: false)], .vp9, timestamp: 4_000)
        room.film([vp9(402, base: 6, isKey: false)], .vp9, timestamp: 7_000)
        room.film([vp9(77, base: 200, isKey: true)], .vp9, layer: 1, timestamp: 90_000)
        room.film([vp9(78, base: 201, isKey: false)], .vp9, layer: 1, timestamp: 93_000)
        let seen = room.seen[2] ?? []
        #expect(seen.map(\.packet.sequence) == [100, 101, 102, 103, 104])
        let descriptors = seen.map { $0.payload.withUnsafeBytes { VP9Descriptor($0) } }
        #expect(descriptors.map { $0?.pictureID?.value } == [401, 401, 402, 403, 404])
        #expect(descriptors.map(\.?.baseIndex) == [5, 5, 6, 7, 8])
        #expect(seen.map { $0.payload.last } == [5, 5, 6, 200, 201])
        #expect(room.seen[3] == nil)
    }

    @Test("L07-S AV1: a viewer begins with a coded video sequence, and payloads are forwarded to the last byte")
    func av1() {
        let room = Room()
        room.watch(2, .av1)
        room.film([[0x10, 0x32, 1], [0x90, 2, 3]], .av1, timestamp: 1_000)
        #expect(room.seen.isEmpty)
        let frames: [[[UInt8]]] = [[[0x18, 0x0a, 7], [0x90, 8]], [[0x10, 0x32, 9]]]
        room.film(frames[0], .av1, timestamp: 4_000)
        room.film(frames[1], .av1, timestamp: 7_000)
        room.film([[0x18, 0x0a, 10]], .av1, layer: 1, timestamp: 60_000)
        #expect(room.seen[2]?.map(\.payload) == frames[0] + frames[1] + [[0x18, 0x0a, 10]])
        #expect(room.seen[2]?.map(\.packet.sequence) == [100, 101, 102, 103])
    }
}
