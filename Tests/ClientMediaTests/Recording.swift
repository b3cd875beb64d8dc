import AudioGraph
import SoundAnalysis
import Synchronization
import Timing

/// Sound that a device or a tap has handed over; the first channel.
final class Recording: Sendable {
    private struct State {
        var samples: [Float] = []
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func append(_ block: AudioBuffer) {
        let ready = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.samples.append(contentsOf: block[0])
            guard let waiting = state.waiting, state.samples.count >= waiting.count else { return nil }
            state.waiting = nil
            return waiting.continuation
        }
        ready?.resume()
    }

    /// What there is; it is removed.
    func take() -> [Float] {
        state.withLock { state in
            defer { state.samples = [] }
            return state.samples
        }
    }

    /// What comes from now on, as soon as there is that much of it.
    func next(_ seconds: Double) async -> [Float] {
        let count = Int(seconds * 48_000)
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.samples = []
                state.waiting = (count, continuation)
            }
        }
        return Array(take().prefix(count))
    }

    /// Waits for a stretch of that pitch (hertz; nil: silence) and level (dB). Other work on this machine may tear holes
    /// into what is played in real time, so the first one may not be it; false if none of many is.
    func hears(pitch: Double?, level: Double? = nil) async -> Bool {
        for _ in 0..<60 {
            let sound = await next(0.15)
            guard let pitch else {
                if sound.level < -100 { return true }
                continue
            }
            let found = sound.pitch(in: 200...2_000) ?? 0
            if abs(found / pitch - 1) < 0.01, level.map({ abs(sound.level - $0) < 1 }) ?? true { return true }
        }
        return false
    }
}
