import BandwidthEstimation
import Codecs
import DTLS
import Forwarding
import ICE
import PeerSession
import RTP
import SeededRandom
package import Timing
import Wire

/// A server and one viewer behind a line, in virtual time: the stage, the estimator, the pacer and both ends' media paths are the real
/// ones; cameras, the line and the screen are simulated.
package final class PictureLine {
    private static let server = TransportAddress(ip: IPAddress(v4: 192, 0, 2, 1), port: 7882)
    private static let client = TransportAddress(ip: IPAddress(v4: 10, 0, 0, 1), port: 5000)
    private static let network = 28
    private static let sound = SSRC(0x50_0000)
    private static let soundPacket = Interval.milliseconds(20)
    private static let soundBytes = 160
    private static let mediaType = PayloadType(96)
    private static let repeatType = PayloadType(97)
    private static let sampling = Interval.milliseconds(100)
    /// The handshake is through, and cameras begin.
    private static let warmUp = Interval.seconds(1)

    package let scenario: LineScenario
    private let began: Instant
    private var now: Instant
    private let serverPeer: MediaPeer
    private let clientPeer: MediaPeer
    private let stage: VideoStage
    private let viewer: PictureViewer
    private var exits: PictureViewer.Exits?
    private let line: Bottleneck
    private let back: WayBack
    private let competitor: CompetingFlow?
    private var cameras: [SimulatedCamera] = []
    private var screens: [SimulatedScreen] = []
    private var nextSound: Instant
    private var soundNumber: UInt64 = 100
    private var soundSent: [UInt16: Instant] = [:]
    private var nextSample: Instant
    private var started: [Int] = []
    private var isOpen = false
    package private(set) var report = LineReport()

    package init(_ scenario: LineScenario, seed: UInt64) throws {
        self.scenario = scenario
        var random = SeededGenerator(seed: seed)
        let start = Instant(nanoseconds: 1_000_000_000)
        began = start
        now = start
        nextSound = start + Self.warmUp
        nextSample = start + Self.warmUp
        line = Bottleneck(scenario, seed: random.next(), at: start)
        back = WayBack(scenario, seed: random.next(), at: start)
        competitor = scenario.hasCompetitor ? CompetingFlow(oneWay: scenario.oneWay, at: start) : nil
        (serverPeer, clientPeer) = try Self.peers(&random, at: start)
        stage = VideoStage(slots: scenario.pictures)
        viewer = PictureViewer(MemberID(rawValue: 1), handle: 0)
        for slot in 0..<scenario.pictures {
            let member = MemberID(rawValue: 10 + UInt64(slot))
            cameras.append(
                SimulatedCamera(member, rates: scenario.layers, seed: random.next(), at: start + Self.warmUp))
            screens.append(SimulatedScreen())
            stage.assign(slot: slot, to: member, isCut: false)
        }
        report.scenario = scenario
    }

    private static func peers(_ random: inout SeededGenerator, at now: Instant) throws -> (MediaPeer, MediaPeer) {
        let contexts = try (DTLSContext(certificate: .selfSigned()), DTLSContext(certificate: .selfSigned()))
        let ours = ICECredentials.random(using: &random)
        let theirs = ICECredentials.random(using: &random)
        let clock = NTPClock(reference: now, wallTime: WallTime(secondsSince1970: 1_800_000_000))
        let server = try MediaPeer(
            PeerConfiguration(
                role: .server, localCredentials: ours, remoteCredentials: theirs,
                remoteFingerprint: contexts.1.certificate.fingerprint, reportSSRC: SSRC(1), cname: "s", clock: clock,
                seed: random.next()), context: contexts.0, at: now)
        let viewer = try MediaPeer(
            PeerConfiguration(
                role: .client(paths: [NetworkPath(local: client, remote: Self.server)]), localCredentials: theirs,
                remoteCredentials: ours, remoteFingerprint: contexts.0.certificate.fingerprint, reportSSRC: SSRC(2),
                cname: "c", clock: clock, seed: random.next()), context: contexts.1, at: now)
        return (server, viewer)
    }

    private func ssrc(_ slot: Int) -> SSRC { SSRC(0x1000 + UInt32(slot) * 2) }

    private func open() {
        var extensions = HeaderExtensionMap()
        extensions.set(.mid, id: 4)
        extensions.set(.transportNumber, id: 3)
        _ = serverPeer.openSendStream(
            SendStreamTerms(ssrc: Self.sound, clockRate: 48_000, cname: "s", payloadType: PayloadType(111)))
        var lines: [ViewerLine] = []
        var tracks: [ReceiveTrack] = [
            ReceiveTrack(
                mid: Mid("0"), formats: [ReceiveTrack.Format(payloadType: PayloadType(111), clockRate: 48_000)],
                sources: [ReceiveTrack.Source(ssrc: Self.sound)], repeats: .none)
        ]
        serverPeer.measureLine()
        for slot in 0..<scenario.pictures {
            let repeats = SSRC(ssrc(slot).rawValue + 1)
            var terms = SendStreamTerms(
                ssrc: ssrc(slot), clockRate: 90_000, cname: "s", payloadType: Self.mediaType,
                repeats: RepeatStreamTerms(ssrc: repeats, payloadType: Self.repeatType, firstSequence: 77))
            terms.transportNumberID = 3
            terms.isPaced = true
            guard let stream = serverPeer.openSendStream(terms) else { preconditionFailure("room for all streams") }
            lines.append(
                ViewerLine(
                    slot: slot, ssrc: ssrc(slot), stream: stream, format: .vp8, firstSequence: 500, firstTimestamp: 9))
            tracks.append(
                ReceiveTrack(
                    mid: Mid("\(slot + 1)"),
                    formats: [
                        ReceiveTrack.Format(payloadType: Self.mediaType, clockRate: 90_000, repeats: Self.repeatType)
                    ], sources: [ReceiveTrack.Source(ssrc: ssrc(slot), repeats: repeats)], repeats: .picture))
        }
        clientPeer.setReceiving(tracks, extensions: extensions)
        viewer.bandwidth = serverPeer.bandwidth
        let exits = PictureViewer.Exits(
            send: { [unowned self] _, packet, payload in
                if packet.startsSource { started.append(packet.stream) }
                seal { self.serverPeer.lane.seal(packet, payload: payload, into: $0, at: self.now) }
            },
            again: { [unowned self] _, packet, payload in
                report.repeats += 1
                seal { self.serverPeer.lane.sealAgain(packet, payload: payload, into: $0, at: self.now) }
            },
            fill: { [unowned self] _, packet, length in
                seal { self.serverPeer.lane.sealPadding(packet, length: length, into: $0, at: self.now) }
            },
            ask: { [unowned self] member, _ in
                cameras.first { $0.member == member }?.askForKeyFrame(at: now)
            })
        self.exits = exits
        stage.setViewer(viewer, lines: lines, at: now, send: exits.send, ask: exits.ask)
    }

    private func seal(_ body: (UnsafeMutableRawBufferPointer) -> Int?) {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 16) { slot in
            guard let length = body(slot) else { return }
            enter(Array(slot[..<length]))
        }
    }

    private func enter(_ datagram: [UInt8]) {
        report.sentBytes += datagram.count
        line.enter(
            Bottleneck.Item(bytes: datagram.count + Self.network, datagram: datagram, entered: now), at: now)
    }

    // MARK: Time

    /// Lets the whole scenario pass.
    package func run() { run(until: scenario.length + Self.warmUp) }

    /// Lets time pass until then, counted from the beginning.
    package func run(until end: Interval) {
        drain()
        while now - began < end {
            let next =
                [
                    serverPeer.nextDeadline, clientPeer.nextDeadline, line.nextDeadline, back.nextDeadline,
                    competitor?.nextDeadline ?? .distantFuture, nextSound, nextSample,
                    cameras.map(\.nextFrame).min() ?? .distantFuture,
                    isOpen ? viewer.nextDeadline(at: now) : .distantFuture,
                ].min() ?? .distantFuture
            now = max(now, next)
            if !isOpen, now - began >= Self.warmUp {
                isOpen = true
                open()
            }
            step()
        }
        for (slot, screen) in screens.enumerated() { report.shown[slot] = screen.shown }
        report.began = began
        report.skipped = Int(stage.stats.skipped)
        report.filling = Int(stage.stats.filling)
        report.keyFrames = cameras.map(\.keyFrames).reduce(0, +)
    }

    /// What was seen and heard since the last time, which is forgotten here: a line that lives for hours would remember every packet.
    package func takeReport() -> LineReport {
        defer {
            let (scenario, began) = (report.scenario, report.began)
            report = LineReport()
            report.scenario = scenario
            report.began = began
            for screen in screens { screen.forget() }
        }
        return report
    }

    private func step() {
        while let item = line.take(at: now) { arrive(item) }
        while let datagram = back.take(at: now) { hear(datagram) }
        if let competitor {
            for segment in competitor.advance(to: now) {
                line.enter(
                    Bottleneck.Item(
                        bytes: CompetingFlow.segmentBytes, datagram: [], entered: now, segment: segment), at: now)
            }
        }
        if serverPeer.nextDeadline <= now { serverPeer.advance(to: now) }
        if clientPeer.nextDeadline <= now { clientPeer.advance(to: now) }
        if isOpen, let exits {
            for camera in cameras where camera.nextFrame <= now {
                camera.film(at: now) { packet, payload in
                    stage.forward(packet, from: camera.member, payload: payload, send: exits.send, ask: exits.ask)
                }
            }
            stage.deliver(at: now, send: exits.send)
            if nextSound <= now { speak() }
            if nextSample <= now { sample() }
            if viewer.nextDeadline(at: now) <= now { viewer.advance(to: now, exits) }
            for stream in started { serverPeer.sendReport(for: stream, at: now) }
            started = []
        }
        drain()
    }

    private func speak() {
        nextSound = nextSound + Self.soundPacket
        soundNumber += 1
        soundSent[UInt16(truncatingIfNeeded: soundNumber)] = now
        let packet = OutgoingPacket(
            ssrc: Self.sound, stream: 0, sequence: soundNumber,
            timestamp: UInt32(truncatingIfNeeded: soundNumber * 960),
            marker: false)
        let payload = [UInt8](repeating: 1, count: Self.soundBytes)
        payload.withUnsafeBytes { payload in
            seal { self.serverPeer.lane.seal(packet, payload: payload, into: $0, at: self.now) }
        }
    }

    private func sample() {
        nextSample = nextSample + Self.sampling
        guard let bandwidth = serverPeer.bandwidth else { return }
        report.estimates.append((now, bandwidth.estimate, line.rate(at: now)))
        for (slot, screen) in screens.enumerated() where screen.asksForKeyFrame(at: now) {
            // What a browser asks for comes as a message; here it goes straight to the stage, after its way.
            let ask = exits?.ask ?? { _, _ in }
            stage.keyFrameWanted(by: viewer.member, stream: slot + 1, roundTrip: nil, at: now, ask: ask)
        }
    }

    private func drain() {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 16) { buffer in
            while let output = serverPeer.nextOutput(into: buffer) {
                switch output {
                case .datagram(let length, _): enter(Array(buffer[..<length]))
                case .event(let event): take(event)
                }
            }
            while let output = clientPeer.nextOutput(into: buffer) {
                if case .datagram(let length, _) = output { back.enter(Array(buffer[..<length]), at: now) }
            }
        }
    }

    private func take(_ event: PeerEvent) {
        guard case .nack(let stream, _, let sequence, let following) = event, stream > 0, let exits else { return }
        stage.repeat(
            for: viewer.member, stream: stream, sequence: sequence, following: following,
            roundTrip: scenario.oneWay * 2, at: now, send: exits.again)
    }

    private func hear(_ datagram: [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 16) { buffer in
            buffer.copyBytes(from: datagram)
            _ = serverPeer.receive(
                buffer, length: datagram.count, path: NetworkPath(local: Self.server, remote: Self.client), at: now)
        }
    }

    private func arrive(_ item: Bottleneck.Item) {
        if let segment = item.segment { competitor?.arrived(segment, at: now) }
        guard !item.datagram.isEmpty else { return }
        withUnsafeTemporaryAllocation(byteCount: 1_500, alignment: 16) { buffer in
            buffer.copyBytes(from: item.datagram)
            let path = NetworkPath(local: Self.client, remote: Self.server)
            guard
                case .media(let media) = clientPeer.receive(buffer, length: item.datagram.count, path: path, at: now)
            else { return }
            if media.header.ssrc == Self.sound {
                let sent = soundSent.removeValue(forKey: media.header.sequenceNumber.rawValue) ?? item.entered
                report.sound.append((sent, now - sent - scenario.oneWay))
            } else if let place = media.place, place.track > 0 {
                screens[place.track - 1].receive(
                    sequence: media.extendedSequence, timestamp: media.header.timestamp.rawValue,
                    marker: media.header.marker, payload: UnsafeRawBufferPointer(rebasing: buffer[media.payload]),
                    at: now)
            }
        }
    }
}
