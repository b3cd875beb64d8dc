/// Plays a sound faster or slower at the same pitch (WSOLA: waveform-similarity overlap-add).
///
/// The output consists of pieces of `hop` frames of the input. Each begins near where the speed wants it to, at the place
/// that is most like what would have followed the piece before; the two are crossfaded. At speed 1 nothing is touched.
///
/// What goes in is pushed, what comes out is pulled. Pieces are at most 12.5 ms from where an even course would have
/// them; `position` says where in the input the sound really is.
package final class TimeStretch {
    package static let speedLimits = 0.5...2.0
    /// 40 ms: longer pieces double syllables, shorter ones roughen deep notes.
    private static let hop = 1_920
    /// 10 ms.
    private static let overlap = 480
    /// Either way from the even course. Both ways together hold a period of 40 Hz.
    private static let reach = 600

    package let channels: Int
    /// Input frames per output frame, within `speedLimits`. A change takes effect within 40 ms.
    package var speed: Double {
        didSet { speed = max(Self.speedLimits.lowerBound, min(Self.speedLimits.upperBound, speed)) }
    }
    /// Input frames that are needed beyond `position`, at most.
    package var latencyFrames: Int { 2 * Self.reach + 2 * Self.hop + Self.overlap }

    private let sound: SpliceSearch
    private let fade = Crossfade(frames: TimeStretch.overlap)
    /// Where the piece at hand would have begun on an even course; nil before the first one.
    private var course: Double?
    /// Input position of the next output frame.
    private var cursor = 0
    /// Frames that are left of the piece at hand.
    private var remaining = 0
    /// Frames of the crossfade that are done, and where the end of the last piece is read.
    private var faded = TimeStretch.overlap
    private var ending = 0

    /// `pending`: input frames that can wait beyond those that are needed ahead.
    package init(channels: Int, speed: Double = 1, pending: Int = 8 * maximumBlockFrames) {
        self.channels = channels
        self.speed = max(Self.speedLimits.lowerBound, min(Self.speedLimits.upperBound, speed))
        let ahead = 2 * Self.reach + Self.overlap + 4 * Self.hop
        sound = SpliceSearch(channels: channels, capacity: ahead + Self.hop + Self.reach + pending)
    }

    /// Takes over input from the given frame on and says how many frames had room. Mono goes to all channels; channels
    /// beyond those here are left out.
    package func push(_ input: AudioBuffer, from first: Int = 0) -> Int {
        let frames = min(input.frameCount - first, sound.history.room)
        sound.append(input, from: first, frames: frames)
        return frames
    }

    /// Fills the block from its beginning, as far as the input reaches; the rest of it is silence. Returns how many
    /// frames are sound.
    package func pull(_ output: AudioBuffer) -> Int {
        var done = 0
        while done < output.frameCount {
            if remaining == 0 {
                guard sound.history.end >= inputEnd(forSplices: 1) else { break }
                splice()
            }
            let frames = min(output.frameCount - done, remaining)
            write(output, from: done, frames: frames)
            cursor += frames
            remaining -= frames
            done += frames
        }
        discard()
        for channel in 0..<output.channels where done < output.frameCount {
            (output[channel].baseAddress.unsafelyUnwrapped + done)
                .update(repeating: 0, count: output.frameCount - done)
        }
        return done
    }

    /// Input frames that are still to be pushed before this many can be pulled.
    package func inputNeeded(for frames: Int) -> Int {
        guard frames > remaining else { return 0 }
        let splices = (frames - remaining + Self.hop - 1) / Self.hop
        return max(0, inputEnd(forSplices: splices) - sound.history.end)
    }

    /// The input position, in frames since the beginning, of the next output frame.
    package var position: Int { cursor }

    /// Forgets the sound and begins anew; the input that comes next has this position, as after a seek.
    package func reset() {
        sound.reset()
        course = nil
        (cursor, remaining, faded, ending) = (0, 0, Self.overlap, 0)
    }

    /// How far the input must reach for so many more pieces: wherever the last one begins, it and its continuation.
    private func inputEnd(forSplices count: Int) -> Int {
        let advance = Double(Self.hop) * speed
        let next = course.map { $0 + advance } ?? 0
        let last = next + Double(count - 1) * advance
        // What follows the piece before may lie later than the course.
        let natural = course == nil && count == 1 ? 0 : last - advance + Double(Self.hop)
        return Int(max(last, natural).rounded(.up)) + Self.reach + Self.hop + Self.overlap
    }

    /// Keeps what is still to be written and what the next piece may begin with, at the slowest speed.
    private func discard() {
        guard let course else { return }
        let next = Int(course) + Int(Double(Self.hop) * Self.speedLimits.lowerBound) - Self.reach
        sound.discard(before: min(next, cursor, faded < Self.overlap ? ending : cursor) - 4)
    }

    private func splice() {
        defer { remaining = Self.hop }
        guard let begun = course else {
            course = Double(cursor)
            return
        }
        guard speed != 1 else {
            // On from here: whatever distance there is to the even course stays.
            course = Double(cursor)
            return
        }
        let wanted = begun + Double(Self.hop) * speed
        course = wanted
        let centre = Int(wanted.rounded())
        let range = max(sound.history.start, centre - Self.reach)...(centre + Self.reach)
        let match = sound.best(like: cursor, length: Self.overlap, in: range, fallback: centre)
        guard match.position != cursor else { return }
        fade.prepare(correlation: match.correlation)
        ending = cursor
        faded = 0
        cursor = match.position
    }

    private func write(_ output: AudioBuffer, from start: Int, frames: Int) {
        let fading = min(frames, Self.overlap - faded)
        for channel in 0..<output.channels {
            let source = sound.history.samples(min(channel, channels - 1), at: cursor, count: frames)
            let target = output[channel].baseAddress.unsafelyUnwrapped + start
            if fading > 0 {
                let old = sound.history.samples(min(channel, channels - 1), at: ending, count: fading)
                let (up, down) = (fade.rising + faded, fade.falling + faded)
                var frame = 0
                while frame < fading {
                    target[frame] = source[frame] * up[frame] + old[frame] * down[frame]
                    frame &+= 1
                }
            }
            (target + fading).update(from: source + fading, count: frames - fading)
        }
        faded += fading
        ending += fading
    }
}
