/// Something that changes sound in place, block by block: a gain, a reverb, a pitch shifter.
///
/// Runs on the thread of a device: `process` neither allocates nor locks nor waits. Blocks may be of any length up to
/// `maximumBlockFrames` and change length from one to the next. Used by one thread at a time.
package protocol AudioProcessor: AnyObject {
    /// By how much the sound comes out later than it went in, in frames.
    var latencyFrames: Int { get }
    func process(_ buffer: AudioBuffer)
    /// Forgets the sound so far; settings stay.
    func reset()
}

extension AudioProcessor {
    package var latencyFrames: Int { 0 }
}

/// The longest block that a processor is given: 20 ms.
package let maximumBlockFrames = 960
