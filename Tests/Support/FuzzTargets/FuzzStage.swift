import Codecs
import Forwarding
import RTP
import Timing
import Wire

/// What people with valid tickets can have a stage of pictures do, in any order: sit down and stand up, be cut, film from several
/// sources, watch, change their lines, ask for repeats and key frames, leave and come back. What must hold: one number of one stream
/// never stands for two packets, since it is the index that SRTP enciphers under (RFC 3711 §9.1); and who is cut, or has no seat, is
/// seen by nobody.
package func fuzzStage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var reader = ByteReader(UnsafeRawBufferPointer(start: start, count: count))
    var crowd = FuzzedCrowd()
    while let operation = reader.readUInt8(), let what = reader.readUInt8() { crowd.perform(operation, what) }
    return 0
}

private struct FuzzedCrowd {
    private struct Place: Hashable {
        var handle: Int
        var stream: Int
        var sequence: UInt64
    }

    private struct Content: Equatable {
        var timestamp: UInt32
        var marker: Bool
        var patch: PayloadPatch
        var payload: [UInt8]
    }

    private static let slots = 2
    private let stage = VideoStage(slots: Self.slots)
    private var now = Instant(nanoseconds: 0)
    private var viewers: [UInt64: PictureViewer] = [:]
    private var lives = 0
    private var seats: [(member: UInt64, isCut: Bool)?] = [nil, nil]
    /// By camera: how its next packet is numbered.
    private var next: [UInt64: (sequence: UInt64, timestamp: UInt32, picture: UInt8)] = [:]
    private let record = Record()

    private final class Record {
        var contents: [Place: Content] = [:]
        var highest: [Place: UInt64] = [:]
        /// Whose pictures may be seen now; payloads end with their camera's number.
        var seen: Set<UInt64> = []
    }

    mutating func perform(_ operation: UInt8, _ what: UInt8) {
        let member = UInt64(what & 3) + 1
        let slot = Int(what >> 2 & 1)
        let record = record
        let send: VideoStage.Send = { handle, packet, payload in
            let place = Place(handle: handle, stream: packet.stream, sequence: packet.sequence)
            let content = Content(
                timestamp: packet.timestamp, marker: packet.marker, patch: packet.patch, payload: Array(payload))
            if let earlier = record.contents[place] {
                precondition(earlier == content, "one number for two packets")
            } else if let camera = payload.last {
                // What was seen before the cut may be repeated.
                precondition(record.seen.contains(UInt64(camera)), "somebody is seen without the right to be")
            }
            record.contents[place] = content
            let stream = Place(handle: handle, stream: packet.stream, sequence: 0)
            record.highest[stream] = max(record.highest[stream] ?? 0, packet.sequence)
        }
        switch operation & 15 {
        case 0...6: film(member, operation, what, send)
        case 7:
            let isCut = what & 0x20 != 0
            let isFreed = what & 0x40 != 0
            for other in seats.indices where !isFreed && seats[other]?.member == member { seats[other] = nil }
            seats[slot] = isFreed ? nil : (member, isCut)
            record.seen = Set(seats.compactMap { $0.flatMap { $0.isCut ? nil : $0.member } })
            stage.assign(slot: slot, to: seats[slot].map { MemberID(rawValue: $0.member) }, isCut: isCut)
        case 8: watch(member, what, send)
        case 9:
            stage.removeViewer(MemberID(rawValue: member))
            viewers[member] = nil
        case 10:
            guard let viewer = viewers[member] else { return }
            let stream = Place(handle: viewer.handle, stream: slot, sequence: 0)
            let missing = (record.highest[stream] ?? 0) &- UInt64(what >> 4)
            stage.repeat(
                for: viewer.member, stream: slot, sequence: SequenceNumber16(UInt16(truncatingIfNeeded: missing)),
                following: 0x5b5b, roundTrip: .milliseconds(20), at: now, send: send)
        case 11:
            stage.keyFrameWanted(
                by: MemberID(rawValue: member), stream: slot, roundTrip: nil, at: now, ask: { _, _ in })
        case 12:
            stage.limit(
                MemberID(rawValue: member), slot: slot, toLayer: Int(what >> 4 & 3) - 1, at: now, send: send,
                ask: { _, _ in })
        case 13: stage.resetSource(of: MemberID(rawValue: member))
        case 14:
            // A camera begins anew, as after a change of its device.
            next[member] = (UInt64(what) << 20, UInt32(what) << 16, what)
        default: now = now + .milliseconds(Int64(what) * 8)
        }
        // A batch may hold several packets, and rules may change before it is given out.
        if operation & 16 == 0 { stage.deliver(at: now, send: send) }
    }

    private mutating func film(_ member: UInt64, _ operation: UInt8, _ what: UInt8, _ send: VideoStage.Send) {
        var camera = next[member] ?? (1 << 16, 0, 0)
        let isKeyFrame = what & 0x20 != 0
        let layer = Int(what >> 6)
        // In order, repeated, with gaps and backwards.
        let steps: [Int64] = [1, 1, 1, 2, 0, -3, 40]
        camera.sequence = UInt64(max(0, Int64(camera.sequence) + steps[Int(operation & 15)]))
        camera.timestamp &+= 3_000
        camera.picture = (camera.picture &+ 1) & 0x7f
        next[member] = camera
        now = now + .milliseconds(5)
        let payload: [UInt8] =
            what & 0x10 == 0
            ? [0x90, 0x80, camera.picture, isKeyFrame ? 0x10 : 0x11, 0, 0, UInt8(member)]
            : isKeyFrame ? [24, 0, 1, 0x67, 0, 3, 0x65, 0, UInt8(member)] : [0x61, 0, UInt8(member)]
        let packet = PicturePacket(
            ssrc: SSRC(UInt32(member) << 8 | UInt32(layer)), layer: layer, sequence: camera.sequence,
            timestamp: camera.timestamp, marker: true, format: what & 0x10 == 0 ? .vp8 : .h264, arrival: now)
        payload.withUnsafeBytes {
            stage.forward(
                packet, from: MemberID(rawValue: member), payload: $0, send: send, ask: { _, _ in })
        }
    }

    private mutating func watch(_ member: UInt64, _ what: UInt8, _ send: VideoStage.Send) {
        if viewers[member] == nil {
            // Another life has other keys: its numbers begin anew.
            lives += 1
            viewers[member] = PictureViewer(MemberID(rawValue: member), handle: lives)
        }
        guard let viewer = viewers[member] else { return }
        let slots = (0..<Self.slots).filter { (slot: Int) -> Bool in what >> (4 + slot) & 1 == 0 }
        let lines = slots.map { slot in
            ViewerLine(
                slot: slot, ssrc: SSRC(UInt32(member) << 4 | UInt32(slot)), stream: slot,
                format: member % 2 == 0 ? .vp8 : .h264, firstSequence: 65_530, firstTimestamp: 7)
        }
        stage.setViewer(viewer, lines: lines, at: now, send: send, ask: { _, _ in })
    }
}
