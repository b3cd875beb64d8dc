#ifndef OVATION_CNET_H
#define OVATION_CNET_H

// What Swift's Glibc module does not show (recvmmsg, sendmmsg and their control messages need _GNU_SOURCE, which a clang
// module cannot be given) and what is only readable in C (CMSG macros). The implementation is in CNet.c.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An IP address as two numbers in host order (high: bytes 0…7); IPv4 is IPv4-mapped.
struct cnet_address {
    uint64_t high;
    uint64_t low;
    /// Interface index of a link-local IPv6 address, else 0.
    uint32_t scope;
    uint16_t port;
};

/// One datagram of a batch. The bytes stand in the batch's own memory.
struct cnet_datagram {
    uint8_t *data;
    uint32_t length;
    /// Received: the datagram was longer than the slot. The rest is gone.
    bool truncated;
    struct cnet_address remote;
    /// Received: the address the datagram was sent to (port 0). Sent: the address it leaves from; all zero lets the kernel choose.
    struct cnet_address local;
    /// Received: kernel arrival time, CLOCK_REALTIME nanoseconds, or 0 if the kernel gave none.
    int64_t arrived;
};

/// A fixed number of datagram slots with everything a system call wants beside them; nothing is allocated after creation.
struct cnet_batch;

/// `capacity` bytes for each of `count` slots; NULL if memory is short.
struct cnet_batch *cnet_batch_create(uint32_t count, uint32_t capacity);
void cnet_batch_destroy(struct cnet_batch *batch);
/// The slots, `count` in a row, valid until the batch is destroyed.
struct cnet_datagram *cnet_batch_slots(struct cnet_batch *batch);

/// A bound, non-blocking UDP socket with source address and arrival time on receive. `family`: 4 or 6; a 6 bound to the
/// unspecified address takes both families if `dual_stack`. Buffer sizes are asked for, the kernel may grant less.
/// Returns the descriptor, or -errno.
int cnet_udp_open(int family, const struct cnet_address *local, bool dual_stack, int buffer_bytes);
/// The port the socket is bound to, or -errno.
int cnet_udp_port(int descriptor);

/// Fills slots 0…n-1; returns n, 0 if nothing waits, or -errno.
int cnet_receive(int descriptor, struct cnet_batch *batch);
/// Neighbouring slots of one length to one address go as one message that the kernel cuts into datagrams.
struct cnet_segmentation {
    /// Becomes false where the kernel or the way cannot.
    bool enabled;
    /// How many messages the kernel took.
    uint64_t messages;
};
/// Sends slots `first` … `first + count - 1` in order; returns how many the kernel took (≥ 1), or -errno of slot `first`.
int cnet_send(int descriptor, int family, struct cnet_batch *batch, uint32_t first, uint32_t count,
              struct cnet_segmentation *segmentation);

/// How many addresses a socket can refuse media from.
#define CNET_REFUSED_MAX 32
/// Of what is refused, one datagram in so many passes all the same, drawn by the kernel.
#define CNET_PASSING_ONE_IN 512
/// Lets the kernel throw away media (RTP, not its reports) from those addresses before this socket hears of it; in place of what was
/// refused before. None: all media passes. 0, or -errno where the system cannot.
int cnet_udp_refuse_media(int descriptor, const struct cnet_address *remotes, uint32_t count);

/// A listening, non-blocking TCP socket; the arguments and the result are those of `cnet_udp_open`.
int cnet_tcp_listen(int family, const struct cnet_address *local, bool dual_stack);
/// The next connection, non-blocking, that sends small messages at once and holds no more than `unsent_bytes` that the network has not
/// taken: what waits is better held where it can still be dropped. Returns the descriptor, or -errno (-EAGAIN: none).
int cnet_tcp_accept(int listener, int unsent_bytes, struct cnet_address *local, struct cnet_address *remote);
/// Begins a connection of the same kind, which may be written to once it stands. Returns the descriptor, or -errno.
int cnet_tcp_connect(int family, const struct cnet_address *remote, int unsent_bytes);
/// How many bytes were read, 0 at the end of the stream, or -errno.
int64_t cnet_tcp_read(int descriptor, void *into, size_t capacity);
/// How many bytes the kernel took, or -errno.
int64_t cnet_tcp_write(int descriptor, const void *bytes, size_t count);

/// An epoll instance with an eventfd in it that `cnet_wake` makes ready. Both descriptors are ≥ 0, or `epoll` is -errno.
struct cnet_poller {
    int epoll;
    int wake;
};
struct cnet_poller cnet_poller_open(void);
void cnet_poller_close(struct cnet_poller poller);
/// Reports `tag` when the descriptor is readable, and when it is writable if `writable`. Call again to change. 0 or -errno.
int cnet_poller_watch(struct cnet_poller poller, int descriptor, uint32_t tag, bool writable, bool first_time);
/// Reports a descriptor no more.
void cnet_poller_forget(struct cnet_poller poller, int descriptor);
struct cnet_ready {
    uint32_t tag;
    bool readable;
    bool writable;
};
/// The tag that `cnet_wake` reports; not for descriptors.
#define CNET_WAKE_TAG 0xffffffffu
/// No more entries than that from one wait.
#define CNET_READY_AT_ONCE 256
/// Waits `nanoseconds` (-1: for ever, 0: not at all), at most a minute. Returns the number of entries, 0 after an interruption, or -errno.
/// A wake is consumed here.
int cnet_poller_wait(struct cnet_poller poller, struct cnet_ready *ready, int capacity, int64_t nanoseconds);
/// From any thread.
void cnet_wake(struct cnet_poller poller);

/// CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds.
int64_t cnet_monotonic(void);
int64_t cnet_realtime(void);

struct cnet_interface {
    struct cnet_address address;
    bool loopback;
    bool point_to_point;
};
/// Addresses of the interfaces that are up, in the kernel's order; returns how many were written, or -errno.
int cnet_interfaces(struct cnet_interface *into, int capacity);

/// Whether the kernel takes the wall clock for synchronised: 1 or 0, -errno where it does not say.
int cnet_clock_synchronised(void);

/// Starts `run(context)` on a thread of its own with that name (15 characters are kept). 0 or -errno.
int cnet_thread_start(const char *name, void (*run)(void *), void *context, uint64_t *thread);
/// Puts the calling thread before others, in real time if the system permits, else by its niceness; false if neither is allowed.
bool cnet_thread_hurry(void);
void cnet_thread_join(uint64_t thread);
void cnet_thread_detach(uint64_t thread);

#endif
