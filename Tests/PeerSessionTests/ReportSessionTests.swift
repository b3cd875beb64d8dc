import NetworkSimulation
import RTP
import Testing
import Timing
import Wire

@testable import PeerSession

/// What is kept of the streams that come and go.
@Suite struct ReportSessionTests {
    private func header(_ number: Int) throws -> RTPHeader {
        let bytes = CallNode.header(ssrc: SSRC(UInt32(1_000 + number)), number: 1)
        return try #require(bytes.withUnsafeBytes { RTPHeader.parse($0) })
    }

    private func word(_ reception: ReportSession.Reception) -> String {
        switch reception {
        case .counted: "counted"
        case .tooManyStreams: "full"
        case .replaced(let ssrc): "instead of \(ssrc.rawValue)"
        }
    }

    @Test("a new source takes the place of the one that has been silent longest, if that is a minute, and of no other")
    func replaced() throws {
        let call = try Call()
        var session = ReportSession(call.server.peer.configuration)
        let start = call.network.now
        let most = ReportSession.maximumReceiveStreams
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
