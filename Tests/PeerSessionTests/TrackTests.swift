import NetworkSimulation
import RTP
import Testing
import Timing
import Wire

@testable import PeerSession

/// Streams of pictures: which track and layer they belong to, and what became lost.
@Suite struct TrackTests {
    private static let picture = PayloadType(96)
    private static let repeats = PayloadType(97)
    private static let track = ReceiveTrack(
        mid: Mid("3"),
        formats: [ReceiveTrack.Format(payloadType: picture, clockRate: 90_000, repeats: repeats)],
        repeats: .picture)

    private static var extensions: HeaderExtensionMap {
        var map = HeaderExtensionMap()
        map.set(.mid, id: 4)
        map.set(.rid, id: 10)
        map.set(.repairedRid, id: 11)
        map.set(.transportNumber, id: 3)
        return map
    }

    private struct Heard {
        var media: ReceivedMedia
        var payload: [UInt8]
    }

    private final class Log {
        var heard: [Heard] = []
    }

    private func listen(_ node: CallNode) -> Log {
        let log = Log()
        node.onMedia = { log.heard.append(Heard(media: $0, payload: $1)) }
        return log
    }

    private func inject(_ call: Call, _ bytes: [UInt8]?) throws {
        call.network.inject(try #require(bytes), from: Call.clientAddress, to: Call.serverAddress)
    }

    @Test(
        "lost packets of a picture are asked for at once, and come again on a stream of their own as what they were"
    )
    func repeats() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        call.server.peer.setReceiving([Self.track], extensions: Self.extensions)
        let client = call.client.peer
        let terms = SendStreamTerms(
            ssrc: SSRC(500), clockRate: 90_000, cname: "c", payloadType: Self.picture, mid: Mid("3"), midID: 4,
            repeats: RepeatStreamTerms(ssrc: SSRC(501), payloadType: Self.repeats, firstSequence: 0xfffe))
        let stream = try #require(client.openSendStream(terms))
        let log = listen(call.server)
        func packet(_ number: UInt64) -> OutgoingPacket {
            OutgoingPacket(
                ssrc: terms.ssrc, stream: stream, sequence: number, timestamp: UInt32(number / 4 * 3_000),
                marker: number % 4 == 3,
                patch: PayloadPatch {
                    $0.copyBytes(from: [9, UInt8(truncatingIfNeeded: number)]); return 2
                })
        }
        let body = [UInt8](repeating: 7, count: 900)
        func sealed(_ number: UInt64, again: Bool = false) -> [UInt8]? {
            withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { slot in
                body.withUnsafeBytes {
                    (again
                        ? client.lane.sealAgain(packet(number), payload: $0, into: slot, at: call.network.now)
                        : client.lane.seal(packet(number), payload: $0, into: slot, at: call.network.now))
                        .map { Array(slot[..<$0]) }
                }
            }
        }
        var asked: [UInt64: Int] = [:]
        call.client.onEvent = { event, _ in
            guard case .nack(stream, SSRC(500), let first, let following) = event else { return }
            MissingSequences.Entry(first: first, following: following).forEach {
                asked[UInt64($0.rawValue), default: 0] += 1
            }
        }
        let lost: Set<UInt64> = [11, 12, 13, 40, 65, 90]
        for number in 10..<100 as Range<UInt64> {
            let bytes = sealed(number)
            if !lost.contains(number) { try inject(call, bytes) }
            call.network.run(for: .milliseconds(2))
            // As soon as they are asked for.
            for number in asked.keys.sorted() where asked[number] == 1 {
                asked[number] = 2
                try inject(call, sealed(number, again: true))
            }
        }
        for _ in 0..<20 {
            call.network.run(for: .milliseconds(5))
            for number in asked.keys.sorted() where asked[number] == 1 {
                asked[number] = 2
                try inject(call, sealed(number, again: true))
            }
        }
        #expect(Set(asked.keys) == lost)
        let numbers = log.heard.map(\.media.extendedSequence)
        #expect(numbers.sorted() == Array(10..<100))
        for heard in log.heard {
            let number = heard.media.extendedSequence
            #expect(heard.payload == [9, UInt8(number)] + body && heard.media.place == StreamPlace(track: 0, layer: 0))
            #expect(heard.media.header.ssrc == SSRC(500) && heard.media.header.payloadType == Self.picture)
            #expect(heard.media.header.sequenceNumber == SequenceNumber16(UInt16(number)))
            #expect(heard.media.header.timestamp == RTPTimestamp(UInt32(number / 4 * 3_000)))
            #expect(heard.media.header.marker == (number % 4 == 3) && heard.media.isRepeat == lost.contains(number))
        }
        #expect(client.stats.repeatsSent == 6 && call.server.peer.stats[.unknownRepeat] == 0)
        // What is asked for a second time is another packet on the stream for repeats.
        #expect(sealed(40, again: true) != nil && sealed(40, again: true) != sealed(40, again: true))
    }

    /// A packet with extensions, sealed by the client.
    private func packet(
        _ call: Call, ssrc: UInt32, _ payloadType: PayloadType = picture, number: UInt16 = 1, mid: String? = nil,
        rid: String? = nil, repairs: String? = nil, transport: UInt16? = nil, payload: [UInt8] = [1, 2, 3]
    ) -> [UInt8]? {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { slot in
            var writer = RTPHeaderWriter(
                into: slot, payloadType: payloadType, sequenceNumber: SequenceNumber16(number),
                timestamp: RTPTimestamp(9), ssrc: SSRC(ssrc))
            if let mid = mid.flatMap({ Mid($0) }) { writer.add(mid, id: 4) }
            if let rid = rid.flatMap({ Mid($0) }) { writer.add(rid, id: 10) }
            if let repairs = repairs.flatMap({ Mid($0) }) { writer.add(repairs, id: 11) }
            if let transport {
                withUnsafeBytes(of: transport.bigEndian) { writer.add(extension: $0, id: 3) }
            }
            guard let length = writer.finish() else { return nil }
            call.client.peer.openSendStream(SSRC(ssrc), clockRate: 90_000, cname: "c")
            return payload.withUnsafeBytes {
                call.client.peer.seal(
                    headerLength: length, payload: $0, into: slot, at: call.network.now)
            }.map { Array(slot[..<$0]) }
        }
    }

    @Test("L11-S layers are told apart by their names, and so are their repeats; a name is said only at the beginning")
    func layers() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        var camera = Self.track
        camera.rids = [try #require(Rid("q")), try #require(Rid("h")), try #require(Rid("f"))]
        var screen = Self.track
        screen.mid = Mid("5")
        call.server.peer.setReceiving([camera, screen], extensions: Self.extensions)
        let log = listen(call.server)
        func send(_ bytes: [UInt8]?) throws -> StreamPlace? {
            let count = log.heard.count
            try inject(call, bytes)
            call.network.run(for: .milliseconds(50))
            return log.heard.count > count ? log.heard.last?.media.place : nil
        }
        #expect(try send(packet(call, ssrc: 1, mid: "3", rid: "f")) == StreamPlace(track: 0, layer: 2))
        #expect(try send(packet(call, ssrc: 2, mid: "3", rid: "q")) == StreamPlace(track: 0, layer: 0))
        #expect(try send(packet(call, ssrc: 1, number: 2)) == StreamPlace(track: 0, layer: 2))
        #expect(try send(packet(call, ssrc: 3, mid: "5")) == StreamPlace(track: 1, layer: 0))
        // Not named: both tracks have this payload type. Once it is, it is known.
        #expect(try send(packet(call, ssrc: 4)) == nil && log.heard.last?.media.header.ssrc == SSRC(4))
        #expect(try send(packet(call, ssrc: 4, number: 2, mid: "3", rid: "h")) == StreamPlace(track: 0, layer: 1))
        #expect(try send(packet(call, ssrc: 4, number: 3)) == StreamPlace(track: 0, layer: 1))
        // A name that was not agreed on, and a section that is none of these.
        #expect(try send(packet(call, ssrc: 5, mid: "3", rid: "x")) == nil)
        #expect(try send(packet(call, ssrc: 6, mid: "9")) == nil)
        // A repeat of packet 2 of the highest layer.
        #expect(
            try send(packet(call, ssrc: 7, Self.repeats, mid: "3", repairs: "f", payload: [0, 2, 8, 8]))
                == StreamPlace(track: 0, layer: 2))
        let again = try #require(log.heard.last)
        #expect(again.media.isRepeat && again.media.header.ssrc == SSRC(1) && again.payload == [8, 8])
        // Padding on it is nobody's; a repeat of what was never sent neither.
        let count = log.heard.count
        #expect(try send(packet(call, ssrc: 7, Self.repeats, number: 2, payload: [])) == nil)
        #expect(try send(packet(call, ssrc: 7, Self.repeats, number: 3, payload: [9, 9, 1])) == nil)
        #expect(log.heard.count == count && call.server.peer.stats[.unknownRepeat] == 1)
    }

    @Test("announced streams need no name")
    func announced() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        var camera = Self.track
        camera.sources = [
            ReceiveTrack.Source(ssrc: SSRC(70), repeats: SSRC(71)),
            ReceiveTrack.Source(ssrc: SSRC(80), repeats: SSRC(81)),
        ]
        call.server.peer.setReceiving([camera], extensions: Self.extensions)
        let log = listen(call.server)
        try inject(call, packet(call, ssrc: 80))
        try inject(call, packet(call, ssrc: 81, Self.repeats, payload: [0, 1, 5]))
        try inject(call, packet(call, ssrc: 70))
        call.network.run(for: .milliseconds(50))
        #expect(
            log.heard.map { $0.media.place?.layer } == [1, 1, 0]
                && log.heard.map(\.media.isRepeat) == [false, true, false])
    }

    @Test("a key frame that is wanted is asked for once, and the other side is told of which stream")
    func keyFrames() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        let stream = try #require(
            call.client.peer.openSendStream(SendStreamTerms(ssrc: SSRC(500), clockRate: 90_000, cname: "c")))
        let wanted = { call.client.events.filter { $0 == .keyFrameWanted(stream: stream) }.count }
        call.server.peer.requestKeyFrame(of: SSRC(500), at: call.network.now)
        call.server.peer.requestKeyFrame(of: SSRC(500), at: call.network.now)
        call.server.peer.requestKeyFrame(of: SSRC(999), at: call.network.now)
        call.network.run(for: .milliseconds(50))
        #expect(wanted() == 1)
        call.network.run(for: .seconds(3))
        #expect(wanted() == 1)
    }

    @Test("who offered FIR alone is asked by FIR, each time with the next number")
    func fullIntraRequests() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        var camera = Self.track
        camera.sources = [ReceiveTrack.Source(ssrc: SSRC(500))]
        call.server.peer.setReceiving([camera], extensions: Self.extensions)
        let stream = try #require(
            call.client.peer.openSendStream(SendStreamTerms(ssrc: SSRC(500), clockRate: 90_000, cname: "c")))
        try inject(call, packet(call, ssrc: 500))
        call.network.run(for: .milliseconds(50))
        #expect(call.server.peer.reception.streams.nextKeyFrameCommand(of: SSRC(500)) == nil, "a PLI has no number")
        camera.keyFrameRequest = .fullIntra
        call.server.peer.setReceiving([camera], extensions: Self.extensions)
        for _ in 0..<2 {
            call.server.peer.requestKeyFrame(of: SSRC(500), at: call.network.now)
            call.network.run(for: .milliseconds(50))
        }
        #expect(call.client.events.filter { $0 == .keyFrameWanted(stream: stream) }.count == 2)
        #expect(call.server.peer.reception.streams.nextKeyFrameCommand(of: SSRC(500)) == 2)
        // Of a source that has not come, nothing is known.
        #expect(call.server.peer.reception.streams.nextKeyFrameCommand(of: SSRC(999)) == nil)
    }

    @Test("R05-S streams that have been silent for a minute make room for others, however many there were before")
    func manySources() throws {
        let call = try Call()
        call.network.run(for: .seconds(1))
        let log = listen(call.server)
        for generation in 0..<4 as Range<UInt32> {
            for number in 0..<UInt32(ReceiveStreams.maximumCount) {
                let ssrc = 1_000 + generation * 100 + number
                try inject(call, packet(call, ssrc: ssrc))
                call.client.peer.closeSendStream(SSRC(ssrc))
            }
            call.network.run(for: ReceiveStreams.lifetime + .seconds(1))
            #expect(log.heard.count == Int(generation + 1) * ReceiveStreams.maximumCount)
        }
        #expect(call.server.peer.stats[.tooManyStreams] == 0)
    }
}
