import ClientMedia
import DatagramIO
import Foundation
import MediaDevices
import MediaNode
import RoomPorts
import Timing
import Wire

/// D1: singer A's sample in to singer B's sample out, through the media server on loopback.
enum SingerToSinger {
    /// The share of packets that a line loses in each direction, in the second part of the measurement.
    private static let loss = 0.005

    struct Line: Encodable {
        var frame: String
        /// Of each singer's line, in each direction; 0…1.
        var loss: Double
        var clicks: Int
        var medianMs: Double
        var p99Ms: Double
        var leastMs: Double
        var concealed: Double
    }

    /// Prints the table. `nil` if too little was heard to measure anything.
    static func run(seconds: Int) async throws -> [Line]? {
        say("D1  singer to singer, loopback, \(seconds) s each; devices tick on the monotonic clock at random phase")
        say("frame     lost each way   clicks   median      p99    least   made up")
        var lines: [Line] = []
        for (duration, loss) in [
            (FrameDuration.ms2_5, 0), (.ms5, 0), (.ms10, 0), (.ms20, 0), (.ms2_5, Self.loss), (.ms5, Self.loss),
        ] {
            let line = try await measure(duration, loss: loss, seconds: seconds)
            lines.append(line)
            say(
                line.frame.padding(toLength: 8, withPad: " ", startingAt: 0)
                    + String(
                        format: "%13.1f %% %8d %8.1f ms %6.1f ms %6.1f ms %8.3f %%", line.loss * 100, line.clicks,
                        line.medianMs, line.p99Ms, line.leastMs, line.concealed * 100))
        }
        return lines.allSatisfy { $0.clicks > seconds } ? lines : nil
    }

    private static func measure(_ duration: FrameDuration, loss: Double, seconds: Int) async throws -> Line {
        var configuration = MediaNodeConfiguration()
        configuration.port = 0
        configuration.bindAddresses = [IPAddress(v4: 127, 0, 0, 1)]
        let node = try await MediaPlane.start(configuration)
        defer { node.stop() }
        let stage = StageID(rawValue: 1)
        node.openStage(stage, slots: 2)
        let clicks = Clicks()
        let anna = try Singer(1, ear: { _, _ in })
        let ben = try Singer(2, ear: { clicks.hear($0, from: $1) })
        for singer in [anna, ben] {
            singer.audio.update {
                $0.frameDuration = duration
                $0.playoutDelay = .minimal
                $0.usesDTX = false
            }
        }
        try anna.audio.setInput(CustomInput { clicks.sing($0, from: $1) })
        try ben.audio.setInput(CustomInput())
        let server = TransportAddress(ip: configuration.bindAddresses[0], port: node.ports[0])
        let ways =
            loss > 0
            ? [
                try LossyLine(to: server, loss: loss, seed: .random(in: 0...(.max))),
                try LossyLine(to: server, loss: loss, seed: .random(in: 0...(.max))),
            ] : []
        defer { for way in ways { way.stop() } }
        try await anna.join(node, stage: stage, slots: 2, by: ways.first?.port)
        // Another phase of the second singer's devices.
        try await Task.sleep(for: .microseconds(Int64.random(in: 0..<20_000)))
        try await ben.join(node, stage: stage, slots: 2, by: ways.last?.port)
        for (slot, singer) in [anna, ben].enumerated() {
            await withCheckedContinuation { done in
                node.assign(slot: slot, to: singer.id, muted: false, dark: false, on: stage) { done.resume() }
            }
        }
        try anna.audio.startMicrophone()
        try ben.audio.startMicrophone()
        try await Task.sleep(for: .seconds(seconds))
        let statistics = ben.audio.statistics().slots[0]
        anna.audio.stop()
        ben.audio.stop()
        let delays = clicks.delays.map { $0.seconds * 1_000 }.sorted()
        func quantile(_ part: Double) -> Double {
            delays.isEmpty ? .nan : delays[min(delays.count - 1, Int(Double(delays.count) * part))]
        }
        let total = max(1, Double(statistics.decodedFrames + statistics.concealedFrames))
        let name =
            switch duration {
            case .ms2_5: "2.5 ms"
            case .ms5: "5 ms"
            case .ms10: "10 ms"
            case .ms20: "20 ms"
            }
        return Line(
            frame: name, loss: loss, clicks: delays.count, medianMs: quantile(0.5), p99Ms: quantile(0.99),
            leastMs: delays.first ?? .nan,
            concealed: Double(statistics.concealedFrames) / total)
    }
}
