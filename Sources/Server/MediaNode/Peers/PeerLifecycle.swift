internal import DTLS
internal import DatagramIO
internal import Forwarding
internal import ICE
internal import PeerSession
internal import RTP
import RoomModel
internal import RoomPorts
internal import SDP
internal import Timing
internal import Wire

/// How peers of one worker come, change and go: answers offers, lets machines work when their time comes, tells the room core what became
/// of them.
final class PeerLifecycle {
    private let configuration: MediaNodeConfiguration
    private let context: DTLSContext
    private let table: PeerTable
    private let egress: Egress
    private let facts: FactPublisher
    /// Where guests of other rooms are known; set once, by the worker that has both.
    weak var stages: StageTable?
    private let time: WorkerTime
    private var negotiator: Negotiator
    private var deadlines = DeadlineQueue()
    private var peersPerAddress: [IPAddress: Int] = [:]
    /// What peers that are gone have counted, and how many came and went.
    private(set) var counters = MediaCounters()
    private(set) var connected = 0
    private var driving = Interval.zero
    /// What leaves for viewers whose lines decide when.
    private let exits: PictureViewer.Exits

    init(
        _ configuration: MediaNodeConfiguration, certificate: DTLSCertificate, table: PeerTable, egress: Egress,
        facts: FactPublisher, time: WorkerTime
    ) throws(DTLSError) {
        self.configuration = configuration
        self.table = table
        self.egress = egress
        self.facts = facts
        self.time = time
        exits = PictureViewer.Exits(
            send: egress.send, again: egress.sendAgain, fill: egress.fill, ask: egress.ask)
        context = try DTLSContext(certificate: certificate)
        negotiator = Negotiator(
            fingerprint: certificate.fingerprint,
            clock: NTPClock(reference: time.now, wallTime: SystemClock.wallTime()))
    }

    private var now: Instant { time.now }

    // MARK: Offers

    /// - Parameter takesNewcomers: whether there is time left for somebody who is not here yet.
    func answer(_ offer: ParsedOffer, on stage: Stage, takesNewcomers: Bool) -> Result<NegotiatedOffer, MediaRefusal> {
        do throws(MediaRefusal) {
            let answer = try agree(on: offer, stage, takesNewcomers: takesNewcomers)
            counters.offersAnswered &+= 1
            return .success(answer)
        } catch {
            counters.offersRefused &+= 1
            return .failure(error)
        }
    }

    /// An offer that was refused without a look at it.
    func noteRefusal() { counters.offersRefused &+= 1 }

    private func agree(
        on offer: ParsedOffer, _ stage: Stage, takesNewcomers: Bool
    ) throws(MediaRefusal) -> NegotiatedOffer {
        let present = table[offer.peer]
        if let present {
            guard offer.number > present.offerNumber else { throw .staleOffer }
            if present.stage === stage, let change = try negotiator.renegotiate(offer, of: present) {
                apply(change, to: present, number: offer.number)
                return NegotiatedOffer(
                    number: offer.number, session: change.session, mixSlot: stage.mixSlot,
                    screen: stage.pictures?.cameras.slotCount)
            }
        } else {
            guard takesNewcomers, !table.isFull, table.count - connected < configuration.maximumConnecting
            else { throw .overloaded }
        }
        let opening = try negotiator.open(offer, slots: stage.slotCount, pictures: stage.pictures)
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
        peer.statedRoundTrip = offer.statedRoundTrip
        table.insert(peer)
        table.learn(ufrag: opening.credentials.ufrag, of: peer)
        stage.peers.insert(peer.id)
        openStreams(of: peer)
        settle(peer)
        return NegotiatedOffer(
            number: offer.number, session: opening.session, mixSlot: stage.mixSlot,
            screen: stage.pictures?.cameras.slotCount)
    }

    private func apply(_ change: Negotiator.Renegotiation, to peer: Peer, number: UInt32) {
        peer.renegotiate(change.session, number: number, credentials: change.credentials)
        if change.restartsICE {
            table.learn(ufrag: change.credentials.ufrag, of: peer)
            peer.media.restartICE(
                local: change.credentials, remote: change.session.remote.credentials, at: peer.time(now))
        }
        openStreams(of: peer)
        if peer.isConnected { serve(peer) }
        settle(peer)
    }

    private func openStreams(of peer: Peer) {
        let midID = peer.extensions.id(of: .mid) ?? 0
        peer.media.setReceiving(peer.tracks, extensions: peer.extensions)
        for slot in peer.slots {
            let (payloadType, mid) = (PayloadType(slot.payloadType), Mid(slot.mid))
            if let number = peer.streams[slot.index] {
                peer.media.describeSendStream(number, payloadType: payloadType, mid: mid, midID: midID)
            } else {
                peer.streams[slot.index] = peer.media.openSendStream(
                    SendStreamTerms(
                        ssrc: SSRC(slot.ssrc), clockRate: 48_000, cname: peer.terms.sources[slot.index].cname,
                        payloadType: payloadType, mid: mid, midID: midID))
            }
        }
        for view in peer.views {
            let (payloadType, mid) = (PayloadType(view.payloadType), Mid(view.mid))
            let repeats = view.repeatPayloadType.map { PayloadType($0) }
            let transportNumberID = view.reportsArrivals ? peer.extensions.id(of: .transportNumber) ?? 0 : 0
            if view.reportsArrivals || view.statesMaximum { peer.media.measureLine() }
            if let number = peer.viewStreams[view.index] {
                peer.media.describeSendStream(
                    number, payloadType: payloadType, mid: mid, midID: midID, transportNumberID: transportNumberID,
                    repeatPayloadType: repeats)
            } else {
                var terms = SendStreamTerms(
                    ssrc: SSRC(view.ssrc), clockRate: 90_000, cname: peer.terms.views[view.index].cname,
                    payloadType: payloadType, mid: mid, midID: midID,
                    repeats: repeats.map {
                        RepeatStreamTerms(
                            ssrc: SSRC(view.repeatSSRC), payloadType: $0,
                            firstSequence: peer.terms.viewStarts[view.index].repeatSequence)
                    })
                terms.transportNumberID = transportNumberID
                terms.isPaced = true
                if configuration.mostPlayout > .zero {
                    terms.playout = PlayoutRange(least: configuration.leastPlayout, most: configuration.mostPlayout)
                    terms.playoutID = peer.extensions.id(of: .playoutDelay) ?? 0
                }
                peer.viewStreams[view.index] = peer.media.openSendStream(terms)
            }
        }
    }

    /// Lets a connected peer hear and see what it has lines for.
    private func serve(_ peer: Peer) {
        peer.stage.fanout.setListener(peer.member, handle: peer.handle, lines: peer.lines())
        guard let pictures = peer.stage.pictures else { return }
        guard !peer.views.isEmpty || peer.viewer != nil else { return }
        let viewer = peer.viewer ?? PictureViewer(peer.member, handle: peer.handle)
        viewer.bandwidth = peer.media.bandwidth
        peer.viewer = viewer
        for stage in pictures.all {
            stage.setViewer(
                viewer, lines: peer.viewLines(of: stage, in: pictures), at: now, send: egress.send, ask: egress.ask)
        }
        runErrands()
    }

    /// Holds from now on, and once it is connected if it is not yet.
    func view(_ picture: PictureView, as layer: PictureLayer, by peer: Peer) {
        guard let pictures = peer.stage.pictures else { return }
        let (stage, slot) = pictures.place(picture)
        stage.limit(peer.member, slot: slot, toLayer: layer.rawValue, at: now, send: egress.send, ask: egress.ask)
        runErrands()
    }

    // MARK: The end of a peer

    /// Says goodbye and forgets the peer.
    func close(_ peer: Peer, isReplaced: Bool = false) {
        guard table[peer.id] === peer else { return }
        peer.media.close()
        while egress.drain(peer.media) != nil {}
        forget(peer, isReplaced: isReplaced)
    }

    private func forget(_ peer: Peer, isReplaced: Bool) {
        peer.stage.fanout.removeListener(peer.member)
        switch peer.stage.part {
        case .home(let home):
            home.audio.resetSource(of: peer.member, at: now, send: egress.send)
            for stage in home.pictures?.all ?? [] {
                stage.removeViewer(peer.member)
                stage.resetSource(of: peer.member)
            }
        case .branch(let branch): _ = branch.mailbox.post(.resetSource(peer.id, peer.stage.id, confirmed: nil))
        }
        peer.stage.peers.remove(peer.id)
        table.remove(peer)
        counters.add(peer.media.stats)
        counters.peersClosed &+= 1
        if peer.isConnected { connected -= 1 }
        if let address = peer.countedAddress {
            let left = peersPerAddress[address, default: 1] - 1
            peersPerAddress[address] = left > 0 ? left : nil
        }
        if !isReplaced { facts.publish(.closed(peer.stage.id, peer.id)) }
        runErrands()
    }

    // MARK: Time and events

    var nextDeadline: Instant { deadlines.next ?? .distantFuture }
    var waitingDeadlines: Int { deadlines.count }

    /// Lets machines do what is due.
    func advance() {
        while let due = deadlines.pop(until: now) {
            guard let peer = table[due.handle], peer.generation == due.generation, peer.scheduled == due.deadline
            else { continue }
            peer.scheduled = .distantFuture
            peer.media.advance(to: peer.time(now))
            drive(peer)
            settle(peer)
        }
    }

    /// Sends and tells what the machine has for us, and notes when it wants to be looked at again.
    func settle(_ peer: Peer) {
        var isClosed = false
        while let event = egress.drain(peer.media) {
            if case .closed = event { isClosed = true } else { take(event, of: peer) }
        }
        if isClosed { forget(peer, isReplaced: false) }
        let deadline = min(peer.media.nextDeadline, peer.viewer?.nextDeadline(at: now) ?? .distantFuture)
        guard deadline < peer.scheduled, table[peer.handle] === peer else { return }
        peer.scheduled = deadline
        deadlines.push(
            DeadlineQueue.Entry(deadline: deadline, handle: peer.handle, generation: peer.generation))
    }

    /// Lets a viewer send what its line takes, if it is time for that.
    private func drive(_ peer: Peer) {
        guard let viewer = peer.viewer, viewer.nextDeadline(at: now) <= now else { return }
        let start = time.read()
        viewer.advance(to: now, exits)
        if let news = viewer.takeNews(at: now), let pictures = peer.stage.pictures {
            facts.publish(.pictures(peer.stage.id, peer.id, news.map { PictureReading($0, in: pictures) }))
        }
        driving = driving + (time.read() - start)
    }

    /// What the viewers' packets have taken since the last time this was asked for: it is forwarding, as what goes out directly is.
    func takeDriving() -> Interval {
        defer { driving = .zero }
        return driving
    }

    private func take(_ event: PeerEvent, of peer: Peer) {
        switch event {
        case .connected: connect(peer)
        case .lost:
            peer.isLost = true
            facts.publish(.lost(peer.stage.id, peer.id))
        case .recovered:
            peer.isLost = false
            facts.publish(.recovered(peer.stage.id, peer.id))
        case .closed: break
        case .nack(let stream, let ssrc, let sequence, let following):
            if let view = peer.view(ofStream: stream), let pictures = peer.stage.pictures {
                pictures.place(view).stage.repeat(
                    for: peer.member, stream: stream, sequence: sequence, following: following,
                    roundTrip: peer.roundTrip, at: now, send: egress.sendAgain)
                return
            }
            peer.stage.fanout.repeat(
                for: peer.member, ssrc, sequence: sequence, following: following, roundTrip: peer.roundTrip, at: now,
                send: egress.sendAgain)
        case .keyFrameWanted(let stream):
            guard let view = peer.view(ofStream: stream), let pictures = peer.stage.pictures else { return }
            pictures.place(view).stage.keyFrameWanted(
                by: peer.member, stream: stream, roundTrip: nil, at: now, ask: egress.ask)
            runErrands()
        case .senderReport(let ssrc, _, let timestamp, let made, _):
            guard let home = peer.stage.home, let pictures = home.pictures else { return }
            func clock(_ rate: UInt32) -> CaptureClock {
                CaptureClock(clockRate: rate, instant: made, timestamp: timestamp.rawValue)
            }
            let heard = home.audio.note(clock(48_000), of: ssrc, from: peer.member)
            pictures.cameras.note(clock(90_000), of: ssrc, from: peer.member)
            pictures.screens.note(clock(90_000), of: ssrc, from: peer.member)
            // What other rooms get of the host keeps in step there too.
            let isHost = home.audio.slot(of: peer.member) == BridgeWay.slot
            for guest in home.guests.all where isHost {
                guest.say(heard.map { .clock($0, nil) } ?? .clock(clock(90_000), ssrc))
            }
        case .receiverReport(_, let roundTrip, let fractionLost):
            peer.noteReport(roundTrip: roundTrip, fractionLost: fractionLost)
        }
    }

    private func connect(_ peer: Peer) {
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
        connected += 1
        counters.peersConnected &+= 1
        // What waits for others is not for somebody who begins with the newest.
        peer.stage.fanout.deliverWaiting(send: egress.send)
        serve(peer)
        peer.stage.fanout.greet(peer.member, at: now, send: egress.send)
        facts.publish(.connected(peer.stage.id, peer.id))
    }

    /// Tells the receivers of streams that begin or change their source how the new timestamps map to time, and asks for key frames.
    func runErrands() {
        while let wanted = egress.nextWantedKeyFrame() {
            guard let peer = table[PeerID(rawValue: wanted.producer.rawValue)] else {
                stages?.guest(wanted.producer)?.say(.keyFrameWanted(wanted.ssrc))
                continue
            }
            peer.media.requestKeyFrame(of: wanted.ssrc, at: peer.time(now))
            settle(peer)
        }
        while let started = egress.nextStartedStream() {
            guard let peer = table[started.handle] else { continue }
            peer.media.sendReport(for: started.stream, at: peer.time(now))
            settle(peer)
        }
        while let handle = egress.nextWaitingViewer() {
            if let peer = table[handle] { settle(peer) }
        }
    }
}

extension PictureReading {
    fileprivate init(_ gets: PictureViewer.Gets, in pictures: StagePictures) {
        let lack: Lack? =
            switch gets.lack {
            case .line: .line
            case .sender: .sender
            case nil: nil
            }
        self.init(
            picture: pictures.view(gets.slot, of: gets.stage), layer: PictureLayer(rawValue: gets.layer) ?? .none,
            lack: lack)
    }
}
