internal import Codecs
internal import DTLS
internal import DatagramIO
internal import Forwarding
internal import PeerSession
internal import RTP
internal import RoomPorts
internal import Timing
internal import Wire

/// One thread's share of the media plane: its sockets, its peers and its part of the rooms that they are in. Everything here belongs
/// to that thread alone; commands come in by the mailbox, facts go out by the publisher.
///
/// A turn: wait, do commands, read datagrams, carry what other threads have given, do what is due, send. What a turn wants to send leaves
/// at its end or as soon as a batch is full; what singers say leaves before anything else of a batch is worked on.
final class MediaWorker {
    /// Batches that are read from one socket before others get their turn; the poller reports what is left at once.
    private static let maximumBatches = 8
    /// A turn reads no longer than this, whatever waits: commands and what is due come in between.
    private static let readingTime = Interval.milliseconds(5)
    /// An RTP header, at most the mid in an extension, payload and tag: a payload up to this fits any path that brought it.
    private static let maximumPayload = DatagramSocket.slotBytes - 128

    let mailbox: Mailbox
    var port: UInt16 { sockets.port }

    private let longestWait: Interval
    private let longestPictureWait: Interval
    private let sockets: DatagramSockets
    private let table: PeerTable
    private let peers: PeerLifecycle
    private let stages: StageTable
    private let egress: Egress
    private var intake: ConnectionIntake?
    private let facts: FactPublisher
    private let time: WorkerTime
    private let gauge: LoadGauge
    private var load: WorkerLoad
    private var isDraining = false
    private var isStopped = false
    private var confirmations = Confirmations()
    private var counters = MediaCounters()
    private var floods = Floods()
    /// Where pictures came to that nobody has been given yet. Empty between batches.
    private var arrivals: ContiguousArray<VideoStage> = []

    /// - Parameter port: 0 for one that is free.
    init(
        _ configuration: MediaNodeConfiguration, port: UInt16, sharedTCPPort: UInt16?, certificate: DTLSCertificate,
        facts: FactPublisher, gauge: LoadGauge, clock: @escaping @Sendable () -> Instant
    ) throws(MediaNodeError) {
        self.facts = facts
        self.gauge = gauge
        longestWait = configuration.longestWait
        longestPictureWait = configuration.longestPictureWait
        time = WorkerTime(clock)
        load = WorkerLoad(at: time.now)
        do {
            sockets = try DatagramSockets(
                addresses: configuration.bindAddresses, port: port, takesTCP: configuration.takesTCP,
                sharedTCPPort: sharedTCPPort)
        } catch {
            throw .socket(error)
        }
        mailbox = Mailbox(waker: sockets.waker)
        table = PeerTable(capacity: configuration.maximumPeers)
        egress = Egress(sockets: sockets, table: table, time: time)
        stages = StageTable(
            table: table, egress: egress, facts: facts, time: time,
            crowds: (configuration.smallestCrowd, configuration.smallestCrowdWhenBusy))
        do {
            peers = try PeerLifecycle(
                configuration, certificate: certificate, table: table, egress: egress, facts: facts, time: time)
        } catch {
            throw .cryptography(error.message)
        }
        peers.stages = stages
        table.onForget = { [unowned self] path in forget(path) }
        guard let connections = sockets.connections else { return }
        intake = ConnectionIntake(connections, table: table, time: time) { [unowned self] in receive($0, $1, $2, $3) }
    }

    /// A way is nobody's any more.
    private func forget(_ path: NetworkPath) {
        if path.connection == 0 {
            floods.forget(path.remote)
        } else {
            sockets.connections?.close(path, at: time.now)
        }
    }

    // MARK: The turn

    /// Until a stop is commanded.
    func run() {
        while !isStopped { turn() }
        for peer in table.all { peers.close(peer) }
        flush()
        for command in mailbox.close() { refuse(command) }
        confirmations.append(contentsOf: stages.giveUpCuts())
        confirmations.tellAll()
        facts.finish()
    }

    private func turn() {
        mailbox.fallAsleep()
        let deadline =
            stages.isIdle ? min(peers.nextDeadline, stages.nextDeadline, floods.nextDeadline) : .distantPast
        let ready = sockets.wait(until: deadline, now: time.now)
        mailbox.stayAwake()
        load.advance(to: time.refresh())
        stages.setBusy(load.isBusy)
        gauge.set(table.isFull ? 1 : load.share)
        if ready.isWoken { for command in mailbox.take() { perform(command) } }
        for socket in ready.readable { read(socket) }
        if ready.hasConnections { readConnections() }
        carry()
        peers.advance()
        let driving = peers.takeDriving()
        load.note(workFrom: time.now, to: time.now + driving)
        advanceStages()
        if let remotes = floods.takeChange(at: time.now) { sockets.refuseMedia(from: remotes) }
        flush()
    }

    /// Sends what mixers and other workers have given.
    private func carry() {
        guard stages.hasWays else { return }
        let start = time.read()
        let (inForce, cuts) = stages.carry()
        confirmations.append(contentsOf: inForce)
        for (follower, reached) in cuts { confirmations.append(follower, reached) }
        peers.runErrands()
        load.note(workFrom: start, to: time.read())
    }

    private func advanceStages() {
        guard stages.nextDeadline <= time.now else { return }
        let start = time.read()
        stages.advance()
        if egress.hasErrands { peers.runErrands() }
        load.note(workFrom: start, to: time.read())
    }

    private func flush() {
        let start = time.read()
        defer { load.note(workFrom: start, to: time.read()) }
        egress.flush()
        if !egress.isBlocked { confirmations.tell(at: time.now, waitsSince: sockets.connections?.waitsSince) }
    }

    // MARK: Commands

    private func perform(_ command: WorkerCommand) {
        switch command {
        case .openStage(let id, let slots, let kind, let feed): stages.open(id, slots: slots, kind: kind, feed: feed)
        case .openBranch(let terms): stages.openBranch(terms)
        case .addBranch(let id, let link, let mailbox): stages.fork(id, to: link, mailbox)
        case .closeStage(let id):
            guard let (stage, waiting) = stages.close(id) else { return }
            for peer in stage.peers.compactMap({ table[$0] }) { peers.close(peer) }
            confirmations.append(contentsOf: waiting)
        case .offer(let offer, let reply):
            guard let stage = stages[offer.stage] else {
                peers.noteRefusal()
                return reply(.failure(.unknownStage), false)
            }
            let answer = peers.answer(offer, on: stage, takesNewcomers: !isDraining && !load.isOver)
            reply(answer, table[offer.peer] != nil)
        case .closePeer(let id, let stage, let confirmed): closePeer(id, on: stage, confirmed)
        case .stateRoundTrip(let roundTrip, let id, let stage):
            if let peer = table[id], peer.stage.id == stage { peer.statedRoundTrip = roundTrip }
        case .assign(let slot, let id, let muted, let dark, let stageID, let confirmed):
            guard let home = stages[stageID]?.home else { return confirmations.append(confirmed) }
            home.audio.assign(
                slot: slot, to: id.map { MemberID(rawValue: $0.rawValue) }, muted: muted, at: time.now,
                send: egress.send)
            home.pictures?.cameras.assign(
                slot: slot, to: id.map { MemberID(rawValue: $0.rawValue) }, isCut: dark)
            if slot == BridgeWay.slot { home.cutPictureOfHost() }
            peers.runErrands()
            confirm(confirmed, on: home)
        case .assignScreen(let id, let stageID, let confirmed):
            guard let home = stages[stageID]?.home else { return confirmations.append(confirmed) }
            home.pictures?.screens.assign(slot: 0, to: id.map { MemberID(rawValue: $0.rawValue) }, isCut: false)
            peers.runErrands()
            confirm(confirmed, on: home)
        case .joinBridge(let terms):
            stages.join(terms)
            peers.runErrands()
        case .muteGuest(let isMuted, let bridge, let stageID, let confirmed):
            guard let home = stages[stageID]?.home else { return confirmations.append(confirmed) }
            home.setMuted(isMuted, bridge, at: time.now, send: egress.send)
            confirm(confirmed, on: home)
        case .partBridge(let bridge, let stageID, let confirmed):
            if let guest = stages.part(from: bridge, on: stageID) { confirmations.append(.guest(guest), .max) }
            peers.runErrands()
            guard let home = stages[stageID]?.home else { return confirmations.append(confirmed) }
            confirm(confirmed, on: home)
        case .bridgeWord(let bridge, let word, let stageID):
            stages.hear(word, by: bridge, on: stageID)
            peers.runErrands()
        case .place(let id, let slot, let stageID):
            guard let stage = stages[stageID], let branch = stage.branch else { return }
            let member = MemberID(rawValue: id.rawValue)
            stage.fanout.settle(send: egress.send)
            branch.setProducer(member, slot: slot)
            stage.fanout.setProducer(member, slot: slot)
        case .resetSource(let id, let stageID, let confirmed):
            guard let stage = stages[stageID], let home = stage.home else {
                return confirmations.append(contentsOf: [confirmed].compactMap { $0 })
            }
            stages.takeEverythingSpoken(on: stage, home)
            home.audio.resetSource(of: MemberID(rawValue: id.rawValue), at: time.now, send: egress.send)
            if let confirmed { confirm(confirmed, on: home) }
        case .readings(let readings, let stageID): stages[stageID]?.home?.remoteReadings.merge(readings) { $1 }
        case .view(let picture, let layer, let id, let stage):
            if let peer = table[id], peer.stage.id == stage { peers.view(picture, as: layer, by: peer) }
        case .adopt(let connection):
            intake?.adopt(connection)
            // Before the next command: it may be a cut.
            deliverPictures()
        case .passOn(let mailbox, let workers): intake?.setNext(mailbox, workers: workers)
        case .readCounters(let reply): reply(presentCounters())
        case .drain: isDraining = true
        case .stop: isStopped = true
        }
    }

    private func closePeer(_ id: PeerID, on stageID: StageID, _ confirmed: @escaping @Sendable () -> Void) {
        if let peer = table[id], peer.stage.id == stageID { peers.close(peer) }
        switch stages[stageID]?.part {
        case .home(let home): confirm(confirmed, on: home)
        case .branch(let branch):
            // Deaf once what is queued for it has left; mute once its voice has ended at home too.
            let mailbox = branch.mailbox
            confirmations.append {
                if !mailbox.post(.resetSource(id, stageID, confirmed: confirmed)) { confirmed() }
            }
        case nil: confirmations.append(confirmed)
        }
    }

    private func confirm(_ confirmed: @escaping @Sendable () -> Void, on home: StageHome) {
        stages.afterCuts(on: home, confirmed) { confirmations.append($0) }
    }

    /// A command that will never be done, since the worker has stopped.
    private func refuse(_ command: WorkerCommand) {
        switch command {
        case .offer(_, let reply): reply(.failure(.stopped), false)
        case .assign(_, _, _, _, _, let confirmed), .closePeer(_, _, let confirmed), .assignScreen(_, _, let confirmed):
            confirmed()
        case .resetSource(_, _, let confirmed): confirmed?()
        case .muteGuest(_, _, _, let confirmed), .partBridge(_, _, let confirmed): confirmed()
        case .joinBridge(let terms): terms.wayIn.confirmCuts(.max)
        case .readCounters(let reply): reply(presentCounters())
        case .openBranch(let terms): terms.link.confirmCuts(.max)
        case .openStage, .closeStage, .stateRoundTrip, .view, .addBranch, .place, .readings, .bridgeWord, .drain,
            .adopt, .passOn, .stop:
            break
        }
    }

    private func presentCounters() -> MediaCounters {
        var result = counters + peers.counters
        result.peers = table.count
        result.connectedPeers = peers.connected
        result.stages = stages.count
        result.deadlines = peers.waitingDeadlines
        result.load = load.share
        result.audio = stages.stats
        result.pictures = stages.pictureStats
        for stats in sockets.stats { result.add(stats) }
        if let stats = sockets.connections?.stats { result.connections = stats }
        for peer in table.all { result.add(peer.media.stats) }
        return result
    }

    // MARK: Packets

    private func read(_ socket: DatagramSocket) {
        let start = time.now
        for _ in 0..<Self.maximumBatches {
            let count = socket.receive(
                at: time.now, hasFirst: stages.hasDuets, isFirst: { isSinger($0) }, then: { egress.flush() }
            ) { slot, length, path, arrival in
                receive(slot, length, path, arrival)
            }
            deliverPictures()
            guard count == DatagramSocket.receiveSlots else { return }
            guard time.refresh() - start < Self.readingTime else { return }
        }
    }

    private func isSinger(_ path: NetworkPath) -> Bool {
        table.peer(at: path).map { $0.stage.isSinger($0.member) } ?? false
    }

    private func readConnections() {
        intake?.read(for: Self.readingTime)
        deliverPictures()
    }

    /// - Returns: whether it was an authentic check.
    @discardableResult
    private func receive(
        _ slot: UnsafeMutableRawBufferPointer, _ length: Int, _ path: NetworkPath, _ arrival: Instant
    ) -> Bool {
        let datagram = UnsafeRawBufferPointer(rebasing: slot[..<length])
        guard let route = Route(datagram, path, in: table) else {
            counters.unknownDatagrams &+= 1
            return false
        }
        let peer = route.peer
        time.refresh()
        let judgement = peer.judge(datagram, at: time.now)
        guard judgement == .open else {
            counters.mediaLeftUnopened &+= 1
            if judgement == .leaveAndRefuse, path.connection == 0 { floods.begin(path.remote, at: time.now) }
            return false
        }
        let at = peer.time(arrival)
        var isAuthentic = false
        switch peer.media.receive(slot, length: length, path: path, at: at) {
        case .media(let media):
            if !floods.isEmpty { floods.notePassed(path.remote) }
            switch media.place.flatMap({ Track(rawValue: $0.track) }) {
            case .camera, .screen, .spare: forwardPicture(media, in: datagram, from: peer, at: at)
            case .microphone, nil: forward(media, in: datagram, from: peer, at: at)
            }
        // An authentic check: what comes by this way is this peer's from now on.
        case .handled:
            isAuthentic = route.isNamed
            if isAuthentic { table.learn(path, of: peer) }
        case .dropped: break
        }
        peers.settle(peer)
        return isAuthentic
    }

    private func forward(_ media: ReceivedMedia, in slot: UnsafeRawBufferPointer, from peer: Peer, at arrival: Instant)
    {
        let header = media.header
        let isRedundant = header.payloadType == peer.redundantPayloadType
        guard isRedundant || header.payloadType == peer.microphonePayloadType,
            header.payloadLength <= Self.maximumPayload, header.payload.upperBound <= slot.count
        else {
            counters.unexpectedMedia &+= 1
            return
        }
        guard peer.maySend(header.payloadLength, at: time.now) else {
            counters.mediaOverLimit &+= 1
            return
        }
        // A worker that cannot keep up lets the oldest go. Otherwise it would send ever later what nobody plays any more, and handshakes
        // and checks would wait behind it.
        guard time.now - arrival <= longestWait else {
            counters.mediaOverdue &+= 1
            return
        }
        peer.noteMicrophone(header.ssrc)
        var packet = SourcePacket(
            ssrc: header.ssrc, sequence: media.extendedSequence, timestamp: header.timestamp.rawValue,
            marker: header.marker, level: header.audioLevel(in: slot, peer.extensions), arrival: arrival,
            roundTrip: peer.roundTrip, songPosition: header.songPosition(in: slot, peer.extensions))
        var payload = UnsafeRawBufferPointer(rebasing: slot[header.payload])
        let start = time.now
        if isRedundant {
            guard let own = takeCopies(of: media, packet, payload, from: peer) else {
                counters.unexpectedMedia &+= 1
                return
            }
            payload = own
            packet.redundancy = .carriesCopy
        }
        give(packet, payload, from: peer)
        load.note(workFrom: start, to: time.read())
    }

    /// Gives what got lost and came as a copy.
    /// - Returns: what is new in the packet; nil if it is not formed as agreed on.
    private func takeCopies(
        of media: ReceivedMedia, _ packet: SourcePacket, _ payload: UnsafeRawBufferPointer, from peer: Peer
    ) -> UnsafeRawBufferPointer? {
        guard let type = peer.microphonePayloadType, let redundant = RedundantPayload(payload),
            redundant.payloadType == type
        else { return nil }
        peer.media.recover(from: media, redundant, type: type, in: payload, at: packet.arrival) { copy, sequence in
            // A copy costs listeners as much as the packet itself.
            guard peer.maySend(copy.range.count, at: time.now) else { return }
            var lost = SourcePacket(
                ssrc: packet.ssrc, sequence: sequence, timestamp: packet.timestamp &- copy.timestampOffset,
                marker: false, arrival: packet.arrival, roundTrip: packet.roundTrip)
            lost.redundancy = copy.distance == 1 ? .copyFromNext : .copyFromLater
            give(lost, UnsafeRawBufferPointer(rebasing: payload[copy.range]), from: peer)
        }
        return UnsafeRawBufferPointer(rebasing: payload[redundant.primary])
    }

    private func give(_ packet: SourcePacket, _ payload: UnsafeRawBufferPointer, from peer: Peer) {
        switch peer.stage.part {
        case .home(let home):
            home.audio.forward(packet, from: peer.member, payload: payload, send: egress.send)
            if egress.hasErrands { peers.runErrands() }
            if !home.isMetered { stages.meter(peer.stage, home) }
        case .branch(let branch): branch.link.speak(packet, of: peer.member, payload)
        }
    }

    private func forwardPicture(
        _ media: ReceivedMedia, in datagram: UnsafeRawBufferPointer, from peer: Peer, at arrival: Instant
    ) {
        guard let place = media.place, let pictures = peer.stage.pictures, place.layer < VideoStage.maximumLayers,
            // A line that has turned inactive takes nothing, and none takes what was not agreed on.
            peer.takes(media.header.payloadType, on: place.track), media.payload.count <= Self.maximumPayload,
            media.payload.upperBound <= datagram.count
        else {
            counters.unexpectedMedia &+= 1
            return
        }
        guard peer.maySendPicture(media.payload.count, at: time.now) else {
            counters.mediaOverLimit &+= 1
            return
        }
        guard time.now - arrival <= longestPictureWait else {
            counters.mediaOverdue &+= 1
            return
        }
        let start = time.now
        let layer = place.track == Track.spare.rawValue ? VideoStage.spareLayer : place.layer
        let packet = PicturePacket(
            ssrc: media.header.ssrc, layer: layer, sequence: media.extendedSequence,
            timestamp: media.header.timestamp.rawValue, marker: media.header.marker,
            format: pictures.format(ofLayer: layer), arrival: arrival)
        let stage = place.track == Track.screen.rawValue ? pictures.screens : pictures.cameras
        if !stage.hasArrivals { arrivals.append(stage) }
        let payload = UnsafeRawBufferPointer(rebasing: datagram[media.payload])
        stage.forward(packet, from: peer.member, payload: payload, send: egress.send, ask: egress.ask)
        if let guests = peer.stage.home?.guests, !guests.isEmpty, stage === pictures.cameras,
            stage.shows(peer.member, on: BridgeWay.slot)
        {
            for guest in guests.all { guest.terms.wayOut.see(packet, payload) }
        }
        if egress.hasErrands { peers.runErrands() }
        load.note(workFrom: start, to: time.read())
    }

    /// Gives viewers the pictures of which a batch of datagrams has brought something.
    private func deliverPictures() {
        guard !arrivals.isEmpty else { return }
        let start = time.read()
        while let stage = arrivals.popLast() { stage.deliver(at: time.refresh(), send: egress.send) }
        if egress.hasErrands { peers.runErrands() }
        load.note(workFrom: start, to: time.read())
    }
}
