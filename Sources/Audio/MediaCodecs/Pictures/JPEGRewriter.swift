internal import CLibAV

/// Reads a stranger's JPEG and writes it anew: what comes out is the picture and nothing else that stood in the file.
///
/// For a process that can do nothing else. `AudioFileReader.prepare` loads what it takes.
package struct JPEGRewriter {
    /// Of a decoded picture, three bytes a pixel.
    package static let sideLimit = 4_096
    /// The encoder's steps, from the best that is worth its bytes to the coarsest.
    private static let steps = 2...31

    private let av: LibAV
    private var planes: Planes

    /// Decodes the picture.
    /// - Parameter side: what neither of its sides may exceed.
    package init(_ jpeg: [UInt8], side: Int) throws(CodecError) {
        av = try LibAV.loaded()
        planes = try Self.decode(jpeg, side: min(side, Self.sideLimit), av)
    }

    /// Brightness, then the two differences of colour: for comparisons.
    package var samples: [UInt8] { planes.samples }
    package var width: Int { planes.width }
    package var height: Int { planes.height }

    /// The picture as a baseline JPEG (JFIF) of no more than so many bytes: the best that fits.
    package func encoded(within bytes: Int) throws(CodecError) -> [UInt8] {
        var (best, low, high) = ([UInt8]?.none, Self.steps.lowerBound, Self.steps.upperBound)
        while low <= high {
            let middle = (low + high) / 2
            let jpeg = try encode(step: middle)
            if jpeg.count <= bytes {
                (best, high) = (jpeg, middle - 1)
            } else {
                low = middle + 1
            }
        }
        guard let best else { throw CodecError(.malformed, "the picture does not fit in \(bytes) bytes") }
        return best
    }

    /// All of it, as large as it fits, before itself, blurred and darkened: nothing of a tall picture is cut off in a wide place.
    package func framed(width: Int, height: Int) -> JPEGRewriter {
        var result = self
        result.planes = planes.framed(width: width, height: height)
        return result
    }

    // MARK: Decoding

    private static func decode(_ jpeg: [UInt8], side: Int, _ av: LibAV) throws(CodecError) -> Planes {
        let decoder = av.functions.avcodec_find_decoder(AV_CODEC_ID_MJPEG)
        var codec = av.functions.avcodec_alloc_context3(decoder)
        var packet = av.functions.av_packet_alloc()
        var frame = av.functions.av_frame_alloc()
        defer {
            av.functions.avcodec_free_context(&codec)
            av.functions.av_packet_free(&packet)
            av.functions.av_frame_free(&frame)
        }
        guard let decoder, let codec, let packet, let frame, let size = Int32(exactly: jpeg.count),
            av.functions.av_new_packet(packet, size) >= 0
        else { throw CodecError(.malformed, "no decoder for pictures") }
        packet.pointee.data.update(from: jpeg, count: jpeg.count)
        codec.pointee.thread_count = 1
        // What it states, before memory is taken for it.
        codec.pointee.max_pixels = Int64(side * side)
        var status = av.functions.avcodec_open2(codec, decoder, nil)
        if status >= 0 { status = av.functions.avcodec_send_packet(codec, packet) }
        if status >= 0 { status = av.functions.avcodec_receive_frame(codec, frame) }
        guard status >= 0 else { throw CodecError(.malformed, "the picture is broken: \(av.message(status))") }
        guard frame.pointee.width <= side, frame.pointee.height <= side, let planes = Planes(frame) else {
            throw CodecError(.malformed, "a picture of this size or these colours is not taken")
        }
        return planes
    }

    // MARK: Encoding

    private func encode(step: Int) throws(CodecError) -> [UInt8] {
        let encoder = av.functions.avcodec_find_encoder(AV_CODEC_ID_MJPEG)
        var codec = av.functions.avcodec_alloc_context3(encoder)
        var packet = av.functions.av_packet_alloc()
        var frame = av.functions.av_frame_alloc()
        defer {
            av.functions.avcodec_free_context(&codec)
            av.functions.av_packet_free(&packet)
            av.functions.av_frame_free(&frame)
        }
        guard let encoder, let codec, let packet, let frame else {
            throw CodecError(.malformed, "no encoder for pictures")
        }
        codec.pointee.thread_count = 1
        codec.pointee.width = Int32(planes.width)
        codec.pointee.height = Int32(planes.height)
        codec.pointee.pix_fmt = AV_PIX_FMT_YUVJ420P
        codec.pointee.color_range = AVCOL_RANGE_JPEG
        codec.pointee.time_base = AVRational(num: 1, den: 25)
        // No note of who wrote it; the quality is the frame's.
        codec.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_QSCALE
        codec.pointee.global_quality = clibav_quality(Int32(step))
        frame.pointee.width = Int32(planes.width)
        frame.pointee.height = Int32(planes.height)
        frame.pointee.format = AV_PIX_FMT_YUVJ420P.rawValue
        frame.pointee.color_range = AVCOL_RANGE_JPEG
        frame.pointee.quality = clibav_quality(Int32(step))
        frame.pointee.pts = 0
        var status = av.functions.avcodec_open2(codec, encoder, nil)
        if status >= 0 { status = av.functions.av_frame_get_buffer(frame, 0) }
        if status >= 0 {
            planes.write(to: frame)
            status = av.functions.avcodec_send_frame(codec, frame)
        }
        if status >= 0 { status = av.functions.avcodec_send_frame(codec, nil) }
        if status >= 0 { status = av.functions.avcodec_receive_packet(codec, packet) }
        guard status >= 0 else { throw CodecError(.malformed, "the picture cannot be written: \(av.message(status))") }
        return Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }
}
