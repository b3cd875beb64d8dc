import DatagramIO
import Foundation
import MediaTestSupport
import RTP
import RoomPorts
import SDP
import SRTP
import Timing
import Wire

@testable import PeerSession

/// A peer with keys of its own: honest, or not. Tests/Attacks/attack.py starts one a person and carries its offer and answer to the
/// server and back.
///
/// Arguments: `honest`, `speech`, `flood` or `requests`, and how many datagrams the attack has (of an honest speaker: frames of 20 ms; 0 for a
/// listener). Standard output gets lines of JSON: the offer, `{"connected":true}`, `{"sent":…,"heard":…}`. Standard input brings the
/// answer's SDP as a JSON string, then an empty line when the attack is to begin, and its end when an honest peer is to go.
@main
struct MediaAttack {
    private static let slots = 2
    /// As long as a frame may be.
    private static let longestFrame = 1_100

    /// 100 times as many frames a second as a microphone may send.
    private static let floodRate: Int64 = 60_000
    private static let batch = 60

    /// Frames of a usual length. The way stays open meanwhile.
    private static func sealed(_ count: Int, by client: TestClient) -> [[UInt8]] {
        let frame = [UInt8](repeating: 0x78, count: 140)
        return (0..<count).compactMap { number in
            if number.isMultiple(of: 1_000) { client.work() }
            return client.sealed(frame)
        }
    }

    static func main() throws {
        let kind = CommandLine.arguments[1]
        let count = Int(CommandLine.arguments[2]) ?? 0
        let client = try TestClient(1, on: StageID(rawValue: 0), slots: slots, ip: IPAddress(v4: 127, 0, 0, 1))
        let offer = client.nextOffer()
        say(["number": Int(offer.number), "sdp": offer.sdp])
        guard let line = readLine(), let answer = try JSONDecoder().decode(String?.self, from: Data(line.utf8)) else {
            return
        }
        try client.take(sdp: answer)
        let end = SystemClock.now() + .seconds(10)
        while !client.isConnected {
            guard SystemClock.now() < end else { throw Failure(what: "no way through to the server") }
            client.work()
            // Gives the core to the server, which shares it.
            usleep(1_000)
        }
        say(["connected": true])
        var sent = 0
        switch kind {
        case "speech":
            guard readLine() != nil else { return }
            let frame = [UInt8](repeating: 0x78, count: longestFrame)
            while sent < count {
                client.speak(frame)
                sent += 1
                if sent.isMultiple(of: 64) { client.work() }
            }
        case "flood":
            guard let path = client.media?.mediaPath else { return }
            // Sealed before, so that the pace is that of the socket.
            let frames = sealed(count, by: client)
            say(["sealed": frames.count])
            guard readLine() != nil else { return }
            let began = SystemClock.now()
            while sent < frames.count {
                // A batch at a time, when it is due.
                let due = began + Interval(nanoseconds: Int64(sent) * 1_000_000_000 / Self.floodRate)
                while SystemClock.now() < due {
                    client.work()
                    // Gives the core to the server, which shares it; the pace is the clock's.
                    usleep(200)
                }
                for frame in frames[sent..<min(sent + Self.batch, frames.count)] {
                    client.socket.nextSlot().copyBytes(from: frame)
                    client.socket.commit(length: frame.count, path: path, at: SystemClock.now())
                }
                client.socket.flush(at: SystemClock.now())
                sent = min(sent + Self.batch, frames.count)
            }
            say(["milliseconds": Int((SystemClock.now() - began).nanoseconds / 1_000_000)])
        case "requests":
            guard readLine() != nil else { return }
            var attack = RequestAttack(client)
            while sent < count {
                attack.send()
                sent += 1
                // What comes back is what the attack is about.
                if sent.isMultiple(of: 8) { client.work() }
            }
        default:
            // Until nobody needs it any more.
            let input = FileHandle.standardInput
            var watched = pollfd(fd: input.fileDescriptor, events: Int16(POLLIN), revents: 0)
            var next = SystemClock.now()
            while poll(&watched, 1, 1) == 0 {
                if sent < count, SystemClock.now() >= next {
                    client.speak([0x78] + Array(repeating: UInt8(truncatingIfNeeded: sent), count: 80))
                    sent += 1
                    next = next + .milliseconds(20)
                }
                client.work()
            }
        }
        // What is still on its way counts too; a millisecond between two looks leaves the core to the server.
        let rest = SystemClock.now() + .milliseconds(200)
        while SystemClock.now() < rest {
            client.work()
            usleep(1_000)
        }
        say(["sent": sent, "heard": client.heard.values.reduce(0) { $0 + $1.count }])
    }

    struct Failure: Error { var what: String }

    private static func say(_ line: [String: any Sendable]) {
        guard let bytes = try? JSONSerialization.data(withJSONObject: line) else { return }
        FileHandle.standardOutput.write(bytes + [10])
    }
}

/// RTCP full of requests for repeats of what somebody has really said, under the attacker's own keys.
private struct RequestAttack {
    /// As many as a datagram holds.
    private static let entries = 256

    private let client: TestClient
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2_048, alignment: 8)
    private var turn = 0

    init(_ client: TestClient) { self.client = client }

    mutating func send() {
        guard let peer = client.media, case .connected(let media) = peer.phase, let path = peer.mediaPath,
            let slots = client.accepted?.slots, !slots.isEmpty
        else { return }
        turn += 1
        let stream = SSRC(slots[turn % slots.count].ssrc)
        let newest = client.heard.values.compactMap(\.last?.sequence).max() ?? 0
        // Each number takes an entry of its own, and asks for what is likely to be kept still.
        let missing = (0..<Self.entries).map { SequenceNumber16(UInt16(truncatingIfNeeded: newest &- UInt64($0) * 18)) }
        var writer = RTCPWriter(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1_400]))
        _ = writer.writeNACK(sender: SSRC(1), media: stream, missing: missing)
        guard let length = media.sender.sealControl(buffer, length: writer.count) else { return }
        client.sendRaw(Array(buffer[..<length]), to: path)
    }
}
