import NetworkSimulation
import RTP
import Testing
import Timing
import Wire

@testable import PeerSession

/// What is kept of the streams that come and go.
@Suite struct ReportSchedulerTests {
    private func header(_ number: Int) throws -> RTPHeader {
        let bytes = CallNode.header(ssrc: SSRC(UInt32(1_000 + number)), number: 1)
        return try #require(bytes.withUnsafeBytes { RTPHeader.parse($0) })
    }

    private func word(_ reception: ReceiveStreams.Reception) -> String {
        switch reception {
        case .counted: "counted"
        case .tooManyStreams: "full"
        case .replaced(let ssrc): "instead of \(ssrc.rawValue)"
        }
    }

    /// The packets of the next compound, in a few words; nil if none is due.
    private func packet(
        of reports: inout ReportScheduler, _ lane: SendLane, _ receiving: inout ReceiveStreams, at now: Instant
    ) -> [String]? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_500, alignment: 4)
        defer { buffer.deallocate() }
        var requested = 0
        guard
            let length = reports.nextPacket(
                lane, &receiving, into: buffer, at: now, requested: &requested)
        else { return nil }
        var compound = RTCPCompound(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
        var words: [String] = []
        while let packet = compound.next() {
            switch packet {
            case .senderReport(let info, let blocks):
                words.append("from \(info.ssrc.rawValue) about \(blocks.map(\.ssrc.rawValue))")
            case .receiverReport(let ssrc, let blocks):
                words.append("by \(ssrc.rawValue) about \(blocks.map(\.ssrc.rawValue))")
            case .sourceDescription(let chunks):
                words += chunks.map { "\($0.ssrc.rawValue) is \(String(decoding: $0.cname, as: UTF8.self))" }
            default: words.append("another")
            }
        }
        return compound.isMalformed ? nil : words
    }

    @Test("each report is followed by who its source is, whether that sends or only hears (RFC 3550 §6.1)")
    func described() throws {
        let call = try Call()
        let peer = call.server.peer
        call.network.run(for: .seconds(1))
        var reports = ReportScheduler(peer.configuration)
        var receiving = ReceiveStreams(clockRate: 48_000, asksForRepeats: false)
        var now = call.network.now
        reports.start(at: now)
        #expect(packet(of: &reports, peer.lane, &receiving, at: now) == nil)
        _ = receiving.receive(try header(0), extendedSequence: 1, at: now)
        now = reports.nextDeadline(receiving)
        reports.advance(to: now)
        #expect(packet(of: &reports, peer.lane, &receiving, at: now) == ["by 2 about [1000]", "2 is server"])
        #expect(packet(of: &reports, peer.lane, &receiving, at: now) == nil)
        for number in 0..<2 as Range<UInt32> {
            let terms = SendStreamTerms(ssrc: SSRC(70 + number), clockRate: 48_000, cname: "voice \(number)")
            let stream = try #require(peer.openSendStream(terms))
            #expect(call.server.seal(CallNode.header(ssrc: terms.ssrc, number: 1), [1, 2], at: now) != nil)
            #expect(stream == Int(number))
        }
        _ = receiving.receive(try header(0), extendedSequence: 2, at: now)
        now = reports.nextDeadline(receiving)
        reports.advance(to: now)
        #expect(
            packet(of: &reports, peer.lane, &receiving, at: now) == [
                "from 70 about [1000]", "70 is voice 0", "from 71 about []", "71 is voice 1",
            ])
    }

    @Test("a new source takes the place of the one that has been silent longest, if that is a minute, and of no other")
    func replaced() throws {
        let call = try Call()
        var session = ReceiveStreams(clockRate: 48_000, asksForRepeats: false)
        let start = call.network.now
        let most = ReceiveStreams.maximumCount
        for number in 0..<most {
            #expect(word(session.receive(try header(number), extendedSequence: 1, at: start)) == "counted")
        }
        // All go on but two, the one of which says a last word a second later.
        let lately = start + .seconds(40)
        for number in 0..<most where number != 7 && number != 9 {
            _ = session.receive(try header(number), extendedSequence: 2, at: lately)
        }
        _ = session.receive(try header(9), extendedSequence: 2, at: start + .seconds(1))
        #expect(
            word(session.receive(try header(most), extendedSequence: 1, at: start + .milliseconds(59_999))) == "full")
        #expect(
            word(session.receive(try header(most), extendedSequence: 1, at: start + .seconds(60))) == "instead of 1007")
        #expect(
            word(session.receive(try header(most + 1), extendedSequence: 1, at: start + .milliseconds(60_999)))
                == "full")
        #expect(
            word(session.receive(try header(most + 1), extendedSequence: 1, at: start + .seconds(61)))
                == "instead of 1009")
        #expect(session.reception(of: SSRC(1_000))?.packetsReceived == 2 && session.reception(of: SSRC(1_007)) == nil)
    }
}

extension ReceiveStreams {
    fileprivate mutating func receive(_ header: RTPHeader, extendedSequence: UInt64, at now: Instant) -> Reception {
        receive(header, extendedSequence: extendedSequence, in: UnsafeRawBufferPointer(start: nil, count: 0), at: now)
            .reception
    }
}
