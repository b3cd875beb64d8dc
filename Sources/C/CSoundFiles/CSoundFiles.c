#include "CSoundFiles.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/log.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
#include <string.h>

struct writer {
    AVFormatContext *format;
    AVCodecContext *codec;
    AVStream *stream;
    SwrContext *converter;
    AVFrame *frame;
    AVPacket *packet;
};

/// Hands one frame (NULL: the end) to the encoder and stores what comes out.
static int encode(struct writer *writer, const AVFrame *frame) {
    int status = avcodec_send_frame(writer->codec, frame);
    while (status >= 0) {
        status = avcodec_receive_packet(writer->codec, writer->packet);
        if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return 0;
        if (status < 0) break;
        av_packet_rescale_ts(writer->packet, writer->codec->time_base, writer->stream->time_base);
        writer->packet->stream_index = writer->stream->index;
        status = av_interleaved_write_frame(writer->format, writer->packet);
    }
    return status;
}

static int open_writer(struct writer *writer, const char *path, const char *encoder, int rate, int channels, int bits) {
    int status = avformat_alloc_output_context2(&writer->format, NULL, NULL, path);
    if (status < 0) return status;
    const AVCodec *codec = avcodec_find_encoder_by_name(encoder);
    if (!codec) return AVERROR_ENCODER_NOT_FOUND;
    writer->codec = avcodec_alloc_context3(codec);
    writer->stream = avformat_new_stream(writer->format, NULL);
    writer->frame = av_frame_alloc();
    writer->packet = av_packet_alloc();
    if (!writer->codec || !writer->stream || !writer->frame || !writer->packet) return AVERROR(ENOMEM);

    writer->codec->sample_rate = rate;
    writer->codec->sample_fmt = codec->sample_fmts ? codec->sample_fmts[0] : AV_SAMPLE_FMT_S16;
    writer->codec->bit_rate = bits;
    writer->codec->time_base = (AVRational){1, rate};
    av_channel_layout_default(&writer->codec->ch_layout, channels);
    if (writer->format->oformat->flags & AVFMT_GLOBALHEADER) writer->codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if ((status = avcodec_open2(writer->codec, codec, NULL)) < 0) return status;
    if ((status = avcodec_parameters_from_context(writer->stream->codecpar, writer->codec)) < 0) return status;
    writer->stream->time_base = writer->codec->time_base;

    status = swr_alloc_set_opts2(&writer->converter, &writer->codec->ch_layout, writer->codec->sample_fmt, rate,
                                 &writer->codec->ch_layout, AV_SAMPLE_FMT_FLT, rate, 0, NULL);
    if (status < 0 || (status = swr_init(writer->converter)) < 0) return status;
    if ((status = avio_open(&writer->format->pb, path, AVIO_FLAG_WRITE)) < 0) return status;
    return avformat_write_header(writer->format, NULL);
}

static int write_samples(struct writer *writer, const float *samples, int frames, int channels) {
    int block = writer->codec->frame_size > 0 ? writer->codec->frame_size : 1024;
    for (int at = 0; at < frames; at += block) {
        int count = frames - at < block ? frames - at : block;
        av_frame_unref(writer->frame);
        writer->frame->nb_samples = count;
        writer->frame->format = writer->codec->sample_fmt;
        writer->frame->sample_rate = writer->codec->sample_rate;
        writer->frame->pts = at;
        int status = av_channel_layout_copy(&writer->frame->ch_layout, &writer->codec->ch_layout);
        if (status < 0 || (status = av_frame_get_buffer(writer->frame, 0)) < 0) return status;
        const uint8_t *source = (const uint8_t *)(samples + (size_t)at * (size_t)channels);
        status = swr_convert(writer->converter, writer->frame->data, count, &source, count);
        if (status < 0 || (status = encode(writer, writer->frame)) < 0) return status;
    }
    int status = encode(writer, NULL);
    return status < 0 ? status : av_write_trailer(writer->format);
}

int csoundfiles_write(const char *path, const char *encoder, int rate, int channels, int bits_per_second,
                      const float *samples, int frames, char *message, int capacity) {
    av_log_set_level(AV_LOG_QUIET);
    struct writer writer;
    memset(&writer, 0, sizeof writer);
    int status = open_writer(&writer, path, encoder, rate, channels, bits_per_second);
    if (status >= 0) status = write_samples(&writer, samples, frames, channels);
    if (writer.format && writer.format->pb) avio_closep(&writer.format->pb);
    avcodec_free_context(&writer.codec);
    swr_free(&writer.converter);
    av_frame_free(&writer.frame);
    av_packet_free(&writer.packet);
    avformat_free_context(writer.format);
    if (status < 0) av_strerror(status, message, (size_t)capacity);
    return status < 0 ? status : 0;
}
