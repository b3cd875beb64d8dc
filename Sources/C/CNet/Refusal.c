#include "CNet.h"

#include <errno.h>
#include <sys/socket.h>

#ifdef __linux__
#include <linux/filter.h>
#include <linux/if_ether.h>

/// Instructions for one address at most, and for what stands before and after all of them.
#define ADDRESS_INSTRUCTIONS 16
#define FRAME_INSTRUCTIONS 16
/// Of 2^32 numbers that the kernel draws, those that let a datagram pass.
#define PASSING (0x100000000ull / CNET_PASSING_ONE_IN)

_Static_assert(CNET_REFUSED_MAX * ADDRESS_INSTRUCTIONS + FRAME_INSTRUCTIONS <= BPF_MAXINSNS, "the kernel takes the longest filter");

struct program {
    struct sock_filter code[CNET_REFUSED_MAX * ADDRESS_INSTRUCTIONS + FRAME_INSTRUCTIONS];
    uint16_t length;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    program->code[program->length++] = (struct sock_filter){code, if_true, if_false, value};
}

static void load(struct program *program, uint16_t size, uint32_t offset) {
    add(program, BPF_LD | BPF_ABS | size, offset, 0, 0);
}

static void pass(struct program *program) {
    add(program, BPF_RET | BPF_K, UINT32_MAX, 0, 0);
}

/// Goes on with the next instruction where the number is `value`, else skips `others`.
static void expect(struct program *program, uint32_t value, uint8_t others) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, others);
}

/// Loads a word of the IP header and skips `others` unless it is `value`.
static void expect_word(struct program *program, uint32_t offset, uint32_t value, uint8_t others) {
    load(program, BPF_W, (uint32_t)SKF_NET_OFF + offset);
    expect(program, value, others);
}

static void refuse(struct program *program, const struct cnet_address *remote) {
    bool v4 = remote->high == 0 && (remote->low >> 32) == 0xffff;
    // The draw is three instructions, each word of the address two.
    uint8_t words = v4 ? 1 : 4, rest = (uint8_t)(words * 2 + 3);
    load(program, BPF_H, 0);
    expect(program, remote->port, (uint8_t)(rest + 2));
    load(program, BPF_W, (uint32_t)(SKF_AD_OFF + SKF_AD_PROTOCOL));
    expect(program, v4 ? ETH_P_IP : ETH_P_IPV6, rest);
    uint32_t v6[4] = {(uint32_t)(remote->high >> 32), (uint32_t)remote->high, (uint32_t)(remote->low >> 32), (uint32_t)remote->low};
    for (uint8_t word = 0; word < words; word++) {
        uint8_t others = (uint8_t)(rest - 2 * (word + 1));
        // The source stands at 12 (RFC 791 §3.1), or at 8 (RFC 8200 §3).
        if (v4) expect_word(program, 12, (uint32_t)remote->low, others);
        else expect_word(program, 8u + 4u * word, v6[word], others);
    }
    load(program, BPF_W, (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM));
    add(program, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)PASSING, 0, 1);
    add(program, BPF_RET | BPF_K, 0, 0, 0);
}

int cnet_udp_refuse_media(int descriptor, const struct cnet_address *remotes, uint32_t count) {
    if (count == 0) {
        int unused = 0;
        return setsockopt(descriptor, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused) < 0 && errno != ENOENT ? -errno : 0;
    }
    if (count > CNET_REFUSED_MAX) return -E2BIG;
    struct program program = {.length = 0};
    // The filter reads from the UDP header on, which takes 8 bytes. Media: RFC 7983 §7, RFC 5761 §4.
    load(&program, BPF_B, 8);
    add(&program, BPF_JMP | BPF_JGE | BPF_K, 128, 1, 0);
    pass(&program);
    add(&program, BPF_JMP | BPF_JGT | BPF_K, 191, 0, 1);
    pass(&program);
    load(&program, BPF_B, 9);
    add(&program, BPF_JMP | BPF_JGE | BPF_K, 192, 0, 2);
    add(&program, BPF_JMP | BPF_JGT | BPF_K, 223, 1, 0);
    pass(&program);
    for (uint32_t i = 0; i < count; i++) refuse(&program, &remotes[i]);
    pass(&program);
    struct sock_fprog filter = {program.length, program.code};
    return setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) < 0 ? -errno : 0;
}
#else
int cnet_udp_refuse_media(int descriptor, const struct cnet_address *remotes, uint32_t count) {
    (void)descriptor;
    (void)remotes;
    return count == 0 ? 0 : -ENOTSUP;
}
#endif
