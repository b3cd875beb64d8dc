// The floor of the media benchmark: what forwarding costs when nothing is decided. Each datagram that arrives is enciphered once for
// each of so many addresses (SRTP, AEAD_AES_128_GCM, RFC 7714) and sent, in batches. No negotiation, no reports, no repeats.
//
//   MediaFloor PORT FIRST-ADDRESS COUNT DESTINATION-PORT KEY
//
// KEY: master key and salt in hexadecimal. Ends with its input.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { slot_bytes = 2048, received_at_once = 64, sent_at_once = 64, header_bytes = 12, tag_bytes = 16, speakers = 65536 };

struct destination {
    EVP_CIPHER_CTX *cipher;
    struct sockaddr_in address;
};

static struct mmsghdr incoming[received_at_once], outgoing[sent_at_once];
static struct iovec incoming_bytes[received_at_once], outgoing_bytes[sent_at_once];
static uint8_t incoming_slots[received_at_once][slot_bytes], outgoing_slots[sent_at_once][slot_bytes];
static uint32_t rollovers[speakers];
static uint16_t newest[speakers];
static uint8_t session_salt[12];

static void fail(const char *what) {
    fprintf(stderr, "MediaFloor: %s\n", what);
    exit(1);
}

// RFC 3711 §4.3.3 with the salt of RFC 7714 §11: AES in counter mode over zeros.
static void derive(const uint8_t *master, uint8_t label, uint8_t *into, int length) {
    uint8_t counter[16] = {0}, zeros[16] = {0};
    memcpy(counter, master + 16, 12);
    counter[7] ^= label;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int written;
    if (!cipher || EVP_EncryptInit_ex(cipher, EVP_aes_128_ctr(), NULL, master, counter) != 1 ||
        EVP_EncryptUpdate(cipher, into, &written, zeros, length) != 1)
        fail("no key could be derived");
    EVP_CIPHER_CTX_free(cipher);
}

static int encipher(EVP_CIPHER_CTX *cipher, const uint8_t *packet, int length, uint32_t rollover, uint8_t *into) {
    // RFC 7714 §8.1: 00 00, SSRC, ROC, SEQ, xored with the salt.
    uint8_t vector[12] = {0, 0, packet[8], packet[9], packet[10], packet[11], rollover >> 24, rollover >> 16, rollover >> 8,
                          rollover, packet[2], packet[3]};
    for (int i = 0; i < 12; i++) vector[i] ^= session_salt[i];
    int written;
    memcpy(into, packet, header_bytes);
    if (EVP_EncryptInit_ex(cipher, NULL, NULL, NULL, vector) != 1 ||
        EVP_EncryptUpdate(cipher, NULL, &written, into, header_bytes) != 1 ||
        EVP_EncryptUpdate(cipher, into + header_bytes, &written, packet + header_bytes, length - header_bytes) != 1 ||
        EVP_EncryptFinal_ex(cipher, into + length, &written) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, tag_bytes, into + length) != 1)
        fail("a packet could not be enciphered");
    return length + tag_bytes;
}

static void flush(int socket, unsigned count) {
    for (unsigned sent = 0; sent < count;) {
        int taken = sendmmsg(socket, outgoing + sent, count - sent, 0);
        if (taken > 0) sent += taken;
        else if (errno == EAGAIN || errno == EINTR) poll(&(struct pollfd){.fd = socket, .events = POLLOUT}, 1, 1);
        else sent++;
    }
}

int main(int argc, char **argv) {
    if (argc != 6 || strlen(argv[5]) != 56) fail("usage: MediaFloor PORT FIRST-ADDRESS COUNT DESTINATION-PORT KEY");
    uint8_t master[28], key[16];
    for (int i = 0; i < 28; i++)
        if (sscanf(argv[5] + 2 * i, "%2hhx", &master[i]) != 1) fail("the key is no hexadecimal number");
    derive(master, 0, key, 16);
    derive(master, 2, session_salt, 12);

    int count = atoi(argv[3]);
    struct in_addr first;
    if (count < 1 || inet_pton(AF_INET, argv[2], &first) != 1) fail("no destinations");
    struct destination *destinations = calloc(count, sizeof *destinations);
    if (!destinations) fail("no memory");
    for (int i = 0; i < count; i++) {
        destinations[i].address = (struct sockaddr_in){
            .sin_family = AF_INET, .sin_port = htons(atoi(argv[4])), .sin_addr.s_addr = htonl(ntohl(first.s_addr) + i)};
        destinations[i].cipher = EVP_CIPHER_CTX_new();
        if (!destinations[i].cipher || EVP_EncryptInit_ex(destinations[i].cipher, EVP_aes_128_gcm(), NULL, key, NULL) != 1)
            fail("no cipher");
    }

    int udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), buffer = 4 << 20;
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
    setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(udp, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    if (udp < 0 || bind(udp, (struct sockaddr *)&local, sizeof local)) fail("the port cannot be opened");
    for (int i = 0; i < received_at_once; i++) {
        incoming_bytes[i] = (struct iovec){incoming_slots[i], slot_bytes - tag_bytes};
        incoming[i].msg_hdr = (struct msghdr){.msg_iov = &incoming_bytes[i], .msg_iovlen = 1};
    }
    for (int i = 0; i < sent_at_once; i++) {
        outgoing_bytes[i].iov_base = outgoing_slots[i];
        outgoing[i].msg_hdr = (struct msghdr){.msg_iov = &outgoing_bytes[i], .msg_iovlen = 1, .msg_namelen = sizeof(struct sockaddr_in)};
    }
    puts("ready");
    fflush(stdout);

    struct pollfd waits[2] = {{.fd = udp, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    for (;;) {
        if (poll(waits, 2, -1) < 0) continue;
        char end;
        if (waits[1].revents && read(0, &end, 1) <= 0) return 0;
        int packets = recvmmsg(udp, incoming, received_at_once, MSG_DONTWAIT, NULL);
        unsigned queued = 0;
        for (int i = 0; i < packets; i++) {
            const uint8_t *packet = incoming_slots[i];
            int length = incoming[i].msg_len;
            if (length <= header_bytes || length > slot_bytes - tag_bytes) continue;
            uint16_t speaker = packet[10] << 8 | packet[11], sequence = packet[2] << 8 | packet[3];
            if (sequence < 0x4000 && newest[speaker] > 0xc000) rollovers[speaker]++;
            newest[speaker] = sequence;
            for (int to = 0; to < count; to++) {
                outgoing_bytes[queued].iov_len =
                    encipher(destinations[to].cipher, packet, length, rollovers[speaker], outgoing_slots[queued]);
                outgoing[queued].msg_hdr.msg_name = &destinations[to].address;
                if (++queued == sent_at_once) {
                    flush(udp, queued);
                    queued = 0;
                }
            }
        }
        flush(udp, queued);
    }
}
