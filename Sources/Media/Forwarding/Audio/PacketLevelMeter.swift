internal import RTP
internal import Timing

/// How loud a participant is, as the level that people see. It rises quickly and falls slowly.
struct PacketLevelMeter {
    /// What is quieter than this many dB below full scale counts as silence: the noise of a room.
    static let floor = 60
    /// Shown as 100. Speech close to a microphone is seldom louder.
    static let ceiling = 10
    /// How fast the level falls: from 100 to 0 in 400 ms.
    static let fallPerMillisecond: Float = 100.0 / 400
    /// Packets come every 20 to 60 ms; only after this does a missing one let the level fall.
    static let hold = Interval.milliseconds(60)
    /// Levels below this are shown as 0, so that noise at the edge of silence does not light the ring around a seat.
    static let threshold: Float = 5

    private var level: Float = 0
    private var updatedAt = Instant.distantPast

    /// 0…100 of an attenuation in −dBov (RFC 6464), linear in dB.
    static func loudness(_ attenuation: UInt8) -> Float {
        Float(max(0, min(100, (floor - Int(attenuation)) * 100 / (floor - ceiling))))
    }

    /// A packet was heard. One that does not say how loud it is counts as silence (it may lie by leaving it out, but
    /// then nobody sees it speak).
    mutating func heard(_ audioLevel: AudioLevel?, at now: Instant) {
        let target = audioLevel.map { Self.loudness($0.attenuation) } ?? 0
        let fallen = fallen(at: now, hold: .zero)
        // Each packet raises the level half of the way: a word lights the ring within three packets, a click does not.
        level = target > fallen ? fallen + (target - fallen) / 2 : max(target, fallen)
        updatedAt = now
    }

    mutating func reset() { level = 0 }

    /// 0…100; 0 is silence.
    func loudness(at now: Instant) -> UInt8 {
        let level = fallen(at: now, hold: Self.hold)
        return level < Self.threshold ? 0 : UInt8(min(100, level.rounded()))
    }

    private func fallen(at now: Instant, hold: Interval) -> Float {
        guard level > 0 else { return 0 }
        let age = max(Interval.zero, now - updatedAt - hold)
        return max(0, level - Float(min(age.milliseconds, 1000)) * Self.fallPerMillisecond)
    }
}
