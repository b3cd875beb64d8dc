import Forwarding
import NetworkSimulation
package import PeerSession
package import RTP
package import Timing
package import Wire

/// The server's part between two singers: a stage that sends on, and each one's protocol machine.
package final class VirtualStage: SimulatedEndpoint {
    package static let payloadType = PayloadType(111)
    static let levelID: UInt8 = 1

    private struct Guest {
        let peer: MediaPeer
        let address: TransportAddress
        let lines: [ListenerLine]
        var roundTrip: Interval?
    }

    private let stage = AudioStage(slots: 2)
    private var guests: [Guest] = []
    private var outgoing: [(bytes: [UInt8], path: NetworkPath)] = []
    private var now: Instant
    /// The next packet for that singer waits so long.
    package var holdUp: (singer: Int, time: Interval)?
    private var held: [(until: Instant, bytes: [UInt8], path: NetworkPath)] = []

    package init(at now: Instant) { self.now = now }

    /// Singers come in the order of their slots. `ssrcs`: of the lines on which this one hears the slots.
    package func add(_ peer: MediaPeer, at address: TransportAddress, ssrcs: [UInt32]) {
        let lines = ssrcs.enumerated().map { slot, ssrc in
            let number = peer.openSendStream(
                SendStreamTerms(
                    ssrc: SSRC(ssrc), clockRate: 48_000, cname: "slot", payloadType: Self.payloadType))
            return ListenerLine(
                slot: slot, ssrc: SSRC(ssrc), stream: number ?? 0, firstSequence: 0x7ff0, firstTimestamp: 0xffff_f000)
        }
        guests.append(Guest(peer: peer, address: address, lines: lines))
    }

    private func member(_ index: Int) -> MemberID { MemberID(rawValue: UInt64(index + 1)) }

    package var nextDeadline: Instant {
        guard outgoing.isEmpty else { return .distantPast }
        return guests.reduce(held.first?.until ?? .distantFuture) { min($0, $1.peer.nextDeadline) }
    }

    package func advance(to now: Instant) {
        self.now = now
        while let first = held.first, first.until <= now {
            held.removeFirst()
            outgoing.append((first.bytes, first.path))
        }
        for guest in guests where guest.peer.nextDeadline <= now { guest.peer.advance(to: now) }
    }

    package func receive(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant
    ) {
        self.now = now
        guard let index = guests.firstIndex(where: { $0.address == path.local }),
            case .media(let media) = guests[index].peer.receive(datagram, length: length, path: path, at: now)
        else { return }
        stage.forward(
            SourcePacket(
                ssrc: media.header.ssrc, sequence: media.extendedSequence, timestamp: media.header.timestamp.rawValue,
                marker: media.header.marker, arrival: now),
            from: member(index), payload: UnsafeRawBufferPointer(rebasing: datagram[media.header.payload])
        ) { handle, header, payload in send(handle, header, payload, again: false) }
    }

    private func send(_ handle: Int, _ packet: OutgoingPacket, _ payload: UnsafeRawBufferPointer, again: Bool) {
        let peer = guests[handle].peer
        guard let path = peer.mediaPath else { return }
        withUnsafeTemporaryAllocation(byteCount: Network.maximumDatagramLength, alignment: 16) { slot in
            let length =
                again
                ? peer.lane.sealAgain(packet, payload: payload, into: slot, at: now)
                : peer.lane.seal(packet, payload: payload, into: slot, at: now)
            guard let length else { return }
            let bytes = Array(UnsafeRawBufferPointer(rebasing: slot[..<length]))
            if let hold = holdUp, hold.singer == handle {
                holdUp = nil
                held.append((now + hold.time, bytes, path))
            } else {
                outgoing.append((bytes, path))
            }
        }
    }

    package func nextDatagram(
        into buffer: UnsafeMutableRawBufferPointer, at now: Instant
    ) -> (length: Int, path: NetworkPath)? {
        for index in guests.indices {
            while let output = guests[index].peer.nextOutput(into: buffer) {
                switch output {
                case .datagram(let length, let path): return (length, path)
                case .event(let event): take(event, of: index)
                }
            }
        }
        guard !outgoing.isEmpty else { return nil }
        let next = outgoing.removeFirst()
        buffer.copyBytes(from: next.bytes)
        return (next.bytes.count, next.path)
    }

    private func take(_ event: PeerEvent, of index: Int) {
        switch event {
        case .connected:
            stage.fanout.setListener(member(index), handle: index, lines: guests[index].lines)
            stage.assign(slot: index, to: member(index), muted: false, at: now) { _, _, _ in }
        case .nack(_, let ssrc, let sequence, let following):
            stage.fanout.repeat(
                for: member(index), ssrc, sequence: sequence, following: following, roundTrip: guests[index].roundTrip,
                at: now
            ) { send($0, $1, $2, again: true) }
        case .receiverReport(_, let roundTrip, _):
            guests[index].roundTrip = roundTrip ?? guests[index].roundTrip
        default: break
        }
    }
}
