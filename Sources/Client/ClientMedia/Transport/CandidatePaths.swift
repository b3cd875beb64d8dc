internal import DatagramIO
internal import SDP
internal import Wire

/// Which ways to the server are tried.
enum CandidatePaths {
    /// Pairs of addresses to try. Each costs a check every 50 ms until one works.
    private static let maximum = 24
    private static let maximumConnections = 4

    /// Where datagrams may leave from: the sockets' own addresses, or those of the interfaces behind an unspecified one.
    /// Looked up anew each time, since interfaces come and go.
    static func locals(of sockets: DatagramSockets) -> [TransportAddress] {
        var interfaces: [IPAddress]?
        return sockets.locals.flatMap { local -> [TransportAddress] in
            guard local.ip.isUnspecified else { return [local] }
            let found = interfaces ?? (try? InterfaceAddresses.current()) ?? []
            interfaces = found
            return found.map { TransportAddress(ip: $0, port: local.port) }.filter(sockets.serves)
        }
    }

    /// Each of our addresses with each candidate that it can reach, the server's preferred ones first.
    static func paths(from locals: [TransportAddress], to candidates: [ICECandidate]) -> [NetworkPath] {
        var paths: [NetworkPath] = []
        for candidate in candidates where candidate.transport == "udp" {
            guard let ip = IPAddress(text: candidate.address) else { continue }
            let remote = TransportAddress(ip: ip, port: candidate.port)
            let usable = locals.filter { $0.ip.isIPv4 == ip.isIPv4 && $0.ip.isLoopback == ip.isLoopback }
            // A server on this host is reached from its own address.
            paths += usable.sorted { $0.ip == ip && $1.ip != ip }.map { NetworkPath(local: $0, remote: remote) }
        }
        return Array(paths.prefix(maximum))
    }

    /// Where connections can be made to that carry datagrams.
    static func remotes(from locals: [TransportAddress], byTCP candidates: [ICECandidate]) -> [TransportAddress] {
        let remotes = candidates.compactMap { candidate -> TransportAddress? in
            guard candidate.transport == "tcp", candidate.tcpKind == "passive",
                let ip = IPAddress(text: candidate.address),
                locals.contains(where: { $0.ip.isIPv4 == ip.isIPv4 && $0.ip.isLoopback == ip.isLoopback })
            else { return nil }
            return TransportAddress(ip: ip, port: candidate.port)
        }
        return Array(remotes.prefix(maximumConnections))
    }
}
