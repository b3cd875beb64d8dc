package import AudioGraph
internal import COpus

/// Turns Opus packets into sound, and invents what was lost. Takes its memory once; used by one thread at a time.
package final class OpusDecoding {
    /// The longest that one packet can be: 120 ms (RFC 6716 §3.2.5, R5).
    package static let maximumFrames = 5_760
    /// Lengths are multiples of 2.5 ms.
    package static let frameQuantum = 120

    package let channels: Int
    private let decoder: OpaquePointer
    private let interleaved: UnsafeMutableBufferPointer<Float>

    /// `channels`: 1 or 2, whatever the packets hold; Opus mixes.
    package init(channels: Int) throws(CodecError) {
        var status: Int32 = 0
        guard (1...2).contains(channels),
            let decoder = opus_decoder_create(Int32(AudioRate.standard), Int32(channels), &status)
        else { throw .opus(status, "no Opus decoder for \(channels) channels") }
        self.channels = channels
        self.decoder = decoder
        interleaved = .allocate(capacity: channels * Self.maximumFrames)
        interleaved.initialize(repeating: 0)
    }

    deinit {
        opus_decoder_destroy(decoder)
        interleaved.deallocate()
    }

    /// Decodes one packet, or conceals a gap, and returns the number of frames, which is also the block's new `frameCount`.
    ///
    /// - `payload` and no `fec`: the whole packet, which must fit the block's capacity.
    /// - `nil` (or an empty payload): conceals as many frames as the block holds now; a multiple of `frameQuantum`.
    /// - `payload` and `fec`: the block's frames are the sound *before* this packet, from the coarse copy in it; where it has
    ///   none, as `nil`. The packet itself is decoded by a second call.
    ///
    /// Throws `malformed` for a broken packet: the block is unchanged and the next call conceals or goes on. Does not
    /// allocate.
    package func decode(
        _ payload: UnsafeRawBufferPointer?, fec: Bool = false, into block: AudioBuffer
    ) throws(CodecError) -> Int {
        let payload = payload.flatMap { $0.isEmpty ? nil : $0 }
        let isInvented = payload == nil || fec
        guard block.channels == channels else {
            throw CodecError(.invalidArgument, "a block of \(block.channels) channels for \(channels)")
        }
        if isInvented, block.frameCount == 0 || !block.frameCount.isMultiple(of: Self.frameQuantum) {
            throw CodecError(.invalidArgument, "Opus conceals multiples of 2.5 ms, not \(block.frameCount) frames")
        }
        guard let samples = interleaved.baseAddress else { return 0 }
        let room = Int32(min(isInvented ? block.frameCount : block.capacity, Self.maximumFrames))
        // Longer than any RTP packet is refused by libopus itself; only the conversion must not trap.
        let count = opus_decode_float(
            decoder, payload?.bindMemory(to: UInt8.self).baseAddress, Int32(clamping: payload?.count ?? 0), samples,
            room, fec && payload != nil ? 1 : 0)
        guard count >= 0 else { throw .opus(count, "not an Opus packet") }
        block.frameCount = Int(count)
        deinterleave(into: block)
        return Int(count)
    }

    /// Forgets the stream so far.
    package func reset() { _ = shim_opus_reset_decoder(decoder) }

    /// How many frames of sound a packet holds; `nil` if it is not a well-formed packet. Reads its structure only.
    package static func frameCount(of payload: UnsafeRawBufferPointer) -> Int? {
        layout(of: payload).map { Int($0.duration) }
    }

    /// Whether a packet holds a coarse copy of the sound before it (the LBRR flags, RFC 6716 §4.2.3 and §4.2.4).
    package static func hasRedundancy(_ payload: UnsafeRawBufferPointer) -> Bool {
        guard let layout = layout(of: payload), let first = layout.first, layout.first_length > 1 else { return false }
        let configuration = layout.toc >> 3
        // Configurations from 16 on have no speech layer.
        guard configuration < 16 else { return false }
        // One voice activity flag per 20 ms, then the flag sought; the second channel's follow in the same way.
        let flags: UInt8
        switch configuration {
        case 0..<12: flags = max(1, configuration & 3)
        default: flags = 1
        }
        let isStereo = layout.toc & 4 != 0
        let byte = first.pointee
        let middle = byte >> (7 - flags) & 1
        let side = isStereo ? byte >> (6 - 2 * flags) & 1 : 0
        return middle | side == 1
    }

    private static func layout(of payload: UnsafeRawBufferPointer) -> shim_opus_layout? {
        guard let bytes = payload.bindMemory(to: UInt8.self).baseAddress, !payload.isEmpty else { return nil }
        var layout = shim_opus_layout()
        return shim_opus_inspect(bytes, Int32(clamping: payload.count), &layout) == 1 ? layout : nil
    }

    private func deinterleave(into block: AudioBuffer) {
        let frames = block.frameCount
        let first = block[0]
        guard channels == 2 else {
            for frame in 0..<frames { first[frame] = interleaved[frame] }
            return
        }
        let second = block[1]
        for frame in 0..<frames {
            first[frame] = interleaved[2 * frame]
            second[frame] = interleaved[2 * frame + 1]
        }
    }
}
