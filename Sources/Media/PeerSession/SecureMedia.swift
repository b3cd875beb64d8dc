internal import SRTP
internal import Timing

/// Whether the other side is still there, judged by authentic packets of any kind.
struct Liveness {
    private(set) var lastAuthentic: Instant
    private(set) var isLost = false

    init(at now: Instant) { lastAuthentic = now }

    /// True if the other side was lost until now.
    mutating func noteAuthentic(at now: Instant) -> Bool {
        if now > lastAuthentic { lastAuthentic = now }
        guard isLost else { return false }
        isLost = false
        return true
    }

    enum Change {
        case lost
        case expired
    }

    mutating func advance(to now: Instant) -> Change? {
        if lastAuthentic + MediaPeer.silenceUntilClosed <= now { return .expired }
        guard !isLost, lastAuthentic + MediaPeer.silenceUntilLost <= now else { return nil }
        isLost = true
        return .lost
    }

    var nextDeadline: Instant {
        lastAuthentic + (isLost ? MediaPeer.silenceUntilClosed : MediaPeer.silenceUntilLost)
    }
}

/// What a peer has once the handshake is through. A class, so that a packet costs no copy of the state it is found in.
final class SecureMedia {
    let sender: SRTPSender
    let receiver: SRTPReceiver
    var liveness: Liveness
    /// When a path to send by must be there at the latest; nil once it was, and the owner has been told.
    var pathUntil: Instant?

    init(sender: SRTPSender, receiver: SRTPReceiver, pathUntil: Instant, at now: Instant) {
        self.pathUntil = pathUntil
        self.sender = sender
        self.receiver = receiver
        liveness = Liveness(at: now)
    }
}
