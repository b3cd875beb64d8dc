internal import Glibc

/// How loud a stretch of sound is.
package struct SoundLevel: Hashable, Sendable {
    /// Effective value in dB below the overload point (dBov, RFC 6465): 0 is a full-scale square wave, −3 a full-scale
    /// sine; −127 and less is silence.
    package var decibels: Float

    package init(decibels: Float) { self.decibels = decibels }
    package init(attenuation: UInt8) { decibels = -Float(min(127, attenuation)) }

    package static let silence = SoundLevel(decibels: -127)

    /// As an RTP packet carries it (RFC 6464): −dBov, 0 the loudest, 127 silence.
    package var attenuation: UInt8 { UInt8(max(0, min(127, -decibels.rounded()))) }

    /// 0…100 for people, linear in dB, as the server does it for the levels that it sends: −60 dBov and less is the
    /// noise of a room, speech close to a microphone hardly gets past −10.
    package var loudness: Float {
        let floor: Float = 60
        let ceiling: Float = 10
        return max(0, min(100, (floor - Float(attenuation)) * 100 / (floor - ceiling)))
    }

    /// The effective value of all channels together.
    package init(of buffer: AudioBuffer) {
        var sum = 0.0
        for channel in 0..<buffer.channels {
            guard let samples = buffer[channel].baseAddress else { break }
            sum += Double(dotProduct(samples, samples, count: buffer.frameCount))
        }
        let power = sum / Double(max(1, buffer.channels * buffer.frameCount))
        decibels = power.isFinite && power > 2e-13 ? Float(10 * log10(power)) : -127
    }
}

/// How loud somebody is, for people to see: quick to rise, slow to fall, and none at the edge of silence. The client's
/// half of the meter that the server runs for remote levels; time is counted in frames.
package struct LevelMeter {
    /// Half of the way up in 20 ms: one click does not fill the ring.
    private static let halfWay = Float(AudioRate.standard) * 0.02
    /// From the top to nothing in 400 ms.
    private static let fallPerFrame = 100 / (Float(AudioRate.standard) * 0.4)
    /// Less is shown as nothing.
    private static let threshold: Float = 5

    /// Of the last block.
    package private(set) var level = SoundLevel.silence
    private var shown: Float = 0

    package init() {}

    /// 0…100; 0 is silence.
    package var loudness: UInt8 { shown < Self.threshold ? 0 : UInt8(shown.rounded()) }

    /// Takes in a block and says how loud it is.
    @discardableResult
    package mutating func measure(_ buffer: AudioBuffer) -> SoundLevel {
        heard(SoundLevel(of: buffer), frames: buffer.frameCount)
        return level
    }

    /// Takes in a stretch of that level.
    package mutating func heard(_ level: SoundLevel, frames: Int) {
        self.level = level
        let target = level.loudness
        if target > shown {
            shown += (target - shown) * (1 - exp2(-Float(frames) / Self.halfWay))
        } else {
            shown = max(target, shown - Float(frames) * Self.fallPerFrame)
        }
    }

    package mutating func reset() { self = LevelMeter() }
}
