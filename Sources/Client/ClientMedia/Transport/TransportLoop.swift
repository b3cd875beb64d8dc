internal import DTLS
internal import DatagramIO
internal import ICE
internal import PeerSession
internal import RTP
internal import SDP
internal import Timing
internal import Wire

/// What the thread of a media path does: wait, obey, read, send, do what is due. Everything here belongs to that thread.
final class TransportLoop {
    static let songPositionURI = "urn:ovation:params:rtp-hdrext:song-position"
    /// How often figures are published while nothing happens.
    private static let statisticsInterval = Interval.milliseconds(100)

    private let sockets: DatagramSockets
    private let mailbox: TransportMailbox
    private let certificate: DTLSCertificate
    private let source: SlotSource
    private let clock: @Sendable () -> Instant
    private let onPacket: @Sendable (IncomingPacket, UnsafeRawBufferPointer) -> Void
    private let onEvent: @Sendable (PathEvent) -> Void

    private var now: Instant
    private var peer: MediaPeer?
    private var slots: [SlotReception] = []
    private var payloadType: PayloadType?
    private var redundancy: FrameDoubler?
    private var levelID: UInt8?
    private var songPositionID: UInt8?
    private var connected: [NetworkPath] = []
    private var isStopped = false

    private var sequence = SequenceNumber16(.random(in: 0...(.max)))
    private let firstTimestamp = UInt32.random(in: 0...(.max))
    private let sent = SentPackets()
    private let payload = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FrameQueue.maximumPayload, alignment: 16)
    private var statistics = PathStatistics()
    private var nextStatistics = Instant.distantPast

    /// One line of the server's.
    private struct SlotReception {
        let slot: AcceptedOffer.Slot
        var first: UInt64?
        var highest: UInt64 = 0
        var received: UInt64 = 0

        mutating func note(_ sequence: UInt64) {
            first = min(first ?? sequence, sequence)
            highest = max(highest, sequence)
            received &+= 1
        }

        var missing: UInt64 {
            guard let first else { return 0 }
            let expected = highest &- first &+ 1
            return expected > received ? expected - received : 0
        }
    }

    init(
        sockets: DatagramSockets, mailbox: TransportMailbox, certificate: DTLSCertificate, source: SlotSource,
        clock: @escaping @Sendable () -> Instant,
        onPacket: @escaping @Sendable (IncomingPacket, UnsafeRawBufferPointer) -> Void,
        onEvent: @escaping @Sendable (PathEvent) -> Void
    ) {
        self.sockets = sockets
        self.mailbox = mailbox
        self.certificate = certificate
        self.source = source
        self.clock = clock
        self.onPacket = onPacket
        self.onEvent = onEvent
        now = clock()
    }

    deinit { payload.deallocate() }

    /// Until a stop is commanded.
    func run() {
        while !isStopped { turn() }
        peer?.close()
        drain()
        sockets.flush(at: now)
        mailbox.close()
    }

    private func turn() {
        let (isWoken, readable, hasConnections) = sockets.wait(until: peer?.nextDeadline ?? .distantFuture, now: now)
        now = clock()
        if isWoken {
            for command in mailbox.takeCommands() { perform(command) }
        }
        for socket in readable { read(socket) }
        if hasConnections { sockets.connections?.receive(at: now, for: self) }
        if isWoken { sendFrames() }
        if let peer, peer.nextDeadline <= now { peer.advance(to: now) }
        drain()
        sockets.flush(at: now)
        publish()
    }

    // MARK: Commands

    private func perform(_ command: TransportCommand) {
        switch command {
        case .open(var configuration, let accepted, let remotes):
            guard peer == nil else { return }
            if !remotes.isEmpty { configuration.role = .client(paths: connect(to: remotes)) }
            do {
                let peer = try MediaPeer(configuration, context: DTLSContext(certificate: certificate), at: now)
                peer.openSendStream(SSRC(source.ssrc), clockRate: MediaTransport.clockRate, cname: source.cname)
                self.peer = peer
            } catch {
                tell(.closed(.handshakeFailed))
                return
            }
            take(accepted)
        case .update(let accepted, let restart):
            take(accepted)
            if let restart {
                let paths = restart.paths + connect(to: restart.remotes)
                peer?.restartICE(local: restart.local, remote: restart.remote, paths: paths, at: now)
            }
        case .stop: isStopped = true
        }
    }

    private func connect(to remotes: [TransportAddress]) -> [NetworkPath] {
        guard !remotes.isEmpty, let connections = sockets.connections else { return [] }
        for path in connected where path != peer?.mediaPath { connections.close(path, at: now) }
        connected = remotes.compactMap { connections.connect(to: $0) }
        return connected
    }

    private func take(_ accepted: AcceptedOffer) {
        payloadType = accepted.microphonePayloadType.map { PayloadType($0) }
        let redundant = accepted.microphoneRedundantPayloadType.map { PayloadType($0) }
        if redundant != redundancy?.payloadType {
            redundancy = redundant.map { FrameDoubler(payloadType: $0) }
        }
        slots = accepted.slots.map { slot in
            slots.first { $0.slot == slot } ?? SlotReception(slot: slot)
        }
        levelID = id(of: ExtensionURI.audioLevel, in: accepted)
        songPositionID = id(of: Self.songPositionURI, in: accepted)
    }

    /// Only ids of the one-byte form are written.
    private func id(of uri: String, in accepted: AcceptedOffer) -> UInt8? {
        accepted.extensions.first { $0.uri == uri && (1...14).contains($0.id) }?.id
    }

    // MARK: In

    private func read(_ socket: DatagramSocket) {
        while DatagramSocket.receiveSlots
            == socket.receive(
                at: now,
                { slot, length, path, arrival in receive(slot, length: length, path: path, arrival: arrival) })
        {}
    }

    private func receive(
        _ datagram: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, arrival: Instant
    ) {
        guard let peer, case .media(let packet) = peer.receive(datagram, length: length, path: path, at: arrival)
        else { return }
        let header = packet.header
        guard let index = slots.firstIndex(where: { $0.slot.ssrc == header.ssrc.rawValue }) else { return }
        let slot = slots[index].slot
        var payload = UnsafeRawBufferPointer(rebasing: datagram[header.payload])
        let incoming = IncomingPacket(
            slot: slot.index, sequence: packet.extendedSequence, timestamp: header.timestamp.rawValue,
            ssrc: header.ssrc.rawValue, marker: header.marker, arrival: arrival)
        if header.payloadType.rawValue == slot.redundantPayloadType {
            let type = PayloadType(slot.payloadType)
            guard let redundant = RedundantPayload(payload), redundant.payloadType == type else { return }
            peer.recover(from: packet, redundant, type: type, in: payload, at: arrival) { copy, sequence in
                var lost = incoming
                lost.sequence = sequence
                lost.timestamp &-= copy.timestampOffset
                lost.marker = false
                lost.isCopy = true
                slots[index].note(sequence)
                onPacket(lost, UnsafeRawBufferPointer(rebasing: payload[copy.range]))
            }
            payload = UnsafeRawBufferPointer(rebasing: payload[redundant.primary])
        } else if header.payloadType.rawValue != slot.payloadType {
            return
        }
        slots[index].note(packet.extendedSequence)
        onPacket(incoming, payload)
    }

    // MARK: Out

    private func sendFrames() {
        while let (frame, length) = mailbox.takeFrame(into: payload) {
            send(frame, payload: UnsafeRawBufferPointer(rebasing: payload[..<length]))
        }
    }

    private func send(_ frame: OutgoingFrame, payload: UnsafeRawBufferPointer) {
        guard let peer, let path = peer.mediaPath, let payloadType, peer.protectionProfile != nil else {
            statistics.framesDropped &+= 1
            return
        }
        let slot = sockets.nextSlot()
        let doubled = frame.carriesCopy ? redundancy?.doubled(frame, payload, payloadType) : nil
        let (content, type) = doubled ?? (payload, payloadType)
        var writer = RTPHeaderWriter(
            into: slot, marker: frame.marker, payloadType: type, sequenceNumber: sequence,
            timestamp: RTPTimestamp(frame.timestamp &+ firstTimestamp), ssrc: SSRC(source.ssrc))
        if let levelID {
            writer.add(AudioLevel(attenuation: frame.level, isVoice: frame.level < 127), id: levelID)
        }
        if let songPositionID, let position = frame.songPosition {
            withUnsafeBytes(of: position.bigEndian) { writer.add(extension: $0, id: songPositionID) }
        }
        guard let headerLength = writer.finish() else { return }
        sent.store(sequence, header: UnsafeRawBufferPointer(rebasing: slot[..<headerLength]), payload: content)
        guard let length = peer.seal(headerLength: headerLength, payload: content, into: slot, at: now) else {
            statistics.framesDropped &+= 1
            return
        }
        redundancy?.keep(frame, payload)
        sequence = sequence.next
        sockets.commit(slot, length: length, path: path, at: now)
    }

    private func sendAgain(_ sequence: SequenceNumber16) {
        guard let peer, let path = peer.mediaPath, let packet = sent.find(sequence) else { return }
        let slot = sockets.nextSlot()
        slot.copyMemory(from: packet.header)
        guard
            let length = peer.sealAgain(headerLength: packet.header.count, payload: packet.payload, into: slot)
        else { return }
        sockets.commit(slot, length: length, path: path, at: now)
    }

    private func drain() {
        guard let peer else { return }
        while true {
            let slot = sockets.nextSlot()
            guard let output = peer.nextOutput(into: slot) else { return }
            switch output {
            case .datagram(let length, let path): sockets.commit(slot, length: length, path: path, at: now)
            case .event(let event): handle(event)
            }
        }
    }

    private func handle(_ event: PeerEvent) {
        switch event {
        case .connected: tell(.connected)
        case .lost: tell(.lost)
        case .recovered: tell(.recovered)
        case .closed(let reason): tell(.closed(reason))
        case .nack(_, let ssrc, let first, let following):
            guard ssrc.rawValue == source.ssrc else { return }
            for bit in 0...16 where bit == 0 || following & (1 << (bit - 1)) != 0 { sendAgain(first.advanced(by: bit)) }
        case .receiverReport(let ssrc, let roundTrip, let fractionLost):
            guard ssrc.rawValue == source.ssrc else { return }
            statistics.lossSent = Double(fractionLost) / 256
            if let roundTrip { statistics.roundTrip = roundTrip }
            nextStatistics = now
        case .senderReport, .keyFrameWanted: break
        }
    }

    private func tell(_ event: PathEvent) {
        nextStatistics = now
        if !mailbox.isStopping { onEvent(event) }
    }

    private func publish() {
        guard let peer, nextStatistics <= now else { return }
        nextStatistics = now + Self.statisticsInterval
        let counted = peer.stats
        statistics.packetsSent = counted.packetsSent
        statistics.repeatsSent = counted.repeatsSent
        statistics.packetsReceived = counted.packetsReceived
        statistics.repeatsRequested = counted.repeatsRequested
        statistics.packetsMissing = slots.reduce(0) { $0 &+ $1.missing }
        mailbox.publish(statistics)
    }
}

/// What connections bring is for the one peer that there is.
extension TransportLoop: ConnectionOwner {
    func isNamed(by datagram: UnsafeRawBufferPointer) -> Bool { true }
    var readsOn: Bool { true }
    func pass(_ connection: HandedConnection) {}

    func receive(
        _ slot: UnsafeMutableRawBufferPointer, length: Int, path: NetworkPath, at now: Instant
    ) -> Bool {
        receive(slot, length: length, path: path, arrival: now)
        return true
    }
}
