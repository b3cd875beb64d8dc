package import AudioGraph
package import Timing

/// Where sound comes from: a microphone, or what stands in for one.
package protocol AudioInputDevice: AnyObject, Sendable {
    /// Calls `deliver` on the device's own thread every `framesPerBlock` frames, with the instant at which the first sample was
    /// captured. The block belongs to the device again when `deliver` returns, which may have changed it and must not wait.
    ///
    /// `channels` 1 or 2, `framesPerBlock` within `DeviceBlock.frames`. Returns when the device runs. Throws
    /// `alreadyStarted` before `stop()`.
    func start(
        channels: Int, framesPerBlock: Int, deliver: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError)

    /// Returns when `deliver` will not be called again, at the latest after a block; called by `deliver` itself, it returns at
    /// once. May be started anew. Without effect if it does not run.
    func stop()

    /// Whether the instants of its blocks are computed. Then a block that begins later than the one before it ended says that something
    /// in between was not captured. A real device's instants are estimates, which waver.
    var hasExactTimes: Bool { get }
}

extension AudioInputDevice {
    package var hasExactTimes: Bool { false }
}

/// Where sound goes: loudspeakers, or what stands in for them.
package protocol AudioOutputDevice: AnyObject, Sendable {
    /// Calls `render` on the device's own thread to fill each block, which comes as silence; the instant is when its first
    /// sample is heard. `render` must not wait.
    ///
    /// The limits and errors are those of an input.
    func start(
        channels: Int, framesPerBlock: Int, render: @escaping @Sendable (AudioBuffer, Instant) -> Void
    ) throws(DeviceError)

    /// As with an input.
    func stop()
}

/// The blocks in which devices work.
package enum DeviceBlock {
    package static let channels = 1...2
    /// From 1 ms, less is more calling than sound, to 60 ms, the longest packet of Opus.
    package static let frames = 48...2_880

    static func check(channels: Int, framesPerBlock: Int) throws(DeviceError) {
        guard Self.channels.contains(channels), Self.frames.contains(framesPerBlock) else {
            throw DeviceError(
                .unsupported, "sound devices work in blocks of \(frames) frames and \(Self.channels) channels")
        }
    }
}
