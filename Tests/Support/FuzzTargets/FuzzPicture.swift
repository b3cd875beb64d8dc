import Codecs
import Forwarding
import RTP
import Timing
import Wire

/// Payloads of pictures through a stage with a viewer of each format: what a camera may send, in any order, with jumps, in any
/// layer. Each packet of the input begins with its length, its layer and format, and how its number and its timestamp go on.
package func fuzzPicture(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var reader = ByteReader(UnsafeRawBufferPointer(start: start, count: count))
    let stage = VideoStage(slots: 1)
    let camera = MemberID(rawValue: 1)
    var now = Instant(nanoseconds: 0)
    var sent = 0
    var highest: [Int: UInt64] = [:]
    let send: VideoStage.Send = { handle, packet, payload in
        sent += 1 + payload.count
        // A viewer's numbers never wrap, and what is new goes on.
        precondition(packet.sequence < 1 << 40 && packet.patch.count <= PayloadPatch.maximumLength)
        highest[handle] = max(highest[handle] ?? 0, packet.sequence)
    }
    stage.assign(slot: 0, to: camera, isCut: false)
    for (index, format) in VideoFormat.allCases.enumerated() {
        let viewer = 2 + index
        let line = ViewerLine(
            slot: 0, ssrc: SSRC(UInt32(viewer)), stream: 0, format: format, firstSequence: 9, firstTimestamp: 7)
        stage.setViewer(
            PictureViewer(MemberID(rawValue: UInt64(viewer)), handle: viewer), lines: [line], at: now, send: send,
            ask: { _, _ in })
    }
    var sequence: UInt64 = 1 << 20
    var timestamp: UInt32 = 0
    while let length = reader.readUInt8(), let kind = reader.readUInt8(), let step = reader.readUInt8(),
        let payload = reader.readBytes(min(Int(length), reader.remaining))
    {
        now = now + .milliseconds(Int64(kind >> 4) * 40)
        sequence = UInt64(max(0, Int64(sequence) + Int64(Int8(bitPattern: step))))
        if step & 1 == 0 { timestamp &+= 3_000 }
        let layer = Int(kind & 3)
        let packet = PicturePacket(
            ssrc: SSRC(UInt32(layer) + UInt32(kind >> 7)), layer: layer, sequence: sequence, timestamp: timestamp,
            marker: step & 2 != 0, format: VideoFormat.allCases[Int(kind >> 2 & 3)], arrival: now)
        stage.forward(packet, from: camera, payload: payload, send: send, ask: { _, _ in })
        if step % 3 != 0 { stage.deliver(at: now, send: send) }
        if step % 5 == 0 {
            for viewer in 2..<2 + VideoFormat.allCases.count {
                let missing = SequenceNumber16(UInt16(truncatingIfNeeded: (highest[viewer] ?? 0) &- UInt64(step)))
                stage.repeat(
                    for: MemberID(rawValue: UInt64(viewer)), stream: 0, sequence: missing, following: 0xa5a5,
                    roundTrip: nil, at: now, send: send)
            }
        }
        if step % 11 == 0 {
            stage.limit(
                MemberID(rawValue: 2), slot: 0, toLayer: Int(kind & 3), at: now, send: send, ask: { _, _ in })
        }
    }
    return sent < 0 ? -1 : 0
}
