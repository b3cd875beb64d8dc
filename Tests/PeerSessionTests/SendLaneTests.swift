import BandwidthEstimation
import NetworkSimulation
import RTP
import Testing
import Timing
import Wire

@testable import PeerSession

/// Packets that the lane gives their header.
@Suite struct SendLaneTests {
    private let terms = SendStreamTerms(
        ssrc: Call.serverStream, clockRate: 48_000, cname: "c", payloadType: PayloadType(111), mid: Mid("4"), midID: 3)

    private func packet(_ sequence: UInt64, marker: Bool = false) -> OutgoingPacket {
        OutgoingPacket(
            ssrc: terms.ssrc, stream: 0, sequence: sequence, timestamp: UInt32(truncatingIfNeeded: sequence) &* 960,
            marker: marker)
    }

    private struct Sealed: Equatable {
        var bytes: [UInt8]
        var header: RTPHeader

        func mid(id: UInt8 = 3) -> Mid? {
            var map = HeaderExtensionMap()
            map.set(.mid, id: id)
            return bytes.withUnsafeBytes { header.mid(in: $0, map) }
        }
    }

    private func seal(_ packet: OutgoingPacket, by peer: MediaPeer, again: Bool = false, room: Int = 1_500) throws
        -> Sealed?
    {
        try withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { slot in
            let length = [UInt8](repeating: 7, count: 20).withUnsafeBytes {
                again
                    ? peer.lane.sealAgain(packet, payload: $0, into: slot, at: Instant(nanoseconds: 0))
                    : peer.lane.seal(packet, payload: $0, into: slot, at: Instant(nanoseconds: 0))
            }
            guard let length else { return nil }
            let bytes = Array(slot[..<length])
            return Sealed(
                bytes: bytes,
                header: try #require(bytes.withUnsafeBytes { RTPHeader.parse($0, isEncrypted: true) }))
        }
    }

    @Test("a packet gets the stream's header, arrives as what it was, and is not sealed twice")
    func header() throws {
        let call = try Call()
        let peer = call.server.peer
        peer.openSendStream(terms)
        #expect(try seal(packet(1), by: peer) == nil, "no keys yet")
        call.network.run(for: .seconds(1))
        let sealed = try #require(try seal(packet(0x1_0005, marker: true), by: peer))
        #expect(sealed.header.sequenceNumber == SequenceNumber16(5) && sealed.header.marker)
        #expect(sealed.header.ssrc == terms.ssrc && sealed.header.payloadType == PayloadType(111))
        #expect(sealed.header.timestamp == RTPTimestamp(0x1_0005 &* 960) && sealed.mid() == Mid("4"))
        #expect(try seal(packet(0x1_0005), by: peer) == nil, "its number is used up")
        var other = packet(0x1_0006)
        other.ssrc = SSRC(99)
        #expect(try seal(other, by: peer) == nil, "not under another's name")
        for stream in [-1, 1, 31, 1_000] {
            other = packet(0x1_0006)
            other.stream = stream
            #expect(try seal(other, by: peer) == nil)
        }
        #expect(try seal(packet(0x1_0006), by: peer, room: 50) == nil, "no room")
        peer.closeSendStream(terms.ssrc)
        #expect(try seal(packet(0x1_0007), by: peer) == nil)
        #expect(peer.stats.packetsSent == 1)
    }

    @Test("the mid is sent until the other side reports on the stream, and repeats are unchanged by that")
    func mid() throws {
        let call = try Call()
        let peer = call.server.peer
        peer.openSendStream(terms)
        call.network.run(for: .seconds(1))
        let first = try #require(try seal(packet(1), by: peer))
        #expect(first.mid() == Mid("4"))
        peer.lane.acknowledge(0)
        let second = try #require(try seal(packet(2), by: peer))
        #expect(second.mid() == nil && second.bytes.count == first.bytes.count - 8)
        #expect(try seal(packet(1), by: peer, again: true) == first)
        #expect(try seal(packet(2), by: peer, again: true) == second)
        #expect(try seal(packet(3), by: peer, again: true) == nil, "it was never sent")
        #expect(peer.stats.repeatsSent == 2)
    }

    @Test(
        "the playout delay goes along until the other side reports on the stream, beside the mid and the transport-wide number"
    )
    func playout() throws {
        let call = try Call()
        let peer = call.server.peer
        var terms = terms
        terms.playout = PlayoutRange(least: .milliseconds(400), most: .milliseconds(2_559))
        terms.playoutID = 6
        terms.transportNumberID = 2
        terms.mid = Mid("0123456789abcdef")
        terms.repeats = RepeatStreamTerms(ssrc: SSRC(0x77), payloadType: PayloadType(97), firstSequence: 5)
        peer.openSendStream(terms)
        call.network.run(for: .seconds(1))
        let first = try #require(try seal(packet(1), by: peer))
        func playout(_ sealed: Sealed) -> [UInt8]? {
            sealed.bytes.withUnsafeBytes { bytes in
                sealed.header.extensionRange(id: 6, in: bytes).map { Array(bytes[$0]) }
            }
        }
        // 12 bits each, in steps of 10 ms: 40 and 255.
        #expect(playout(first) == [0x02, 0x80, 0xff])
        #expect(first.mid() == Mid("0123456789abcdef"))
        #expect(try #require(try seal(packet(1), by: peer, again: true)).bytes.count > 0)
        peer.lane.acknowledge(0)
        let second = try #require(try seal(packet(2), by: peer))
        #expect(playout(second) == nil && second.mid() == nil)
    }

    @Test(
        "what a playout delay cannot say is as near as it can be said",
        arguments: [
            (0, 0, [0, 0, 0]), (-5, 40_950, [0, 0x0f, 0xff]), (99_999, 1, [0xff, 0xff, 0xff]), (15, 19, [0, 0x10, 1]),
        ] as [(Int64, Int64, [UInt8])])
    func playoutBounds(least: Int64, most: Int64, bytes: [UInt8]) {
        let range = PlayoutRange(least: .milliseconds(least), most: .milliseconds(most))
        #expect([range.bytes.0, range.bytes.1, range.bytes.2] == bytes)
    }

    @Test("a changed payload type or mid holds from the next packet on, and nothing sealed before is sealed otherwise")
    func changed() throws {
        let call = try Call()
        let peer = call.server.peer
        peer.openSendStream(terms)
        call.network.run(for: .seconds(1))
        _ = try #require(try seal(packet(1), by: peer))
        peer.lane.acknowledge(0)
        let plain = try #require(try seal(packet(2), by: peer))
        peer.describeSendStream(0, payloadType: PayloadType(111), mid: Mid("4"), midID: 3)
        #expect(try seal(packet(2), by: peer, again: true) == plain, "nothing has changed")

        peer.describeSendStream(0, payloadType: PayloadType(96), mid: Mid("7"), midID: 3)
        for number in 1...2 as ClosedRange<UInt64> { #expect(try seal(packet(number), by: peer, again: true) == nil) }
        let after = try #require(try seal(packet(3), by: peer))
        #expect(after.header.payloadType == PayloadType(96) && after.mid() == Mid("7"))
        #expect(try seal(packet(3), by: peer, again: true) == after)
        // The same mid under another number; a number that the one-byte form has not is left out.
        peer.describeSendStream(0, payloadType: PayloadType(96), mid: Mid("7"), midID: 5)
        #expect(try seal(packet(4), by: peer)?.mid(id: 5) == Mid("7"))
        peer.describeSendStream(0, payloadType: PayloadType(96), mid: Mid("7"), midID: 200)
        #expect(try seal(packet(5), by: peer)?.header.extensionProfile == nil)
        // The longest that there is.
        peer.describeSendStream(0, payloadType: PayloadType(96), mid: Mid("0123456789abcdef"), midID: 1)
        #expect(try seal(packet(6), by: peer)?.mid(id: 1) == Mid("0123456789abcdef"))
    }

    @Test("a report of the other side ends the mid")
    func acknowledged() throws {
        let call = try Call()
        let peer = call.server.peer
        peer.openSendStream(terms)
        call.network.run(for: .seconds(1))
        let path = try #require(peer.mediaPath)
        for number in 1...3 as ClosedRange<UInt64> {
            let sealed = try #require(try seal(packet(number), by: peer))
            call.network.inject(sealed.bytes, from: path.local, to: path.remote)
        }
        call.network.run(for: .seconds(3))
        #expect(try seal(packet(4), by: peer)?.mid() == nil)
    }

    @Test(
        "transport-wide numbers run through pictures, their repeats and padding; sound has none, nor has what is repeated as it was"
    )
    func transportNumbers() throws {
        let call = try Call()
        let peer = call.server.peer
        var picture = SendStreamTerms(
            ssrc: SSRC(700), clockRate: 90_000, cname: "c", payloadType: PayloadType(96), mid: Mid("5"), midID: 3,
            repeats: RepeatStreamTerms(ssrc: SSRC(701), payloadType: PayloadType(97), firstSequence: 4))
        picture.transportNumberID = 5
        picture.isPaced = true
        var bare = picture
        bare.ssrc = SSRC(800)
        bare.repeats = nil
        let streams = try [terms, picture, bare].map { try #require(peer.openSendStream($0)) }
        peer.measureLine()
        let bandwidth = try #require(peer.bandwidth)
        call.network.run(for: .seconds(1))
        let now = call.network.now
        var map = HeaderExtensionMap()
        map.set(.transportNumber, id: 5)
        map.set(.mid, id: 3)

        func packet(_ stream: Int, _ ssrc: SSRC, _ sequence: UInt64) -> OutgoingPacket {
            OutgoingPacket(ssrc: ssrc, stream: streams[stream], sequence: sequence, timestamp: 9, marker: false)
        }
        func sealed(_ body: (UnsafeMutableRawBufferPointer, UnsafeRawBufferPointer) -> Int?) throws -> Sealed {
            try withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { slot in
                let length = try #require([UInt8](repeating: 7, count: 100).withUnsafeBytes { body(slot, $0) })
                let bytes = Array(slot[..<length])
                return Sealed(
                    bytes: bytes,
                    header: try #require(bytes.withUnsafeBytes { RTPHeader.parse($0, isEncrypted: true) }))
            }
        }
        func number(_ sealed: Sealed) -> UInt16? {
            sealed.bytes.withUnsafeBytes { bytes in
                sealed.header.extensionRange(id: 5, in: bytes).map { bytes.bigEndianUInt16(at: $0.lowerBound) }
            }
        }
        let sound = try sealed { peer.lane.seal(packet(0, terms.ssrc, 1), payload: $1, into: $0, at: now) }
        #expect(number(sound) == nil)
        let first = try sealed { peer.lane.seal(packet(1, SSRC(700), 10), payload: $1, into: $0, at: now) }
        let start = try #require(number(first))
        #expect(first.bytes.withUnsafeBytes { first.header.mid(in: $0, map) } == Mid("5"))
        peer.lane.acknowledge(streams[1])
        let second = try sealed { peer.lane.seal(packet(1, SSRC(700), 11), payload: $1, into: $0, at: now) }
        #expect(number(second) == start &+ 1)
        #expect(second.bytes.withUnsafeBytes { second.header.mid(in: $0, map) } == nil)
        let again = try sealed { peer.lane.sealAgain(packet(1, SSRC(700), 10), payload: $1, into: $0, at: now) }
        #expect(number(again) == start &+ 2 && again.header.ssrc == SSRC(701))
        let padding = try sealed { slot, _ in
            peer.lane.sealPadding(packet(1, SSRC(700), 12), length: 255, into: slot, at: now)
        }
        #expect(number(padding) == start &+ 3 && padding.bytes[0] & 0x20 != 0 && padding.bytes.count > 255)
        let third = try sealed { peer.lane.seal(packet(2, SSRC(800), 1), payload: $1, into: $0, at: now) }
        #expect(number(third) == nil, "a repeat of it would have another number under the same index")
        for length in [0, 256, -1] {
            withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) {
                #expect(
                    peer.lane.sealPadding(packet(1, SSRC(700), 12), length: length, into: $0, at: now) == nil)
            }
        }
        // What did not fit has used no number.
        withUnsafeTemporaryAllocation(byteCount: 60, alignment: 8) { slot in
            let length = [UInt8](repeating: 7, count: 100).withUnsafeBytes {
                peer.lane.seal(packet(1, SSRC(700), 13), payload: $0, into: slot, at: now)
            }
            #expect(length == nil)
        }
        let last = try sealed { peer.lane.seal(packet(1, SSRC(700), 14), payload: $1, into: $0, at: now) }
        #expect(number(last) == start &+ 4)
        #expect(bandwidth.available(at: now + .milliseconds(500)) < bandwidth.estimate, "sound was counted")

        // The other side takes padding for what it is.
        call.client.peer.setReceiving(
            [
                ReceiveTrack(
                    mid: Mid("5"),
                    formats: [
                        ReceiveTrack.Format(
                            payloadType: PayloadType(96), clockRate: 90_000, repeats: PayloadType(97))
                    ], sources: [ReceiveTrack.Source(ssrc: SSRC(700), repeats: SSRC(701))], repeats: .picture)
            ], extensions: map)
        var heard: [UInt16] = []
        call.client.onMedia = { media, _ in heard.append(media.header.sequenceNumber.rawValue) }
        for sealed in [first, padding, second, again, last] {
            call.network.inject(sealed.bytes, from: Call.serverAddress, to: Call.clientAddress)
        }
        call.network.run(for: .milliseconds(300))
        #expect(heard.prefix(2) == [10, 11] && heard.contains(14) && call.client.drops.isEmpty)
        // It tells of arrivals, and the server's end takes them in.
        #expect(bandwidth.hasNews)
    }
}
