internal import Codecs
internal import RTP
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// L02: a room of H.264 that some cannot show. They get a layer of VP8, where the sender has it.
@Suite struct SpareLayerTests {
    private final class Room {
        let stage = VideoStage(slots: 1)
        let camera = MemberID(rawValue: 1)
        var now = Instant(nanoseconds: 1_000_000_000)
        /// What each viewer got: the layer's number, as the payload says.
        var seen: [Int: [UInt8]] = [:]
        var asked: [SSRC] = []
        var told: [PictureWish] = []
        private var viewers: [UInt64: PictureViewer] = [:]
        private var sequences: [Int: UInt64] = [:]

        init() {
            stage.assign(slot: 0, to: camera, isCut: false)
            stage.onWish = { [unowned self] _, wish in told.append(wish) }
        }

        func send(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
            seen[handle, default: []].append(payload[payload.count - 1])
        }

        func ask(_ member: MemberID, _ ssrc: SSRC) { asked.append(ssrc) }

        func watch(_ member: UInt64, isSpare: Bool) {
            let viewer = viewers[member] ?? PictureViewer(MemberID(rawValue: member), handle: Int(member))
            viewers[member] = viewer
            let line = ViewerLine(
                slot: 0, ssrc: SSRC(UInt32(member) * 100), stream: 0, format: isSpare ? .vp8 : .h264, isSpare: isSpare,
                firstSequence: 100, firstTimestamp: 5_000)
            stage.setViewer(viewer, lines: [line], at: now, send: send, ask: ask)
        }

        func limit(_ member: UInt64, to layer: Int) {
            stage.limit(MemberID(rawValue: member), slot: 0, toLayer: layer, at: now, send: send, ask: ask)
        }

        /// A frame of each of these layers, every half second.
        func film(_ seconds: Int, layers: [Int] = [0, 2, VideoStage.spareLayer]) {
            for _ in 0..<seconds * 2 {
                now = now + .milliseconds(500)
                for layer in layers {
                    let isSpare = layer == VideoStage.spareLayer
                    let sequence = sequences[layer, default: 1_000]
                    sequences[layer] = sequence + 1
                    let packet = PicturePacket(
                        ssrc: SSRC(UInt32(layer) + 10), layer: layer, sequence: sequence,
                        timestamp: UInt32(truncatingIfNeeded: sequence * 45_000), marker: true,
                        format: isSpare ? .vp8 : .h264, arrival: now)
                    // A key frame each.
                    let payload: [UInt8] =
                        isSpare
                        ? [0x90, 0xc0, 0x80, UInt8(truncatingIfNeeded: sequence), 1, 0, 3]
                        : [24, 0, 1, 0x67, 0, 2, 0x65, UInt8(layer)]
                    payload.withUnsafeBytes { stage.forward(packet, from: camera, payload: $0, send: send, ask: ask) }
                }
                stage.deliver(at: now, send: send)
            }
        }
    }

    @Test("L02-S who cannot show the room's format gets the spare layer and nothing else, in any size but none")
    func spare() {
        let room = Room()
        room.watch(2, isSpare: false)
        room.watch(3, isSpare: true)
        room.film(3)
        #expect(room.seen[2]?.last == 2 && room.seen[2]?.contains(3) == false)
        #expect(Set(room.seen[3] ?? []) == [3])
        room.limit(3, to: 0)
        room.film(2)
        #expect(Set(room.seen[3] ?? []) == [3], "it is the lowest, too")
        let count = room.seen[3]?.count
        room.limit(3, to: -1)
        room.film(2)
        #expect(room.seen[3]?.count == count)
        // Cut, it is as silent as the others.
        room.limit(3, to: 2)
        room.film(1)
        room.stage.assign(slot: 0, to: room.camera, isCut: true)
        let silent = room.seen.mapValues(\.count)
        room.film(2)
        #expect(room.seen.mapValues(\.count) == silent)
    }

    @Test(
        "L02-S the sender is told at once that somebody needs the spare layer, and ten seconds after the last one has gone"
    )
    func wishes() {
        let room = Room()
        room.watch(2, isSpare: false)
        room.film(12, layers: [0, 2])
        #expect(room.told == [PictureWish(layer: 2, spare: false)])
        room.watch(3, isSpare: true)
        #expect(room.told.last == PictureWish(layer: 2, spare: true))
        room.film(5)
        room.stage.removeViewer(MemberID(rawValue: 3))
        room.film(8)
        #expect(room.told.count == 2, "not yet")
        room.film(4)
        #expect(room.told.last == PictureWish(layer: 2, spare: false) && room.told.count == 3)
        // One who looks alone and cannot show the format does not keep the large layers going.
        room.watch(3, isSpare: true)
        room.stage.removeViewer(MemberID(rawValue: 2))
        room.film(12)
        #expect(room.told.last == PictureWish(layer: 0, spare: true))
    }

    @Test("L02-S a spare layer that is wanted and does not come is asked for again: word of it may have been lost")
    func lost() {
        let room = Room()
        room.watch(2, isSpare: false)
        room.watch(3, isSpare: true)
        room.film(25, layers: [0, 2])
        #expect(room.told.count == 3 && room.told.allSatisfy { $0 == PictureWish(layer: 2, spare: true) })
        room.film(25)
        #expect(room.told.count == 3)
    }

    @Test("L02-S whose next offer can show the room's format gets that from a key frame on")
    func change() {
        let room = Room()
        room.watch(3, isSpare: true)
        room.film(2)
        #expect(room.seen[3]?.last == 3)
        // The next offer can show the room's format after all.
        room.watch(3, isSpare: false)
        room.film(2)
        #expect(room.seen[3]?.last == 2)
    }
}
