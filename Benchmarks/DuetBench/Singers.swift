import AudioGraph
import ClientMedia
import DatagramIO
import Foundation
import MediaDevices
import MediaNode
import RoomPorts
import Synchronization
import Timing
import Wire

/// Clicks that one singer makes and the other hears, with the moments of their first samples.
final class Clicks: Sendable {
    struct Made {
        var at: Instant
        var isHeard = false
    }

    /// A click is a burst of 2 kHz this long: short enough to be placed, long enough to get through Opus.
    static let burstFrames = 240
    /// Longer than any delay that is measured, so that none is taken for the next.
    static let period = Interval.milliseconds(400)
    /// The onset is where the sound first reaches this part of the burst's amplitude.
    static let threshold: Float = 0.15
    static let amplitude: Float = 0.6

    private struct State {
        var phase = 0
        var next = Instant.distantPast
        var remaining = 0
        var made: [Instant] = []
        var quietFrames = 48_000
        var delays: [Interval] = []
    }

    private let state = Mutex(State())

    /// The singer's microphone. Devices tick at phases of their own, so clicks begin anywhere in a block.
    func sing(_ block: AudioBuffer, from begin: Instant) {
        state.withLock { state in
            if state.next == .distantPast { state.next = begin + .milliseconds(500) }
            for frame in 0..<block.frameCount {
                let at = begin + Interval(nanoseconds: Int64(frame) * 1_000_000_000 / 48_000)
                if state.remaining == 0, at >= state.next {
                    state.made.append(at)
                    state.remaining = Self.burstFrames
                    state.phase = 0
                    state.next = at + Self.period + .microseconds(Int64.random(in: 0..<20_000))
                }
                guard state.remaining > 0 else { continue }
                let value = Self.amplitude * Float(sin(2 * Double.pi * 2_000 * Double(state.phase) / 48_000))
                for channel in 0..<block.channels { block[channel][frame] = value }
                state.phase += 1
                state.remaining -= 1
            }
        }
    }

    /// The other's ear.
    func hear(_ block: AudioBuffer, from begin: Instant) {
        state.withLock { state in
            let samples = block[0]
            for frame in 0..<block.frameCount {
                guard abs(samples[frame]) > Self.threshold * Self.amplitude else {
                    state.quietFrames += 1
                    continue
                }
                let isOnset = state.quietFrames > Self.burstFrames * 4
                state.quietFrames = 0
                guard isOnset else { continue }
                let at = begin + Interval(nanoseconds: Int64(frame) * 1_000_000_000 / 48_000)
                guard let index = state.made.lastIndex(where: { $0 <= at }), at - state.made[index] < Self.period else {
                    continue
                }
                state.delays.append(at - state.made[index])
                state.made.removeSubrange(...index)
            }
        }
    }

    var delays: [Interval] { state.withLock { $0.delays } }
}

/// A singer with an engine and devices without hardware.
final class Singer {
    let id: PeerID
    let audio: AudioEngine

    init(_ id: UInt64, ear: @escaping @Sendable (AudioBuffer, Instant) -> Void) throws {
        self.id = PeerID(rawValue: id)
        var configuration = RoomAudioConfiguration()
        configuration.localAddresses = [IPAddress(v4: 127, 0, 0, 1)]
        let (events, continuation) = AsyncStream.makeStream(of: RoomAudioEvent.self)
        self.events = events
        audio = try AudioEngine(configuration) { continuation.yield($0) }
        try audio.setOutput(CustomOutput(consume: ear))
    }

    private let events: AsyncStream<RoomAudioEvent>

    /// - Parameter port: of a line to the server; nil: directly.
    func join(_ node: MediaPlane, stage: StageID, slots: Int, by port: UInt16? = nil) async throws {
        let offer = MediaOffer(stage: stage, peer: id, number: 1, sdp: try audio.openPath(slots: slots))
        node.admit(id, on: stage)
        let answer = try await node.answer(offer).sdp
        try audio.accept(
            answer: port.map { answer.replacing(" \(node.ports[0]) typ host", with: " \($0) typ host") } ?? answer)
        for await event in events where event == .path(.connected) { return }
    }
}
