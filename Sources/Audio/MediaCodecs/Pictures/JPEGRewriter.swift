internal import CLibAV

/// Reads a stranger's picture and writes it anew, as a JPEG: what comes out is the picture and nothing else that stood in the file.
///
/// For a process that can do nothing else. `AudioFileReader.prepare` loads what it takes.
package struct JPEGRewriter {
    /// Of a decoded picture, three bytes a pixel.
    package static let sideLimit = 4_096
    /// The encoder's steps, from the best that is worth its bytes to the coarsest.
    private static let steps = 2...31

    private let av: LibAV
    private var planes: Planes

    /// Decodes a JPEG, pixel by pixel.
    /// - Parameter side: what neither of its sides may exceed.
    package init(_ jpeg: [UInt8], side: Int) throws(CodecError) {
        av = try LibAV.loaded()
        let side = min(side, Self.sideLimit)
        let picture = try DecodedPicture(jpeg, as: .jpeg, width: side, height: side, av)
        guard let pixels = picture.pixels else { throw Self.notTaken }
        planes = withExtendedLifetime(picture) { Planes(pixels) }
    }

    /// Decodes a picture of any of the formats of `PictureHead`, and brings a part of it upright and to a size.
    /// - Parameters:
    ///   - side: what neither side of the result exceeds. It is made smaller for that, and never larger.
    ///   - leastSide: a part that is smaller is no picture of anything.
    ///   - mostPixels: of the picture as it was sent.
    package init(
        _ picture: [UInt8], _ part: PicturePart, side: Int, leastSide: Int, mostPixels: Int
    ) throws(CodecError) {
        av = try LibAV.loaded()
        guard let head = PictureHead(picture), !head.isAnimated else { throw Self.notTaken }
        guard head.width <= mostPixels / head.height else {
            throw CodecError(.tooLarge, "the picture has \(head.width) by \(head.height) pixels")
        }
        let picture = try DecodedPicture(picture, as: head.format, width: head.width, height: head.height, av)
        guard let pixels = picture.pixels else { throw Self.notTaken }
        let (width, height) = (pixels.width, pixels.height)
        let swaps = head.turn.swapsSides
        let area = part.area(ofWidth: swaps ? height : width, height: swaps ? width : height)
        guard min(area.width, area.height) >= Double(leastSide) else {
            throw CodecError(.malformed, "the picture is too small")
        }
        let scale = min(1, Double(side) / max(area.width, area.height))
        let (columns, rows) = (Self.pixels(area.width * scale), Self.pixels(area.height * scale))
        planes = withExtendedLifetime(picture) {
            Planes(
                pixels, area.stored(head.turn, width: width, height: height), width: swaps ? rows : columns,
                height: swaps ? columns : rows)
        }.turned(head.turn)
    }

    private static func pixels(_ length: Double) -> Int { max(1, Int(length.rounded())) }

    private static let notTaken = CodecError(.malformed, "a picture of this kind, size or colours is not taken")

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

    /// The same picture with no side longer than that.
    package func scaled(within side: Int) -> JPEGRewriter {
        let scale = Double(side) / Double(max(width, height))
        guard scale < 1 else { return self }
        var result = self
        result.planes = planes.scaled(
            width: Self.pixels(Double(width) * scale), height: Self.pixels(Double(height) * scale))
        return result
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
