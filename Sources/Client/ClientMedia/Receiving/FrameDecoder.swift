package import AudioGraph
package import MediaCodecs

/// What a jitter buffer needs of a codec. Opus in practice; tests use one whose sound they can compute.
package protocol FrameDecoder: AnyObject {
    var channels: Int { get }
    /// Decodes one packet into `block` and sets its `frameCount`. `payload` nil: conceals as many frames as the block holds.
    /// `fec`: the block's frames are the sound before this packet. Throws for a broken packet.
    func decode(
        _ payload: UnsafeRawBufferPointer?, fec: Bool, into block: AudioBuffer
    ) throws(CodecError) -> Int
    /// Whether a packet holds a coarse copy of the sound before it.
    func hasCopy(_ payload: UnsafeRawBufferPointer) -> Bool
    /// Forgets the stream so far.
    func reset()
}

extension OpusDecoding: FrameDecoder {
    package func hasCopy(_ payload: UnsafeRawBufferPointer) -> Bool { Self.hasRedundancy(payload) }
}
