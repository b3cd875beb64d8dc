#define _GNU_SOURCE
#ifdef __linux__
#include <sys/timex.h>
#endif
#include "CNet.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// MARK: - Addresses

static bool is_v4(const struct cnet_address *a) {
    return a->high == 0 && (a->low >> 32) == 0xffff;
}

static void put_in6(struct in6_addr *to, const struct cnet_address *from) {
    uint64_t parts[2] = {htobe64(from->high), htobe64(from->low)};
    memcpy(to, parts, sizeof parts);
}

static void get_in6(struct cnet_address *to, const struct in6_addr *from) {
    uint64_t parts[2];
    memcpy(parts, from, sizeof parts);
    to->high = be64toh(parts[0]);
    to->low = be64toh(parts[1]);
}

static void put_in4(struct in_addr *to, const struct cnet_address *from) {
    to->s_addr = htonl((uint32_t)from->low);
}

static void get_in4(struct cnet_address *to, struct in_addr from) {
    to->high = 0;
    to->low = 0xffff00000000ull | ntohl(from.s_addr);
}

/// Only link-local addresses (fe80::/10) need an interface.
static uint32_t scope_of(const struct cnet_address *a, uint32_t interface_index) {
    return (a->high >> 54) == 0x3fa ? interface_index : 0;
}

static void get_sockaddr(struct cnet_address *to, const struct sockaddr_storage *from) {
    if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;
        get_in6(to, &in6->sin6_addr);
        to->port = ntohs(in6->sin6_port);
        to->scope = scope_of(to, in6->sin6_scope_id);
    } else {
        const struct sockaddr_in *in4 = (const struct sockaddr_in *)from;
        get_in4(to, in4->sin_addr);
        to->port = ntohs(in4->sin_port);
        to->scope = 0;
    }
}

static socklen_t put_sockaddr(struct sockaddr_storage *to, int family, const struct cnet_address *from) {
    if (family == 6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
        memset(in6, 0, sizeof *in6);
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(from->port);
        in6->sin6_scope_id = from->scope;
        put_in6(&in6->sin6_addr, from);
        return sizeof *in6;
    }
    struct sockaddr_in *in4 = (struct sockaddr_in *)to;
    memset(in4, 0, sizeof *in4);
    in4->sin_family = AF_INET;
    in4->sin_port = htons(from->port);
    put_in4(&in4->sin_addr, from);
    return sizeof *in4;
}

// MARK: - Batches

/// Room for a pktinfo of either family and a timestamp.
#define CONTROL_BYTES (CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(64))

/// What the kernel takes in one message: UDP_MAX_SEGMENTS was 64 before Linux 6.9, and the whole must fit one IP packet.
#define SEGMENTS_MAX 64
#define SEGMENT_BYTES_MAX 65000

struct envelope {
    struct sockaddr_storage name;
    _Alignas(struct cmsghdr) uint8_t control[CONTROL_BYTES];
};

struct cnet_batch {
    uint32_t count;
    uint32_t capacity;
    struct cnet_datagram *slots;
    struct mmsghdr *messages;
    struct envelope *envelopes;
    /// One for each slot; a message that holds a run of slots has as many in a row.
    struct iovec *vectors;
    uint8_t *memory;
};

struct cnet_batch *cnet_batch_create(uint32_t count, uint32_t capacity) {
    struct cnet_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    batch->count = count;
    batch->capacity = capacity;
    batch->slots = calloc(count, sizeof *batch->slots);
    batch->messages = calloc(count, sizeof *batch->messages);
    batch->envelopes = calloc(count, sizeof *batch->envelopes);
    batch->vectors = calloc(count, sizeof *batch->vectors);
    batch->memory = calloc(count, capacity);
    if (!batch->slots || !batch->messages || !batch->envelopes || !batch->vectors || !batch->memory) {
        cnet_batch_destroy(batch);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        batch->slots[i].data = batch->memory + (size_t)i * capacity;
        batch->vectors[i].iov_base = batch->slots[i].data;
        batch->messages[i].msg_hdr.msg_iov = &batch->vectors[i];
        batch->messages[i].msg_hdr.msg_iovlen = 1;
        batch->messages[i].msg_hdr.msg_name = &batch->envelopes[i].name;
    }
    return batch;
}

void cnet_batch_destroy(struct cnet_batch *batch) {
    if (!batch) return;
    free(batch->slots);
    free(batch->messages);
    free(batch->envelopes);
    free(batch->vectors);
    free(batch->memory);
    free(batch);
}

struct cnet_datagram *cnet_batch_slots(struct cnet_batch *batch) { return batch->slots; }

int cnet_receive(int descriptor, struct cnet_batch *batch) {
    for (uint32_t i = 0; i < batch->count; i++) {
        struct msghdr *message = &batch->messages[i].msg_hdr;
        batch->vectors[i].iov_len = batch->capacity;
        message->msg_namelen = sizeof batch->envelopes[i].name;
        message->msg_control = batch->envelopes[i].control;
        message->msg_controllen = CONTROL_BYTES;
        message->msg_flags = 0;
    }
    int n;
    do {
        n = recvmmsg(descriptor, batch->messages, batch->count, MSG_DONTWAIT, NULL);
    } while (n < 0 && errno == EINTR);
    if (n < 0) return (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -errno;

    for (int i = 0; i < n; i++) {
        struct msghdr *message = &batch->messages[i].msg_hdr;
        struct cnet_datagram *slot = &batch->slots[i];
        slot->length = batch->messages[i].msg_len;
        slot->truncated = (message->msg_flags & MSG_TRUNC) != 0;
        slot->arrived = 0;
        memset(&slot->local, 0, sizeof slot->local);
        get_sockaddr(&slot->remote, &batch->envelopes[i].name);
        for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
            if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
                struct timespec t;
                memcpy(&t, CMSG_DATA(c), sizeof t);
                slot->arrived = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
            } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
                struct in6_pktinfo info;
                memcpy(&info, CMSG_DATA(c), sizeof info);
                get_in6(&slot->local, &info.ipi6_addr);
                slot->local.scope = scope_of(&slot->local, info.ipi6_ifindex);
            } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
                struct in_pktinfo info;
                memcpy(&info, CMSG_DATA(c), sizeof info);
                get_in4(&slot->local, info.ipi_spec_dst);
                slot->local.scope = 0;
            }
        }
    }
    return n;
}

/// The source address to leave from (RFC 3542 §6). On a dual-stack socket the kernel takes an IPv4-mapped IPV6_PKTINFO.
static void put_source(struct msghdr *message, uint8_t *control, int family, const struct cnet_address *local) {
    if (local->high == 0 && (local->low == 0 || local->low == 0xffff00000000ull)) {
        message->msg_control = NULL;
        message->msg_controllen = 0;
        return;
    }
    message->msg_control = control;
    message->msg_controllen = CONTROL_BYTES;
    struct cmsghdr *c = CMSG_FIRSTHDR(message);
    if (family == 6) {
        struct in6_pktinfo info = {0};
        put_in6(&info.ipi6_addr, local);
        info.ipi6_ifindex = local->scope;
        c->cmsg_level = IPPROTO_IPV6;
        c->cmsg_type = IPV6_PKTINFO;
        c->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(c), &info, sizeof info);
        message->msg_controllen = CMSG_SPACE(sizeof info);
    } else {
        struct in_pktinfo info = {0};
        put_in4(&info.ipi_spec_dst, local);
        c->cmsg_level = IPPROTO_IP;
        c->cmsg_type = IP_PKTINFO;
        c->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(c), &info, sizeof info);
        message->msg_controllen = CMSG_SPACE(sizeof info);
    }
}

static bool same_address(const struct cnet_address *a, const struct cnet_address *b) {
    return a->high == b->high && a->low == b->low && a->port == b->port && a->scope == b->scope;
}

/// How many slots from `i` on go to one address in datagrams of one length, of which the last may be shorter.
static uint32_t run_length(const struct cnet_batch *batch, uint32_t i, uint32_t end) {
    const struct cnet_datagram *first = &batch->slots[i];
    uint32_t length = 1;
    uint32_t bytes = first->length;
    while (i + length < end && length < SEGMENTS_MAX) {
        const struct cnet_datagram *next = &batch->slots[i + length];
        if (next->length > first->length || bytes + next->length > SEGMENT_BYTES_MAX ||
            !same_address(&next->remote, &first->remote) || !same_address(&next->local, &first->local))
            break;
        bytes += next->length;
        length++;
        if (next->length < first->length) break;
    }
    return length;
}

/// Lets the kernel cut the message into datagrams of that length (udp(7)).
static void put_segment_length(struct msghdr *message, uint8_t *control, uint16_t length) {
    size_t used = message->msg_controllen;
    struct cmsghdr *c = (struct cmsghdr *)(control + used);
    message->msg_control = control;
    message->msg_controllen = used + CMSG_SPACE(sizeof length);
    c->cmsg_level = IPPROTO_UDP;
    c->cmsg_type = UDP_SEGMENT;
    c->cmsg_len = CMSG_LEN(sizeof length);
    memcpy(CMSG_DATA(c), &length, sizeof length);
}

int cnet_send(int descriptor, int family, struct cnet_batch *batch, uint32_t first, uint32_t count,
              struct cnet_segmentation *segmentation) {
    for (;;) {
        uint32_t end = first + count;
        uint32_t messages = 0;
        bool has_runs = false;
        for (uint32_t i = first; i < end;) {
            struct msghdr *message = &batch->messages[messages].msg_hdr;
            struct envelope *envelope = &batch->envelopes[messages];
            const struct cnet_datagram *slot = &batch->slots[i];
            uint32_t run = segmentation->enabled ? run_length(batch, i, end) : 1;
            for (uint32_t k = 0; k < run; k++) batch->vectors[i + k].iov_len = batch->slots[i + k].length;
            message->msg_iov = &batch->vectors[i];
            message->msg_iovlen = run;
            message->msg_name = &envelope->name;
            message->msg_namelen = put_sockaddr(&envelope->name, family, &slot->remote);
            message->msg_flags = 0;
            put_source(message, envelope->control, family, &slot->local);
            if (run > 1) {
                has_runs = true;
                put_segment_length(message, envelope->control, (uint16_t)slot->length);
            }
            messages++;
            i += run;
        }
        int n;
        do {
            n = sendmmsg(descriptor, batch->messages, messages, MSG_DONTWAIT | MSG_NOSIGNAL);
        } while (n < 0 && errno == EINTR);
        if (n < 0) {
            int error = errno;
            // A device without checksum offload (EIO), or a datagram longer than the way's MTU (EINVAL): each by itself from now on.
            if (has_runs && batch->messages[0].msg_hdr.msg_iovlen > 1 && (error == EIO || error == EINVAL)) {
                segmentation->enabled = false;
                continue;
            }
            return -error;
        }
        int taken = 0;
        for (int k = 0; k < n; k++) taken += (int)batch->messages[k].msg_hdr.msg_iovlen;
        segmentation->messages += (uint64_t)n;
        return taken;
    }
}

// MARK: - Sockets

static int set_option(int descriptor, int level, int name, int value) {
    return setsockopt(descriptor, level, name, &value, sizeof value);
}

int cnet_udp_open(int family, const struct cnet_address *local, bool dual_stack, int buffer_bytes) {
    if (family == 4 && !is_v4(local)) return -EAFNOSUPPORT;
    int s = socket(family == 6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0) return -errno;
    int failed = 0;
    if (family == 6) {
        bool any = local->high == 0 && local->low == 0;
        failed |= set_option(s, IPPROTO_IPV6, IPV6_V6ONLY, any && dual_stack ? 0 : 1);
        failed |= set_option(s, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
        // Fragment rather than learn path MTUs: datagrams are ≤ 1,200 bytes or what a publisher's network already carried.
        set_option(s, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DONT);
    } else {
        failed |= set_option(s, IPPROTO_IP, IP_PKTINFO, 1);
    }
    set_option(s, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT);
    set_option(s, SOL_SOCKET, SO_TIMESTAMPNS, 1);
    // With CAP_NET_ADMIN the host's limits (net.core.rmem_max) do not count.
    if (set_option(s, SOL_SOCKET, SO_RCVBUFFORCE, buffer_bytes)) set_option(s, SOL_SOCKET, SO_RCVBUF, buffer_bytes);
    if (set_option(s, SOL_SOCKET, SO_SNDBUFFORCE, buffer_bytes)) set_option(s, SOL_SOCKET, SO_SNDBUF, buffer_bytes);
    struct sockaddr_storage name;
    socklen_t length = put_sockaddr(&name, family, local);
    if (failed || bind(s, (struct sockaddr *)&name, length) < 0) {
        int error = errno;
        close(s);
        return -error;
    }
    return s;
}

int cnet_udp_port(int descriptor) {
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    if (getsockname(descriptor, (struct sockaddr *)&name, &length) < 0) return -errno;
    struct cnet_address address = {0};
    get_sockaddr(&address, &name);
    return address.port;
}

// MARK: - Connections

/// Connections that wait for an accept; what comes on top asks again.
#define BACKLOG 256

int cnet_tcp_listen(int family, const struct cnet_address *local, bool dual_stack) {
    if (family == 4 && !is_v4(local)) return -EAFNOSUPPORT;
    int s = socket(family == 6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0) return -errno;
    // A server that starts anew takes over the port from connections that have not died down.
    int failed = set_option(s, SOL_SOCKET, SO_REUSEADDR, 1);
    if (family == 6) {
        bool any = local->high == 0 && local->low == 0;
        failed |= set_option(s, IPPROTO_IPV6, IPV6_V6ONLY, any && dual_stack ? 0 : 1);
    }
    struct sockaddr_storage name;
    socklen_t length = put_sockaddr(&name, family, local);
    if (failed || bind(s, (struct sockaddr *)&name, length) < 0 || listen(s, BACKLOG) < 0) {
        int error = errno;
        close(s);
        return -error;
    }
    return s;
}

int cnet_tcp_accept(int listener, int unsent_bytes, struct cnet_address *local, struct cnet_address *remote) {
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    int s;
    do {
        s = accept4(listener, (struct sockaddr *)&name, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (s < 0 && errno == EINTR);
    if (s < 0) return -errno;
    *remote = (struct cnet_address){0};
    *local = (struct cnet_address){0};
    get_sockaddr(remote, &name);
    length = sizeof name;
    if (getsockname(s, (struct sockaddr *)&name, &length) < 0) {
        int error = errno;
        close(s);
        return -error;
    }
    get_sockaddr(local, &name);
    set_option(s, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(s, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent_bytes);
    return s;
}

int cnet_tcp_connect(int family, const struct cnet_address *remote, int unsent_bytes) {
    if (family == 4 && !is_v4(remote)) return -EAFNOSUPPORT;
    int s = socket(family == 6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s < 0) return -errno;
    set_option(s, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(s, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent_bytes);
    struct sockaddr_storage name;
    socklen_t length = put_sockaddr(&name, family, remote);
    if (connect(s, (struct sockaddr *)&name, length) < 0 && errno != EINPROGRESS) {
        int error = errno;
        close(s);
        return -error;
    }
    return s;
}

int64_t cnet_tcp_read(int descriptor, void *into, size_t capacity) {
    ssize_t n;
    do {
        n = recv(descriptor, into, capacity, MSG_DONTWAIT);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

int64_t cnet_tcp_write(int descriptor, const void *bytes, size_t count) {
    ssize_t n;
    do {
        n = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

// MARK: - Polling

struct cnet_poller cnet_poller_open(void) {
    struct cnet_poller poller = {-1, -1};
    poller.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (poller.epoll < 0) {
        poller.epoll = -errno;
        return poller;
    }
    poller.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int error = poller.wake < 0 ? errno : 0;
    if (!error) error = -cnet_poller_watch(poller, poller.wake, CNET_WAKE_TAG, false, true);
    if (error) {
        if (poller.wake >= 0) close(poller.wake);
        close(poller.epoll);
        poller.epoll = -error;
        poller.wake = -1;
    }
    return poller;
}

void cnet_poller_close(struct cnet_poller poller) {
    close(poller.wake);
    close(poller.epoll);
}

int cnet_poller_watch(struct cnet_poller poller, int descriptor, uint32_t tag, bool writable, bool first_time) {
    struct epoll_event event = {.events = EPOLLIN | (writable ? EPOLLOUT : 0)};
    event.data.u64 = ((uint64_t)(uint32_t)descriptor << 32) | tag;
    int result = epoll_ctl(poller.epoll, first_time ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
    return result < 0 ? -errno : 0;
}

void cnet_poller_forget(struct cnet_poller poller, int descriptor) {
    epoll_ctl(poller.epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

int cnet_poller_wait(struct cnet_poller poller, struct cnet_ready *ready, int capacity, int64_t nanoseconds) {
    struct epoll_event events[CNET_READY_AT_ONCE];
    if (capacity > CNET_READY_AT_ONCE) capacity = CNET_READY_AT_ONCE;
    // Linux before 5.11 has milliseconds only.
    static atomic_bool has_nanoseconds = true;
    int n = -1;
    if (has_nanoseconds && nanoseconds > 0) {
        struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
        n = epoll_pwait2(poller.epoll, events, capacity, &timeout, NULL);
        if (n < 0 && errno == ENOSYS) has_nanoseconds = false;
        else goto waited;
    }
    n = epoll_wait(poller.epoll, events, capacity, nanoseconds < 0 ? -1 : (int)((nanoseconds + 999999) / 1000000));
waited:
    if (n < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < n; i++) {
        ready[i].tag = (uint32_t)events[i].data.u64;
        // An error or hang-up is found out by reading.
        ready[i].readable = (events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0;
        ready[i].writable = (events[i].events & EPOLLOUT) != 0;
        if (ready[i].tag == CNET_WAKE_TAG) {
            uint64_t count;
            (void)!read(poller.wake, &count, sizeof count);
        }
    }
    return n;
}

void cnet_wake(struct cnet_poller poller) {
    uint64_t one = 1;
    // Fails only when the counter is full, and then the poller is awake anyway.
    (void)!write(poller.wake, &one, sizeof one);
}

// MARK: - Clocks, interfaces, threads

static int64_t read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t cnet_monotonic(void) { return read_clock(CLOCK_MONOTONIC); }
int64_t cnet_realtime(void) { return read_clock(CLOCK_REALTIME); }

int cnet_interfaces(struct cnet_interface *into, int capacity) {
    struct ifaddrs *list;
    if (getifaddrs(&list) < 0) return -errno;
    int n = 0;
    for (struct ifaddrs *i = list; i && n < capacity; i = i->ifa_next) {
        if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
        if (i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6) continue;
        get_sockaddr(&into[n].address, (const struct sockaddr_storage *)i->ifa_addr);
        into[n].address.port = 0;
        into[n].loopback = (i->ifa_flags & IFF_LOOPBACK) != 0;
        into[n].point_to_point = (i->ifa_flags & IFF_POINTOPOINT) != 0;
        n++;
    }
    freeifaddrs(list);
    return n;
}

struct start {
    void (*run)(void *);
    void *context;
    char name[16];
};

static void *thread_main(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), start.name);
    start.run(start.context);
    return NULL;
}

int cnet_thread_start(const char *name, void (*run)(void *), void *context, uint64_t *thread) {
    struct start *start = calloc(1, sizeof *start);
    if (!start) return -ENOMEM;
    start->run = run;
    start->context = context;
    strncpy(start->name, name, sizeof start->name - 1);
    pthread_t id;
    int error = pthread_create(&id, NULL, thread_main, start);
    if (error) {
        free(start);
        return -error;
    }
    *thread = (uint64_t)id;
    return 0;
}

bool cnet_thread_hurry(void) {
#ifdef __linux__
    struct sched_param parameters = {.sched_priority = 10};
    // What such a thread starts is an ordinary thread again.
    if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &parameters) == 0) return true;
    return setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), -11) == 0;
#else
    return false;
#endif
}

void cnet_thread_join(uint64_t thread) { pthread_join((pthread_t)thread, NULL); }
void cnet_thread_detach(uint64_t thread) { pthread_detach((pthread_t)thread); }

int cnet_clock_synchronised(void) {
#ifdef __linux__
    struct timex state = {0};
    if (adjtimex(&state) < 0) return -errno;
    return (state.status & STA_UNSYNC) ? 0 : 1;
#else
    return -ENOSYS;
#endif
}
