internal import CNet
internal import DatagramIO
internal import Foundation
internal import Timing

/// The lines of a load: members who listen, and lines that say something. One thread has them all, and calls the kernel itself: what a
/// frame costs here must stay below what it costs the server under test.
final class Crowd {
    private enum Phase {
        case closed
        case connecting
        case upgrading
        /// So many calls of the entry are answered; the next one is on its way.
        case entering(Int)
        case inside
    }

    private struct Line {
        var socket: Int32 = -1
        var phase = Phase.closed
        /// The beginning of what is not whole.
        var carry: [UInt8] = []
        /// What the kernel did not take.
        var unsent: [UInt8] = []
        var delivery = MemberDelivery()
        /// Changes of a seat that it has been told.
        var seatChanges = 0
    }

    /// Between two attempts to come back.
    private static let patience = Interval.milliseconds(50)

    let members: Int
    private let text: ChatText
    private let chat: any LoadedChat
    private let server: sockaddr_in
    private let addresses: LineAddresses
    private let poller: cnet_poller
    private var lines: ContiguousArray<Line>
    /// Those who try again, and when.
    private var returning: [(line: Int, due: Instant)] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1_024, alignment: 16)
    private var ready = [cnet_ready](repeating: cnet_ready(), count: Int(CNET_READY_AT_ONCE))

    private(set) var measure = ChatMeasure()
    private(set) var comeback = CrowdReturn()
    /// Lines that are in the room.
    private(set) var inside = 0

    init(
        members: Int, publishers: Int, text: ChatText, chat: any LoadedChat, server: sockaddr_in,
        addresses: LineAddresses
    ) throws {
        self.members = members
        self.text = text
        self.chat = chat
        self.server = server
        self.addresses = addresses
        poller = cnet_poller_open()
        guard poller.epoll >= 0 else {
            throw Self.problem("what lines have to say cannot be waited for", -poller.epoll)
        }
        lines = ContiguousArray(repeating: Line(), count: members + (chat.membersPublish ? 0 : publishers))
    }

    deinit {
        for line in lines where line.socket >= 0 { close(line.socket) }
        cnet_poller_close(poller)
        buffer.deallocate()
    }

    private static func problem(_ what: String, _ code: Int32 = errno) -> LoadFailure {
        LoadFailure("\(what): \(String(cString: strerror(code)))")
    }

    // MARK: For the load

    var count: Int { lines.count }
    /// The first of those that publish.
    var firstPublisher: Int { chat.membersPublish ? 0 : members }

    /// A new stretch: what came before is not counted any more.
    func beginMeasuring() {
        measure = ChatMeasure()
        for line in lines.indices {
            lines[line].delivery = MemberDelivery()
            lines[line].seatChanges = 0
        }
    }

    func changeSeat(at now: Instant) throws {
        guard let text = chat.seatChange(measure.seatChanges.count) else { return }
        measure.seatChanges.append(now)
        try send(ChatFrame.masked(0x1, text), 0)
    }

    /// Members to whom exactly the first `count` texts came.
    func whole(_ count: UInt32) -> Int { lines.prefix(members).count { $0.delivery.isWhole(count) } }

    /// Copies of those texts that did not come, and copies too many.
    func missing(among numbers: [UInt32]) -> (lost: Int, doubled: Int) {
        var (lost, doubled) = (0, 0)
        for line in lines.prefix(members) {
            doubled += Int(line.delivery.doubled)
            for number in numbers where !line.delivery.has(number) { lost += 1 }
        }
        return (lost, doubled)
    }

    func say(_ number: UInt32, by line: Int, at now: Instant) throws {
        let text = chat.message(text.bytes(number: number, sent: now), number: number)
        try send(ChatFrame.masked(0x1, text), line)
    }

    /// Opens a line and lets it in.
    func open(_ line: Int) throws {
        let socket = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw Self.problem("line \(line)") }
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        // Ports are chosen by the whole connection, so that there are enough of them.
        setsockopt(socket, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        var (own, server) = (addresses.address(of: line), server)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        guard bound == 0 else {
            let problem = Self.problem("an address for line \(line)")
            close(socket)
            throw problem
        }
        let connected = withUnsafePointer(to: &server) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) }
        }
        guard connected == 0 || errno == EINPROGRESS else {
            let code = errno
            close(socket)
            return try ended(line, code)
        }
        lines[line].socket = socket
        lines[line].phase = .connecting
        watch(line, writing: true, isNew: true)
    }

    /// Lets everything happen that happens before `end`, or until `isDone`; what is ready now in any case.
    func work(until end: Instant, isDone: () -> Bool = { false }) throws {
        repeat {
            let now = SystemClock.now()
            if let first = returning.first, first.due <= now {
                returning.removeFirst()
                try open(first.line)
                continue
            }
            let next = min(end, returning.first?.due ?? end)
            let count = cnet_poller_wait(poller, &ready, Int32(ready.count), max(0, (next - now).nanoseconds))
            guard count >= 0 else { throw Self.problem("what lines have to say cannot be waited for", -count) }
            for event in ready.prefix(Int(count)) { try serve(event) }
        } while !isDone() && SystemClock.now() < end
    }

    // MARK: A line

    private func watch(_ line: Int, writing: Bool, isNew: Bool = false) {
        _ = cnet_poller_watch(poller, lines[line].socket, UInt32(line), writing, isNew)
    }

    private func serve(_ event: cnet_ready) throws {
        let line = Int(event.tag)
        guard lines[line].socket >= 0 else { return }
        if case .connecting = lines[line].phase {
            var (code, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(lines[line].socket, SOL_SOCKET, SO_ERROR, &code, &length)
            guard code == 0 else { return try ended(line, code) }
            if comeback.lost != nil, comeback.accepted == nil { comeback.accepted = SystemClock.now() }
            lines[line].phase = .upgrading
            watch(line, writing: false)
            return try send(Array(chat.upgrade(line).utf8), line)
        }
        if event.writable { try flush(line) }
        guard event.readable else { return }
        let count = read(lines[line].socket, buffer.baseAddress, buffer.count)
        if count > 0 {
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), line)
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
            try ended(line, count == 0 ? ECONNRESET : errno)
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ line: Int) throws {
        guard lines[line].carry.isEmpty else {
            var all = lines[line].carry
            lines[line].carry = []
            all += bytes
            return try all.withUnsafeBytes { try takeAll($0, line) }
        }
        try takeAll(bytes, line)
    }

    private func takeAll(_ bytes: UnsafeRawBufferPointer, _ line: Int) throws {
        var rest = bytes
        if case .upgrading = lines[line].phase {
            guard let end = rest.firstRange(of: Self.headEnd) else {
                lines[line].carry = Array(rest)
                return
            }
            let status = rest.prefix(while: { $0 != UInt8(ascii: "\r") })
            guard status.starts(with: Self.switching) else {
                throw LoadFailure("the server refuses a line: \(String(decoding: status, as: UTF8.self))")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end.upperBound...])
            try advance(line, to: 0)
        }
        let now = SystemClock.now()
        while let (frame, length) = try ChatFrame.first(of: rest) {
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
            switch frame {
            case .text(let text): try take(text, of: length, line, at: now)
            case .ping(let payload): try send(ChatFrame.masked(0xa, payload), line)
            case .close(let code): if !chat.comesBack { throw LoadFailure("the server closed a line (\(code))") }
            case .other: break
            }
        }
        if !rest.isEmpty { lines[line].carry = Array(rest) }
    }

    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let switching = Array("HTTP/1.1 101".utf8)

    private func advance(_ line: Int, to step: Int) throws {
        if let request = try chat.request(step, of: line) {
            lines[line].phase = .entering(step)
            return try send(ChatFrame.masked(0x1, request), line)
        }
        lines[line].phase = .inside
        inside += 1
        if comeback.lost != nil, inside == count { comeback.back = SystemClock.now() }
    }

    private func take(_ payload: UnsafeRawBufferPointer, of length: Int, _ line: Int, at now: Instant) throws {
        var isSnapshot = false
        if case .entering(let step) = lines[line].phase, chat.isAnswer(payload) {
            isSnapshot = try chat.take(payload, step, of: line)
            if isSnapshot, comeback.lost != nil { comeback.snapshots += 1 }
            try advance(line, to: step + 1)
        } else if chat.comesBack {
            chat.note(payload, of: line)
        }
        guard line < members else { return }
        var count = 0
        let isWhole = text.each(in: payload) { number, sent in
            count += 1
            if isSnapshot {
                if comeback.lost != nil { lines[line].delivery.know(number) }
            } else {
                lines[line].delivery.take(number, isKept: chat.comesBack)
                measure.latencies.add(now - sent)
            }
        }
        guard isWhole else { throw LoadFailure("a text came in pieces") }
        if !measure.seatChanges.isEmpty { takeSeatChanges(payload, line, at: now) }
        if count == 0 {
            switch chat.receipt(payload) {
            case .taken(let number): measure.taken.append(number)
            case .refused: measure.refused += 1
            case nil: break
            }
        } else if !isSnapshot {
            measure.delivered += count
            measure.frames += 1
            measure.bytes += length
        }
    }

    /// News of seats come in the order of the changes, to everybody.
    private func takeSeatChanges(_ payload: UnsafeRawBufferPointer, _ line: Int, at now: Instant) {
        var rest = payload
        while let place = rest.offset(of: chat.seatMark), lines[line].seatChanges < measure.seatChanges.count {
            measure.seatLatencies.add(now - measure.seatChanges[lines[line].seatChanges])
            lines[line].seatChanges += 1
            rest = UnsafeRawBufferPointer(rebasing: rest[(place + chat.seatMark.count)...])
        }
    }

    private func ended(_ line: Int, _ code: Int32) throws {
        guard chat.comesBack else {
            if case .connecting = lines[line].phase { throw Self.problem("the server takes no connection", code) }
            throw Self.problem("a line ended", code)
        }
        if case .inside = lines[line].phase {
            inside -= 1
            measure.closed += 1
            if comeback.lost == nil { comeback.lost = SystemClock.now() }
        }
        if lines[line].socket >= 0 { close(lines[line].socket) }
        let delivery = lines[line].delivery
        lines[line] = Line()
        lines[line].delivery = delivery
        returning.append((line, SystemClock.now() + Self.patience))
    }

    // MARK: Sending

    private func send(_ bytes: [UInt8], _ line: Int) throws {
        guard lines[line].unsent.isEmpty else {
            lines[line].unsent += bytes
            return
        }
        let sent = Glibc.send(lines[line].socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if sent < 0, errno != EAGAIN { return }  // Its end is read.
        guard sent < bytes.count else { return }
        lines[line].unsent = Array(bytes[max(0, sent)...])
        watch(line, writing: true)
    }

    private func flush(_ line: Int) throws {
        let unsent = lines[line].unsent
        lines[line].unsent = []
        watch(line, writing: false)
        if !unsent.isEmpty { try send(unsent, line) }
    }
}
