import AudioGraph
import CAllocationCount
import MediaCodecs
import Testing
import Timing

@testable import ClientMedia

/// A lock inside the allocator is a gap in the sound.
@Suite("Allocations", .enabled(if: allocation_count_is_available()))
struct AllocationTests {
    @Test(
        "in the steady state the device threads take no memory: voice with effects, music, ear monitor, a full room"
    )
    func steadyState() throws {
        let room = try VirtualRoom(songs: ["tone": { TestSong(seconds: 60) }])
        room.settings.earMonitor.isOn = true
        room.settings.reverb = .ktv
        room.settings.voicePitch = 2
        room.settings.songTrack = 1
        var music = MusicTrack(id: 1, source: "tone")
        music.controls.isPublished = true
        room.music.play(music)
        room.capture.emit = { _, _ in }
        room.run(1)

        let block = AudioBuffer(channels: 2, capacity: 480)
        let tone = ToneSource(frequency: 300)
        let inbox = PacketInbox()
        let encoder = try RoomAudioSettings().makeEncoder()
        var payload = [UInt8](repeating: 0, count: 1_275)
        let frame = AudioBuffer(channels: 2, capacity: 960)
        ToneSource(frequency: 500).render(into: frame)
        let length = try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
        let full = PlayoutSide(ear: room.ear, music: room.music)
        full.begin(
            receivers: try (0..<8).map { _ in try SlotReceiver(delay: .adaptive) }, inbox: inbox,
            settings: room.settings)
        var now = room.shared.now
        var capturing: UInt64 = 0
        var playing: UInt64 = 0
        for turn in 0..<200 {
            if turn % 2 == 0 {
                for slot in 0..<8 where !(turn % 14 == 0 && slot == 3) {
                    let packet = IncomingPacket(
                        slot: slot, sequence: UInt64(turn / 2), timestamp: UInt32(turn * 480), ssrc: 7, arrival: now
                    )
                    payload.withUnsafeBytes { inbox.push(packet, UnsafeRawBufferPointer(rebasing: $0[..<length])) }
                }
            }
            tone.render(into: block)
            let start = allocation_count()
            room.capture.process(block, captured: now)
            let middle = allocation_count()
            full.render(block, heard: now + .milliseconds(15), now: now)
            let end = allocation_count()
            if turn >= 100 {
                capturing += middle - start
                playing += end - middle
            }
            now = now + .milliseconds(10)
        }
        #expect(full.receivers.allSatisfy { $0.buffer.isActive })
        #expect(capturing == 0)
        #expect(playing == 0)
        room.music.stopAll()
    }

    @Test("handing a frame to the path takes no memory")
    func handing() throws {
        var queue = FrameQueue()
        let payload = [UInt8](repeating: 1, count: 200)
        let frame = OutgoingFrame(timestamp: 1, marker: false, level: 3, captured: Instant(nanoseconds: 1))
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameQueue.maximumPayload, alignment: 8)
        defer { target.deallocate() }
        func pass(_ count: Int) {
            for _ in 0..<count {
                _ = payload.withUnsafeBytes { queue.push(frame, payload: $0) }
                _ = queue.pop(into: target)
            }
        }
        pass(1)
        let before = allocation_count()
        pass(100)
        let taken = allocation_count() - before
        #expect(taken == 0)
        // The oldest make room.
        for number in 0..<25 {
            var frame = frame
            frame.timestamp = UInt32(number)
            #expect(payload.withUnsafeBytes { queue.push(frame, payload: $0) } == (number < FrameQueue.capacity))
        }
        #expect(queue.pop(into: target)?.frame.timestamp == 5)
        #expect(queue.count == FrameQueue.capacity - 1)
    }
}
