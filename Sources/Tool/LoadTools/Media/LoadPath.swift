internal import DTLS
internal import DatagramIO
internal import ICE
internal import PeerSession
internal import RTP
internal import SRTP
internal import Timing
internal import Wire

/// One participant's media path on the load's thread.
final class LoadPath {
    enum Machine {
        case session(MediaPeer, CheckAnswerer)
        case fixedKey(SRTPReceiver)
    }

    let path: NetworkPath
    let machine: Machine
    let isSpeaker: Bool
    /// Those that are known, in the order in which they were first heard.
    var streams: ContiguousArray<HeardStream> = []
    /// Where the last packet's stream was found.
    private var lastStream = 0
    /// The earliest entry among the deadlines that stands for this path.
    var scheduled = Instant.distantFuture
    private var whenOpen: (@Sendable (LoadFailure?) -> Void)?

    init(
        _ plan: PathPlan, path: NetworkPath, context: DTLSContext, clock: NTPClock, at now: Instant,
        whenOpen: @escaping @Sendable (LoadFailure?) -> Void
    ) throws(LoadFailure) {
        self.path = path
        isSpeaker = plan.speech != nil
        var random = SystemRandomNumberGenerator()
        switch plan.protection {
        case .session(let local, let remote, let fingerprint):
            let configuration = PeerConfiguration(
                role: .client(paths: [path]), localCredentials: local, remoteCredentials: remote,
                remoteFingerprint: fingerprint, reportSSRC: SSRC(.random(in: 1...(.max), using: &random)),
                cname: "load-\(plan.place)", clock: clock, seed: random.next())
            guard let peer = try? MediaPeer(configuration, context: context, at: now) else {
                throw LoadFailure("no memory for another media path")
            }
            if let speech = plan.speech {
                peer.openSendStream(
                    speech.ssrc, clockRate: speech.isPicture ? 90_000 : 48_000, cname: "load-\(plan.place)")
            }
            machine = .session(peer, CheckAnswerer(password: local.password))
            self.whenOpen = whenOpen
        case .fixedKey(let key):
            guard let receiver = SRTPReceiver(profile: .aeadAES128GCM, masterKey: key) else {
                throw LoadFailure("a master key for AES-128-GCM has 16 bytes and 12 of salt")
            }
            machine = .fixedKey(receiver)
            whenOpen(nil)
        }
    }

    /// Where a source stands among `streams`; nil if it is not known yet.
    @inline(__always)
    func stream(of ssrc: SSRC) -> Int? {
        if lastStream < streams.count, streams[lastStream].ssrc == ssrc { return lastStream }
        guard let index = streams.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        lastStream = index
        return index
    }

    func noteOpen() {
        whenOpen?(nil)
        whenOpen = nil
    }

    func noteClosed(_ reason: CloseReason) {
        whenOpen?(LoadFailure("a media path did not open (\(reason))"))
        whenOpen = nil
    }
}

/// Somebody who speaks, with packets of what might be 20 ms of Opus, or films; at a phase of its own.
struct LoadSpeaker {
    /// Opus at some 50 to 64 kbit/s, with its variable rate.
    static let payloadLengths = 120...160
    static let ticks: UInt32 = 960

    let path: LoadPath
    let speech: PathPlan.Speech
    var next: Instant
    var number: UInt32 = 0
    /// Of those who film.
    var frame = FilmedFrame(number: 0, isKeyFrame: true)
    var isKeyFrameWanted = false
    var sequence: UInt16
    var timestamp: UInt32

    /// What comes after this frame.
    mutating func endFrame() {
        let number = frame.number &+ 1
        frame = FilmedFrame(number: number, isKeyFrame: isKeyFrameWanted || number.isMultiple(of: FilmedFrame.distance))
        isKeyFrameWanted = false
        timestamp &+= FilmedFrame.ticks
    }
}
