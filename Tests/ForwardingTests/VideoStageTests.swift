internal import Codecs
internal import RTP
internal import SeededRandom
internal import Testing
internal import Timing
internal import Wire

@testable internal import Forwarding

/// A camera that sends VP8 in layers; each payload says which frame and packet it is.
private struct Camera {
    let member: MemberID
    var sequences: [UInt64]
    var pictures: [UInt16]
    var frame: UInt32 = 0
    let packetsPerFrame = 3

    init(_ member: UInt64, layers: Int = 1) {
        self.member = MemberID(rawValue: member)
        sequences = (0..<layers).map { 1_000 + UInt64($0) * 10_000 }
        pictures = (0..<layers).map { UInt16(30_000 + $0 * 1_000) }
    }

    func ssrc(_ layer: Int) -> SSRC { SSRC(UInt32(member.rawValue) * 10 + UInt32(layer)) }

    /// The packets of the next frame, all layers.
    mutating func next(keyFrame: Set<Int> = [], at now: Instant) -> [(PicturePacket, [UInt8])] {
        defer { frame += 1 }
        var packets: [(PicturePacket, [UInt8])] = []
        for layer in sequences.indices {
            let picture = pictures[layer] & 0x7fff
            pictures[layer] &+= 1
            for part in 0..<packetsPerFrame {
                let payload: [UInt8] = [
                    part == 0 ? 0x90 : 0x80, 0xc0, 0x80 | UInt8(picture >> 8), UInt8(picture & 0xff),
                    UInt8(truncatingIfNeeded: frame),
                    part == 0 && !keyFrame.contains(layer) ? 1 : 0, UInt8(layer), UInt8(truncatingIfNeeded: frame),
                    UInt8(part),
                ]
                packets.append(
                    (
                        PicturePacket(
                            ssrc: ssrc(layer), layer: layer, sequence: sequences[layer],
                            timestamp: 777 &* UInt32(layer) &+ frame &* 3_000, marker: part == packetsPerFrame - 1,
                            format: .vp8, arrival: now), payload
                    ))
                sequences[layer] += 1
            }
        }
        return packets
    }
}

/// What a viewer has got on one line.
private struct Seen {
    var packet: OutgoingPacket
    /// With its descriptor, as it is on the wire.
    var payload: [UInt8]

    init(_ packet: OutgoingPacket, _ content: UnsafeRawBufferPointer) {
        self.packet = packet
        payload =
            [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
                packet.patch.write(to: UnsafeMutableRawPointer(buffer.baseAddress!))
                count = packet.patch.count
            } + Array(content)
    }

    var descriptor: VP8Descriptor? { payload.withUnsafeBytes { VP8Descriptor($0) } }
    var isKeyFrame: Bool { payload.withUnsafeBytes { VP8Descriptor($0)?.isKeyFrame(in: $0) ?? false } }
    var body: ArraySlice<UInt8> { payload.suffix(4) }
    var layer: Int { Int(payload[payload.count - 3]) }
    var part: UInt8 { payload[payload.count - 1] }
}

@Suite struct VideoStageTests {
    private final class Room {
        let stage: VideoStage
        var now = Instant(nanoseconds: 1_000_000_000)
        var seen: [Int: [Seen]] = [:]
        var asked: [(MemberID, SSRC)] = []
        var viewers: [UInt64: PictureViewer] = [:]

        init(slots: Int = 2) { stage = VideoStage(slots: slots) }

        func send(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer) {
            seen[handle, default: []].append(Seen(packet, payload))
        }

        func ask(_ member: MemberID, _ ssrc: SSRC) { asked.append((member, ssrc)) }

        func watch(_ member: UInt64, slots: [Int] = [0], format: VideoFormat = .vp8, firstSequence: UInt16 = 100) {
            let viewer = viewers[member] ?? PictureViewer(MemberID(rawValue: member), handle: Int(member))
            viewers[member] = viewer
            stage.setViewer(
                viewer,
                lines: slots.map {
                    ViewerLine(
                        slot: $0, ssrc: SSRC(UInt32(member) * 100 + UInt32($0)), stream: $0, format: format,
                        firstSequence: firstSequence, firstTimestamp: 5_000)
                }, at: now, send: send, ask: ask)
        }

        func forward(_ packets: [(PicturePacket, [UInt8])], from camera: Camera) {
            for (packet, payload) in packets {
                payload.withUnsafeBytes {
                    stage.forward(packet, from: camera.member, payload: $0, send: send, ask: ask)
                }
            }
            stage.deliver(at: now, send: send)
        }

        /// The camera's next frames; it obeys requests.
        func film(_ camera: inout Camera, frames: Int, obeys: Bool = true) {
            for _ in 0..<frames {
                now = now + .milliseconds(33)
                let wanted =
                    obeys
                    ? Set(
                        camera.sequences.indices.filter { layer in
                            asked.contains { $0 == (camera.member, camera.ssrc(layer)) }
                        }) : []
                asked.removeAll()
                forward(camera.next(keyFrame: wanted, at: now), from: camera)
            }
        }

        /// Whether a viewer's packets make a picture: numbers dense, timestamps rising with frames, picture ids by one.
        func isWhole(_ handle: Int) -> Bool {
            let all = seen[handle] ?? []
            guard all.first?.isKeyFrame == true else { return false }
            return zip(all, all.dropFirst()).allSatisfy { a, b in
                guard b.packet.sequence == a.packet.sequence + 1,
                    let before = a.descriptor?.pictureID, let after = b.descriptor?.pictureID
                else { return false }
                let isNewFrame = b.part == 0
                let step = Int32(bitPattern: b.packet.timestamp &- a.packet.timestamp)
                return (after.value &- before.value) & 0x7fff == (isNewFrame ? 1 : 0)
                    && (isNewFrame ? step > 0 : step == 0)
                    && (isNewFrame == a.packet.marker)
            }
        }
    }

    @Test("A viewer gets a picture from a key frame on, which is asked for; the camera's owner does not see itself")
    func begin() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(1)
        room.watch(2)
        room.film(&camera, frames: 1)
        #expect(room.seen.isEmpty && room.asked.map(\.1) == [camera.ssrc(0)])
        room.film(&camera, frames: 10)
        #expect(room.seen[1] == nil && room.isWhole(2) && room.seen[2]?.count == 30)
        #expect(room.seen[2]?.first?.packet.startsSource == true && room.seen[2]?.first?.packet.sequence == 100)
        #expect(room.seen[2]?.first?.packet.timestamp == 5_000)
        #expect(room.stage.stats.keyFramesAsked == 1)
    }

    @Test("Requests for key frames are put together, and repeated while none comes; a viewer's own request too")
    func requests() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        for viewer in 2...20 as ClosedRange<UInt64> { room.watch(viewer) }
        var asked = 0
        for _ in 0..<30 {
            room.film(&camera, frames: 1, obeys: false)
            asked += room.asked.count
        }
        #expect((3...4).contains(asked), "one in 300 ms for a second")
        room.asked = [(camera.member, camera.ssrc(0))]
        room.film(&camera, frames: 20)
        #expect((2...20).allSatisfy { room.isWhole($0) })
        for viewer in 2...20 as ClosedRange<UInt64> {
            room.stage.keyFrameWanted(
                by: MemberID(rawValue: viewer), stream: 0, roundTrip: nil, at: room.now, ask: room.ask)
        }
        #expect(room.asked.count == 1)
    }

    @Test("Who comes right after a key frame gets it without another; later it is asked for")
    func replay() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 5)
        room.watch(3)
        #expect(room.asked.isEmpty && room.seen[3]?.count == 12 && room.isWhole(3))
        room.film(&camera, frames: 20)
        #expect(room.isWhole(3) && room.isWhole(2))
        room.watch(4)
        #expect(room.asked.count == 1 && room.seen[4] == nil)
        room.film(&camera, frames: 3)
        #expect(room.isWhole(4))
    }

    @Test("Who has lost a seat, or is cut, is not seen any more; who gets the seat is seen from a key frame on")
    func rules() {
        let room = Room()
        var alice = Camera(1)
        var bob = Camera(2)
        room.stage.assign(slot: 0, to: alice.member, isCut: false)
        room.watch(3)
        room.film(&alice, frames: 5)
        let count = room.seen[3]?.count ?? 0
        #expect(count > 0)
        room.film(&bob, frames: 2)
        room.stage.assign(slot: 0, to: alice.member, isCut: true)
        room.film(&alice, frames: 5)
        #expect(room.seen[3]?.count == count && room.stage.stats.refused > 0)
        room.stage.assign(slot: 0, to: alice.member, isCut: false)
        room.film(&alice, frames: 5)
        #expect(room.seen[3]?.count ?? 0 > count && room.isWhole(3))
        room.stage.assign(slot: 0, to: bob.member, isCut: false)
        let before = room.seen[3]?.count ?? 0
        room.film(&alice, frames: 3)
        #expect(room.seen[3]?.count == before)
        room.film(&bob, frames: 5)
        #expect(room.isWhole(3) && room.seen[3]?.last?.packet.sequence ?? 0 > 100)
        // A path that is new begins again.
        room.stage.resetSource(of: bob.member)
        let then = room.seen[3]?.count ?? 0
        room.film(&bob, frames: 1)
        #expect(room.seen[3]?.count == then && room.asked.count == 1)
        room.stage.removeViewer(MemberID(rawValue: 3))
        room.film(&bob, frames: 3)
        #expect(room.seen[3]?.count == then)
    }

    @Test(
        "L11-S a viewer is switched between layers at key frames, with numbers that go on, and gets the old layer until then"
    )
    func layers() {
        let room = Room()
        var camera = Camera(1, layers: 3)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 10)
        #expect(room.seen[2]?.last?.layer == 2 && room.isWhole(2))
        for target in [0, 1, 0, 2] {
            room.stage.limit(
                MemberID(rawValue: 2), slot: 0, toLayer: target, at: room.now, send: room.send, ask: room.ask)
            let old = room.seen[2]?.last?.layer
            let count = room.seen[2]?.count ?? 0
            if room.asked.isEmpty == false {
                room.film(&camera, frames: 1, obeys: false)
                #expect(room.seen[2]?.last?.layer == old && room.seen[2]?.count == count + 3)
                room.asked = [(camera.member, camera.ssrc(target))]
            }
            room.film(&camera, frames: 20)
            #expect(room.seen[2]?.last?.layer == target)
            #expect(room.isWhole(2), "to \(target)")
        }
    }

    @Test("L11-S who wants nothing of a picture gets nothing at once, and what was said before there was a line holds")
    func off() {
        let room = Room()
        var camera = Camera(1, layers: 2)
        let viewer = MemberID(rawValue: 2)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.stage.limit(viewer, slot: 0, toLayer: 0, at: room.now, send: room.send, ask: room.ask)
        room.watch(2)
        room.film(&camera, frames: 10)
        #expect(room.seen[2]?.isEmpty == false && room.seen[2]?.allSatisfy { $0.layer == 0 } == true)
        room.stage.limit(viewer, slot: 0, toLayer: -1, at: room.now, send: room.send, ask: room.ask)
        let count = room.seen[2]?.count
        room.film(&camera, frames: 40)
        #expect(room.seen[2]?.count == count && room.stage.stats.keyFramesAsked <= 3)
        room.stage.limit(viewer, slot: 0, toLayer: 2, at: room.now, send: room.send, ask: room.ask)
        room.film(&camera, frames: 10)
        #expect(room.seen[2]?.last?.layer == 1 && room.isWhole(2))
        // A new path begins with everything.
        room.stage.limit(viewer, slot: 0, toLayer: -1, at: room.now, send: room.send, ask: room.ask)
        room.stage.removeViewer(viewer)
        room.seen = [:]
        room.watch(2)
        room.film(&camera, frames: 10)
        #expect(room.seen[2]?.isEmpty == false)
        // A picture that there is none of.
        room.stage.limit(viewer, slot: 99, toLayer: 0, at: room.now, send: room.send, ask: room.ask)
    }

    @Test("A frame that is broken off by a switch is seen as broken: its number is left out")
    func brokenFrame() {
        let room = Room()
        var camera = Camera(1, layers: 2)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 12)
        #expect(room.seen[2]?.last?.layer == 1)
        room.stage.limit(MemberID(rawValue: 2), slot: 0, toLayer: 0, at: room.now, send: room.send, ask: room.ask)
        room.now = room.now + .milliseconds(33)
        let packets = camera.next(keyFrame: [0], at: room.now)
        // The higher layer's frame is not through when the key frame of the lower one comes.
        let higher = packets.filter { $0.0.layer == 1 }
        room.forward(Array(higher[..<1]), from: camera)
        let last = room.seen[2]?.last?.packet.sequence ?? 0
        room.forward(packets.filter { $0.0.layer == 0 }, from: camera)
        #expect(room.seen[2]?.suffix(3).map(\.packet.sequence) == [last + 2, last + 3, last + 4])
        room.forward(Array(higher[1...]), from: camera)
        #expect(room.seen[2]?.last?.packet.sequence == last + 4)
        // What was never sent cannot be given again.
        room.seen = [:]
        room.stage.repeat(
            for: MemberID(rawValue: 2), stream: 0, sequence: SequenceNumber16(UInt16(last + 1)), following: 0,
            roundTrip: nil,
            at: room.now, send: room.send)
        #expect(room.seen.isEmpty)
    }

    @Test("What a viewer has lost is given again as it was, across a switch too; not more than a line bears")
    func repeats() {
        let room = Room()
        var camera = Camera(1, layers: 2)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 8)
        room.stage.limit(MemberID(rawValue: 2), slot: 0, toLayer: 0, at: room.now, send: room.send, ask: room.ask)
        room.film(&camera, frames: 8)
        let sent = room.seen[2] ?? []
        #expect(Set(sent.map(\.layer)) == [0, 1])
        for index in stride(from: 0, to: sent.count, by: 5) {
            room.now = room.now + .milliseconds(20)
            room.seen = [:]
            let number = SequenceNumber16(UInt16(truncatingIfNeeded: sent[index].packet.sequence))
            room.stage.repeat(
                for: MemberID(rawValue: 2), stream: 0, sequence: number, following: 0, roundTrip: nil, at: room.now,
                send: room.send)
            #expect(room.seen[2]?.map(\.payload) == [sent[index].payload])
            #expect(room.seen[2]?.first?.packet.timestamp == sent[index].packet.timestamp)
        }
        room.now = room.now + .seconds(1)
        room.seen = [:]
        for index in sent.indices {
            let number = SequenceNumber16(UInt16(truncatingIfNeeded: sent[index].packet.sequence))
            room.stage.repeat(
                for: MemberID(rawValue: 2), stream: 0, sequence: number, following: 0, roundTrip: nil, at: room.now,
                send: room.send)
        }
        #expect(room.seen[2]?.count == RepeatLimiter.pictureBudget)
    }

    @Test("A layer that goes away is replaced by the next one; a source that begins anew too")
    func gone() {
        let room = Room()
        var camera = Camera(1, layers: 2)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 10)
        #expect(room.seen[2]?.last?.layer == 1)
        var single = Camera(1)
        single.sequences = [camera.sequences[0]]
        single.pictures = [camera.pictures[0]]
        single.frame = camera.frame
        room.film(&single, frames: 90)
        #expect(room.seen[2]?.last?.layer == 0 && room.isWhole(2))
    }

    @Test("A camera whose numbers leap, or that changes its source with every packet, takes no viewer along")
    func leaping() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 10)
        let before = room.seen[2]?.last?.packet.sequence ?? 0
        for _ in 0..<100 {
            camera.sequences[0] += 900
            room.film(&camera, frames: 1)
        }
        let leapt = (room.seen[2]?.last?.packet.sequence ?? 0) - before
        #expect(leapt < 1_000 + 1_000 * 4 + 300, "\(leapt)")
        for _ in 0..<100 {
            camera.sequences[0] += 1 << 20
            room.film(&camera, frames: 1)
        }
        #expect((room.seen[2]?.last?.packet.sequence ?? 0) - before < leapt + 400)
        // Two sources in turn: the one that was there stays.
        room.film(&camera, frames: 1)
        var packets = camera.next(at: room.now)
        let count = room.seen[2]?.count ?? 0
        for number in 0..<100 {
            for index in packets.indices {
                packets[index].0.ssrc = SSRC(UInt32(500 + number))
                packets[index].0.sequence += 3
            }
            room.forward(packets, from: camera)
        }
        #expect(room.seen[2]?.count ?? 0 == count)
    }

    @Test(
        "Any crowd: viewers come, go and change their lines; each sees whole pictures of others and gets its own repeats",
        arguments: 1...10 as ClosedRange<UInt64>)
    func crowd(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let room = Room(slots: 3)
        var cameras = (1...3).map { Camera(UInt64($0), layers: Int($0)) }
        for (slot, camera) in cameras.enumerated() { room.stage.assign(slot: slot, to: camera.member, isCut: false) }
        var watching: [UInt64: Set<Int>] = [:]
        for _ in 0..<300 {
            let viewer = UInt64.random(in: 1...12, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                room.stage.removeViewer(MemberID(rawValue: viewer))
                watching[viewer] = nil
                room.seen[Int(viewer)] = nil
            case 1:
                let slots = Set((0..<3).filter { _ in Bool.random(using: &random) })
                watching[viewer] = slots
                room.watch(viewer, slots: slots.sorted())
            case 2:
                guard let sent = room.seen[Int(viewer)]?.suffix(20).randomElement(using: &random),
                    watching[viewer] != nil
                else { continue }
                var again: [Seen] = []
                room.now = room.now + .milliseconds(100)
                room.stage.repeat(
                    for: MemberID(rawValue: viewer), stream: sent.packet.stream,
                    sequence: SequenceNumber16(UInt16(truncatingIfNeeded: sent.packet.sequence)), following: 0,
                    roundTrip: nil, at: room.now
                ) { handle, packet, payload in
                    #expect(handle == Int(viewer))
                    again.append(Seen(packet, payload))
                }
                #expect(again.allSatisfy { $0.payload == sent.payload })
            default:
                for index in cameras.indices { room.film(&cameras[index], frames: 1) }
            }
        }
        for viewer in watching.keys {
            let all = room.seen[Int(viewer)] ?? []
            #expect(!all.contains { $0.packet.stream == Int(viewer) - 1 }, "nobody sees themselves")
            for slot in 0..<3 {
                let stream = all.filter { $0.packet.stream == slot }
                #expect(stream.first?.isKeyFrame ?? true)
                #expect(zip(stream, stream.dropFirst()).allSatisfy { $1.packet.sequence > $0.packet.sequence })
            }
        }
        #expect(room.stage.stats.sent > 500)
    }

    @Test(
        "a number that went out never stands for another packet, although another camera uses the same numbers on the seat"
    )
    func numbersOfTwoCameras() {
        let room = Room()
        var first = Camera(1)
        room.stage.assign(slot: 0, to: first.member, isCut: false)
        room.watch(2)
        room.film(&first, frames: 10)
        let sent = room.seen[2] ?? []
        // The same numbers, from another source.
        var other = Camera(3)
        room.stage.assign(slot: 0, to: other.member, isCut: false)
        room.film(&other, frames: 10)
        var again: [Seen] = []
        for packet in sent {
            room.now = room.now + .milliseconds(100)
            room.stage.repeat(
                for: MemberID(rawValue: 2), stream: 0,
                sequence: SequenceNumber16(UInt16(truncatingIfNeeded: packet.packet.sequence)), following: 0,
                roundTrip: nil, at: room.now
            ) { _, packet, payload in again.append(Seen(packet, payload)) }
        }
        #expect(sent.count > 10 && again.isEmpty)
        #expect((room.seen[2] ?? []).count > sent.count)
    }

    @Test("One viewer does not ask for key frames on and on")
    func greedyViewer() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 5)
        var asked = 0
        for _ in 0..<300 {
            room.stage.keyFrameWanted(
                by: MemberID(rawValue: 2), stream: 0, roundTrip: nil, at: room.now, ask: { _, _ in asked += 1 })
            room.film(&camera, frames: 1)
            room.forward(camera.next(keyFrame: [0], at: room.now), from: camera)
        }
        #expect((5...7).contains(asked), "\(asked) in ten seconds")
    }

    @Test("L07-S what a batch brings leaves viewer by viewer, and not at all once its camera is cut")
    func batch() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        for member: UInt64 in 2...3 { room.watch(member) }
        room.film(&camera, frames: 4)
        var order: [Int] = []
        let send: VideoStage.Send = { handle, _, _ in order.append(handle) }
        func take(_ packets: [(PicturePacket, [UInt8])]) {
            for (packet, payload) in packets {
                payload.withUnsafeBytes {
                    room.stage.forward(packet, from: camera.member, payload: $0, send: send, ask: room.ask)
                }
            }
        }
        let packets = camera.next(at: room.now)
        take(packets)
        #expect(order.isEmpty && room.stage.hasArrivals)
        room.stage.deliver(at: room.now, send: send)
        #expect(packets.count > 1 && order == [2, 3].flatMap { Array(repeating: $0, count: packets.count) })
        take(camera.next(at: room.now))
        room.stage.assign(slot: 0, to: camera.member, isCut: true)
        room.stage.deliver(at: room.now, send: send)
        #expect(order.count == 2 * packets.count && !room.stage.hasArrivals)
    }

    @Test("L11-S who goes over to another layer in the middle of a batch gets the end of its former one first")
    func endOfLayer() {
        let room = Room()
        var camera = Camera(1, layers: 2)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.stage.limit(MemberID(rawValue: 2), slot: 0, toLayer: 0, at: room.now, send: room.send, ask: room.ask)
        room.film(&camera, frames: 4)
        let before = room.seen[2]?.count ?? 0
        room.stage.limit(MemberID(rawValue: 2), slot: 0, toLayer: 1, at: room.now, send: room.send, ask: room.ask)
        let packets = camera.next(keyFrame: [1], at: room.now)
        room.forward(packets, from: camera)
        let lowest = packets.count { $0.0.layer == 0 }
        #expect(lowest > 1 && room.seen[2]?.count == before + lowest + packets.count { $0.0.layer == 1 })
        #expect(room.isWhole(2))
    }

    @Test("Packets that come twice or are no payload go nowhere; a late one gets the number that was left for it")
    func lateAndTwice() {
        let room = Room()
        var camera = Camera(1)
        room.stage.assign(slot: 0, to: camera.member, isCut: false)
        room.watch(2)
        room.film(&camera, frames: 4)
        room.now = room.now + .milliseconds(33)
        let packets = camera.next(at: room.now)
        room.forward([packets[0], packets[2]], from: camera)
        let last = room.seen[2]?.last?.packet.sequence ?? 0
        room.forward([packets[1]], from: camera)
        #expect(room.seen[2]?.last?.packet.sequence == last - 1)
        let count = room.seen[2]?.count
        room.forward(packets, from: camera)
        #expect(room.seen[2]?.count == count && room.stage.stats.stale == 3)
        var broken = camera.next(at: room.now)
        broken[0].1 = [0x90]
        room.forward(broken, from: camera)
        #expect(room.stage.stats.stale == 4)
    }
}
