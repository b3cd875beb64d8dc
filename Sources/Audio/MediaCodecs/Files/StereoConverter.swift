internal import AudioGraph
internal import CLibAV

/// Brings decoded frames of any format to 48 kHz, two planes of floats, and keeps what was not fetched yet.
final class StereoConverter {
    /// Hertz. A file may claim anything, and memory is taken in proportion.
    private static let rates: ClosedRange<Int32> = 2_000...768_000

    private let av: LibAV
    private var context: OpaquePointer?
    private var rate: Int32 = 0
    private var format: Int32 = -1
    private var layout = AVChannelLayout()
    private var isMono = false

    private var left: [Float] = []
    private var right: [Float] = []
    /// What of `left` and `right` holds sound that was not fetched.
    private var held = 0..<0

    init(av: LibAV) { self.av = av }

    deinit { release() }

    private func release() {
        av.functions.swr_free(&context)
        av.functions.av_channel_layout_uninit(&layout)
    }

    /// Frames that wait to be fetched.
    var count: Int { held.count }

    /// Forgets what it holds and what it heard.
    func reset() {
        release()
        rate = 0
        held = 0..<0
    }

    func discard(_ frames: Int) { held = held.lowerBound + min(frames, held.count)..<held.upperBound }

    /// Copies up to the block's capacity behind its first `offset` frames; returns how many came.
    func fetch(into block: AudioBuffer, at offset: Int) -> Int {
        let frames = min(held.count, block.frameCount - offset)
        let source = held.lowerBound
        if block.channels == 1 {
            let plane = block[0]
            for frame in 0..<frames { plane[offset + frame] = (left[source + frame] + right[source + frame]) / 2 }
        } else {
            let (first, second) = (block[0], block[1])
            for frame in 0..<frames {
                first[offset + frame] = left[source + frame]
                second[offset + frame] = right[source + frame]
            }
        }
        discard(frames)
        return frames
    }

    /// Takes one decoded frame.
    func take(_ frame: UnsafePointer<AVFrame>) throws(CodecError) {
        if !matches(frame) {
            try finish()
            try prepare(for: frame)
        }
        try convert(frame.pointee.extended_data, frames: frame.pointee.nb_samples)
    }

    /// No more will come: what the resampler holds back comes out.
    func finish() throws(CodecError) {
        guard context != nil else { return }
        try convert(nil, frames: 0)
        release()
        rate = 0
    }

    private func matches(_ frame: UnsafePointer<AVFrame>) -> Bool {
        guard context != nil, rate == frame.pointee.sample_rate, format == frame.pointee.format else { return false }
        var other = frame.pointee.ch_layout
        return av.functions.av_channel_layout_compare(&layout, &other) == 0
    }

    private func prepare(for frame: UnsafePointer<AVFrame>) throws(CodecError) {
        guard Self.rates.contains(frame.pointee.sample_rate) else {
            throw CodecError(.malformed, "sound of \(frame.pointee.sample_rate) Hz")
        }
        var source = frame.pointee.ch_layout
        guard av.functions.av_channel_layout_copy(&layout, &source) >= 0 else {
            throw CodecError(.malformed, "unknown arrangement of channels")
        }
        rate = frame.pointee.sample_rate
        format = frame.pointee.format
        // libswresample would halve the power of a single channel.
        isMono = layout.nb_channels == 1
        var target = AVChannelLayout()
        av.functions.av_channel_layout_default(&target, isMono ? 1 : 2)
        defer { av.functions.av_channel_layout_uninit(&target) }
        var status = av.functions.swr_alloc_set_opts2(
            &context, &target, AV_SAMPLE_FMT_FLTP, Int32(AudioRate.standard), &layout, AVSampleFormat(format), rate, 0,
            nil)
        if status >= 0, let context { status = av.functions.swr_init(context) }
        guard status >= 0 else {
            release()
            throw CodecError(.malformed, "no conversion from \(rate) Hz to 48 kHz: \(av.message(status))")
        }
    }

    /// Appends what the resampler gives for the input; no input means the end.
    private func convert(
        _ input: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, frames: Int32
    ) throws(CodecError) {
        guard let context else { return }
        let room = av.functions.swr_get_out_samples(context, frames)
        guard room > 0 else { return }
        makeRoom(Int(room))
        let start = held.upperBound
        let given = left.withUnsafeMutableBytes { left in
            right.withUnsafeMutableBytes { right in
                let offset = start * MemoryLayout<Float>.stride
                var planes: [2 of UnsafeMutablePointer<UInt8>?] = [nil, nil]
                planes[0] = left.bindMemory(to: UInt8.self).baseAddress.map { $0 + offset }
                planes[1] = right.bindMemory(to: UInt8.self).baseAddress.map { $0 + offset }
                return withUnsafeMutablePointer(to: &planes) { planes in
                    planes.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 2) { planes in
                        guard let input else { return av.functions.swr_convert(context, planes, room, nil, 0) }
                        return UnsafeMutableRawPointer(input).withMemoryRebound(
                            to: UnsafePointer<UInt8>?.self, capacity: 1
                        ) { av.functions.swr_convert(context, planes, room, $0, frames) }
                    }
                }
            }
        }
        guard given >= 0 else { throw CodecError(.malformed, "no conversion to 48 kHz: \(av.message(given))") }
        if isMono { for frame in start..<start + Int(given) { right[frame] = left[frame] } }
        held = held.lowerBound..<start + Int(given)
    }

    /// Moves what is held to the front and grows where that is not enough, which ends once the longest frame was seen.
    private func makeRoom(_ frames: Int) {
        if held.lowerBound > 0 {
            let count = held.count
            for frame in 0..<count {
                left[frame] = left[held.lowerBound + frame]
                right[frame] = right[held.lowerBound + frame]
            }
            held = 0..<count
        }
        let missing = held.upperBound + frames - left.count
        if missing > 0 {
            left.append(contentsOf: repeatElement(0, count: missing))
            right.append(contentsOf: repeatElement(0, count: missing))
        }
    }
}
