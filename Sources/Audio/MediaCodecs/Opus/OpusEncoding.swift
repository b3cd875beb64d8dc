package import AudioGraph
internal import COpus

/// Turns sound into Opus packets (RFC 6716, RFC 7587). Takes its memory once; used by one thread at a time.
package final class OpusEncoding {
    /// As many bytes as a packet can need at 512 kbit/s and 20 ms, and what libopus advises for any packet.
    package static let maximumPacketBytes = 4_000
    /// Bits per second that libopus takes.
    package static let bitrates = 500...512_000
    /// Frames of sound per packet: 2.5, 5, 10, 20, 40 and 60 ms (RFC 6716 §2.1.4).
    package static let frameSizes: Set<Int> = [120, 240, 480, 960, 1_920, 2_880]

    package let use: OpusUse
    package let channels: Int
    package let frameSize: Int
    /// By how many frames what is decoded lags behind what was encoded.
    package let lookahead: Int

    private let encoder: OpaquePointer
    /// libopus wants the channels interleaved.
    private let interleaved: UnsafeMutableBufferPointer<Float>

    /// `frameSize` is one of `frameSizes`; `channels` 1 or 2; `bitrate` is brought into `bitrates`. DTX and FEC are off.
    package init(use: OpusUse, channels: Int? = nil, bitrate: Int? = nil, frameSize: Int? = nil) throws(CodecError) {
        let channels = channels ?? use.channels
        let frameSize = frameSize ?? use.frameSize
        guard (1...2).contains(channels), Self.frameSizes.contains(frameSize) else {
            throw CodecError(.invalidArgument, "Opus has no packets of \(frameSize) frames in \(channels) channels")
        }
        var status: Int32 = 0
        guard
            let encoder = opus_encoder_create(Int32(AudioRate.standard), Int32(channels), use.application, &status)
        else { throw .opus(status, "no Opus encoder") }

        self.use = use
        self.channels = channels
        self.frameSize = frameSize
        self.bitrate = (bitrate ?? use.bitrate).clamped(to: Self.bitrates)
        self.encoder = encoder
        interleaved = .allocate(capacity: channels * frameSize)
        interleaved.initialize(repeating: 0)
        if use == .speech {
            _ = shim_opus_set_wideband(encoder)
            _ = shim_opus_set_voice(encoder)
        }
        var frames: Int32 = 0
        _ = shim_opus_lookahead(encoder, &frames)
        lookahead = Int(frames)
        _ = shim_opus_set_bitrate(encoder, Int32(self.bitrate))
    }

    deinit {
        opus_encoder_destroy(encoder)
        interleaved.deallocate()
    }

    /// Bits per second, from the next packet on; brought into `bitrates`.
    package var bitrate: Int {
        didSet {
            bitrate = bitrate.clamped(to: Self.bitrates)
            _ = shim_opus_set_bitrate(encoder, Int32(bitrate))
        }
    }

    /// How hard the encoder tries, 0…10; 9 by default, 0 takes about a third of the time.
    package var complexity = 9 {
        didSet {
            complexity = complexity.clamped(to: 0...10)
            _ = shim_opus_set_complexity(encoder, Int32(complexity))
        }
    }

    /// The share of packets that the network loses, 0…100: how much is spent on making losses bearable.
    package var lossPercent = 0 {
        didSet {
            lossPercent = lossPercent.clamped(to: 0...100)
            _ = shim_opus_set_loss(encoder, Int32(lossPercent))
        }
    }

    /// Whether a packet carries a coarse copy of the one before (RFC 6716 §2.1.7). Takes effect with `lossPercent` above 0 and
    /// frames of 10 ms or more.
    package var usesFEC = false {
        didSet { _ = shim_opus_set_fec(encoder, usesFEC ? 1 : 0) }
    }

    /// Whether silence is sent as packets of at most 2 bytes, which the sender may leave out.
    package var usesDTX = false {
        didSet { _ = shim_opus_set_dtx(encoder, usesDTX ? 1 : 0) }
    }

    /// Encodes a block of exactly `frameSize` frames and returns the packet's length in bytes; at most 2 is silence under
    /// DTX. A block with other channels is mixed. Does not allocate.
    package func encode(
        _ pcm: AudioBuffer, into packet: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> Int {
        guard pcm.frameCount == frameSize else {
            throw CodecError(.invalidArgument, "an Opus packet here is \(frameSize) frames, not \(pcm.frameCount)")
        }
        interleave(pcm)
        let room = Int32(clamping: packet.count)
        guard let bytes = packet.bindMemory(to: UInt8.self).baseAddress, let samples = interleaved.baseAddress else {
            throw CodecError(.invalidArgument, "no room for an Opus packet")
        }
        let written = opus_encode_float(encoder, samples, Int32(frameSize), bytes, room)
        guard written > 0 else { throw .opus(written, "Opus does not encode") }
        return Int(written)
    }

    /// Forgets the sound so far; settings stay.
    package func reset() { _ = shim_opus_reset_encoder(encoder) }

    private func interleave(_ pcm: AudioBuffer) {
        let first = pcm[0]
        switch (channels, pcm.channels) {
        case (1, 1):
            _ = interleaved.update(fromContentsOf: first)
        case (1, _):
            let second = pcm[1]
            for frame in 0..<frameSize { interleaved[frame] = (first[frame] + second[frame]) / 2 }
        default:
            let second = pcm[pcm.channels > 1 ? 1 : 0]
            for frame in 0..<frameSize {
                interleaved[2 * frame] = first[frame]
                interleaved[2 * frame + 1] = second[frame]
            }
        }
    }
}

extension CodecError {
    static func opus(_ status: Int32, _ what: String) -> CodecError {
        let kind: Kind = status == OPUS_INVALID_PACKET ? .malformed : .invalidArgument
        return CodecError(kind, "\(what): \(String(cString: opus_strerror(status)))")
    }
}

extension Int {
    func clamped(to range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
