// The floor of the benchmark of messages: what it costs to write the same bytes to the same number of sockets when nothing is decided.
// Whoever asks for /sub is written to, what comes on /pub is written to all of them: each text in a frame of its own when it comes
// alone, together with others that come within 10 ms. No JSON is read, no person known, nothing kept.
//
//   ChatFloor PORT ENVELOPE
//
// ENVELOPE: bytes that a room puts around a text. Ends by a signal.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_lines = 1 << 16, read_bytes = 1 << 16, gathered_bytes = 1 << 24, events_at_once = 256, gathering_ns = 10000000 };
enum kind { none, asking, reader, writer };

static enum kind kinds[most_lines];
static int readers[most_lines], reader_count;
static uint8_t incoming[read_bytes], gathered[gathered_bytes], frame[gathered_bytes + 10], *partial[most_lines];
static size_t partial_count[most_lines], gathered_count;
static int envelope;
static uint64_t last_flush;

static void fail(const char *what) {
    fprintf(stderr, "ChatFloor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void forget(int line) {
    if (kinds[line] == reader)
        for (int i = 0; i < reader_count; i++)
            if (readers[i] == line) {
                readers[i] = readers[--reader_count];
                break;
            }
    kinds[line] = none;
    free(partial[line]);
    partial[line] = NULL;
    partial_count[line] = 0;
    close(line);
}

static void flush(uint64_t now) {
    last_flush = now;
    size_t head = 2;
    frame[0] = 0x81;
    if (gathered_count < 126) {
        frame[1] = (uint8_t)gathered_count;
    } else if (gathered_count < 1 << 16) {
        frame[1] = 126;
        frame[2] = (uint8_t)(gathered_count >> 8);
        frame[3] = (uint8_t)gathered_count;
        head = 4;
    } else {
        frame[1] = 127;
        for (int i = 0; i < 8; i++) frame[2 + i] = (uint8_t)((uint64_t)gathered_count >> (56 - 8 * i));
        head = 10;
    }
    memcpy(frame + head, gathered, gathered_count);
    size_t length = head + gathered_count;
    gathered_count = 0;
    for (int i = 0; i < reader_count; i++)
        // A socket that does not take a frame whole would need a queue, which a floor does not have: the load sees what is missing.
        if (send(readers[i], frame, length, MSG_NOSIGNAL) != (ssize_t)length) errno = 0;
}

// A client's frame at the front; 0 while it is not whole. Its text is gathered.
static size_t take_frame(const uint8_t *bytes, size_t count) {
    if (count < 2) return 0;
    size_t length = bytes[1] & 0x7f, head = 2;
    if (length == 126) {
        if (count < 4) return 0;
        length = (size_t)bytes[2] << 8 | bytes[3];
        head = 4;
    } else if (length == 127) {
        errno = EMSGSIZE;
        fail("a frame");
    }
    if (count < head + 4 + length) return 0;
    const uint8_t *mask = bytes + head, *payload = mask + 4;
    if ((bytes[0] & 0x0f) == 1 && gathered_count + (size_t)envelope + length <= gathered_bytes) {
        memset(gathered + gathered_count, ' ', (size_t)envelope);
        gathered_count += (size_t)envelope;
        for (size_t i = 0; i < length; i++) gathered[gathered_count++] = payload[i] ^ mask[i & 3];
    }
    return head + 4 + length;
}

static void take(int line) {
    ssize_t count = read(line, incoming, sizeof incoming);
    if (count <= 0) {
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) forget(line);
        return;
    }
    partial[line] = realloc(partial[line], partial_count[line] + (size_t)count);
    if (!partial[line]) fail("memory");
    memcpy(partial[line] + partial_count[line], incoming, (size_t)count);
    partial_count[line] += (size_t)count;
    size_t used = 0;
    if (kinds[line] == asking) {
        uint8_t *end = memmem(partial[line], partial_count[line], "\r\n\r\n", 4);
        if (!end) return;
        int is_reader = partial_count[line] > 8 && memcmp(partial[line], "GET /sub", 8) == 0;
        static const char answer[] =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
        if (send(line, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0) return forget(line);
        kinds[line] = is_reader ? reader : writer;
        if (is_reader) readers[reader_count++] = line;
        used = (size_t)(end - partial[line]) + 4;
    }
    for (size_t length; kinds[line] == writer && (length = take_frame(partial[line] + used, partial_count[line] - used)) > 0;)
        used += length;
    // What readers say is of no interest.
    if (kinds[line] == reader) used = partial_count[line];
    memmove(partial[line], partial[line] + used, partial_count[line] - used);
    partial_count[line] -= used;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: ChatFloor PORT ENVELOPE\n");
        return 2;
    }
    envelope = atoi(argv[2]);
    int door = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1, poller = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (door < 0 || poller < 0 || bind(door, (struct sockaddr *)&address, sizeof address) != 0 || listen(door, 4096) != 0)
        fail("the port");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = door}, events[events_at_once];
    if (epoll_ctl(poller, EPOLL_CTL_ADD, door, &event) != 0) fail("epoll");
    for (;;) {
        uint64_t now = now_ns();
        int wait = -1;
        if (gathered_count > 0) {
            if (now >= last_flush + gathering_ns) flush(now);
            else wait = (int)((last_flush + gathering_ns - now) / 1000000) + 1;
        }
        int count = epoll_wait(poller, events, events_at_once, wait);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd != door) {
                take(events[i].data.fd);
                continue;
            }
            for (int line; (line = accept4(door, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
                if (line >= most_lines) {
                    close(line);
                    continue;
                }
                setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                kinds[line] = asking;
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = line};
                epoll_ctl(poller, EPOLL_CTL_ADD, line, &event);
            }
        }
    }
}
