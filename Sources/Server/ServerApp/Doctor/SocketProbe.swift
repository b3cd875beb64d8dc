import Dispatch
import Foundation

/// Tries sockets, for findings. Blocking calls: away from the cooperative threads.
enum SocketProbe {
    enum Way { case tcp, udp }

    enum Outcome: Equatable {
        case free
        case taken
        case refused(String)
    }

    /// How long a relay may take to answer.
    private static let patience = timeval(tv_sec: 3, tv_usec: 0)

    /// Whether a port could be opened for listening now.
    static func bind(_ way: Way, host: String, port: Int) -> Outcome {
        resolved(way, host: host, port: port) { address in
            let descriptor = socket(
                address.pointee.ai_family, address.pointee.ai_socktype, address.pointee.ai_protocol)
            guard descriptor >= 0 else { return .refused(reason) }
            defer { close(descriptor) }
            var on: Int32 = 1
            // As a server does: connections of an earlier one that still end are no hindrance.
            if way == .tcp {
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            guard Foundation.bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
                way == .udp || listen(descriptor, 1) == 0
            else { return errno == EADDRINUSE ? .taken : .refused(reason) }
            return .free
        } ?? .refused("there is no such address")
    }

    /// Whether a STUN or TURN server answers: to a binding request (RFC 8489 §7) by UDP, by taking the connection else.
    static func answers(_ url: String) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: isAnswered(url)) }
        }
    }

    private static func isAnswered(_ url: String) -> Bool {
        guard let colon = url.firstIndex(of: ":") else { return false }
        let scheme = url[..<colon]
        let rest = url[url.index(after: colon)...]
        let place = rest.split(separator: "?", maxSplits: 1).first.map(String.init) ?? ""
        let isByTCP = scheme.hasSuffix("s") || rest.hasSuffix("transport=tcp")
        // "host", "host:port", "[::1]:port"
        var host = place
        var port = scheme.hasSuffix("s") ? 5349 : 3478
        if let last = place.lastIndex(of: ":"), !place[last...].contains("]"),
            let number = Int(place[last...].dropFirst())
        {
            host = String(place[..<last])
            port = number
        }
        host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return resolved(isByTCP ? .tcp : .udp, host: host, port: port) { address in
            let descriptor = socket(
                address.pointee.ai_family, address.pointee.ai_socktype, address.pointee.ai_protocol)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var limit = patience
            let size = socklen_t(MemoryLayout<timeval>.size)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
            guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else { return false }
            guard !isByTCP else { return true }
            var request: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42]
            request += (0..<12).map { _ in UInt8.random(in: 0...255) }
            guard send(descriptor, request, request.count, 0) == request.count else { return false }
            var answer = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &answer, answer.count, 0)
            return count >= 20 && Array(answer[4..<20]) == Array(request[4...])
        } ?? false
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private static func resolved<Result>(
        _ way: Way, host: String, port: Int, _ body: (UnsafeMutablePointer<addrinfo>) -> Result
    ) -> Result? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(way == .tcp ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &first) == 0, let first else { return nil }
        defer { freeaddrinfo(first) }
        return body(first)
    }
}
