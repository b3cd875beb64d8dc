internal import Forwarding
internal import RTP
internal import RoomPorts
internal import Timing

/// Who is told that cuts of another stage are in force here.
enum CutFollower {
    case branch(StageBranch)
    case guest(StageGuest)

    func confirm(_ cuts: UInt64) {
        switch self {
        case .branch(let branch): branch.confirm(cuts)
        case .guest(let guest): guest.confirm(cuts)
        }
    }
}

/// The stages of one worker: opens and closes them, carries what comes by their feeds and links, and tells again and again how loud
/// everybody is and how the singers' ways do.
final class StageTable {
    private let table: PeerTable
    private let egress: Egress
    private let facts: FactPublisher
    private let time: WorkerTime
    /// From so many listeners on, packets of several speakers leave together.
    private let crowds: (usual: Int, busy: Int)
    private var isBusy = false
    private var stages: [StageID: Stage] = [:]
    /// How many have singers: a mix for the audience, and the seats for those who sit.
    private var duets = 0
    /// Stages where somebody is or was heard, and when their levels are read next.
    private var metered: ContiguousArray<(stage: Stage, home: StageHome)> = []
    private var nextLevels = Instant.distantFuture
    /// Stages whose singers' ways are told, and when.
    private var watched: ContiguousArray<Stage> = []
    private var nextPaths = Instant.distantFuture
    private var mixed: ContiguousArray<(home: StageHome, feed: MixFeed)> = []
    /// Homes with branches elsewhere.
    private var forked: ContiguousArray<(stage: Stage, home: StageHome)> = []
    private var branches: ContiguousArray<(stage: Stage, branch: StageBranch)> = []
    /// Homes with guests.
    private var hosting: ContiguousArray<(stage: Stage, home: StageHome)> = []
    /// Homes where somebody waits for cuts.
    private var awaiting: ContiguousArray<StageHome> = []
    /// Where packets of sound wait for others, and when the first of them leave.
    private var waiting: ContiguousArray<AudioFanout> = []
    private var nextSound = Instant.distantFuture
    /// Of stages that are closed.
    private var closed = AudioStats()
    private var closedPictures = VideoStats()

    init(table: PeerTable, egress: Egress, facts: FactPublisher, time: WorkerTime, crowds: (usual: Int, busy: Int)) {
        self.crowds = crowds
        self.table = table
        self.egress = egress
        self.facts = facts
        self.time = time
    }

    private var crowd: Int { isBusy ? crowds.busy : crowds.usual }

    /// The worker has much to do, or no longer.
    func setBusy(_ isBusy: Bool) {
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        for stage in stages.values { stage.fanout.setCrowd(crowd) }
    }

    subscript(id: StageID) -> Stage? { stages[id] }
    var count: Int { stages.count { $0.value.home != nil } }

    var stats: AudioStats {
        stages.values.reduce(closed) { sum, stage in sum + (stage.home?.audio.stats ?? stage.fanout.stats) }
    }

    var pictureStats: VideoStats {
        stages.values.reduce(closedPictures) { $0 + ($1.pictures?.stats ?? VideoStats()) }
    }

    // MARK: Opening and closing

    func open(_ id: StageID, slots: Int, kind: StageKind, feed: MixFeed?) {
        guard stages[id] == nil else { return }
        let home = StageHome(id: id, slots: slots, pictures: kind.pictures, feed: feed, crowd: crowd)
        let setClock: AudioFanout.Clock = { [egress] in egress.setClock($0, $1, $2) }
        for stage in home.pictures?.all ?? [] {
            stage.onClock = setClock
            stage.onWaiting = { [egress] in egress.wait($0) }
        }
        home.pictures?.guests.onWish = { [unowned home] in home.guests[$0]?.say(.wanted($1)) }
        home.pictures?.cameras.onWish = { [facts] producer, wish in
            let wanted = CameraWish(layer: PictureLayer(rawValue: wish.layer) ?? .high, spare: wish.spare)
            facts.publish(.cameraWanted(id, PeerID(rawValue: producer.rawValue), wanted))
        }
        // Where there is nothing to be in step with, the time of sending keeps to the sender's pace as well.
        if home.pictures != nil { home.audio.fanout.onClock = setClock }
        add(Stage(home: home, id: id, kind: kind))
        if let feed { mixed.append((home, feed)) }
    }

    func openBranch(_ terms: BranchTerms) {
        guard stages[terms.stage] == nil else { return }
        let branch = StageBranch(terms)
        let stage = Stage(branch: branch, terms, crowd: crowd)
        branches.append((stage, branch))
        add(stage)
    }

    func fork(_ id: StageID, to link: BranchLink, _ mailbox: Mailbox) {
        guard let stage = stages[id], let home = stage.home else { return }
        home.add(link, mailbox, of: id)
        if !forked.contains(where: { $0.home === home }) { forked.append((stage, home)) }
    }

    // MARK: Bridges

    func join(_ terms: BridgeTerms) {
        guard let stage = stages[terms.stage], let home = stage.home else { return terms.wayIn.confirmCuts(.max) }
        if home.guests.isEmpty { hosting.append((stage, home)) }
        home.join(StageGuest(terms), at: time.now, send: egress.send)
    }

    /// - Returns: who is to be told once what came from there before has left: whoever waits there waits no longer for us.
    func part(from bridge: BridgeID, on id: StageID) -> StageGuest? {
        guard let home = stages[id]?.home else { return nil }
        let guest = home.part(from: bridge, at: time.now, send: egress.send)
        if home.guests.isEmpty { hosting.removeAll { $0.home === home } }
        return guest
    }

    /// Whose picture comes by a bridge under that name.
    func guest(_ member: MemberID) -> StageGuest? {
        for (_, home) in hosting { if let guest = home.guests[member] { return guest } }
        return nil
    }

    func hear(_ word: BridgeWord, by bridge: BridgeID, on id: StageID) {
        guard let home = stages[id]?.home, let guest = home.guests[bridge], let pictures = home.pictures else { return }
        switch word {
        case .keyFrameWanted(let ssrc):
            pictures.cameras.keyFrameWanted(onSlot: BridgeWay.slot, of: ssrc, at: time.now, ask: egress.ask)
        case .wanted(let wish): home.setWanted(wish, by: bridge)
        case .clock(let clock, let source?): pictures.guests.note(clock, of: source, from: guest.terms.member)
        case .clock(let clock, nil): home.audio.note(clock, of: Self.guestSource, from: guest.terms.member)
        }
    }

    /// A guest's sound is one source, from the first packet to the last: the slot that it comes from has made one of it.
    private static let guestSource = SSRC(0)

    private func takeGuest(_ guest: StageGuest, on stage: Stage, _ home: StageHome) {
        let member = guest.terms.member
        var isAnyHeard = false
        while guest.terms.wayIn.take({ content, payload in
            switch content {
            case .sound(let packet):
                isAnyHeard = true
                var source = SourcePacket(
                    ssrc: Self.guestSource, sequence: packet.sequence, timestamp: packet.timestamp,
                    marker: packet.marker, arrival: packet.arrival)
                source.redundancy = packet.redundancy
                home.audio.forward(source, from: member, payload: payload, send: egress.send)
            case .picture(let packet):
                // Rooms of two formats are not linked; whoever links them all the same sees nothing.
                guard let pictures = home.pictures, packet.format == pictures.format(ofLayer: packet.layer) else {
                    return
                }
                pictures.guests.forward(
                    packet, from: member, payload: payload, send: egress.send, ask: egress.ask)
            }
        }) {}
        home.pictures?.guests.deliver(at: time.now, send: egress.send)
        if isAnyHeard, !home.isMetered { meter(stage, home) }
    }

    /// Singers may be here.
    var hasDuets: Bool { duets > 0 }

    private func add(_ stage: Stage) {
        stages[stage.id] = stage
        if stage.mixSlot != nil { duets += 1 }
        stage.fanout.onWaiting = { [unowned self, unowned fanout = stage.fanout] in wait(fanout) }
        if stage.kind == .voice { return }
        watched.append(stage)
        if nextPaths == .distantFuture { nextPaths = time.now + PathWatch.period }
    }

    /// - Returns: the stage, whose peers are to be closed, and who waits for cuts in it: nothing is heard there any more.
    func close(_ id: StageID) -> (stage: Stage, confirmations: [@Sendable () -> Void])? {
        guard let stage = stages.removeValue(forKey: id) else { return nil }
        if stage.mixSlot != nil { duets -= 1 }
        watched.removeAll { $0 === stage }
        waiting.removeAll { $0 === stage.fanout }
        switch stage.part {
        case .home(let home):
            metered.removeAll { $0.home === home }
            mixed.removeAll { $0.home === home }
            awaiting.removeAll { $0 === home }
            forked.removeAll { $0.home === home }
            hosting.removeAll { $0.home === home }
            for guest in home.guests.all { guest.confirm(.max) }
            closed = closed + home.audio.stats
            closedPictures = closedPictures + (home.pictures?.stats ?? VideoStats())
            return (stage, home.giveUpCuts())
        case .branch(let branch):
            branches.removeAll { $0.branch === branch }
            closed = closed + stage.fanout.stats
            // Whoever waits at home waits no longer for us.
            branch.confirm(.max)
            return (stage, [])
        }
    }

    func giveUpCuts() -> [@Sendable () -> Void] {
        for entry in branches { entry.branch.confirm(.max) }
        for entry in hosting { for guest in entry.home.guests.all { guest.confirm(.max) } }
        return stages.values.flatMap { $0.home?.giveUpCuts() ?? [] }
    }

    /// Tells that a cut is true, as soon as it is: for what goes out directly with the next flush, elsewhere when the taps say so.
    /// - Parameter now: is given what is to be told with the next flush.
    func afterCuts(
        on home: StageHome, _ confirmed: @escaping @Sendable () -> Void, now: (@escaping @Sendable () -> Void) -> Void
    ) {
        home.afterCuts(confirmed, now: now)
        if home.awaitsCuts, !awaiting.contains(where: { $0 === home }) { awaiting.append(home) }
    }

    // MARK: What comes from other threads

    /// There are mixers, homes or branches on other threads, or word of them is awaited.
    var hasWays: Bool {
        !(mixed.isEmpty && forked.isEmpty && branches.isEmpty && hosting.isEmpty && awaiting.isEmpty)
    }

    /// Nothing waits on other threads' ways into this worker. Asked before it sleeps.
    var isIdle: Bool {
        branches.allSatisfy { !$0.branch.hasWork }
            && forked.allSatisfy { _, home in home.branches.allSatisfy { !$0.link.hasSpoken } }
            && hosting.allSatisfy { _, home in home.guests.all.allSatisfy { !$0.hasWork } }
            && awaiting.allSatisfy { !$0.hasCutsInForce }
    }

    /// Sends what mixers, homes and branches have given.
    /// - Returns: who is to be told of cuts once what has been queued so far has left, and which cuts are in force then.
    func carry() -> (confirmations: [@Sendable () -> Void], cuts: [(CutFollower, UInt64)]) {
        // Asked first: what mixers and other workers made before they said so has then been taken when it is told. By what a home has
        // now it cannot be seen who owes it word: a bridge may be gone.
        let confirmations = awaiting.flatMap { $0.takeCuts() }
        awaiting.removeAll { !$0.awaitsCuts }
        var cuts: [(CutFollower, UInt64)] = []
        for (home, feed) in mixed {
            while feed.takeMix({ home.audio.forwardMix($0, payload: $1, at: time.now, send: egress.send) }) {}
        }
        for (stage, home) in forked { takeEverythingSpoken(on: stage, home) }
        for (stage, branch) in branches {
            let asked = branch.link.cutsAsked
            while branch.link.takeHeard({ stage.fanout.deliver($0, $1, send: egress.send) }) {}
            if branch.awaits(asked) {
                stage.fanout.settle(send: egress.send)
                cuts.append((.branch(branch), asked))
            }
        }
        for (stage, home) in hosting {
            for guest in home.guests.all {
                let asked = guest.terms.wayIn.cutsAsked
                takeGuest(guest, on: stage, home)
                if guest.awaits(asked) {
                    home.audio.fanout.settle(send: egress.send)
                    cuts.append((.guest(guest), asked))
                }
            }
        }
        return (confirmations, cuts)
    }

    /// Takes in what the stage's people have said on other workers so far.
    func takeEverythingSpoken(on stage: Stage, _ home: StageHome) {
        var isAnySpoken = false
        for (link, _) in home.branches {
            while link.takeSpoken({ spoken, payload in
                home.audio.forward(spoken.packet, from: spoken.member, payload: payload, send: egress.send)
            }) { isAnySpoken = true }
        }
        if isAnySpoken, !home.isMetered { meter(stage, home) }
    }

    // MARK: Sound of crowds

    private func wait(_ fanout: AudioFanout) {
        if !waiting.contains(where: { $0 === fanout }) { waiting.append(fanout) }
        nextSound = min(nextSound, fanout.due)
    }

    /// Sends what has waited for other packets for long enough.
    private func deliverWaiting() {
        waiting.removeAll { fanout in
            // What waited has left already if another packet of the same slot came.
            guard fanout.due <= time.now || fanout.due == .distantFuture else { return false }
            fanout.deliverWaiting(send: egress.send)
            return true
        }
        nextSound = waiting.reduce(.distantFuture) { min($0, $1.due) }
    }

    // MARK: Levels and ways

    var nextDeadline: Instant { min(nextSound, nextLevels, nextPaths) }

    /// Somebody is heard there: its levels are told until all is silent.
    func meter(_ stage: Stage, _ home: StageHome) {
        guard home.audio.nextLevels != nil, stages[stage.id] === stage else { return }
        home.isMetered = true
        metered.append((stage, home))
        if nextLevels == .distantFuture { nextLevels = time.now }
    }

    func advance() {
        if nextSound <= time.now { deliverWaiting() }
        if nextLevels <= time.now { tellLevels() }
        if nextPaths <= time.now { tellPaths() }
    }

    private func tellLevels() {
        for (stage, home) in metered {
            guard let levels = home.audio.levels(at: time.now) else { continue }
            let named = levels.map { (PeerID(rawValue: $0.key.rawValue), $0.value) }
            facts.publish(.levels(stage.id, Dictionary(uniqueKeysWithValues: named)))
        }
        metered.removeAll { entry in
            entry.home.isMetered = entry.home.audio.nextLevels != nil
            return !entry.home.isMetered
        }
        nextLevels = metered.isEmpty ? .distantFuture : time.now + AudioStage.levelPeriod
    }

    private func tellPaths() {
        for stage in watched {
            var readings: [PeerID: PathReading] = [:]
            for id in stage.producers {
                guard let peer = table[id], peer.isConnected else { continue }
                readings[id] = peer.readPath()
            }
            switch stage.part {
            case .home(let home):
                readings.merge(home.remoteReadings) { own, _ in own }
                home.remoteReadings = [:]
                guard !readings.isEmpty || home.hasToldPaths else { continue }
                home.hasToldPaths = !readings.isEmpty
                facts.publish(.network(stage.id, readings))
            case .branch(let branch):
                guard !readings.isEmpty else { continue }
                _ = branch.mailbox.post(.readings(readings, stage.id))
            }
        }
        nextPaths = watched.isEmpty ? .distantFuture : time.now + PathWatch.period
    }
}
