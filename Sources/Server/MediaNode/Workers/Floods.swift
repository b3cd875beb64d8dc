internal import DatagramIO
internal import Timing
internal import Wire

/// Where far more media comes from than this thread wants to be woken for: the kernel throws it away for a while.
struct Floods {
    /// How long, before one looks again.
    static let term = Interval.seconds(1)
    /// Authentic packets among those that pass in a term which tell that the flood goes on: some 4,000 a second, beyond what a
    /// microphone, cameras and a screen may send together. Who only knows the address cannot keep anybody silent.
    static let proof = 4_096 / DatagramSocket.passingOneIn

    private struct Flood {
        var remote: TransportAddress
        var until: Instant
        var proof = 0
    }

    /// Few, else the kernel would compare for long: `DatagramSocket.maximumRefused`.
    private var floods: [Flood] = []
    /// The kernel has not been told yet of what has changed.
    private var isChanged = false
    private(set) var nextDeadline = Instant.distantFuture

    var isEmpty: Bool { floods.isEmpty }

    /// Far more came from there than may.
    mutating func begin(_ remote: TransportAddress, at now: Instant) {
        guard floods.count < DatagramSocket.maximumRefused, !floods.contains(where: { $0.remote == remote }) else {
            return
        }
        floods.append(Flood(remote: remote, until: now + Self.term))
        change()
    }

    /// Authentic media came from there.
    mutating func notePassed(_ remote: TransportAddress) {
        for index in floods.indices where floods[index].remote == remote { floods[index].proof += 1 }
    }

    /// Nobody is there any more: whoever comes there next has sent nothing.
    mutating func forget(_ remote: TransportAddress) {
        guard floods.contains(where: { $0.remote == remote }) else { return }
        floods.removeAll { $0.remote == remote }
        change()
    }

    /// - Returns: from where the kernel is to refuse media, if that has changed.
    mutating func takeChange(at now: Instant) -> [TransportAddress]? {
        if nextDeadline <= now { renew(at: now) }
        guard isChanged else { return nil }
        isChanged = false
        return floods.map(\.remote)
    }

    private mutating func renew(at now: Instant) {
        let count = floods.count
        floods.removeAll { $0.until <= now && $0.proof < Self.proof }
        for index in floods.indices where floods[index].until <= now {
            floods[index].until = now + Self.term
            floods[index].proof = 0
        }
        if floods.count != count { isChanged = true }
        nextDeadline = floods.map(\.until).min() ?? .distantFuture
    }

    private mutating func change() {
        isChanged = true
        nextDeadline = floods.map(\.until).min() ?? .distantFuture
    }
}
