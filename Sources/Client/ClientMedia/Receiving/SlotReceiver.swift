internal import AudioGraph
package import MediaCodecs
internal import Timing

/// What is heard of one seat: jitter buffer, decoder, volume, meter. Used by the output device's thread alone.
package final class SlotReceiver {
    package let buffer: JitterBuffer
    let gain = Gain()
    private(set) var meter = LevelMeter()

    package init(delay: PlayoutDelay) throws(CodecError) {
        buffer = JitterBuffer(
            decoder: try OpusDecoding(channels: 2), converter: SincRateConverter(channels: 2), delay: delay)
    }

    /// Fills `block` with the seat's sound as it is to be heard. False if there is none: then the block is not touched.
    func render(into block: AudioBuffer, at now: Instant, isExpected: Bool) -> Bool {
        guard buffer.isActive || isExpected else {
            meter.heard(.silence, frames: block.frameCount)
            return false
        }
        buffer.pull(into: block, at: now)
        // Who is muted here still moves its meter: the level is the speaker's, not the listener's.
        meter.measure(block)
        gain.process(block)
        return true
    }
}
