import Codecs
import Timing

/// What a viewer sees of one picture: frames that are whole, and follow on one that was shown or are key frames.
final class SimulatedScreen {
    /// Without a frame for so long, a key frame is asked for.
    private static let patience = Interval.seconds(1)

    private struct Frame {
        var first: UInt64?
        var last: UInt64?
        var isKeyFrame = false
        var layer = 0
    }

    private var packets: Set<UInt64> = []
    /// By timestamp.
    private var frames: [UInt32: Frame] = [:]
    /// The last packet of the last frame that was shown.
    private var shownUpTo: UInt64?
    private(set) var lastShown: Instant?
    /// When a frame was shown, and of which layer.
    private(set) var shown: [(at: Instant, layer: Int)] = []
    private var asked = Instant.distantPast

    func receive(
        sequence: UInt64, timestamp: UInt32, marker: Bool, payload: UnsafeRawBufferPointer, at now: Instant
    ) {
        guard let descriptor = VP8Descriptor(payload), sequence > shownUpTo ?? 0 || shownUpTo == nil else { return }
        packets.insert(sequence)
        var frame = frames[timestamp] ?? Frame()
        if descriptor.startsFrame { frame.first = sequence }
        if descriptor.isKeyFrame(in: payload) { frame.isKeyFrame = true }
        if marker { frame.last = sequence }
        if descriptor.startsFrame, payload.count > descriptor.length + 1 {
            frame.layer = Int(payload[descriptor.length + 1])
        }
        frames[timestamp] = frame
        show(at: now)
    }

    private func isWhole(_ frame: Frame) -> Bool {
        guard let first = frame.first, let last = frame.last, first <= last else { return false }
        return (first...last).allSatisfy(packets.contains)
    }

    private func show(at now: Instant) {
        while true {
            let ready = frames.filter { isWhole($0.value) }
            let next =
                ready.first { _, frame in frame.first == shownUpTo.map { $0 + 1 } }
                ?? ready.filter { $0.value.isKeyFrame && ($0.value.first ?? 0) > shownUpTo ?? 0 }
                .min { ($0.value.first ?? 0) < ($1.value.first ?? 0) }
            guard let next, let last = next.value.last else { return }
            shown.append((now, next.value.layer))
            lastShown = now
            shownUpTo = last
            packets = packets.filter { $0 > last }
            frames = frames.filter { ($0.value.last ?? .max) > last && ($0.value.first ?? .max) > last }
        }
    }

    /// Begins its record anew; what is shown stays.
    func forget() { shown = [] }

    /// Whether to ask for a key frame now.
    func asksForKeyFrame(at now: Instant) -> Bool {
        guard let lastShown, now - lastShown > Self.patience, now - asked > Self.patience else { return false }
        asked = now
        return true
    }
}
