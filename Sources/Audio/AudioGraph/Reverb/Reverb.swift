/// Puts a voice into a room, or gives it a colour: see `ReverbPreset`.
///
/// Two engines take turns, so that a new preset fades in while the old one fades out. Mono comes out mono; stereo comes out
/// with a room on both sides, also if both channels carry the same voice. Never louder than full scale for sound within
/// it, free of DC, and without latency: the voice itself is not delayed.
package final class Reverb: AudioProcessor {
    /// 60 ms: longer than a period of the lowest voice, shorter than a syllable.
    private static let fadeFrames = 90 * controlPeriod

    /// Set on the thread that processes. A change is heard within 120 ms; of several changes at once the last one counts.
    package var preset: ReverbPreset = .off

    private var current = ReverbEngine()
    private var former = ReverbEngine()
    private var playing = ReverbPreset.off
    /// What `former` plays.
    private var fading = ReverbPreset.off
    /// How much of a fade is still to come, in frames.
    private var fadeLeft = 0
    /// Position within a control period.
    private var periodFrame = 0
    private let copies: UnsafeMutablePointer<Float>

    package init(_ preset: ReverbPreset = .off) {
        copies = .allocate(capacity: 4 * controlPeriod)
        copies.initialize(repeating: 0, count: 4 * controlPeriod)
        self.preset = preset
        playing = preset
        current.configure(preset)
    }

    deinit { copies.deallocate() }

    /// Forgets all tails; the preset stays and begins without a fade.
    package func reset() {
        fadeLeft = 0
        periodFrame = 0
        playing = preset
        current.configure(preset)
    }

    /// Mono or stereo.
    package func process(_ buffer: AudioBuffer) {
        precondition(buffer.channels <= 2, "a reverb has two sides")
        guard playing != .off || preset != .off || fadeLeft > 0 else { return }
        guard let left = buffer[0].baseAddress, let right = buffer[buffer.channels - 1].baseAddress else { return }
        let frames = buffer.frameCount
        var start = 0
        while start < frames {
            let count = min(frames - start, controlPeriod - periodFrame)
            if periodFrame == 0 { changePreset() }
            process(left + start, right + start, count, mono: buffer.channels == 1)
            periodFrame = (periodFrame + count) % controlPeriod
            start += count
        }
    }

    private func changePreset() {
        guard fadeLeft == 0, preset != playing else { return }
        swap(&current, &former)
        fading = playing
        playing = preset
        current.configure(playing)
        fadeLeft = Self.fadeFrames
    }

    private func process(
        _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>, _ count: Int, mono: Bool
    ) {
        let (newLeft, newRight) = (copies, copies + controlPeriod)
        let (oldLeft, oldRight) = (copies + 2 * controlPeriod, copies + 3 * controlPeriod)
        var frame = 0
        while frame < count {
            newLeft[frame] = usable(left[frame])
            newRight[frame] = usable(right[frame])
            frame &+= 1
        }
        let fades = fadeLeft > 0
        if fades {
            oldLeft.update(from: newLeft, count: count)
            oldRight.update(from: newRight, count: count)
            former.process(oldLeft, oldRight, count, startsPeriod: periodFrame == 0)
        }
        current.process(newLeft, newRight, count, startsPeriod: periodFrame == 0)
        if fades { fade(newLeft, newRight, oldLeft, oldRight, count) }
        frame = 0
        if mono {
            while frame < count {
                left[frame] = 0.5 * (newLeft[frame] + newRight[frame])
                frame &+= 1
            }
        } else {
            left.update(from: newLeft, count: count)
            right.update(from: newRight, count: count)
        }
    }

    /// Linear: both sides of the fade hold the same voice, which must not swell in the middle.
    private func fade(
        _ newLeft: UnsafeMutablePointer<Float>, _ newRight: UnsafeMutablePointer<Float>,
        _ oldLeft: UnsafeMutablePointer<Float>, _ oldRight: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        var frame = 0
        while frame < count {
            let old = Float(max(0, fadeLeft - frame)) / Float(Self.fadeFrames)
            newLeft[frame] += old * (oldLeft[frame] - newLeft[frame])
            newRight[frame] += old * (oldRight[frame] - newRight[frame])
            frame &+= 1
        }
        fadeLeft = max(0, fadeLeft - count)
    }
}
