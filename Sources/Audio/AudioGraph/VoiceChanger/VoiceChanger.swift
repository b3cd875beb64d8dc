/// Gives a speaker another voice: see `VoicePreset`.
///
/// The voice comes out 32 ms later while a preset is on, at once while none is: see `latencyFrames`. A new preset fades
/// in over 40 ms; when the first one is switched on, the fade waits until the changed voice has arrived, so that no gap
/// is heard. Never louder than full scale, free of DC, and the same sound each time: chance inside is seeded.
package final class VoiceChanger: AudioProcessor {
    private static let fadeFrames = 60 * controlPeriod

    /// Set on the thread that processes. Of several changes within one fade the last one counts.
    package var preset: VoicePreset = .off

    /// 1,536 frames (32 ms) while a voice is changed, 0 while not.
    package var latencyFrames: Int { preset == .off ? 0 : VoiceShifter.latency }

    private var shifter = VoiceShifter()
    private var current = VoiceColour()
    private var former = VoiceColour()
    /// Worked out in advance: a change of preset must not allocate.
    private let settings: [VoiceSettings?] = VoicePreset.allCases.map { VoiceSettings($0) }
    private var playing = VoicePreset.off
    private var fading = VoicePreset.off
    private var fadeLeft = 0
    /// Frames until the shifter has something to say.
    private var primingLeft = 0
    private var periodFrame = 0
    private let copies: UnsafeMutablePointer<Float>

    package init(_ preset: VoicePreset = .off) {
        copies = .allocate(capacity: 6 * controlPeriod)
        copies.initialize(repeating: 0, count: 6 * controlPeriod)
        self.preset = preset
        begin(preset)
    }

    deinit { copies.deallocate() }

    /// Forgets all sound; the preset stays and begins without a fade.
    package func reset() {
        periodFrame = 0
        shifter.clear()
        begin(preset)
    }

    private func begin(_ preset: VoicePreset) {
        fadeLeft = 0
        primingLeft = 0
        playing = preset
        if let settings = settings[Int(preset.rawValue)] {
            shifter.configure(settings.shifter)
            current.configure(settings.colour)
        }
    }

    /// Mono or stereo.
    package func process(_ buffer: AudioBuffer) {
        precondition(buffer.channels <= 2, "a voice has two sides at most")
        guard playing != .off || preset != .off || fadeLeft > 0 else { return }
        guard let left = buffer[0].baseAddress else { return }
        let right = buffer.channels == 2 ? buffer[1].baseAddress : nil
        let frames = buffer.frameCount
        var start = 0
        while start < frames {
            let count = min(frames - start, controlPeriod - periodFrame)
            if periodFrame == 0 { changePreset() }
            process(left + start, right.map { $0 + start }, count)
            periodFrame = (periodFrame + count) % controlPeriod
            start += count
        }
    }

    private func changePreset() {
        guard fadeLeft == 0, preset != playing else { return }
        swap(&current, &former)
        fading = playing
        playing = preset
        fadeLeft = Self.fadeFrames
        guard let settings = settings[Int(playing.rawValue)] else { return }
        if fading == .off {
            shifter.clear()
            primingLeft = VoiceShifter.latency
        }
        shifter.configure(settings.shifter)
        current.configure(settings.colour)
    }

    private func process(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int) {
        let (dryLeft, dryRight) = (copies, copies + controlPeriod)
        let (newLeft, newRight) = (copies + 2 * controlPeriod, right == nil ? nil : copies + 3 * controlPeriod)
        let (oldLeft, oldRight) = (copies + 4 * controlPeriod, right == nil ? nil : copies + 5 * controlPeriod)
        var frame = 0
        while frame < count {
            dryLeft[frame] = usable(left[frame])
            if let right { dryRight[frame] = usable(right[frame]) }
            frame &+= 1
        }
        newLeft.update(from: dryLeft, count: count)
        newRight?.update(from: dryRight, count: count)
        shifter.process(newLeft, newRight, count)
        if fadeLeft > 0 {
            let source = fading == .off ? (dryLeft, dryRight) : (newLeft, newRight ?? dryRight)
            oldLeft.update(from: source.0, count: count)
            oldRight?.update(from: source.1, count: count)
            if fading != .off {
                former.process(oldLeft, oldRight, count, startsPeriod: periodFrame == 0)
                bound(oldLeft, oldRight, count)
            }
        }
        if playing == .off {
            newLeft.update(from: dryLeft, count: count)
            newRight?.update(from: dryRight, count: count)
        } else {
            current.process(newLeft, newRight, count, startsPeriod: periodFrame == 0)
            bound(newLeft, newRight, count)
        }
        if fadeLeft > 0 { fade(newLeft, newRight, oldLeft, oldRight, count) }
        left.update(from: newLeft, count: count)
        if let right, let newRight { right.update(from: newRight, count: count) }
    }

    /// Before the fade, so that the plain voice is never bent.
    private func bound(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ count: Int) {
        softCeiling(left, count)
        if let right { softCeiling(right, count) }
    }

    private func fade(
        _ newLeft: UnsafeMutablePointer<Float>, _ newRight: UnsafeMutablePointer<Float>?,
        _ oldLeft: UnsafeMutablePointer<Float>, _ oldRight: UnsafeMutablePointer<Float>?, _ count: Int
    ) {
        var frame = 0
        while frame < count {
            let left = primingLeft > frame ? Self.fadeFrames : fadeLeft - max(0, frame - primingLeft)
            let old = Float(max(0, left)) / Float(Self.fadeFrames)
            newLeft[frame] += old * (oldLeft[frame] - newLeft[frame])
            if let newRight, let oldRight { newRight[frame] += old * (oldRight[frame] - newRight[frame]) }
            frame &+= 1
        }
        let waited = min(primingLeft, count)
        primingLeft -= waited
        fadeLeft = max(0, fadeLeft - (count - waited))
    }
}
