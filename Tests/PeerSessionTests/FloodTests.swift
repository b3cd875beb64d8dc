import DTLS
import ICE
import NetworkSimulation
import RTP
import SRTP
import Testing
import Timing
import Wire

@testable import PeerSession

/// What an authenticated peer may ask for, and no more.
@Suite struct FloodTests {
    /// A datagram with so many requests for repeats, sealed with the client's own keys.
    private func requests(_ count: Int, from peer: MediaPeer) throws -> [UInt8] {
        guard case .connected(let media) = peer.phase else { throw NotConnected() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 8)
        defer { buffer.deallocate() }
        var writer = RTCPWriter(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1_400]))
        // Numbers so far apart that each takes an entry of its own.
        let missing = (0..<count).map { SequenceNumber16(UInt16(truncatingIfNeeded: $0 * 40)) }
        _ = writer.writeNACK(sender: SSRC(1), media: Call.serverStream, missing: missing)
        let length = try #require(media.sender.sealControl(buffer, length: writer.count))
        return Array(buffer[..<length])
    }

    private struct NotConnected: Error {}

    @Test("of a datagram full of requests for repeats only so many are looked at")
    func manyRequests() throws {
        let call = try Call()
        call.server.peer.openSendStream(SendStreamTerms(ssrc: Call.serverStream, clockRate: 48_000, cname: "s"))
        call.network.run(for: .seconds(1))
        call.network.inject(
            try requests(256, from: call.client.peer), from: Call.clientAddress, to: Call.serverAddress)
        call.network.run(for: .milliseconds(100))
        let asked = call.server.events.count { if case .nack = $0 { true } else { false } }
        #expect(asked == PeerReception.maximumRepeatRequests)
    }

    @Test("RTCP beyond what a peer has any use for is thrown away, and counted; reports go on afterwards")
    func manyDatagrams() throws {
        let call = try Call()
        call.server.peer.openSendStream(SendStreamTerms(ssrc: Call.serverStream, clockRate: 48_000, cname: "s"))
        call.network.run(for: .seconds(1))
        for _ in 0..<2_000 {
            call.network.inject(
                try requests(1, from: call.client.peer), from: Call.clientAddress, to: Call.serverAddress)
        }
        call.network.run(for: .milliseconds(100))
        let asked = call.server.events.count { if case .nack = $0 { true } else { false } }
        #expect((100...250).contains(asked))
        #expect(call.server.peer.stats[.tooMuchControl] >= 1_700)
        call.speak(for: .seconds(3))
        let before = call.server.events.count { if case .senderReport = $0 { true } else { false } }
        call.network.run(for: .seconds(4))
        #expect(call.server.events.count { if case .senderReport = $0 { true } else { false } } > before)
        #expect(call.server.isConnected)
    }
}
