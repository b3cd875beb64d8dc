internal import DTLS
internal import DatagramIO
internal import Forwarding
internal import PeerSession
internal import RoomPorts
internal import Timing
internal import Wire

/// One thread's share of the media plane: its sockets, its peers and its part of the rooms that they are in. Everything here belongs
/// to that thread alone; commands come in by the mailbox, facts go out by the publisher.
///
/// A turn: wait, do commands, read datagrams, carry what other threads have given, do what is due, send. What a turn wants to send leaves
/// at its end or as soon as a batch is full.
final class MediaWorker {
    private enum Life {
        case serving
        /// Nobody new is taken on.
        case draining
        case stopped
    }

    let mailbox: Mailbox
    var port: UInt16 { sockets.port }

    private let sockets: DatagramSockets
    private let table: PeerTable
    private let peers: PeerLifecycle
    private let stages: StageTable
    private let egress: Egress
    private let intake: PacketIntake
    private let facts: FactPublisher
    private let time: WorkerTime
    private let load: WorkerLoad
    private var life = Life.serving
    private var confirmations = Confirmations()

    /// - Parameter port: 0 for one that is free.
    init(
        _ configuration: MediaNodeConfiguration, port: UInt16, sharedTCPPort: UInt16?, certificate: DTLSCertificate,
        facts: FactPublisher, gauge: LoadGauge, clock: @escaping @Sendable () -> Instant
    ) throws(MediaNodeError) {
        self.facts = facts
        time = WorkerTime(clock)
        load = WorkerLoad(at: time.now, shownBy: gauge)
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
        intake = PacketIntake(
            configuration, sockets: sockets, table: table, peers: peers, stages: stages, egress: egress, time: time,
            load: load)
        table.onForget = { [unowned intake] path in intake.forget(path) }
    }

    // MARK: The turn

    /// Until a stop is commanded.
    func run() {
        while life != .stopped { turn() }
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
            stages.isIdle ? min(peers.nextDeadline, stages.nextDeadline, intake.nextDeadline) : .distantPast
        let ready = sockets.wait(until: deadline, now: time.now)
        mailbox.stayAwake()
        load.advance(to: time.refresh())
        stages.setBusy(load.isBusy)
        load.show(isFull: table.isFull)
        if ready.isWoken { for command in mailbox.take() { perform(command) } }
        for socket in ready.readable { intake.read(socket) }
        if ready.hasConnections { intake.readConnections() }
        carry()
        peers.advance()
        let driving = peers.takeDriving()
        load.note(workFrom: time.now, to: time.now + driving)
        advanceStages()
        intake.refuseFloods()
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
            let answer = peers.answer(offer, on: stage, takesNewcomers: life == .serving && !load.isOver)
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
        case .adopt(let connection): intake.adopt(connection)
        case .passOn(let mailbox, let workers): intake.setNext(mailbox, workers: workers)
        case .readCounters(let reply): reply(presentCounters())
        case .drain: if life == .serving { life = .draining }
        case .stop: life = .stopped
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
        var result = intake.counters + peers.counters
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
}
