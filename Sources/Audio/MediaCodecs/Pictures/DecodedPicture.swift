internal import CLibAV

/// A picture as its decoder left it. The memory is FFmpeg's, and goes with this.
final class DecodedPicture {
    /// As much as processors take at once.
    private static let rounding = 64

    private let av: LibAV
    private var codec: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?

    /// - Parameters:
    ///   - width: the most pixels of a row. More are refused before memory is taken for them, whatever the file states elsewhere.
    ///   - height: the most rows.
    init(
        _ bytes: [UInt8], as format: PictureHead.Format, width: Int, height: Int, _ av: LibAV
    ) throws(CodecError) {
        self.av = av
        let decoder = av.functions.avcodec_find_decoder(format.codec)
        codec = av.functions.avcodec_alloc_context3(decoder)
        frame = av.functions.av_frame_alloc()
        var packet = av.functions.av_packet_alloc()
        defer { av.functions.av_packet_free(&packet) }
        guard let decoder, let codec, let packet, let frame, let size = Int32(exactly: bytes.count),
            av.functions.av_new_packet(packet, size) >= 0
        else { throw CodecError(.malformed, "no decoder for pictures") }
        packet.pointee.data.update(from: bytes, count: bytes.count)
        codec.pointee.thread_count = 1
        // The decoder counts what it would take memory for, which is rounded up.
        codec.pointee.max_pixels = Int64((width + Self.rounding) * (height + Self.rounding))
        var status = av.functions.avcodec_open2(codec, decoder, nil)
        if status >= 0 { status = av.functions.avcodec_send_packet(codec, packet) }
        if status >= 0 { status = av.functions.avcodec_receive_frame(codec, frame) }
        guard status >= 0 else { throw CodecError(.malformed, "the picture is broken: \(av.message(status))") }
        guard frame.pointee.width <= width, frame.pointee.height <= height else {
            throw CodecError(.malformed, "the picture is larger than it says")
        }
        pixels = FramePixels(frame, isNarrow: format == .webp && frame.pointee.color_range != AVCOL_RANGE_JPEG)
    }

    /// Valid as long as this is there. `nil` for what no picture of people has: more than eight bits of brightness and colour in a JPEG,
    /// say.
    private(set) var pixels: FramePixels?

    deinit {
        av.functions.av_frame_free(&frame)
        av.functions.avcodec_free_context(&codec)
    }
}

extension PictureHead.Format {
    fileprivate var codec: AVCodecID {
        switch self {
        case .jpeg: AV_CODEC_ID_MJPEG
        case .png: AV_CODEC_ID_PNG
        case .webp: AV_CODEC_ID_WEBP
        }
    }
}
