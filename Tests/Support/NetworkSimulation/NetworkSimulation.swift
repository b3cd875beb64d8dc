import SeededRandom
package import Timing
package import Wire

/// A network in virtual time between machines without sockets: what one sends arrives at the one that owns the remote
/// address, late, twice, out of order or not at all, by the dice of a seed.
package final class Network {
    /// Ethernet's, as everywhere on the way.
    package static let maximumDatagramLength = 1500
    /// A machine whose deadline stays in the past after so many turns at one time is broken.
    private static let patience = 10_000

    package private(set) var now: Instant
    /// For all links; changes apply to what is sent from then on.
    package var conditions: LinkConditions
    /// For what is sent to one address, in place of `conditions`.
    package var conditionsTo: [TransportAddress: LinkConditions] = [:]
    /// Sees each datagram as it is sent, before the dice are thrown: for recording and forging. False drops it.
    package var onSend: ((_ datagram: [UInt8], _ path: NetworkPath, _ now: Instant) -> Bool)?

    package private(set) var sent = 0
    package private(set) var lost = 0
    package private(set) var delivered = 0

    private var random: SeededGenerator
    private var endpoints: [any SimulatedEndpoint] = []
    private var owners: [TransportAddress: Int] = [:]
    /// Sender's own address → address that others see (a NAT), and back.
    private var outward: [TransportAddress: TransportAddress] = [:]
    private var inward: [TransportAddress: TransportAddress] = [:]
    private var flying: [Flight] = []
    private var serial = 0
    private var busyUntil: [TransportAddress: Instant] = [:]
    private var actions: [(at: Instant, run: () -> Void)] = []

    private struct Flight {
        let arrival: Instant
        /// Keeps equal arrivals in the order of sending.
        let serial: Int
        let bytes: [UInt8]
        let source: TransportAddress
        let destination: TransportAddress
    }

    package init(
        seed: UInt64, conditions: LinkConditions = .perfect, start: Instant = Instant(nanoseconds: 1_000_000_000)
    ) {
        random = SeededGenerator(seed: seed)
        self.conditions = conditions
        now = start
    }

    /// Puts a machine on the network under its addresses.
    package func attach(_ endpoint: any SimulatedEndpoint, at addresses: [TransportAddress]) {
        endpoints.append(endpoint)
        for address in addresses { owners[address] = endpoints.count - 1 }
    }

    /// From now on the owner of `address` has `newAddress` too, or instead.
    package func move(_ address: TransportAddress, to newAddress: TransportAddress, keepsOld: Bool = false) {
        owners[newAddress] = owners[address]
        if !keepsOld { owners[address] = nil }
    }

    /// From now on others see `address` as `seenAs`; what they send to the old one goes astray.
    package func rebind(_ address: TransportAddress, seenAs: TransportAddress) {
        if let old = outward[address] { inward[old] = nil }
        outward[address] = seenAs
        inward[seenAs] = address
    }

    /// Does something at a point of virtual time.
    package func schedule(at time: Instant, _ run: @escaping () -> Void) {
        actions.append((time, run))
        actions.sort { $0.at < $1.at }
    }

    /// Puts a datagram on the way as if `source` had sent it.
    package func inject(_ bytes: [UInt8], from source: TransportAddress, to destination: TransportAddress) {
        carry(bytes, from: source, to: destination)
    }

    /// Lets time pass, from one happening to the next.
    package func run(until end: Instant) {
        var turns = 0
        drainAll()
        while true {
            let deadline = endpoints.reduce(Instant.distantFuture) { min($0, $1.nextDeadline) }
            let next = min(
                deadline, flying.first?.arrival ?? .distantFuture, actions.first?.at ?? .distantFuture)
            guard next <= end else { break }
            if next > now {
                now = next
                turns = 0
            }
            turns += 1
            precondition(turns < Network.patience, "the machines do not come to rest at \(now)")
            step()
        }
        now = max(now, end)
    }

    package func run(for interval: Interval) { run(until: now + interval) }

    private func step() {
        while let action = actions.first, action.at <= now {
            actions.removeFirst()
            action.run()
            drainAll()
        }
        while let flight = flying.first, flight.arrival <= now {
            flying.removeFirst()
            deliver(flight)
        }
        for endpoint in endpoints where endpoint.nextDeadline <= now {
            endpoint.advance(to: now)
            drain(endpoint)
        }
    }

    private func drainAll() {
        for endpoint in endpoints { drain(endpoint) }
    }

    private func drain(_ endpoint: any SimulatedEndpoint) {
        withUnsafeTemporaryAllocation(byteCount: Network.maximumDatagramLength, alignment: 8) { buffer in
            while let (length, path) = endpoint.nextDatagram(into: buffer, at: now) {
                let bytes = Array(UnsafeRawBufferPointer(rebasing: buffer[..<length]))
                sent += 1
                if let onSend, !onSend(bytes, path, now) { continue }
                let destination = path.remote
                let link = conditionsTo[destination] ?? conditions
                if random.chance(link.loss) {
                    lost += 1
                    continue
                }
                carry(bytes, from: outward[path.local] ?? path.local, to: destination)
                if random.chance(link.duplication) {
                    carry(bytes, from: outward[path.local] ?? path.local, to: destination)
                }
            }
        }
    }

    private func carry(_ bytes: [UInt8], from source: TransportAddress, to destination: TransportAddress) {
        let link = conditionsTo[destination] ?? conditions
        var departure = now
        if let rate = link.rate {
            let free = max(now, busyUntil[destination] ?? now)
            let waiting = (free - now).seconds * Double(rate)
            guard waiting <= Double(link.queueLimit) else {
                lost += 1
                return
            }
            departure = free + Interval(nanoseconds: Int64(bytes.count) * 1_000_000_000 / Int64(rate))
            busyUntil[destination] = departure
        }
        let jitter = link.jitter.nanoseconds > 0 ? Int64(random.next() % UInt64(link.jitter.nanoseconds)) : 0
        serial += 1
        let flight = Flight(
            arrival: departure + link.delay + Interval(nanoseconds: jitter), serial: serial, bytes: bytes,
            source: source, destination: destination)
        let position = flying.partitioningIndex {
            $0.arrival > flight.arrival || ($0.arrival == flight.arrival && $0.serial > flight.serial)
        }
        flying.insert(flight, at: position)
    }

    private func deliver(_ flight: Flight) {
        let local: TransportAddress
        if let inside = inward[flight.destination] {
            local = inside
        } else if outward[flight.destination] != nil {
            return  // Behind a NAT now: not to be reached under its own address.
        } else {
            local = flight.destination
        }
        guard let owner = owners[local] else { return }
        delivered += 1
        let endpoint = endpoints[owner]
        withUnsafeTemporaryAllocation(byteCount: Network.maximumDatagramLength, alignment: 8) { buffer in
            let length = min(flight.bytes.count, buffer.count)
            buffer.copyBytes(from: flight.bytes.prefix(length))
            endpoint.receive(
                buffer, length: length, path: NetworkPath(local: local, remote: flight.source), at: now)
        }
        drain(endpoint)
    }
}

extension Array {
    /// The first position whose element, and all after it, satisfy the condition.
    fileprivate func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if belongsInSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
