#ifndef OVATION_CZLIB_SHIM_H
#define OVATION_CZLIB_SHIM_H

#include <string.h>
#include <zlib.h>

// deflateInit2 is a macro, which Swift does not see. 15 + 16 asks for the gzip wrapper (RFC 1952).
enum { czlib_gzip_window_bits = 15 + 16, czlib_default_memory_level = 8 };

/// The most that czlib_gzip can write for a source of that length.
static inline unsigned long czlib_gzip_bound(unsigned long length) {
    return compressBound(length) + 18;  // a gzip header and trailer are 18 bytes, zlib's 6 are in compressBound
}

/// Compresses in one go; returns the written length, or 0 if it did not work.
static inline unsigned long czlib_gzip(
    unsigned char *destination, unsigned long capacity, const unsigned char *source, unsigned long length, int level) {
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, level, Z_DEFLATED, czlib_gzip_window_bits, czlib_default_memory_level,
            Z_DEFAULT_STRATEGY) != Z_OK) {
        return 0;
    }
    stream.next_in = (Bytef *)source;
    stream.avail_in = (uInt)length;
    stream.next_out = destination;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    unsigned long written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}

#endif
