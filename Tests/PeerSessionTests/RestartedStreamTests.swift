import NetworkSimulation
import RTP
import Testing
import Timing
import Wire

@testable import PeerSession

/// A line whose SSRC changes: it was inactive for a while, is used anew, or its encoder has begun again.
@Suite struct RestartedStreamTests {
    /// The other side's camera, under one SSRC after the other.
    private final class Camera {
        static let picture = PayloadType(96)
        static let repeats = PayloadType(97)
        let call: Call
        private(set) var heard: [ReceivedMedia] = []
        private var open: [SSRC: (terms: SendStreamTerms, stream: Int)] = [:]
        private var asked: [(ssrc: SSRC, number: UInt16)] = []

        init() throws {
            call = try Call()
            call.network.run(for: .seconds(1))
            var extensions = HeaderExtensionMap()
            extensions.set(.mid, id: 4)
            let line = ReceiveTrack(
                mid: Mid("3"),
                formats: [ReceiveTrack.Format(payloadType: Self.picture, clockRate: 90_000, repeats: Self.repeats)],
                repeats: .picture)
            call.server.peer.setReceiving([line], extensions: extensions)
            call.server.onMedia = { [unowned self] media, _ in heard.append(media) }
            call.client.onEvent = { [unowned self] event, _ in
                guard case .nack(_, let ssrc, let first, let following) = event else { return }
                MissingSequences.Entry(first: first, following: following).forEach { asked.append((ssrc, $0.rawValue)) }
            }
        }

        /// A stream, with one for its repeats.
        func begin(_ ssrc: UInt32, repeats: UInt32) throws {
            let terms = SendStreamTerms(
                ssrc: SSRC(ssrc), clockRate: 90_000, cname: "c", payloadType: Self.picture, mid: Mid("3"), midID: 4,
                repeats: RepeatStreamTerms(ssrc: SSRC(repeats), payloadType: Self.repeats, firstSequence: 9))
            open[terms.ssrc] = (terms, try #require(call.client.peer.openSendStream(terms)))
        }

        private func sealed(_ ssrc: SSRC, _ number: UInt64, again: Bool = false) throws -> [UInt8] {
            let (terms, stream) = try #require(open[ssrc])
            let packet = OutgoingPacket(
                ssrc: terms.ssrc, stream: stream, sequence: number, timestamp: UInt32(number) * 3_000, marker: true,
                patch: PayloadPatch { _ in 0 })
            let body = [UInt8](repeating: 7, count: 200)
            let bytes = withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 8) { slot in
                body.withUnsafeBytes { payload in
                    (again
                        ? call.client.peer.lane.sealAgain(packet, payload: payload, into: slot, at: call.network.now)
                        : call.client.peer.lane.seal(packet, payload: payload, into: slot, at: call.network.now))
                        .map { Array(slot[..<$0]) }
                }
            }
            return try #require(bytes)
        }

        func send(_ ssrc: UInt32, _ number: UInt64, again: Bool = false, isLost: Bool = false) throws {
            let bytes = try sealed(SSRC(ssrc), number, again: again)
            if !isLost { call.network.inject(bytes, from: Call.clientAddress, to: Call.serverAddress) }
        }

        /// Sends these packets, of which every twentieth is lost, and again what is asked for.
        /// - Returns: how many were lost, and how many of those came as repeats.
        func film(_ ssrc: UInt32, _ numbers: Range<UInt64>) throws -> (lost: Int, repaired: Int) {
            heard.removeAll()
            asked.removeAll()
            for number in numbers {
                try send(ssrc, number, isLost: number % 20 == 7)
                call.network.run(for: .milliseconds(5))
                try repair()
            }
            for _ in 0..<20 {
                call.network.run(for: .milliseconds(5))
                try repair()
            }
            let repaired = Set(heard.filter { $0.isRepeat && $0.header.ssrc == SSRC(ssrc) }.map(\.extendedSequence))
            #expect(repaired.allSatisfy { $0 % 20 == 7 })
            return (numbers.filter { $0 % 20 == 7 }.count, repaired.count)
        }

        private func repair() throws {
            for (ssrc, number) in asked { try send(ssrc.rawValue, UInt64(number), again: true) }
            asked.removeAll()
        }
    }

    @Test(
        "L11-S what a camera loses after it has begun anew is repaired as before, even where a repeat comes before its first packet"
    )
    func restarted() throws {
        let camera = try Camera()
        try camera.begin(500, repeats: 501)
        #expect(try camera.film(500, 1_000..<1_580) == (29, 29))
        try camera.begin(600, repeats: 601)
        #expect(try camera.film(600, 40_000..<40_580) == (29, 29))
        #expect(camera.call.server.peer.stats[.unknownRepeat] == 0)
        try camera.begin(700, repeats: 701)
        // A probe on the stream for repeats comes before the camera's first packet.
        try camera.send(700, 1, isLost: true)
        try camera.send(700, 1, again: true)
        #expect(try camera.film(700, 2..<582) == (29, 29))
    }

    @Test("L11-S a repeat that was on its way when a camera began anew is not taken for a packet of the new one")
    func late() throws {
        let camera = try Camera()
        try camera.begin(500, repeats: 501)
        _ = try camera.film(500, 1_000..<1_100)
        try camera.begin(600, repeats: 601)
        _ = try camera.film(600, 1_050..<1_100)
        let count = camera.heard.count
        for number in 1_060..<1_070 as Range<UInt64> { try camera.send(500, number, again: true) }
        camera.call.network.run(for: .milliseconds(50))
        #expect(camera.heard.count == count && camera.call.server.peer.stats[.unknownRepeat] == 10)
    }

    @Test(
        "L11-S the stream before is nobody's while the new one comes, is not asked for repeats, and has its place again after half a second of silence"
    )
    func back() throws {
        let camera = try Camera()
        try camera.begin(500, repeats: 501)
        try camera.begin(600, repeats: 601)
        _ = try camera.film(500, 1_000..<1_030)
        let before = camera.heard.count
        for number in 0..<40 as Range<UInt64> {
            try camera.send(600, 2_000 + number)
            // With gaps, which nobody asks for.
            if number % 2 == 0 { try camera.send(500, 1_030 + number) }
            camera.call.network.run(for: .milliseconds(10))
        }
        camera.call.network.run(for: .milliseconds(100))
        let recent = camera.heard.dropFirst(before)
        #expect(recent.count == 60 && recent.allSatisfy { ($0.header.ssrc == SSRC(600)) == ($0.place != nil) })
        #expect(camera.call.server.peer.stats.repeatsRequested == 2)
        camera.call.network.run(for: .milliseconds(500))
        #expect(try camera.film(500, 1_100..<1_200) == (5, 5))
        #expect(camera.heard.allSatisfy { $0.place == StreamPlace(track: 0, layer: 0) })
    }

    @Test("L11-S a stream of which only repeats come keeps its place")
    func keptByRepeats() throws {
        let camera = try Camera()
        try camera.begin(500, repeats: 501)
        try camera.begin(600, repeats: 601)
        _ = try camera.film(500, 1_000..<1_030)
        _ = try camera.film(600, 2_000..<2_100)
        for number in 2_090..<2_096 as Range<UInt64> {
            camera.call.network.run(for: .milliseconds(100))
            try camera.send(600, number, again: true)
        }
        camera.call.network.run(for: .milliseconds(100))
        try camera.send(500, 1_030)
        camera.call.network.run(for: .milliseconds(50))
        #expect(camera.heard.suffix(7).filter(\.isRepeat).count == 6)
        let last = try #require(camera.heard.last)
        #expect(last.header.ssrc == SSRC(500) && last.place == nil)
    }
}
