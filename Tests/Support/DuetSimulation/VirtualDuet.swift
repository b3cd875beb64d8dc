import AudioGraph
import ClientMedia
import DTLS
import Foundation
import ICE
import NetworkSimulation
import PeerSession
import RTP
import SeededRandom
package import Timing
import Wire

/// Two singers with their whole engines, a forwarding server and a network between them, in virtual time: each sings a tone, and
/// hears the other's.
package final class VirtualDuet {
    package struct Conditions: Sendable {
        /// How much faster the second singer's clock runs, its sound card with it.
        package var ppm = 100.0
        /// From a singer to the server, and from there to a singer.
        package var way = Interval.milliseconds(10)
        /// On top of each way, evenly spread.
        package var jitter = Interval.milliseconds(2)
        /// On each way, 0…1.
        package var loss = 0.0
        package var seed: UInt64 = 1

        package init() {}
    }

    /// What one singer hears of the other.
    package final class Ear {
        package let watch: ToneWatch
        /// How far the delay in the buffer was from its target at most, since watching began.
        package fileprivate(set) var furthest = Interval.zero
        package fileprivate(set) var furthestAt = 0.0
        package fileprivate(set) var targets: ClosedRange<Interval>?
        /// The next samples that are left out (1) or doubled (−1), for calibration.
        package var spoil = 0
        /// When sound was made up, in the watch's seconds.
        fileprivate(set) var concealments: [Double] = []
        fileprivate var concealedFrames: UInt64 = 0
        /// As it was when watching began.
        fileprivate(set) var before = JitterBufferStatistics()
        fileprivate(set) var watchedFrom = 0.0
        fileprivate var reserve: [Float] = [Float](repeating: 0, count: Ear.reserveFrames)
        fileprivate static let reserveFrames = 64

        fileprivate init(_ tone: SungTone) { watch = ToneWatch(tone) }
    }

    /// Seconds in which network and clocks are learnt; what is heard in them does not count.
    package static let settling = 30.0

    package let singers: [VirtualSinger]
    package let ears: [Ear]
    package let stage: VirtualStage
    private let network: Network
    private let start = Instant(nanoseconds: 1_000_000_000)

    package init(_ conditions: Conditions = Conditions()) throws {
        var random = SeededGenerator(seed: conditions.seed)
        var link = LinkConditions()
        link.delay = conditions.way
        link.jitter = conditions.jitter
        link.loss = conditions.loss
        network = Network(seed: conditions.seed, conditions: link, start: start)
        let context = try DTLSContext(certificate: .selfSigned())
        stage = VirtualStage(at: start)
        let ntp = NTPClock(reference: start, wallTime: WallTime(secondsSince1970: 1_800_000_000))
        var singers: [VirtualSinger] = []
        var tones = [SungTone(), SungTone()]
        tones[1].middle = 550
        tones[1].period = 2.3
        var servers: [TransportAddress] = []
        for index in 0..<2 {
            let own = TransportAddress(ip: IPAddress(v4: 10, 0, 0, UInt8(index + 1)), port: 5_000)
            let server = TransportAddress(ip: IPAddress(v4: 192, 0, 2, UInt8(index + 1)), port: 7_882)
            servers.append(server)
            let its = try DTLSContext(certificate: .selfSigned())
            let credentials = (ICECredentials.random(using: &random), ICECredentials.random(using: &random))
            let clock = MachineClock(
                ppm: index == 0 ? 0 : conditions.ppm, origin: start, offset: index == 0 ? .zero : .seconds(3))
            let ssrcs: [UInt32] = [0x1000_0000 + UInt32(index), 0x2000_0000 + UInt32(index)]
            let peer = try MediaPeer(
                PeerConfiguration(
                    role: .client(paths: [NetworkPath(local: own, remote: server)]), localCredentials: credentials.0,
                    remoteCredentials: credentials.1, remoteFingerprint: context.certificate.fingerprint,
                    reportSSRC: SSRC(77), cname: "singer", clock: ntp, seed: random.next()),
                context: its, at: clock.local(start))
            let guest = try MediaPeer(
                PeerConfiguration(
                    role: .server, localCredentials: credentials.1, remoteCredentials: credentials.0,
                    remoteFingerprint: its.certificate.fingerprint, reportSSRC: SSRC(88), cname: "server", clock: ntp,
                    seed: random.next()),
                context: context, at: start)
            stage.add(guest, at: server, ssrcs: ssrcs)
            let singer = try VirtualSinger(
                peer: peer, clock: clock, tone: tones[index], ssrc: SSRC(0x5000_0000 + UInt32(index)),
                slots: Dictionary(uniqueKeysWithValues: zip(ssrcs, 0...)), otherSlot: 1 - index,
                phases: (
                    .microseconds(Int64(random.next() % 5_000)), .microseconds(Int64(random.next() % 5_000))
                ), at: start)
            network.attach(singer, at: [own])
            singers.append(singer)
        }
        network.attach(stage, at: servers)
        self.singers = singers
        ears = [Ear(tones[1]), Ear(tones[0])]
        for index in 0..<2 {
            let (ear, own, other) = (ears[index], singers[index], singers[1 - index])
            own.ear = { [unowned self, unowned own, unowned other] block, heard in
                take(block, heard, ear, own, other)
            }
        }
    }

    package var seconds: Double { (network.now - start).seconds }

    package func run(_ seconds: Double) { network.run(for: Interval(nanoseconds: Int64(seconds * 1e9))) }

    /// From now on everything counts.
    package func watch() {
        for (ear, singer) in zip(ears, singers) {
            ear.watch.isWatching = true
            ear.watchedFrom = Double(ear.watch.heardFrames) / 48_000
            ear.before = singer.statistics
        }
    }

    /// A block that `own` plays.
    private func take(_ block: AudioBuffer, _ heard: Instant, _ ear: Ear, _ own: VirtualSinger, _ other: VirtualSinger)
    {
        guard own.statistics.decodedFrames > 0 else { return }
        spoil(block[0], ear)
        ear.watch.hear(
            block[0], at: other.sung(at: own.clock.time(heard)),
            step: (1 + other.clock.ppm / 1e6) / (1 + own.clock.ppm / 1e6) / 48_000)
        guard ear.watch.isWatching else { return }
        let statistics = own.statistics
        if statistics.concealedFrames != ear.concealedFrames {
            ear.concealedFrames = statistics.concealedFrames
            ear.concealments.append(Double(ear.watch.heardFrames) / 48_000)
        }
        let target = statistics.targetDelay
        let distance = Interval(nanoseconds: Swift.abs((statistics.delay - target).nanoseconds))
        if distance > ear.furthest { (ear.furthest, ear.furthestAt) = (distance, seconds) }
        let seen = ear.targets ?? target...target
        ear.targets = min(seen.lowerBound, target)...max(seen.upperBound, target)
    }

    /// Leaves a sample out in the middle of the block, or doubles one: a short reserve makes up for it.
    private func spoil(_ samples: UnsafeMutableBufferPointer<Float>, _ ear: Ear) {
        var sound = ear.reserve + samples
        let place = ear.reserve.count + samples.count / 2
        if ear.spoil > 0, ear.reserve.count > 1 { sound.remove(at: place) }
        if ear.spoil < 0 { sound.insert(sound[place], at: place) }
        ear.spoil = 0
        for frame in 0..<samples.count { samples[frame] = sound[frame] }
        ear.reserve = Array(sound[samples.count...])
    }
}
