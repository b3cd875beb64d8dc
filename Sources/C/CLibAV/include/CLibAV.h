#ifndef OVATION_CLIBAV_H
#define OVATION_CLIBAV_H

// FFmpeg's libraries, opened when the first file is, not linked: a program that reads no file neither needs nor loads them.
// The headers say which version; a library of another major version is another library.

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/dict.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libswresample/swresample.h>
#include <stdbool.h>
#include <stdint.h>

// MARK: What is used of them

#define CLIBAV_UTIL(X) \
    X(av_log_set_level) X(av_strerror) X(av_dict_set) X(av_dict_free) X(av_frame_alloc) X(av_frame_free) \
    X(av_frame_unref) X(av_channel_layout_default) X(av_channel_layout_compare) X(av_channel_layout_copy) \
    X(av_frame_get_buffer) X(av_malloc) X(av_free) X(av_channel_layout_uninit) X(av_get_bytes_per_sample) X(av_sample_fmt_is_planar)
#define CLIBAV_RESAMPLE(X) X(swr_alloc_set_opts2) X(swr_init) X(swr_convert) X(swr_get_out_samples) X(swr_free)
#define CLIBAV_CODEC(X) \
    X(avcodec_alloc_context3) X(avcodec_free_context) X(avcodec_parameters_to_context) X(avcodec_open2) \
    X(avcodec_send_packet) X(avcodec_receive_frame) X(avcodec_flush_buffers) X(av_packet_alloc) X(av_packet_free) \
    X(av_packet_unref) X(av_new_packet) X(avcodec_find_decoder) X(avcodec_find_encoder) X(avcodec_send_frame) \
    X(avcodec_receive_packet)
#define CLIBAV_FORMAT(X) \
    X(avformat_network_init) X(avformat_alloc_context) X(avformat_free_context) X(avformat_open_input) \
    X(avio_alloc_context) X(avio_context_free) X(avformat_close_input) X(avformat_find_stream_info) X(av_find_best_stream) X(av_read_frame) X(av_seek_frame)

/// The functions above, each under its own name.
typedef struct clibav_functions {
#define CLIBAV_POINTER(name) __typeof__(name) *_Nonnull name;
    CLIBAV_UTIL(CLIBAV_POINTER)
    CLIBAV_RESAMPLE(CLIBAV_POINTER)
    CLIBAV_CODEC(CLIBAV_POINTER)
    CLIBAV_FORMAT(CLIBAV_POINTER)
#undef CLIBAV_POINTER
} clibav_functions;

/// Opens the libraries. `folder`: where they are, with a slash at the end, or empty for the places that the system searches.
/// On failure returns NULL and writes the library that is missing and Debian's package that brings all. What was opened stays open,
/// and the table belongs to the caller for the life of the process.
const clibav_functions *_Nullable clibav_load(const char *_Nonnull folder, char *_Nonnull library,
                                              char *_Nonnull package, int capacity);

// MARK: Giving up

/// What a blocking read asks whether to go on: a deadline and a wish to stop, which any thread may utter.
typedef struct clibav_guard clibav_guard;

clibav_guard *_Nullable clibav_guard_create(void);
void clibav_guard_destroy(clibav_guard *_Nonnull guard);
/// The next operation may take this long; 0 or less: for ever.
void clibav_guard_arm(clibav_guard *_Nonnull guard, int64_t nanoseconds);
/// Every operation from now on ends at once.
void clibav_guard_cancel(clibav_guard *_Nonnull guard);
bool clibav_guard_is_cancelled(const clibav_guard *_Nonnull guard);
bool clibav_guard_is_late(const clibav_guard *_Nonnull guard);
/// For `AVFormatContext.interrupt_callback`.
AVIOInterruptCB clibav_guard_callback(clibav_guard *_Nonnull guard);

// MARK: One descriptor, and nothing else

/// Lets the format read from a descriptor that can be sought in, and open nothing beside it, whatever the file names. False without
/// memory. `clibav_close_descriptor` before the format is closed.
bool clibav_read_descriptor(const clibav_functions *_Nonnull functions, AVFormatContext *_Nonnull format, int descriptor);
void clibav_close_descriptor(const clibav_functions *_Nonnull functions, AVIOContext *_Nullable *_Nonnull source);

// MARK: Macros that Swift cannot read

static inline int clibav_AVERROR_EOF(void) { return AVERROR_EOF; }
static inline int clibav_AVERROR_EXIT(void) { return AVERROR_EXIT; }
static inline int clibav_AVERROR_INVALIDDATA(void) { return AVERROR_INVALIDDATA; }
static inline int clibav_AVERROR_EAGAIN(void) { return AVERROR(EAGAIN); }
/// The encoder's quality of a step from 1 (the best) on.
static inline int clibav_quality(int step) { return step * FF_QP2LAMBDA; }
static inline int64_t clibav_AV_NOPTS_VALUE(void) { return AV_NOPTS_VALUE; }
/// Whether the source itself has ended, whatever the demuxer made of it.
static inline bool clibav_at_end(const AVFormatContext *_Nonnull format) {
    return format->pb && format->pb->eof_reached;
}
/// Why the source failed, or 0.
static inline int clibav_source_error(const AVFormatContext *_Nonnull format) {
    return format->pb ? format->pb->error : 0;
}

#endif
