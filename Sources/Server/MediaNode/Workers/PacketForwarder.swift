internal import Codecs
internal import DatagramIO
internal import Forwarding
internal import PeerSession
internal import RTP
internal import Timing
internal import Wire

/// Gives what people send to those who listen and watch: the packets of a worker's peers, as far as they were agreed on, fit their
/// sender's limits and are not too old.
final class PacketForwarder {
    /// An RTP header, at most the mid in an extension, payload and tag: a payload up to this fits any path that brought it.
    private static let maximumPayload = DatagramSocket.slotBytes - 128

    private(set) var counters = MediaCounters()
    private let longestWait: Interval
    private let longestPictureWait: Interval
    private let peers: PeerLifecycle
    private let stages: StageTable
    private let egress: Egress
    private let time: WorkerTime
    private let load: WorkerLoad
    /// Where pictures came to that nobody has been given yet. Empty between batches.
    private var arrivals: ContiguousArray<VideoStage> = []

    init(
        _ configuration: MediaNodeConfiguration, peers: PeerLifecycle, stages: StageTable, egress: Egress,
        time: WorkerTime, load: WorkerLoad
    ) {
        longestWait = configuration.longestWait
        longestPictureWait = configuration.longestPictureWait
        self.peers = peers
        self.stages = stages
        self.egress = egress
        self.time = time
        self.load = load
    }

    /// Takes an authentic packet of a peer.
    func forward(
        _ media: ReceivedMedia, in datagram: UnsafeRawBufferPointer, from peer: Peer, at arrival: Instant
    ) {
        switch media.place.flatMap({ Track(rawValue: $0.track) }) {
        case .camera, .screen, .spare: forwardPicture(media, in: datagram, from: peer, at: arrival)
        case .microphone, nil: forwardSound(media, in: datagram, from: peer, at: arrival)
        }
    }

    private func forwardSound(
        _ media: ReceivedMedia, in slot: UnsafeRawBufferPointer, from peer: Peer, at arrival: Instant
    ) {
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
    func deliverPictures() {
        guard !arrivals.isEmpty else { return }
        let start = time.read()
        while let stage = arrivals.popLast() { stage.deliver(at: time.refresh(), send: egress.send) }
        if egress.hasErrands { peers.runErrands() }
        load.note(workFrom: start, to: time.read())
    }
}
