// Writes sound files for tests with the system's FFmpeg libraries, which this module links: an instrument, not a part of
// the product.

#ifndef CSOUNDFILES_H
#define CSOUNDFILES_H

/// Encodes interleaved floats into a file; its container follows from the name's ending. `encoder`: "libmp3lame", "aac",
/// "libopus", "flac", "pcm_s16le", … `rate` is that of the samples and of the file. Returns 0, or a negative libav error
/// whose words are in `message`.
int csoundfiles_write(const char *path, const char *encoder, int rate, int channels, int bits_per_second,
                      const float *samples, int frames, char *message, int capacity);

#endif
