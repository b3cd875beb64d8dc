#ifndef OVATION_CPULSE_H
#define OVATION_CPULSE_H

// PulseAudio's client library, opened when the first sound card is wanted, not linked: a server has neither. PipeWire answers
// to it as well.

#include <pulse/context.h>
#include <pulse/def.h>
#include <pulse/error.h>
#include <pulse/introspect.h>
#include <pulse/mainloop.h>
#include <pulse/operation.h>
#include <pulse/sample.h>
#include <pulse/stream.h>

#define CPULSE_FUNCTIONS(X) \
    X(pa_mainloop_new) X(pa_mainloop_free) X(pa_mainloop_get_api) X(pa_mainloop_prepare) X(pa_mainloop_poll) \
    X(pa_mainloop_dispatch) X(pa_mainloop_wakeup) X(pa_context_new) X(pa_context_connect) X(pa_context_disconnect) \
    X(pa_context_unref) X(pa_context_get_state) X(pa_context_errno) X(pa_context_get_server_info) \
    X(pa_context_get_sink_info_list) X(pa_context_get_source_info_list) X(pa_operation_get_state) \
    X(pa_operation_cancel) X(pa_operation_unref) X(pa_stream_new) X(pa_stream_connect_record) \
    X(pa_stream_connect_playback) X(pa_stream_disconnect) X(pa_stream_unref) X(pa_stream_get_state) X(pa_stream_peek) \
    X(pa_stream_drop) X(pa_stream_readable_size) X(pa_stream_writable_size) X(pa_stream_write) X(pa_stream_get_latency) \
    X(pa_strerror)

/// The functions above, each under its own name.
typedef struct cpulse_functions {
#define CPULSE_POINTER(name) __typeof__(name) *_Nonnull name;
    CPULSE_FUNCTIONS(CPULSE_POINTER)
#undef CPULSE_POINTER
} cpulse_functions;


/// Opens `library`; NULL if it is not there or not what is expected. It stays open, and the table belongs to the caller for
/// the life of the process.
const cpulse_functions *_Nullable cpulse_load(const char *_Nonnull library);

/// Floats in this machine's order of bytes, which is a macro.
static inline pa_sample_format_t cpulse_float32(void) { return PA_SAMPLE_FLOAT32NE; }

#endif
