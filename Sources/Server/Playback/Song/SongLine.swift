internal import AudioGraph
internal import RoomPorts
internal import Timing

/// What is sung, laid on the room's line: which part of which track is heard where. A change holds from the moment at
/// which it was told, also for what is mixed later.
struct SongLine {
    /// A track that cannot be read yet is waited for so long, while the former one goes on; 3 s.
    private static let patience = 144_000

    /// A stretch of the line.
    struct Stretch {
        /// Where it begins.
        var from: Int
        /// The place of the song's position 0; nil: no song.
        var origin: Double?
        /// The place from which on the song is heard.
        var start: Double
        var file: String
        var sound: (any SongSound)?

        /// The song's position at a place, to the frame.
        func position(at place: Int) -> Int { place - Int((origin ?? 0).rounded()) }
    }

    private(set) var present = Stretch(from: .min, origin: nil, start: 0, file: "", sound: nil)
    /// What was before, for packets that are late.
    private var former: Double?
    private var coming: [Stretch] = []
    /// Frames of the song that should have been there.
    private(set) var missing: UInt64 = 0
    private let former20ms = AudioBuffer(channels: 2, capacity: maximumBlockFrames)

    /// Whether anything is heard, or will be.
    var hasSong: Bool { present.sound != nil || coming.contains { $0.sound != nil } }

    /// Where a stated position of the song may lie: the present song first, then others that it may mean.
    func places(of position: Double) -> [Double] {
        var origins: [Double] = []
        if let origin = present.origin { origins.append(origin) }
        for stretch in coming { if let origin = stretch.origin { origins.append(origin) } }
        if let former { origins.append(former) }
        return origins.map { $0 + position }
    }

    /// Takes over what is sung from `now` on, a place; `startAt` is the place of the start. False if nothing changes for
    /// positions that were stated before.
    mutating func set(
        _ song: StageSong?, startAt: Double?, now: Double, open: (_ file: String, _ position: Int) -> (any SongSound)?
    ) -> Bool {
        let last = coming.last ?? present
        guard let song, let startAt else {
            // A pause says where the song stands; that is the place where it stops.
            var end = now
            if let song, let origin = last.origin {
                let stop = origin + RoomLine.frames(song.position)
                if abs(stop - now) < Double(AudioRate.standard) { end = stop }
            }
            guard last.origin != nil else { return false }
            coming.append(Stretch(from: Int(end.rounded()), origin: nil, start: end, file: "", sound: nil))
            return true
        }
        let origin = startAt - RoomLine.frames(song.position)
        let isSame = last.origin.map { abs($0 - origin) < 48 } ?? false
        if isSame, last.file == song.file { return false }
        let from = Int(now.rounded())
        // The same song goes on on another track: exactly where it is.
        let place = isSame ? last.origin ?? origin : origin
        let start = isSame ? last.start : startAt
        let first = max(Int((start - place).rounded()), from - Int(place.rounded()))
        coming.append(
            Stretch(
                from: from, origin: place, start: start, file: song.file,
                sound: open(song.file, max(0, first))))
        return !isSame
    }

    /// Adds the song to the block that begins at `place`; `block` is for the work in between.
    mutating func mix(into target: AudioBuffer, at place: Int, gain: Float, using block: AudioBuffer) {
        block.frameCount = target.frameCount
        guard let next = coming.first, next.from < place + target.frameCount, isReady(next, at: place) else {
            guard present.sound != nil else { return }
            read(present, block, at: place)
            target.add(block, gain: gain)
            return
        }
        coming.removeFirst()
        former20ms.frameCount = target.frameCount
        read(present, former20ms, at: place)
        read(next, block, at: place)
        present.sound?.close()
        if let origin = present.origin { former = origin }
        present = next
        crossFade(from: former20ms, to: block)
        target.add(block, gain: gain)
    }

    mutating func close() {
        present.sound?.close()
        for stretch in coming { stretch.sound?.close() }
        coming = []
        present = Stretch(from: .min, origin: nil, start: 0, file: "", sound: nil)
    }

    private func isReady(_ next: Stretch, at place: Int) -> Bool {
        guard let sound = next.sound, next.origin == present.origin, present.sound != nil else { return true }
        return sound.isReady(at: next.position(at: place)) || place - next.from > Self.patience
    }

    private mutating func read(_ stretch: Stretch, _ block: AudioBuffer, at place: Int) {
        block.clear()
        let start = Int(stretch.start.rounded())
        guard let sound = stretch.sound, place + block.frameCount > start else { return }
        let silent = max(0, start - place)
        guard silent > 0 else {
            missing &+= UInt64(sound.read(block, at: stretch.position(at: place)))
            return
        }
        // The song begins within the block.
        let rest = AudioBuffer(channels: 2, capacity: block.frameCount - silent)
        missing &+= UInt64(sound.read(rest, at: stretch.position(at: start)))
        for channel in 0..<2 {
            for frame in 0..<rest.frameCount { block[channel][silent + frame] = rest[channel][frame] }
        }
    }
}
