internal import DTLS
internal import DatagramIO
internal import Forwarding
internal import ICE
internal import PeerSession
internal import RTP
internal import RoomPorts
internal import SDP
internal import Timing
internal import Wire

/// One thread's share of the media plane: its sockets, its peers and the rooms that they are in. Everything here belongs
/// to that thread alone; commands come in by the mailbox, facts go out by the publisher.
///
/// A turn: wait, do commands, read datagrams, do what is due, tell levels, send. What a turn wants to send leaves at its
/// end or as soon as a batch is full.
final class MediaWorker {
    /// Batches that are read from one socket before others get their turn; the poller reports what is left at once.
    private static let maximumBatches = 8
    /// A turn reads no longer than this, whatever waits: commands and what is due come in between.
    private static let readingTime = Interval.milliseconds(5)
    /// An RTP header, at most the mid in an extension, payload and tag: a payload up to this fits any path that brought it.
    private static let maximumPayload = DatagramSocket.slotBytes - 128

    let mailbox: Mailbox
    var port: UInt16 { sockets.port }

    private let configuration: MediaNodeConfiguration
    private let sockets: DatagramSockets
    private let context: DTLSContext
    private var negotiator: Negotiator
    var facts: FactPublisher

    let table: PeerTable
    private(set) var stages: [StageID: Stage] = [:]
    private var peerDeadlines = DeadlineQueue()
    /// Stages where somebody is or was heard, and when their levels are read next.
    var meteredStages: ContiguousArray<Stage> = []
    var nextLevels = Instant.distantFuture
    /// Stages whose singers' ways are told, and when.
    var watchedStages: ContiguousArray<Stage> = []
    var nextPaths = Instant.distantFuture
    /// Stages with a mix.
    private var mixedStages: ContiguousArray<Stage> = []
    private var connectedPeers = 0
    private var peersPerAddress: [IPAddress: Int] = [:]

    private let clock: @Sendable () -> Instant
    private(set) var now: Instant
    private var load: WorkerLoad
    private var isDraining = false
    private var isStopped = false
    /// Streams that begin or change their source in this turn: their listeners get a report at once.
    private var startedStreams: ContiguousArray<(handle: Int, ssrc: SSRC)> = []
    /// Told once everything that was queued before has left or been dropped.
    private var confirmations: [@Sendable () -> Void] = []
    private var counters = MediaCounters()

    init(
        _ configuration: MediaNodeConfiguration, certificate: DTLSCertificate, facts: FactPublisher,
        clock: @escaping @Sendable () -> Instant
    ) throws(MediaNodeError) {
        self.configuration = configuration
        self.facts = facts
        self.clock = clock
        now = clock()
        load = WorkerLoad(at: now)
        do {
            sockets = try DatagramSockets(addresses: configuration.bindAddresses, port: configuration.port)
        } catch {
            throw .socket(error)
        }
        do {
            context = try DTLSContext(certificate: certificate)
        } catch {
            throw .cryptography(error.message)
        }
        mailbox = Mailbox(waker: sockets.waker)
        table = PeerTable(capacity: configuration.maximumPeers)
        negotiator = Negotiator(
            fingerprint: certificate.fingerprint,
            clock: NTPClock(reference: now, wallTime: SystemClock.wallTime()))
    }

    // MARK: The turn

    /// Until a stop is commanded.
    func run() {
        while !isStopped { turn() }
        for peer in table.all { close(peer) }
        flush()
        for command in mailbox.close() { refuse(command) }
        for stage in stages.values { confirmations += stage.giveUpCuts() }
        for confirmation in confirmations { confirmation() }
        confirmations = []
        facts.finish()
    }

    private func turn() {
        let deadline = min(peerDeadlines.next ?? .distantFuture, nextLevels, nextPaths)
        let (isWoken, readable) = sockets.wait(until: deadline, now: now)
        now = clock()
        load.advance(to: now)
        if isWoken {
            for command in mailbox.take() { perform(command) }
            sendMixes()
        }
        for socket in readable { read(socket) }
        advancePeers()
        tellLevels()
        tellPaths()
        flush()
    }

    private func advancePeers() {
        while let due = peerDeadlines.pop(until: now) {
            guard let peer = table[due.handle], peer.generation == due.generation, peer.scheduled == due.deadline
            else { continue }
            peer.scheduled = .distantFuture
            peer.media.advance(to: peer.time(now))
            settle(peer)
        }
    }

    private func flush() {
        let start = clock()
        defer { load.note(workFrom: start, to: clock()) }
        sockets.flush(at: now)
        guard !sockets.isBlocked, !confirmations.isEmpty else { return }
        let due = confirmations
        confirmations = []
        for confirmation in due { confirmation() }
    }

    // MARK: Commands

    private func perform(_ command: WorkerCommand) {
        switch command {
        case .openStage(let id, let slots, let kind, let feed):
            guard stages[id] == nil else { return }
            let stage = Stage(id: id, slots: slots, kind: kind, feed: feed)
            stages[id] = stage
            if feed != nil { mixedStages.append(stage) }
            if kind == .chorus { watch(stage) }
        case .closeStage(let id):
            guard let stage = stages.removeValue(forKey: id) else { return }
            for peer in stage.peers.compactMap({ table[$0] }) { close(peer) }
            meteredStages.removeAll { $0 === stage }
            mixedStages.removeAll { $0 === stage }
            watchedStages.removeAll { $0 === stage }
            counters.add(stage.audio.stats)
            confirmations += stage.giveUpCuts()
        case .offer(let offer, let reply):
            do throws(MediaRefusal) {
                let answer = try answer(offer)
                counters.offersAnswered &+= 1
                reply(.success(answer))
            } catch {
                counters.offersRefused &+= 1
                reply(.failure(error))
            }
        case .admit(let id, let stage): stages[stage]?.admit(id)
        case .closePeer(let id, let stage, let confirmed):
            stages[stage]?.expel(id)
            if let peer = table[id], peer.stage.id == stage { close(peer) }
            confirm(confirmed, on: stages[stage])
        case .stateRoundTrip(let roundTrip, let id, let stage):
            stages[stage]?.note(roundTrip, of: id)
            if let peer = table[id], peer.stage.id == stage { peer.statedRoundTrip = roundTrip }
        case .assign(let slot, let id, let muted, let stageID, let confirmed):
            if let stage = stages[stageID] {
                stage.audio.assign(
                    slot: slot, to: id.map { MemberID(rawValue: $0.rawValue) }, muted: muted, at: now, send: send)
                reportStartedStreams()
            }
            confirm(confirmed, on: stages[stageID])
        case .readCounters(let reply): reply(presentCounters())
        case .drain: isDraining = true
        case .stop: isStopped = true
        }
    }

    /// Tells that a cut is true, as soon as it is: for what goes out directly with the next flush, in the mix when the mixer says so.
    private func confirm(_ confirmed: @escaping @Sendable () -> Void, on stage: Stage?) {
        guard let stage else { return confirmations.append(confirmed) }
        stage.afterCuts(confirmed) { confirmations.append($0) }
    }

    /// A command that will never be done, since the worker has stopped.
    private func refuse(_ command: WorkerCommand) {
        switch command {
        case .offer(_, let reply): reply(.failure(.stopped))
        case .assign(_, _, _, _, let confirmed), .closePeer(_, _, let confirmed): confirmed()
        case .readCounters(let reply): reply(presentCounters())
        case .openStage, .closeStage, .admit, .stateRoundTrip, .drain, .stop: break
        }
    }

    private func presentCounters() -> MediaCounters {
        var result = counters
        result.peers = table.count
        result.connectedPeers = connectedPeers
        result.stages = stages.count
        result.load = load.share
        for stats in sockets.stats { result.add(stats) }
        for stage in stages.values { result.add(stage.audio.stats) }
        for peer in table.all { result.add(peer.media.stats) }
        return result
    }

    // MARK: Peers

    private func answer(_ offer: ParsedOffer) throws(MediaRefusal) -> NegotiatedOffer {
        guard let stage = stages[offer.stage] else { throw .unknownStage }
        guard stage.admitted.contains(offer.peer) else { throw .notAdmitted }
        let present = table[offer.peer]
        if let present {
            guard offer.number > present.offerNumber else { throw .staleOffer }
            if present.stage === stage, let change = try negotiator.renegotiate(offer, of: present) {
                apply(change, to: present, number: offer.number)
                return NegotiatedOffer(number: offer.number, session: change.session, mixSlot: stage.audio.mixSlot)
            }
        } else {
            guard !isDraining, !load.isOver, !table.isFull,
                table.count - connectedPeers < configuration.maximumConnecting
            else { throw .overloaded }
        }
        let opening = try negotiator.open(offer, slots: stage.audio.slotCount)
        let media: MediaPeer
        do {
            media = try MediaPeer(opening.configuration, context: context, at: now)
        } catch {
            throw .overloaded
        }
        // The same person with another peer connection: the old path is given up without telling the room.
        if let present { close(present, isReplaced: present.stage === stage) }
        guard let place = table.nextPlace() else { throw .overloaded }
        let peer = Peer(
            id: offer.peer, stage: stage, handle: place.handle, generation: place.generation, media: media,
            terms: opening.terms, credentials: opening.credentials, negotiated: opening.session,
            offerNumber: offer.number, remoteSessionID: offer.description.sessionID)
        peer.statedRoundTrip = stage.statedRoundTrips[peer.id]
        table.insert(peer)
        table.learn(ufrag: opening.credentials.ufrag, of: peer)
        stage.peers.insert(peer.id)
        openStreams(of: peer)
        settle(peer)
        return NegotiatedOffer(number: offer.number, session: opening.session, mixSlot: stage.audio.mixSlot)
    }

    private func apply(_ change: Negotiator.Renegotiation, to peer: Peer, number: UInt32) {
        peer.renegotiate(change.session, number: number, credentials: change.credentials)
        if change.restartsICE {
            table.learn(ufrag: change.credentials.ufrag, of: peer)
            peer.media.restartICE(
                local: change.credentials, remote: change.session.remote.credentials, at: peer.time(now))
        }
        openStreams(of: peer)
        if peer.isConnected {
            peer.stage.audio.setListener(peer.member, handle: peer.handle, lines: peer.lines())
        }
        settle(peer)
    }

    private func openStreams(of peer: Peer) {
        for slot in peer.slots {
            peer.media.openSendStream(
                SSRC(slot.ssrc), clockRate: 48_000, cname: peer.terms.sources[slot.index].cname)
        }
    }

    /// Says goodbye and forgets the peer.
    private func close(_ peer: Peer, isReplaced: Bool = false) {
        guard table[peer.id] === peer else { return }
        peer.media.close()
        drain(peer, tellsEvents: false)
        forget(peer, isReplaced: isReplaced)
    }

    private func forget(_ peer: Peer, isReplaced: Bool) {
        peer.stage.audio.removeListener(peer.member)
        peer.stage.audio.resetSource(of: peer.member, at: now, send: send)
        peer.stage.peers.remove(peer.id)
        if !isReplaced { peer.stage.forgetRoundTrip(of: peer.id) }
        table.remove(peer)
        counters.add(peer.media.stats)
        counters.peersClosed &+= 1
        if peer.isConnected { connectedPeers -= 1 }
        if let address = peer.countedAddress {
            let left = peersPerAddress[address, default: 1] - 1
            peersPerAddress[address] = left > 0 ? left : nil
        }
        if !isReplaced { facts.publish(.closed(peer.stage.id, peer.id)) }
        reportStartedStreams()
    }

    /// Sends and tells what the machine has for us, and notes when it wants to be looked at again.
    private func settle(_ peer: Peer) {
        drain(peer, tellsEvents: true)
        let deadline = peer.media.nextDeadline
        guard deadline < peer.scheduled, table[peer.handle] === peer else { return }
        peer.scheduled = deadline
        peerDeadlines.push(
            DeadlineQueue.Entry(deadline: deadline, handle: peer.handle, generation: peer.generation))
    }

    private func drain(_ peer: Peer, tellsEvents: Bool) {
        var isClosed = false
        while true {
            let buffer = sockets.nextSlot()
            guard let output = peer.media.nextOutput(into: buffer) else { break }
            switch output {
            case .datagram(let length, let path): sockets.commit(buffer, length: length, path: path, at: now)
            case .event(.closed): isClosed = true
            case .event(let event): if tellsEvents { take(event, of: peer) }
            }
        }
        if isClosed, tellsEvents { forget(peer, isReplaced: false) }
    }

    private func take(_ event: PeerEvent, of peer: Peer) {
        switch event {
        case .connected: connected(peer)
        case .lost:
            peer.isLost = true
            facts.publish(.lost(peer.stage.id, peer.id))
        case .recovered:
            peer.isLost = false
            facts.publish(.recovered(peer.stage.id, peer.id))
        case .closed: break
        case .nack(let ssrc, let sequence, let following):
            peer.stage.audio.repeat(
                for: peer.member, ssrc, sequence: sequence, following: following, roundTrip: peer.roundTrip, at: now,
                send: sendAgain)
        case .senderReport: break
        case .receiverReport(let ssrc, let roundTrip, let fractionLost):
            peer.noteReport(roundTrip: roundTrip, fractionLost: fractionLost)
            peer.stage.audio.acknowledge(peer.member, ssrc)
        }
    }

    private func connected(_ peer: Peer) {
        if let address = peer.media.mediaPath?.remote.ip {
            let others = peersPerAddress[address, default: 0]
            guard others < configuration.maximumPeersPerAddress else {
                // Seen at the next drain, which is the one that brought us here.
                peer.media.close()
                return
            }
            peersPerAddress[address] = others + 1
            peer.countedAddress = address
        }
        peer.isConnected = true
        connectedPeers += 1
        counters.peersConnected &+= 1
        peer.stage.audio.setListener(peer.member, handle: peer.handle, lines: peer.lines())
        facts.publish(.connected(peer.stage.id, peer.id))
    }

    // MARK: Packets

    private func read(_ socket: DatagramSocket) {
        let start = now
        for _ in 0..<Self.maximumBatches {
            let count = socket.receive(at: now) { slot, length, path, arrival in
                receive(slot, length, path, arrival)
            }
            guard count == DatagramSocket.receiveSlots else { return }
            now = clock()
            guard now - start < Self.readingTime else { return }
        }
    }

    private func receive(
        _ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath, _ arrival: Instant
    ) {
        let datagram = UnsafeRawBufferPointer(rebasing: slot[..<length])
        guard let route = Route(datagram, path, in: table) else {
            counters.unknownDatagrams &+= 1
            return
        }
        let peer = route.peer
        // One packet may go to a thousand listeners, so that time passes from one to the next.
        now = clock()
        let at = peer.time(arrival)
        switch peer.media.receive(slot, length: length, path: path, at: at) {
        case .media(let media): forward(media, in: datagram, from: peer, at: at)
        // An authentic check: what comes by this way is this peer's from now on.
        case .handled: if route.isNamed { table.learn(path, of: peer) }
        case .dropped: break
        }
        settle(peer)
    }

    private func forward(_ media: ReceivedMedia, in slot: UnsafeRawBufferPointer, from peer: Peer, at arrival: Instant)
    {
        guard media.header.payloadType == peer.microphonePayloadType, media.header.payloadLength <= Self.maximumPayload,
            media.header.payload.upperBound <= slot.count
        else {
            counters.unexpectedMedia &+= 1
            return
        }
        guard peer.maySend(media.header.payloadLength, at: now) else {
            counters.mediaOverLimit &+= 1
            return
        }
        // A worker that cannot keep up lets the oldest go. Otherwise it would send ever later what nobody plays any more, and handshakes
        // and checks would wait behind it.
        guard now - arrival <= configuration.longestWait else {
            counters.mediaOverdue &+= 1
            return
        }
        peer.noteMicrophone(media.header.ssrc)
        let stage = peer.stage
        let payload = UnsafeRawBufferPointer(rebasing: slot[media.header.payload])
        let forwarded = stage.audio.forward(
            from: peer.member, media.header, extendedSequence: media.extendedSequence,
            level: media.header.audioLevel(in: slot, peer.extensions), payload: payload, at: arrival, send: send)
        if let feed = stage.feed, let forwarded {
            feed.give(
                VocalPacket(
                    slot: forwarded.slot, singer: peer.member, sequence: forwarded.sequence,
                    timestamp: forwarded.timestamp, startsSource: forwarded.startsSource, arrival: arrival,
                    roundTrip: peer.roundTrip, songPosition: media.header.songPosition(in: slot, peer.extensions)),
                payload)
        }
        if !startedStreams.isEmpty { reportStartedStreams() }
        if !stage.isMetered { meter(stage) }
        load.note(workFrom: now, to: clock())
    }

    /// What the mixer has made since the last look.
    private func sendMixes() {
        for stage in mixedStages {
            guard let feed = stage.feed else { continue }
            // Asked first: what the mixer made before it said so has then been taken when it is told.
            let inForce = stage.takeCuts()
            while feed.takeMix({ stage.audio.forwardMix($0, payload: $1, at: now, send: send) }) {}
            confirmations += inForce
        }
        if !startedStreams.isEmpty { reportStartedStreams() }
    }

    /// One packet to one listener: header and ciphertext are built in the slot that the kernel reads from.
    private func send(_ handle: Int, _ header: OutgoingHeader, _ payload: UnsafeRawBufferPointer) {
        table.withMachine(handle) { machine in
            guard let path = machine.mediaPath else { return }
            sockets.send(by: path, at: now) { slot in
                guard let headerLength = header.write(into: slot) else { return nil }
                return machine.seal(
                    stream: header.stream, headerLength: headerLength, payload: payload, into: slot, at: now)
            }
        }
        if header.startsSource { startedStreams.append((handle, header.ssrc)) }
    }

    private func sendAgain(_ handle: Int, _ header: OutgoingHeader, _ payload: UnsafeRawBufferPointer) {
        table.withMachine(handle) { machine in
            guard let path = machine.mediaPath else { return }
            sockets.send(by: path, at: now) { slot in
                guard let headerLength = header.write(into: slot) else { return nil }
                return machine.sealAgain(headerLength: headerLength, payload: payload, into: slot)
            }
        }
    }

    /// Tells the listeners of streams that begin or change their source how the new timestamps map to time.
    private func reportStartedStreams() {
        while let started = startedStreams.popLast() {
            guard let peer = table[started.handle] else { continue }
            peer.media.sendReport(for: started.ssrc, at: peer.time(now))
            settle(peer)
        }
    }
}
