// libopus for Swift: the header, plus a function for each setting that we use, since Swift cannot call variadic functions.

#ifndef OVATION_COPUS_SHIM_H
#define OVATION_COPUS_SHIM_H

#include <opus.h>
#include <stddef.h>
#include <stdint.h>

// MARK: Constants that are expressions in the header

static inline int shim_OPUS_APPLICATION_VOIP(void) { return OPUS_APPLICATION_VOIP; }
static inline int shim_OPUS_APPLICATION_AUDIO(void) { return OPUS_APPLICATION_AUDIO; }
static inline int shim_OPUS_APPLICATION_RESTRICTED_LOWDELAY(void) { return OPUS_APPLICATION_RESTRICTED_LOWDELAY; }

// MARK: Settings of an encoder. Each returns OPUS_OK or an error code.

static inline int shim_opus_set_bitrate(OpusEncoder *encoder, int32_t bits) {
    return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits));
}
static inline int shim_opus_set_wideband(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_SET_MAX_BANDWIDTH(OPUS_BANDWIDTH_WIDEBAND));
}
static inline int shim_opus_set_voice(OpusEncoder *encoder) {
    return opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
}
static inline int shim_opus_set_complexity(OpusEncoder *encoder, int32_t level) {
    return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(level));
}
static inline int shim_opus_set_fec(OpusEncoder *encoder, int32_t on) {
    return opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(on));
}
static inline int shim_opus_set_loss(OpusEncoder *encoder, int32_t percent) {
    return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}
static inline int shim_opus_set_dtx(OpusEncoder *encoder, int32_t on) {
    return opus_encoder_ctl(encoder, OPUS_SET_DTX(on));
}
static inline int shim_opus_lookahead(OpusEncoder *encoder, int32_t *frames) {
    return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(frames));
}
static inline int shim_opus_reset_encoder(OpusEncoder *encoder) { return opus_encoder_ctl(encoder, OPUS_RESET_STATE); }
static inline int shim_opus_reset_decoder(OpusDecoder *decoder) { return opus_decoder_ctl(decoder, OPUS_RESET_STATE); }

// MARK: Looking into a packet

/// What a packet's frames are, without decoding them.
typedef struct shim_opus_layout {
    /// Frames of sound in the whole packet, at 48 kHz.
    int32_t duration;
    /// The first compressed frame; inside the packet. NULL if it is empty.
    const uint8_t *first;
    int32_t first_length;
    uint8_t toc;
} shim_opus_layout;

/// Whether the bytes are a well-formed packet (RFC 6716 §3.4); fills `layout` if so.
static inline int shim_opus_inspect(const uint8_t *packet, int32_t length, shim_opus_layout *layout) {
    // 48 frames of 2.5 ms are the most that a packet may hold (R5).
    const unsigned char *frames[48];
    opus_int16 sizes[48];
    int count = opus_packet_parse(packet, length, &layout->toc, frames, sizes, NULL);
    if (count <= 0) return 0;
    layout->duration = count * opus_packet_get_samples_per_frame(packet, 48000);
    layout->first = sizes[0] > 0 ? frames[0] : NULL;
    layout->first_length = sizes[0];
    return 1;
}

#endif
