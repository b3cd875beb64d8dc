internal import AudioGraph
internal import CPulse
internal import DatagramIO
internal import Timing

/// A connection to the sound server with at most one stream, and the loop that drives both.
///
/// One thread at a time: the one that opens it, then the device's own. Only `wake()` is for any thread, since the library says
/// so of `pa_mainloop_wakeup`, and the loop lives as long as this object. Hence `Sendable` although Swift cannot see it.
final class PulseConnection: @unchecked Sendable {
    /// How long a server may take to answer.
    private static let patience = Interval.seconds(5)
    /// How long one turn waits, so that a server that stays silent is noticed.
    private static let turn = Interval.milliseconds(100)

    let pulse: LibPulse
    private let loop: OpaquePointer
    private var context: OpaquePointer?
    private(set) var stream: OpaquePointer?
    private(set) var channels = 1

    /// `server`: as in PULSE_SERVER; `nil` is the user's own, which may be started for it.
    init(server: String?) throws(DeviceError) {
        pulse = try LibPulse.loaded()
        guard let loop = pulse.functions.pa_mainloop_new() else {
            throw DeviceError(.unavailable, "no memory for a connection to the sound server")
        }
        self.loop = loop
        context = pulse.functions.pa_context_new(pulse.functions.pa_mainloop_get_api(loop), "Ovation")
        let flags = server == nil ? PA_CONTEXT_NOFLAGS : PA_CONTEXT_NOAUTOSPAWN
        guard let context, pulse.functions.pa_context_connect(context, server, flags, nil) >= 0 else {
            throw DeviceError(.unavailable, "no sound server: \(reason)")
        }
        try pump("the sound server does not answer") {
            self.pulse.functions.pa_context_get_state(context) == PA_CONTEXT_READY
        }
    }

    deinit {
        if let stream {
            _ = pulse.functions.pa_stream_disconnect(stream)
            pulse.functions.pa_stream_unref(stream)
        }
        if let context {
            pulse.functions.pa_context_disconnect(context)
            pulse.functions.pa_context_unref(context)
        }
        pulse.functions.pa_mainloop_free(loop)
    }

    // MARK: The loop

    /// Ends the wait of a turn that another thread is in.
    func wake() { pulse.functions.pa_mainloop_wakeup(loop) }

    /// One turn: waits for news, at most 100 ms. Throws `lost` when server or stream have gone.
    func turn() throws(DeviceError) {
        let wait = Int32(clamping: Self.turn.nanoseconds / 1_000)
        guard pulse.functions.pa_mainloop_prepare(loop, wait) >= 0, pulse.functions.pa_mainloop_poll(loop) >= 0,
            pulse.functions.pa_mainloop_dispatch(loop) >= 0
        else { throw DeviceError(.lost, "the connection to the sound server is broken") }
        if let context {
            let state = pulse.functions.pa_context_get_state(context)
            if state == PA_CONTEXT_FAILED || state == PA_CONTEXT_TERMINATED {
                throw DeviceError(isConnected ? .lost : .unavailable, "the sound server has gone: \(reason)")
            }
            if state == PA_CONTEXT_READY { isConnected = true }
        }
        if let stream {
            let state = pulse.functions.pa_stream_get_state(stream)
            if state == PA_STREAM_FAILED || state == PA_STREAM_TERMINATED {
                throw DeviceError(isMissing ? .notFound : .lost, "the sound device has gone: \(reason)")
            }
        }
    }

    private var isConnected = false

    /// Turns until it is so. Throws `unavailable` with `complaint` if that takes too long.
    func pump(_ complaint: String, until isSo: () -> Bool) throws(DeviceError) {
        let deadline = SystemClock.now() + Self.patience
        while !isSo() {
            guard SystemClock.now() < deadline else { throw DeviceError(.unavailable, complaint) }
            try turn()
        }
    }

    private var errorNumber: Int32 { context.map { pulse.functions.pa_context_errno($0) } ?? 0 }
    private var isMissing: Bool { errorNumber == Int32(PA_ERR_NOENTITY.rawValue) }
    private var reason: String { pulse.message(errorNumber) }

    // MARK: Questions

    /// Asks, and waits until the answer has been given to whatever `question` set up.
    func ask(_ question: (OpaquePointer) -> OpaquePointer?) throws(DeviceError) {
        guard let context, let operation = question(context) else {
            throw DeviceError(.unavailable, "the sound server refuses a question: \(reason)")
        }
        defer { pulse.functions.pa_operation_unref(operation) }
        do {
            try pump("the sound server does not answer") {
                self.pulse.functions.pa_operation_get_state(operation) != PA_OPERATION_RUNNING
            }
        } catch {
            // Its callback must not find what it points to gone.
            pulse.functions.pa_operation_cancel(operation)
            throw error
        }
    }

    // MARK: The stream

    enum Direction {
        case record, playback
    }

    /// Opens the stream and waits until it runs. `device`: the server's name for it, `nil` its default. `latency`, in frames,
    /// is what is wished between program and ears (playback) or per portion (recording); the server may not grant it.
    func open(
        _ direction: Direction, device: String?, channels: Int, latency: Int, request: Int
    ) throws(DeviceError) {
        var format = pa_sample_spec(
            format: cpulse_float32(), rate: UInt32(AudioRate.standard), channels: UInt8(clamping: channels))
        guard let context, let stream = pulse.functions.pa_stream_new(context, "Ovation", &format, nil) else {
            throw DeviceError(.unavailable, "the sound server gives no stream: \(reason)")
        }
        self.stream = stream
        self.channels = channels
        let frame = channels * MemoryLayout<Float>.size
        let unset = UInt32.max
        var buffer = pa_buffer_attr(
            maxlength: unset, tlength: UInt32(clamping: latency * frame), prebuf: UInt32(clamping: request * frame),
            minreq: UInt32(clamping: request * frame), fragsize: UInt32(clamping: latency * frame))
        let flags = pa_stream_flags_t(
            PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                | PA_STREAM_INTERPOLATE_TIMING.rawValue)
        let status =
            switch direction {
            case .record: pulse.functions.pa_stream_connect_record(stream, device, &buffer, flags)
            case .playback: pulse.functions.pa_stream_connect_playback(stream, device, &buffer, flags, nil, nil)
            }
        guard status >= 0 else {
            throw DeviceError(isMissing ? .notFound : .unavailable, "no sound device \(device ?? ""): \(reason)")
        }
        do {
            try pump("the sound device does not start") {
                self.pulse.functions.pa_stream_get_state(stream) == PA_STREAM_READY
            }
        } catch {
            guard error.kind == .notFound else { throw error }
            throw DeviceError(.notFound, "there is no sound device \(device ?? "at all")")
        }
    }

    /// Recording: how old the next sample to be read is. Playback: how long until what is written next is heard. `nil` while
    /// the server has not told; negative where the stream listens to loudspeakers.
    var latency: Interval? {
        guard let stream else { return nil }
        var microseconds: pa_usec_t = 0
        var isNegative: Int32 = 0
        guard pulse.functions.pa_stream_get_latency(stream, &microseconds, &isNegative) == 0 else { return nil }
        // Beyond an hour it is nonsense.
        let value = Interval.microseconds(Int64(min(microseconds, 3_600_000_000)))
        return isNegative != 0 ? Interval.zero - value : value
    }
}
