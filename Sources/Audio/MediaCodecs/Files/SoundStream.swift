internal import CLibAV
internal import Glibc
internal import Timing

/// The best sound stream of a file, decoded to frames in whatever format it has. One thread at a time.
final class SoundStream {
    /// How many packets in a row may be undecodable before the file counts as broken: several seconds of any codec.
    private static let tolerableDamage = 500

    /// What strangers' files may be: by demuxer, the decoders of what Chromium and Firefox play too (Safari by Apple's documents, Ogg
    /// from 18.4 on), and no other of FFmpeg's hundreds. A song that the server could mix and a browser could not play would be heard
    /// by some.
    private static let strangersCodecs: [String: Set<String>] = [
        "mp3": ["mp3float", "mp3"],
        // The demuxer's whole name is "mov,mp4,m4a,3gp,3g2,mj2".
        "mov": ["aac", "opus", "libopus"],
        "ogg": ["vorbis", "libvorbis", "opus", "libopus", "flac"],
        "flac": ["flac"],
        "wav": ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_alaw", "pcm_mulaw"],
    ]
    private static let strangersFormats = strangersCodecs.keys.sorted().joined(separator: ",")
    private static let allStrangersCodecs = strangersCodecs.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()
        .joined(separator: ",")

    let av: LibAV
    private let location: String
    /// A file that somebody else has opened, of a stranger: it may name no other.
    private let descriptor: Int32?
    /// Outlives the format, which does not free what it did not open.
    private var source: UnsafeMutablePointer<AVIOContext>?
    private let timeout: Interval
    private let certificates: String?
    private let cancellation: ReadCancellation
    private var format: UnsafeMutablePointer<AVFormatContext>?
    private var codec: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var frame: UnsafeMutablePointer<AVFrame>?
    private var index: Int32 = -1
    private var hasSentEnd = false
    private var damaged = 0
    /// On the stream's clock: packets that end before are not decoded.
    private var start = Int64.min

    init(
        _ location: String, descriptor: Int32? = nil, av: LibAV, timeout: Interval, certificates: String? = nil,
        cancellation: ReadCancellation
    ) throws(CodecError) {
        self.av = av
        self.location = location
        self.descriptor = descriptor
        self.timeout = timeout
        self.certificates = certificates
        self.cancellation = cancellation
        do {
            try openContainer()
            try openDecoder()
        } catch {
            release()
            throw error
        }
    }

    deinit { release() }

    private func release() {
        // Each sets the pointer to nil.
        av.functions.avcodec_free_context(&codec)
        av.functions.avformat_close_input(&format)
        withUnsafePointer(to: av.functions) { clibav_close_descriptor($0, &source) }
        av.functions.av_packet_free(&packet)
        av.functions.av_frame_free(&frame)
    }

    // MARK: Opening

    /// Not every build of FFmpeg knows where the system keeps them; on Apple's systems all do.
    private static let systemCertificates: String? =
        ([
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        ] as [String]).first { access($0, R_OK) == 0 }

    /// A name without a scheme is a path, whatever characters it has.
    private var url: String { location.contains("://") ? location : "file:" + location }
    private var isLocal: Bool { descriptor != nil || url.hasPrefix("file:") }

    private func openContainer() throws(CodecError) {
        packet = av.functions.av_packet_alloc()
        frame = av.functions.av_frame_alloc()
        format = av.functions.avformat_alloc_context()
        guard packet != nil, frame != nil, let format, let token = cancellation.token else {
            throw CodecError(.cannotOpen, "no memory to open \(location)")
        }
        format.pointee.interrupt_callback = clibav_guard_callback(token)
        var options: OpaquePointer?
        defer { av.functions.av_dict_free(&options) }
        // A playlist from the network cannot make us read local files, nor the other way round, and what does not carry
        // files (UDP, pipes, devices) is out of place here.
        if let descriptor {
            guard withUnsafePointer(to: av.functions, { clibav_read_descriptor($0, format, descriptor) }) else {
                throw CodecError(.cannotOpen, "no memory to open \(location)")
            }
            source = format.pointee.pb
            _ = av.functions.av_dict_set(&options, "format_whitelist", Self.strangersFormats, 0)
            _ = av.functions.av_dict_set(&options, "codec_whitelist", Self.allStrangersCodecs, 0)
            // What a file claims to need before its first sound.
            _ = av.functions.av_dict_set(&options, "max_streams", "16", 0)
        }
        let allowed = isLocal ? "file,crypto,data" : "http,https,tcp,tls,httpproxy,rtmp,rtmps,crypto,data"
        _ = av.functions.av_dict_set(&options, "protocol_whitelist", allowed, 0)
        // FFmpeg believes every certificate unless it is told not to.
        _ = av.functions.av_dict_set(&options, "tls_verify", "1", 0)
        if descriptor == nil, let file = certificates ?? Self.systemCertificates {
            _ = av.functions.av_dict_set(&options, "ca_file", file, 0)
        }
        cancellation.arm(timeout)
        // On failure it frees the context and sets the pointer to nil.
        let status = av.functions.avformat_open_input(&self.format, descriptor == nil ? url : "", nil, &options)
        guard status >= 0 else { throw failure(status, .cannotOpen, "cannot open \(location)") }
    }

    private func openDecoder() throws(CodecError) {
        guard let format else { return }
        cancellation.arm(timeout)
        let probed = av.functions.avformat_find_stream_info(format, nil)
        guard probed >= 0 else { throw failure(probed, .malformed, "cannot recognize the format of \(location)") }
        var decoder: UnsafePointer<AVCodec>?
        index = av.functions.av_find_best_stream(format, AVMEDIA_TYPE_AUDIO, -1, -1, &decoder, 0)
        guard index >= 0, let stream else { throw CodecError(.malformed, "there is no sound in \(location)") }
        codec = av.functions.avcodec_alloc_context3(decoder)
        guard let decoder, let codec else { throw CodecError(.malformed, "no decoder for \(location)") }
        if descriptor != nil {
            let codecs = demuxer.flatMap { Self.strangersCodecs[$0] }
            guard codecs?.contains(String(cString: decoder.pointee.name)) == true else {
                throw CodecError(.malformed, "no decoder for \(location)")
            }
            // No threads: where it is read, none can be made.
            codec.pointee.thread_count = 1
        }
        _ = av.functions.avcodec_parameters_to_context(codec, stream.pointee.codecpar)
        codec.pointee.pkt_timebase = stream.pointee.time_base
        let opened = av.functions.avcodec_open2(codec, decoder, nil)
        guard opened >= 0 else { throw failure(opened, .malformed, "no decoder for \(location)") }
        for other in 0..<Int(format.pointee.nb_streams) where other != Int(index) {
            format.pointee.streams[other]?.pointee.discard = AVDISCARD_ALL
        }
    }

    /// The first of the demuxer's names.
    private var demuxer: String? {
        guard let names = format?.pointee.iformat?.pointee.name else { return nil }
        return String(cString: names).split(separator: ",").first.map(String.init)
    }

    private var stream: UnsafeMutablePointer<AVStream>? {
        guard let format, index >= 0, index < Int32(clamping: format.pointee.nb_streams) else { return nil }
        return format.pointee.streams[Int(index)]
    }

    // MARK: Times

    /// Seconds per unit of the stream's clock.
    private var unit: Double {
        guard let base = stream?.pointee.time_base, base.den != 0 else { return 1 }
        return Double(base.num) / Double(base.den)
    }

    /// What the container claims. A file without a claim is measured by its first frames, and many claims are wrong.
    var duration: Double? {
        guard let format, let stream else { return nil }
        if stream.pointee.duration > 0 { return Double(stream.pointee.duration) * unit }
        return format.pointee.duration > 0 ? Double(format.pointee.duration) / Double(AV_TIME_BASE) : nil
    }

    /// When a frame begins, in seconds of the stream's clock, which need not begin with 0.
    func time(of frame: UnsafePointer<AVFrame>) -> Double? {
        let time = frame.pointee.best_effort_timestamp
        return time == clibav_AV_NOPTS_VALUE() ? nil : Double(time) * unit
    }

    /// How long a frame is, in seconds.
    func length(of frame: UnsafePointer<AVFrame>) -> Double {
        Double(frame.pointee.nb_samples) / Double(max(1, frame.pointee.sample_rate))
    }

    // MARK: Reading

    /// The next frame, valid until the next call; `nil` at the end.
    func nextFrame() throws(CodecError) -> UnsafePointer<AVFrame>? {
        guard let codec, let frame else { return nil }
        while true {
            let status = av.functions.avcodec_receive_frame(codec, frame)
            if status >= 0 {
                damaged = 0
                if frame.pointee.nb_samples > 0 { return UnsafePointer(frame) }
            } else if status == clibav_AVERROR_EOF() {
                return nil
            } else {
                if status != clibav_AVERROR_EAGAIN() { try countDamage(status) }
                try feed(codec)
            }
        }
    }

    /// Hands the decoder one packet, or the end.
    private func feed(_ codec: UnsafeMutablePointer<AVCodecContext>) throws(CodecError) {
        guard let format, let packet, !hasSentEnd else { return }
        while true {
            cancellation.arm(timeout)
            let status = av.functions.av_read_frame(format, packet)
            guard status >= 0 else {
                // Not every demuxer calls it an end when a file was cut off, and some call it one when the source fails.
                let broken = clibav_source_error(format)
                let isEnd = status == clibav_AVERROR_EOF() || clibav_at_end(format)
                guard isEnd, broken == 0, !isInterrupted else {
                    throw failure(broken == 0 ? status : broken, .inputOutput, "cannot go on reading \(location)")
                }
                hasSentEnd = true
                _ = av.functions.avcodec_send_packet(codec, nil)
                return
            }
            defer { av.functions.av_packet_unref(packet) }
            guard packet.pointee.stream_index == index, !isBeforeStart(packet) else { continue }
            let sent = av.functions.avcodec_send_packet(codec, packet)
            if sent >= 0 { return }
            try countDamage(sent)
        }
    }

    private func countDamage(_ status: Int32) throws(CodecError) {
        damaged += 1
        if damaged > Self.tolerableDamage { throw failure(status, .malformed, "\(location) is broken") }
    }

    private func isBeforeStart(_ packet: UnsafePointer<AVPacket>) -> Bool {
        guard start != .min else { return false }
        let time = packet.pointee.pts
        guard time != clibav_AV_NOPTS_VALUE(), time &+ max(1, packet.pointee.duration) <= start else {
            // Those that follow come later still.
            start = .min
            return false
        }
        return true
    }

    /// Goes to the last place from which decoding can begin at or before that time.
    func seek(to seconds: Double) throws(CodecError) {
        guard let format, let codec else { return }
        cancellation.arm(timeout)
        let time = Int64(clamping: (seconds / unit).rounded(.down))
        let status = av.functions.av_seek_frame(format, index, isCounted ? 0 : time, AVSEEK_FLAG_BACKWARD)
        guard status >= 0 else { throw failure(status, .inputOutput, "cannot seek in \(location)") }
        av.functions.avcodec_flush_buffers(codec)
        start = isCounted ? time : .min
        hasSentEnd = false
        damaged = 0
    }

    /// Whether a place in the middle is found by counting frames from the beginning on. An MP3 has no times in it: its demuxer takes
    /// the place from the mean rate that the first frame claims. Counting half an hour takes some tens of milliseconds.
    private var isCounted: Bool { isLocal && demuxer == "mp3" }

    private var isInterrupted: Bool { cancellation.isCancelled || cancellation.isLate }

    private func failure(_ status: Int32, _ kind: CodecError.Kind, _ what: String) -> CodecError {
        if cancellation.isCancelled { return CodecError(.cancelled, "\(what): cancelled") }
        // The deadline may have struck in an operation before, which still had something to give.
        if cancellation.isLate || status == clibav_AVERROR_EXIT() {
            return CodecError(.timedOut, "\(what): no answer within \(timeout.seconds) s")
        }
        return CodecError(kind, "\(what): \(av.message(status))")
    }
}

extension Int64 {
    init(clamping value: Double) {
        if value.isNaN { self = 0 } else { self = Int64(Swift.min(Swift.max(value, -9e18), 9e18)) }
    }
}
